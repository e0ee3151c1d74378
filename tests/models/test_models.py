"""What the built-in workloads compute, against the plainest way to say the same."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from inductor_lab.errors import LabError  # noqa: E402
from inductor_lab.models import WORKLOADS, find_workload  # noqa: E402
from inductor_lab.models.dlrm import DLRM, interaction, modulus_hash  # noqa: E402
from inductor_lab.models.lora_mlp import LoRALinear, LoRAMLP  # noqa: E402
from inductor_lab.models.rotary import angles, rotate  # noqa: E402
from inductor_lab.models.rotary_attention import RotaryAttention  # noqa: E402
from inductor_lab.models.sparse_ffn import Router, SparseFFN  # noqa: E402

LAPTOP = [
    (workload.name, size, dtype)
    for workload in WORKLOADS.values()
    for size in workload.sizes
    if size.startswith("laptop")
    for dtype in workload.dtypes
]

OUTPUT_SHAPES = {
    ("dlrm", "laptop"): [(4,)],
    ("lora_mlp", "laptop"): [(8, 4)],
    ("rotary", "laptop"): [(2, 4, 16, 8), (2, 4, 16, 8)],
    ("rotary_attention", "laptop"): [(2, 16, 32)],
    ("rotary_attention", "laptop_gqa"): [(2, 16, 32)],
    ("sparse_ffn", "laptop"): [(4, 16)],
}


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


def outputs(module, inputs) -> tuple[torch.Tensor, ...]:
    result = module(*inputs)
    return result if isinstance(result, tuple) else (result,)


# ---------------------------------------------------------------- every workload


def test_the_registry_does_not_import_torch():
    code = "import sys, inductor_lab.models; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_workload_has_a_size_for_a_laptop_and_one_for_a_gpu():
    for name, workload in WORKLOADS.items():
        assert workload.name == name
        assert {"laptop", "gpu"} <= workload.sizes.keys()


@pytest.mark.parametrize(("name", "size", "dtype"), LAPTOP)
def test_outputs_have_the_expected_shapes_and_dtype(name, size, dtype):
    results = outputs(*WORKLOADS[name].build(size, dtype))
    assert [tuple(y.shape) for y in results] == OUTPUT_SHAPES[name, size]
    assert {y.dtype for y in results} == {{"fp32": torch.float32, "bf16": torch.bfloat16}[dtype]}
    assert all(y.isfinite().all() for y in results)


@pytest.mark.parametrize(("name", "size", "dtype"), LAPTOP)
def test_a_training_step_reaches_every_parameter_and_every_trained_input(name, size, dtype):
    workload = WORKLOADS[name]
    module, inputs = workload.build(size, dtype, train=True)
    sum(y.float().sum() for y in outputs(module, inputs)).backward()
    trained = [p for p in module.parameters() if p.requires_grad] + [inputs[i] for i in workload.trained_inputs]
    assert trained
    assert all(x.grad is not None and x.grad.any() for x in trained)
    assert [i for i, x in enumerate(inputs) if x.requires_grad] == list(workload.trained_inputs)


def test_every_workload_comes_in_both_precisions():
    assert {workload.dtypes for workload in WORKLOADS.values()} == {("fp32", "bf16")}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param("dlrm", "batch", marks=pytest.mark.slow),
        ("lora_mlp", "rows"),
        ("rotary", "batch"),
        ("rotary_attention", "batch"),
        ("sparse_ffn", "tokens"),
    ],
)
def test_a_graph_with_dynamic_shapes_serves_another_batch(name, size):
    """What `capture --dynamic` shows is one graph for every batch, and not one for the example's."""
    workload, graphs = WORKLOADS[name], []

    def count(graph, inputs):
        graphs.append(graph)
        return graph

    fields = workload.sizes["laptop"]
    more = dataclasses.replace(workload, sizes={"laptop": {**fields, size: fields[size] + 3}})
    module, inputs = workload.build("laptop")
    _, others = more.build("laptop")
    torch.compiler.reset()
    compiled = torch.compile(module, backend=count, dynamic=True)
    for each in (inputs, others):
        torch.testing.assert_close(compiled(*each), module(*each))
    assert [x.shape for x in inputs] != [x.shape for x in others]
    assert len(graphs) == 1


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_seed_decides_the_parameters_and_the_inputs(name):
    def tensors(seed):
        module, inputs = WORKLOADS[name].build("laptop", seed=seed)
        return [*module.state_dict().values(), *inputs]

    first, again, other = tensors(0), tensors(0), tensors(1)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(first, other, strict=True))


def test_building_leaves_the_random_state_alone():
    before = torch.get_rng_state()
    WORKLOADS["dlrm"].build("laptop")
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("dtype", ["bf16", "bfloat16", torch.bfloat16])
def test_a_dtype_is_asked_for_by_any_of_its_names(dtype):
    _, (x,) = WORKLOADS["lora_mlp"].build("laptop", dtype)
    assert x.dtype == torch.bfloat16


def test_wrong_names_are_answered_with_the_right_ones():
    with pytest.raises(LabError, match="lora_mlp"):
        find_workload("lora")
    with pytest.raises(LabError, match="laptop, gpu"):
        WORKLOADS["lora_mlp"].build("huge")
    with pytest.raises(LabError, match="fp32, bf16"):
        WORKLOADS["lora_mlp"].build("laptop", "int8")


# ---------------------------------------------------------------- DLRM


def test_hash_is_pythons_modulus():
    categories, cardinalities = [[0, 9, 2**32 - 1], [-1, -12, 5]], [10, 10, 7]
    expected = [[(c + 1) % n for c, n in zip(row, cardinalities, strict=True)] for row in categories]
    assert modulus_hash(torch.tensor(categories), torch.tensor(cardinalities)).tolist() == expected


def test_interaction_is_the_outer_product_of_each_row():
    features = torch.randn(3, 5)
    expected = torch.stack([torch.outer(row, row).flatten() for row in features])
    assert torch.equal(interaction(features), expected)


def test_dlrm_reads_the_hashed_row_of_each_table():
    model = DLRM([3, 5], bottom=(4, 2), top=(1,))
    dense, sparse = torch.randn(1, 4), torch.tensor([[7, 11]])
    rows = [model.embeddings[0].weight[(7 + 1) % 3], model.embeddings[1].weight[(11 + 1) % 5]]
    features = torch.cat([torch.relu(model.bottom[0](dense[0])), *rows])
    expected = torch.sigmoid(model.top[0](torch.outer(features, features).flatten()))
    torch.testing.assert_close(model(dense, sparse), expected)


@pytest.mark.parametrize(
    ("size", "bottom", "first_top"),
    [("small", (13, 32, 16), (16, 186_624)), ("gpu", (13, 512, 256, 64, 16), (512, 186_624))],
)
def test_dlrm_has_the_talks_layers(size, bottom, first_top):
    fields = WORKLOADS["dlrm"].sizes[size]
    with torch.device("meta"):
        model = DLRM([fields["cardinality"]] * fields["tables"], fields["bottom"], fields["top"])
    assert [table.weight.shape for table in model.embeddings] == [(10_000, 16)] * 26
    assert (13, *(layer.out_features for layer in model.bottom[::2])) == bottom
    assert model.top[0].weight.shape == first_top


# ---------------------------------------------------------------- LoRA


def test_lora_linear_is_a_linear_layer_with_the_product_merged_into_its_weight():
    layer = LoRALinear(6, 4, rank=3, scale=0.5)
    x = torch.randn(5, 6)
    merged = torch.nn.functional.linear(x, layer.base.weight + 0.5 * layer.B @ layer.A, layer.base.bias)
    torch.testing.assert_close(layer(x), merged)


def test_lora_trains_a_and_b_and_leaves_the_base_frozen():
    model = LoRAMLP((16, 8, 4), rank=5, scale=0.5)
    model(torch.randn(8, 16)).sum().backward()
    for name, parameter in model.named_parameters():
        if name.endswith((".A", ".B")):
            assert parameter.any(), name
            assert parameter.grad.any(), name
        else:
            assert parameter.grad is None, name
    assert sorted(n for n, p in model.named_parameters() if p.requires_grad) == [
        "layers.0.A", "layers.0.B", "layers.1.A", "layers.1.B",
    ]  # fmt: skip


# ---------------------------------------------------------------- rotary


def test_rotation_is_a_product_of_complex_numbers():
    tokens, head_dim = 7, 6
    x = torch.randn(2, 3, tokens, head_dim, dtype=torch.float64)
    cos, sin = (t.double() for t in angles(tokens, head_dim))
    pairs = torch.complex(*x.chunk(2, dim=-1))
    turned = pairs * torch.complex(cos, sin)[:, : head_dim // 2]
    torch.testing.assert_close(rotate(x, cos, sin), torch.cat((turned.real, turned.imag), dim=-1))


def test_rotation_keeps_norms_and_makes_scores_depend_on_distance_alone():
    tokens, head_dim = 9, 8
    cos, sin = angles(tokens, head_dim)
    query, key = torch.randn(2, head_dim)
    queries, keys = (rotate(x.expand(tokens, head_dim), cos, sin) for x in (query, key))
    torch.testing.assert_close(queries.norm(dim=-1), query.norm().expand(tokens))
    scores = queries @ keys.T
    torch.testing.assert_close(scores[1:, 1:], scores[:-1, :-1])


def test_rotary_inputs_are_transposed_views():
    _, (query, key, cos, sin) = WORKLOADS["rotary"].build("laptop", "bf16", train=True)
    assert query.transpose(1, 2).is_contiguous()
    assert not query.is_contiguous()
    assert all(x.is_leaf for x in (query, key, cos, sin))


def test_grouped_query_attention_is_multi_head_attention_with_repeated_keys_and_values():
    dim, heads, kv_heads, head_dim = 32, 4, 2, 8
    grouped = RotaryAttention(dim, heads, kv_heads)
    multi = RotaryAttention(dim, heads, heads)
    query, key, value = grouped.qkv.weight.unflatten(0, (-1, head_dim)).split((heads, kv_heads, kv_heads))
    repeated = [w.repeat_interleave(heads // kv_heads, dim=0) for w in (key, value)]
    multi.load_state_dict({"qkv.weight": torch.cat([query, *repeated]).flatten(0, 1), "out.weight": grouped.out.weight})
    inputs = (torch.randn(2, 16, dim), *angles(16, head_dim))
    torch.testing.assert_close(grouped(*inputs), multi(*inputs))


def test_attention_is_causal():
    model, (x, cos, sin) = WORKLOADS["rotary_attention"].build("laptop")
    changed = x.clone()
    changed[:, 10:] += 1
    before, after = model(x, cos, sin), model(changed, cos, sin)
    torch.testing.assert_close(before[:, :10], after[:, :10])
    assert not torch.allclose(before[:, 10:], after[:, 10:])


# ---------------------------------------------------------------- sparse FFN


def test_sparse_ffn_is_the_dense_one_with_the_other_neurons_masked():
    model, (x, active) = WORKLOADS["sparse_ffn"].build("laptop")
    mask = torch.zeros(len(model.up)).index_fill(0, active, 1.0)
    dense = (torch.nn.functional.leaky_relu(x @ model.up.T) * mask) @ model.down
    torch.testing.assert_close(model(x, active), dense)


def test_router_chooses_distinct_neurons_in_ascending_order():
    x = torch.randn(3, 16)
    active = Router(16, 64, rank=4)(x, active=20)
    assert active.dtype == torch.int64
    assert active.shape == (20,)
    assert active.unique().tolist() == active.tolist()  # unique() also sorts
    assert set(active.tolist()) <= set(range(64))
    assert SparseFFN(16, 64)(x, active).shape == x.shape
