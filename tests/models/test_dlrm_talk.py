"""The talk's parts of DLRM: hashes, interactions and shapes, against the plainest way to say the same."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from inductor_lab.models import dlrm  # noqa: E402
from inductor_lab.models.dlrm_talk import (  # noqa: E402
    INTERACTIONS,
    IndexDevice,
    IndexList,
    Modulus,
    TalkDLRM,
    cat,
    dot,
    outer,
)

VALUES = [[1651969401, 3857972621, 7], [3793706328, 12976055]]
SPARSE = torch.tensor([[3857972621, 12976055], [7, 3793706328], [1651969401, 5]])


@pytest.mark.parametrize("hash_", [IndexList, IndexDevice])
def test_an_index_hash_is_where_a_category_stands_in_its_table(hash_) -> None:
    assert hash_(VALUES)(SPARSE).tolist() == [[1, 1], [2, 0], [0, 0]]  # 5 is not in the table: row 0


def test_the_modulus_hash_is_python_s_modulus() -> None:
    sparse = torch.tensor([[-1, 2**32 - 1], [-5, 2**63 - 2]])
    expected = [[(category + 1) % size for category, size in zip(row, (3, 7), strict=True)] for row in sparse.tolist()]
    assert Modulus([3, 7])(sparse).tolist() == expected


def test_what_a_hash_knows_of_the_log_is_in_no_checkpoint_and_moves_with_the_model() -> None:
    for hash_ in (IndexList(VALUES), IndexDevice(VALUES), Modulus([3, 2])):
        assert not hash_.state_dict()
    assert [values.device.type for values in IndexDevice(VALUES).to("meta").buffers()] == ["meta", "meta"]


def test_interactions_are_what_they_say() -> None:
    dense, first, second = features = [torch.randn(5, 4) for _ in range(3)]
    together = torch.cat(features, 1)
    torch.testing.assert_close(cat(features), together)
    torch.testing.assert_close(outer(features), torch.einsum("bi,bj->bij", together, together).reshape(5, -1))
    pairs = [(first * dense).sum(1), (second * dense).sum(1), (second * first).sum(1)]
    torch.testing.assert_close(dot(features), torch.cat([dense, torch.stack(pairs, 1)], 1))
    for interact, width in INTERACTIONS.values():
        assert interact(features).shape == (5, width(3, 4))


def test_the_talk_s_interaction_has_186_624_features() -> None:
    _, width = INTERACTIONS["outer"]
    assert width(27, 16) == 186_624


def test_with_a_last_relu_and_modulus_it_is_the_model_that_was_captured() -> None:
    torch.manual_seed(0)
    captured, (dense, sparse) = dlrm.example(batch=4, bottom=(13, 8, 4), top=(6, 1), tables=5, cardinality=9)
    model = TalkDLRM(Modulus([9] * 5), [9] * 5, (13, 8, 4), (6, 1), bottom_relu=True)
    names = {"embeddings": "sparse_arch.embeddings", "bottom": "dense_arch", "top": "prediction"}
    state = {name: value for name, value in captured.state_dict().items() if name != "cardinalities"}
    model.load_state_dict({names[name.partition(".")[0]] + "." + name.partition(".")[2]: state[name] for name in state})
    torch.testing.assert_close(model(dense, sparse), captured(dense, sparse), rtol=0, atol=0)


def test_the_dense_arch_ends_without_a_relu() -> None:
    model = TalkDLRM(Modulus([3]), [3], (13, 8, 4), (6, 1))
    dense = model.dense_arch(torch.randn(64, 13))
    assert dense.shape == (64, 4) and (dense < 0).any()
    assert [each.shape for each in model.sparse_arch(torch.zeros(2, 1, dtype=torch.int64))] == [(2, 4)]


@pytest.mark.parametrize("interaction", INTERACTIONS)
def test_a_step_reaches_every_parameter(interaction) -> None:
    torch.manual_seed(0)
    model = TalkDLRM(IndexDevice(VALUES), [3, 2], (13, 8, 4), (16, 1), interaction=interaction)
    click = model(torch.rand(3, 13), SPARSE)
    assert click.shape == (3,) and ((click > 0) & (click < 1)).all()
    click.sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in model.parameters())
