"""Hand kernels of spans in a model of the user's own: Inductor's wrappers, loaded by its own cache on the CPU, their functions' code replaced and put back."""

from __future__ import annotations

import re
import textwrap
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import pytest
from folders import CAPTURED

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch
from torch._inductor.codecache import PyCodeCache

from inductor_lab import GraftWarning, graft, store
from inductor_lab.eject.span import eject_span
from inductor_lab.grafting.hand import Fitting, Misfit
from inductor_lab.records import Capture
from inductor_lab.replay.module import _on_the_cpu
from inductor_lab.spans import span

ADDS = """
    product = (arg2 @ arg3.t()) @ arg4.t()
    mm_3.copy_(torch.relu(bias + mm_3 + product * 0.5))
    torch.mm(mm_3, arg5.t(), out=mm_4)
    torch.mm(mm_3, arg7.t(), out=mm_5)"""
"""Steps 1 to 5 of the LoRA MLP, by other means."""


class Model:
    """A captured module on the CPU, its kernels computed by torch."""

    def __init__(self, folder: Path) -> None:
        self.capture: Capture = store.load(CAPTURED / "lora_mlp_h200")
        self.text = self.capture.graphs[0].module
        self.folder = folder
        self.launched: list[str] = []
        generator = torch.Generator().manual_seed(0)
        shapes = re.findall(r"assert_size_stride\(arg\d+_1, \(([\d, ]+)\)", self.text)
        self.inputs = [
            torch.randn([int(n) for n in one.split(",") if n.strip()], generator=generator) * 0.1 for one in shapes
        ]

    def loaded(self, change: tuple[str, str] = ("", "")) -> ModuleType:
        """As when a graph is compiled, or found in a cache."""
        text = self.text.replace(
            "AsyncCompile()",
            "__import__('types').SimpleNamespace(triton=lambda *given, **named: None, wait=lambda names: None)",
        )
        text = text.replace("from torch._C import _cuda_getCurrentRawStream as get_raw_stream", "")
        assert change[0] in text
        path = self.folder / f"wrapper_{len(list(self.folder.iterdir()))}.py"
        path.write_text(text.replace(*change) if change[0] else text)
        kernels = {one.name: self._kernel(one.name) for one in self.capture.kernels}
        return PyCodeCache.load_by_key_path(path.stem, str(path), attrs={**_on_the_cpu(), **kernels})

    def _kernel(self, name: str) -> Any:
        def run(mm: torch.Tensor, bias: torch.Tensor, other: torch.Tensor, numel: int, stream: int) -> None:
            self.launched.append(name)
            total = bias + mm + other * 0.5
            mm.copy_(torch.relu(total) if "relu" in name else total)

        return SimpleNamespace(run=run)

    def call(self, module: ModuleType) -> torch.Tensor:
        (found,) = module.call(list(self.inputs))
        return found

    def file(self, body: str = ADDS, name: str = "hand.py", first: int = 1, last: int = 5) -> Path:
        """The ejected span with another `launch`."""
        text = eject_span(self.capture, span(self.capture, "0_inference", first, last))
        made = self.folder / name
        made.write_text(
            re.sub(
                r"(?ms)^(def launch\(.*?\):\n).*?\n\n\n",
                lambda found: f"{found[1]}    {body.strip()}\n\n\n",
                text,
                count=1,
            )
        )
        return made


@pytest.fixture
def lora(tmp_path: Path) -> Iterator[Model]:
    before = list(PyCodeCache.modules)
    yield Model(tmp_path)
    PyCodeCache.modules[:] = before


@pytest.fixture(autouse=True)
def nothing_else_warns() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraftWarning)
        yield


def codes(module: ModuleType) -> list[Any]:
    return [vars(module.Runner)["call"].__code__, sorted(vars(module))]


@pytest.mark.parametrize("inside", [False, True], ids=["compiled before", "compiled inside"])
def test_the_steps_of_a_span_are_its_hand_kernel(lora: Model, inside: bool) -> None:
    """Also for who holds the function already, as a CUDA graph's tree does."""
    module = None if inside else lora.loaded()
    held = None if module is None else module.call
    want = lora.call(lora.loaded())
    del lora.launched[:]
    with graft(lora.file()) as grafts:
        module = module or lora.loaded()
        (found,) = (held or module.call)(list(lora.inputs))
        torch.testing.assert_close(found, want)
        assert len(lora.launched) == 2 and "call" in vars(module)
        lora.call(module)
    (told,) = grafts.files
    assert (told.launches, told.passed_over, told.kernel) == (2, 0, "lora_mlp_h200:0_inference:1-5")
    assert str(grafts).endswith("2 launches in the place of lora_mlp_h200:0_inference:1-5: 2 on cpu")
    lora.call(module)
    assert grafts.files[0].launches == 2 and len(lora.launched) == 7


def test_a_partition_that_is_a_cuda_graph_of_its_own_is_rewritten_too(lora: Model) -> None:
    """The Runner holds the function itself, or what was made of it."""
    want = lora.call(lora.loaded())
    before, _, behind = lora.text.partition("class Runner:")
    own, _, behind = behind.partition("\nrunner = Runner(partitions=[])")
    methods, _, call = own.partition("    def call(self, args):")
    call = textwrap.dedent(f"    def partition_0(args):{call}")
    runner = f"class Runner:{methods}    def call(self, args):\n        return self.partitions[0](args)\n"
    lora.text = f"{before}{call}\n\n{runner}\nrunner = Runner(partitions=[partition_0]){behind}"
    module = lora.loaded()
    module.recursively_apply_fns([lambda held: lambda given: held(given)])
    with graft(lora.file()) as grafts:
        torch.testing.assert_close(lora.call(module), want)
    assert grafts.files[0].launches == 1


def test_behind_the_with_all_is_as_it_was_also_after_an_error(lora: Model) -> None:
    load, module = PyCodeCache.load_by_key_path, lora.loaded()
    before = codes(module)

    def user_s_own() -> None:
        with graft(lora.file()):
            assert codes(module) != before
            raise KeyError("the user's own")

    with pytest.raises(KeyError, match="the user's own"):
        user_s_own()
    assert codes(module) == before and PyCodeCache.load_by_key_path == load
    assert "ours" not in vars(PyCodeCache)["load_by_key_path"].__func__.__dict__


def test_a_backward_on_another_thread_runs_it_too(lora: Model) -> None:
    module = lora.loaded()
    with graft(lora.file()) as grafts:
        thread = threading.Thread(target=lora.call, args=(module,))
        thread.start()
        thread.join()
    assert grafts.files[0].launches == 1


def test_what_a_hand_kernel_raises_reaches_the_user_with_the_file_s_name(lora: Model) -> None:
    file, module = lora.file("raise ZeroDivisionError('mine')"), lora.loaded()
    with pytest.raises(ZeroDivisionError, match="mine") as raised, graft(file):
        lora.call(module)
    assert str(file) in raised.value.__notes__[0] and "lines 176 to 195" in raised.value.__notes__[0]


def test_what_does_not_fit_runs_the_generated_sequence(lora: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    def misfit(self: Fitting, passed: tuple[Any, ...]) -> Any:
        raise Misfit("arg2 is float32[8, 8], not float32[4096, 512]")

    module = lora.loaded()
    want = lora.call(module)
    monkeypatch.setattr(Fitting, "call", misfit)
    with graft(lora.file()) as grafts:
        with pytest.warns(
            GraftWarning, match="is for other sizes than lines 176 to 195 .* so the generated kernel runs: arg2 is"
        ):
            assert torch.equal(lora.call(module), want)
        assert torch.equal(lora.call(module), want)
    assert grafts.files[0].passed_over == 2 and not grafts.files[0].launches


def test_an_output_that_nobody_reads_need_not_be_written(lora: Model) -> None:
    """`mm_3` is in the wrapper's memory, and used up by the steps of the span."""
    module = lora.loaded()
    want = lora.call(module)
    body = ADDS.replace("mm_3.copy_(", "mm = (").replace("mm(mm_3,", "mm(mm,")
    with graft(lora.file(body)):
        torch.testing.assert_close(lora.call(module), want)


# ------------------------------------------------------------ several files


def test_two_spans_of_one_wrapper(lora: Model) -> None:
    module = lora.loaded()
    want = lora.call(module)
    body = "mm_2.copy_(bias + mm @ arg9.t() + ((mm @ arg11.t()) @ arg12.t()) * 0.5)"
    other = lora.file(body, "other.py", 8, 11)
    del lora.launched[:]
    with graft(lora.file(), other) as grafts:
        torch.testing.assert_close(lora.call(module), want)
    assert [one.launches for one in grafts.files] == [1, 1] and len(lora.launched) == 1


def test_the_inner_of_two_grafts_comes_first_and_the_outer_is_back_behind_it(lora: Model) -> None:
    module = lora.loaded()
    with graft(lora.file(name="outer.py")) as outer:
        with graft(lora.file(name="inner.py")) as inner:
            lora.call(module)
        lora.call(module)
    assert [grafts.files[0].launches for grafts in (outer, inner)] == [1, 1]
    with graft(lora.file(name="outer.py", last=6)) as outer, graft(lora.file(name="inner.py")):
        lora.call(module)
        assert not outer.files[0].launches
    assert "a graft inside of this one has a part of its steps" in str(outer)


# ------------------------------------------------------------ a model that has changed


CHANGES: dict[str, tuple[tuple[str, str], str]] = {
    "a body": (
        ("0.5, tl.float32", "0.25, tl.float32"),
        "4 of its 5 steps are there, and where triton_poi_fused_add_addmm_mul_relu_0 was stands another triton_poi_fused_add_addmm_mul_relu_0",
    ),
    "a stride": (
        ("buf5 = empty_strided_cuda((4096, 8), (8, 1)", "buf5 = empty_strided_cuda((4096, 8), (16, 1)"),
        "all its 5 steps are there, but what they are passed",
    ),
    "a call": (
        ("extern_kernels.mm(buf3, reinterpret_tensor(arg7_1", "extern_kernels.bmm(buf3, reinterpret_tensor(arg7_1"),
        "4 of its 5 steps are there, and where extern_kernels.mm was stands extern_kernels.bmm",
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_model_runs_as_generated_and_the_nearest_is_named(
    lora: Model, change: tuple[tuple[str, str], str]
) -> None:
    module = lora.loaded(change[0])
    before = codes(module)

    def a_call_of_the_model() -> None:
        with graft(lora.file()):
            assert codes(module) == before

    with pytest.warns(GraftWarning) as warned:
        a_call_of_the_model()
    (message,) = (str(one.message) for one in warned)
    assert "hand.py was not used: no wrapper of the model has the span" in message and change[1] in message
    assert f"{module.__file__}, line 176" in message and Path(warned[0].filename) == Path(__file__)


def test_a_wrapper_that_was_not_called_is_said(lora: Model) -> None:
    lora.loaded()
    with pytest.warns(GraftWarning, match="has its span and was not called inside"), graft(lora.file()):
        pass


def test_without_any_wrapper_the_model_was_not_called(lora: Model) -> None:
    with (
        pytest.warns(GraftWarning, match="nothing that torch.compile made launched a Triton kernel here"),
        graft(lora.file()),
    ):
        pass


def test_what_somebody_made_of_our_loading_stays(lora: Model) -> None:
    load = vars(PyCodeCache)["load_by_key_path"]
    told: list[str] = []

    def theirs_of(ours: Callable[..., ModuleType]) -> Callable[..., ModuleType]:
        def theirs(*given: Any, **named: Any) -> ModuleType:
            told.append(given[0])
            return ours(*given, **named)

        return theirs

    with graft(lora.file()) as grafts:
        PyCodeCache.load_by_key_path = theirs_of(PyCodeCache.load_by_key_path)
        lora.call(lora.loaded())
    try:
        assert isinstance(PyCodeCache.load_by_key_path, FunctionType) and grafts.files[0].launches == 1
        before = len(lora.launched)
        lora.call(lora.loaded())
        assert len(told) == 2 and len(lora.launched) == before + 3
    finally:
        PyCodeCache.load_by_key_path = load
