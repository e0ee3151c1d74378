"""Hand kernels in a model of the user's own: the dispatch with Inductor's own class, and a whole torch.compile in Triton's interpreter."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import warnings
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from folders import CAPTURED
from kernels_as_text import one_of_a_kind

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch
from graft_program import files_of, run, spans_of
from torch._inductor.runtime.triton_heuristics import CachingAutotuner

from inductor_lab import GraftWarning, LabError, graft, store
from inductor_lab.eject import eject
from inductor_lab.eject.span import eject_span
from inductor_lab.grafting import inductor
from inductor_lab.grafting.context import nearest
from inductor_lab.grafting.hand import Fitting, Misfit, PassedTensor
from inductor_lab.grafting.inductor import Launch
from inductor_lab.read import read
from inductor_lab.read.module import read_module
from inductor_lab.records import Capture, Kernel
from inductor_lab.spans import span


@dataclass
class Model:
    """A captured model's kernels as Inductor has them, with a wrapper that launches one, and what the generated kernel was given."""

    capture: Capture
    folder: Path
    generated: list[tuple[Any, ...]] = field(default_factory=list)

    def kernel(self, number: int) -> Kernel:
        return self.capture.kernels[number]

    def source(self, number: int) -> str:
        kernel = self.kernel(number)
        (module,) = (graph.module for graph in self.capture.graphs if graph.id == kernel.graph)
        return next(one.text for one in read_module(module).definitions if one.name == kernel.name)

    def compiled(self, number: int, change: tuple[str, str] = ("", "")) -> CachingAutotuner:
        """A kernel out of Inductor's cache."""
        text = self.source(number)
        assert change[0] in text
        file = self.folder / f"generated_{number}.py"
        file.write_text(text.replace(*change) if change[0] else text)
        found = CachingAutotuner.__new__(CachingAutotuner)
        found.filename = str(file)
        found.inductor_meta = {}
        found.fn = SimpleNamespace(__name__=self.kernel(number).name)
        return found

    def ejected(self, number: int, name: str = "hand.py", launch: str = "") -> Path:
        """A file; with `launch` its hand kernel is that statement."""
        text = eject(self.capture, self.kernel(number))
        if launch:
            text = re.sub(r"(?ms)^(def launch\(.*?\):\n).*?\n\n\n", rf"\1    {launch}\n\n\n", text, count=1)
        file = self.folder / name
        file.write_text(text)
        return file


def call(kernel: CachingAutotuner, *values: Any) -> None:
    """A wrapper's line."""
    kernel.run(*values, stream=0)


def model(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    made = Model(store.load(CAPTURED / name), folder)
    monkeypatch.setattr(CachingAutotuner, "run", lambda self, *values, **named: made.generated.append(values))
    return made


@pytest.fixture
def lora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """Kernel 0 is `relu(bias + mm + mm_2 * 0.5)` of float32[4096, 1024]."""
    return model("lora_mlp_h200", tmp_path, monkeypatch)


@pytest.fixture
def dynamic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """Kernel 0 is the same of float32[s77, 1024] and of a number that the log does not tell, 0.5 in truth."""
    return model("lora_mlp_train_dynamic_h200", tmp_path, monkeypatch)


@pytest.fixture(autouse=True)
def nothing_else_warns() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraftWarning)
        yield


def passed(rows: int = 4096, columns: int = 1024) -> tuple[Any, ...]:
    return torch.zeros(rows, columns), torch.zeros(columns), torch.zeros(rows, columns)


SEVEN = "return mm.fill_(7)"


def test_a_launch_of_the_body_runs_the_hand_kernel(lora: Model) -> None:
    kernel, (mm, bias, mm_2) = lora.compiled(0), passed()
    with graft(lora.ejected(0, launch=SEVEN)) as grafts:
        call(kernel, mm, bias, mm_2, 4194304)
        call(kernel, mm, bias, mm_2, 4194304)
    assert mm.unique().tolist() == [7.0] and not lora.generated
    (told,) = grafts.files
    assert (told.launches, told.recorded, told.passed_over, told.message) == (2, 0, 0, "")
    assert dict(told.devices) == {"cpu": 2} and told.kernel == lora.kernel(0).name
    assert str(grafts) == f"{told.file}: 2 launches in the place of {told.kernel}: 2 on cpu"


def test_the_generated_kernel_is_back_afterwards_and_after_an_error(lora: Model) -> None:
    before, kernel = CachingAutotuner.run, lora.compiled(0)

    def user_s_own() -> None:
        with graft(lora.ejected(0)):
            assert CachingAutotuner.run is not before
            raise KeyError("the user's own")

    with pytest.raises(KeyError, match="the user's own"):
        user_s_own()
    assert CachingAutotuner.run is before
    call(kernel, *passed(8), 8192)
    assert len(lora.generated) == 1


def test_what_somebody_made_of_our_run_stays_and_each_launch_is_asked_about_once(lora: Model) -> None:
    """`functools.wraps` copies the attributes too, so a wrapper of ours must not be taken for ours."""
    before, kernel = CachingAutotuner.run, lora.compiled(0)
    asked: list[Launch] = []
    told: list[int] = []

    def listener(launch: Launch, taken: bool) -> bool:
        asked.append(launch)
        return False

    inductor.listen(listener)
    ours = CachingAutotuner.run

    @wraps(ours)
    def theirs(self: Any, *values: Any, **named: Any) -> Any:
        told.append(len(values))
        return ours(self, *values, **named)

    CachingAutotuner.run = theirs
    inductor.leave(listener)
    assert CachingAutotuner.run is theirs
    call(kernel, *passed(8), 8192)
    assert (len(told), len(asked), len(lora.generated)) == (1, 0, 1)
    inductor.listen(listener)
    call(kernel, *passed(8), 8192)
    assert (len(told), len(asked), len(lora.generated)) == (2, 1, 2)
    CachingAutotuner.run = theirs  # as if another one had put back what it found
    call(kernel, *passed(8), 8192)
    assert (len(told), len(asked), len(lora.generated)) == (3, 2, 3)
    CachingAutotuner.run = before
    inductor.leave(listener)
    assert CachingAutotuner.run is before


def test_what_a_hand_kernel_raises_reaches_the_user_with_the_file_s_name(lora: Model) -> None:
    file = lora.ejected(0, launch="raise ZeroDivisionError('mine')")
    with pytest.raises(ZeroDivisionError, match="mine") as raised, graft(file):
        call(lora.compiled(0), *passed(), 4194304)
    assert str(file) in raised.value.__notes__[0] and lora.kernel(0).name in raised.value.__notes__[0]
    assert not lora.generated


def test_a_kernel_of_another_body_is_inductor_s(lora: Model) -> None:
    with graft(lora.ejected(0, launch=SEVEN)) as grafts:
        call(lora.compiled(1), *passed(8), 8192)
        call(lora.compiled(0), *passed(), 4194304)
    assert len(lora.generated) == 1 and grafts.files[0].launches == 1


def test_what_inductor_runs_while_it_compiles_is_the_generated_kernel(lora: Model) -> None:
    """Its benchmarks, its tuning on examples, and what it runs to get a binary for C++."""
    kernel, for_cpp = lora.compiled(0), lora.compiled(0)
    for_cpp.inductor_meta = {"store_cubin": True}
    with graft(lora.ejected(0, launch=SEVEN)) as grafts:
        kernel.run(*passed(), 4194304, stream=0, benchmark_run=True)
        exec("kernel.run(*values, stream=0)", {"kernel": kernel, "values": (*passed(), 4194304)})
        call(for_cpp, *passed(), 4194304)
        assert len(lora.generated) == 3 and not grafts.files[0].launches
        call(kernel, *passed(), 4194304)


def test_the_inner_of_two_grafts_comes_first(lora: Model) -> None:
    kernel, tensors = lora.compiled(0), passed()
    with graft(lora.ejected(0, "outer.py", "return mm.fill_(1)")) as outer:
        with graft(lora.ejected(0, "inner.py", "return mm.fill_(2)")) as inner:
            call(kernel, *tensors, 4194304)
            assert tensors[0][0, 0] == 2
        call(kernel, *tensors, 4194304)
        assert tensors[0][0, 0] == 1
    assert [grafts.files[0].launches for grafts in (outer, inner)] == [1, 1]


@pytest.mark.filterwarnings("error")
def test_a_graft_whose_kernel_is_an_inner_one_s_was_not_missing(lora: Model) -> None:
    kernel, tensors = lora.compiled(0), passed()
    with (
        graft(lora.ejected(0, "outer.py", "return mm")) as outer,
        graft(lora.ejected(0, "inner.py", "return mm")) as inner,
    ):
        call(kernel, *tensors, 4194304)
    assert [grafts.files[0].launches for grafts in (outer, inner)] == [0, 1]
    assert "a graft inside of this one has its kernel" in str(outer)


def test_a_graft_is_the_whole_process_s(lora: Model) -> None:
    """Backward runs on a thread of autograd's."""
    tensors = passed()
    with graft(lora.ejected(0, launch=SEVEN)) as grafts:
        thread = threading.Thread(target=call, args=(lora.compiled(0), *tensors, 4194304))
        thread.start()
        thread.join()
    assert grafts.files[0].launches == 1 and tensors[0][0, 0] == 7


def test_nothing_of_a_graft_stays_in_a_kernel_that_inductor_pickles(lora: Model) -> None:
    kernel = lora.compiled(0)
    before = dict(vars(kernel))
    with graft(lora.ejected(0, launch=SEVEN)):
        call(kernel, *passed(), 4194304)
    assert vars(kernel) == before


def test_a_kernel_whose_file_left_the_cache_is_found_in_its_wrapper(lora: Model) -> None:
    """As with a cache of another machine: the wrapper's text holds every kernel that it launches."""
    kernel, (graph,) = lora.compiled(0), lora.capture.graphs
    Path(kernel.filename).unlink()
    wrapper = lora.folder / "wrapper.py"
    wrapper.write_text(graph.module)
    module: dict[str, Any] = {"__file__": str(wrapper), lora.kernel(0).name: kernel}
    exec(f"def call(*values): {lora.kernel(0).name}.run(*values, stream=0)", module)
    with graft(lora.ejected(0, launch=SEVEN)) as grafts:
        module["call"](*passed(), 4194304)
    assert grafts.files[0].launches == 1


# ------------------------------------------------------------ a body that has changed


def test_a_changed_body_is_told_with_the_nearest_kernel_at_the_end(lora: Model) -> None:
    kernel, grafts = lora.compiled(0, ("0.5, tl.float32", "0.25, tl.float32")), graft(lora.ejected(0))

    def a_call_of_the_model() -> None:
        with grafts:
            call(lora.compiled(1), *passed(8), 8192)
            call(kernel, *passed(), 4194304)

    with pytest.warns(GraftWarning) as warned:
        a_call_of_the_model()
    (message,) = (str(one.message) for one in warned)
    assert f"nearest is {lora.kernel(0).name} (body " in message
    assert message.endswith(
        "which has `tmp4 = tl.full([1], 0.25, tl.float32)` for `tmp4 = tl.full([1], 0.5, tl.float32)`"
    )
    assert len(lora.generated) == 2 and grafts.files[0].message in message
    assert Path(warned[0].filename) == Path(__file__)


def test_a_changed_body_is_told_as_soon_as_its_graph_runs_again(lora: Model) -> None:
    kernel = lora.compiled(0, ("0.5, tl.float32", "0.25, tl.float32"))
    with graft(lora.ejected(0)):
        call(kernel, *passed(), 4194304)
        with pytest.warns(GraftWarning, match="not used so far, the generated kernel runs"):
            call(kernel, *passed(), 4194304)
        call(kernel, *passed(), 4194304)
    assert len(lora.generated) == 3


def test_a_kernel_that_comes_up_later_was_not_missing(lora: Model) -> None:
    other = lora.compiled(0, ("0.5, tl.float32", "0.25, tl.float32"))
    with graft(lora.ejected(0, launch=SEVEN)) as grafts:
        for filter_ in ("error", "ignore"):
            warnings.simplefilter(filter_, GraftWarning)
            call(other, *passed(), 4194304)
        assert "nearest is" in grafts.files[0].message
        call(lora.compiled(0), *passed(), 4194304)
    assert grafts.files[0].launches == 1 and not grafts.files[0].message


@pytest.mark.slow
def test_a_model_on_the_cpu_is_told(lora: Model) -> None:
    program = f"""
import torch
from inductor_lab import graft
with graft({str(lora.ejected(0))!r}) as grafts:
    torch.compile(lambda x: (x * 2).relu())(torch.ones(8))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "the model was compiled for the CPU, where Inductor writes C++" in done.stderr


@pytest.mark.parametrize("triton", [False, True])
def test_a_graph_on_the_cpu_beside_one_on_the_card_is_not_blamed(
    lora: Model, monkeypatch: pytest.MonkeyPatch, triton: bool
) -> None:
    kernels = {"triton_poi_fused_add_0": SimpleNamespace(run=print)} if triton else {}
    module = SimpleNamespace(cpp_fused_add_0=print, **kernels)
    cache = SimpleNamespace(PyCodeCache=SimpleNamespace(modules=[module]))
    monkeypatch.setitem(sys.modules, "torch._inductor.codecache", cache)
    told = "launched a Triton kernel here" if triton else "the model was compiled for the CPU"
    with pytest.warns(GraftWarning, match=told), graft(lora.ejected(0)):
        pass


def test_a_model_without_such_a_kernel_is_told_too(lora: Model) -> None:
    with (
        pytest.warns(GraftWarning, match="nothing that torch.compile made launched a Triton kernel here"),
        graft(lora.ejected(0)),
    ):
        pass
    unlike = lora.compiled(0)
    Path(unlike.filename).write_text(
        re.sub(r"(?m)^    (tmp|x)\w+ = .*\n|^    tl.store.*", "", lora.source(0)) + "    pass\n"
    )
    with (
        pytest.warns(GraftWarning, match="the model launches no kernel with the body") as warned,
        graft(lora.ejected(0)),
    ):
        call(unlike, *passed(), 4194304)
    assert "nearest" not in str(warned[0].message)
    gone = lora.compiled(0)
    Path(gone.filename).unlink()
    with (
        pytest.warns(GraftWarning, match=f"and the text of {lora.kernel(0).name} was not found"),
        graft(lora.ejected(0)),
    ):
        call(gone, *passed(), 4194304)


def test_the_nearest_kernel_may_differ_by_what_it_lacks_or_by_its_arguments(lora: Model) -> None:
    file, source = lora.ejected(0), read_source_of(lora, 0)
    assert nearest(file, []) == ""
    assert nearest(file, [source]).endswith("which differs in its arguments or helpers")
    shorter = SimpleNamespace(
        name="short", body_sha256="1" * 64, body=source.body.replace("    tmp6 = tmp2 + tmp5\n", "")
    )
    shorter.body = "\n".join(line for line in source.body.splitlines() if "tmp6 =" not in line)
    assert nearest(file, [shorter]).endswith("which lacks `tmp6 = tmp2 + tmp5`")  # type: ignore[list-item]


def read_source_of(lora: Model, number: int) -> Any:
    from inductor_lab.read.kernel import read_source

    return read_source(lora.source(number))[0]


# ------------------------------------------------------------ sizes


def test_a_file_for_any_sizes_takes_them_from_what_is_passed(dynamic: Model) -> None:
    statement = "return mm.fill_(buf3_item * mm.shape[0])"
    kernel = dynamic.compiled(0)
    with graft(dynamic.ejected(0, launch=statement)) as grafts:
        for rows, factor in ((8, 0.5), (6, 0.25), (8, 0.25)):
            mm, bias, mm_2 = passed(rows)
            call(kernel, mm, bias, mm_2, factor, rows * 1024)
            assert mm.unique().tolist() == [rows * factor]
    assert grafts.files[0].launches == 3 and not dynamic.generated


def test_other_sizes_than_a_file_s_run_the_generated_kernel_and_are_told_once(dynamic: Model) -> None:
    """The number of elements does not say what the tensor's rows say."""
    kernel = dynamic.compiled(0)
    with graft(dynamic.ejected(0, launch=SEVEN)) as grafts:
        with pytest.warns(GraftWarning, match=r"for other sizes than .*: xnumel is 1024, not 8192"):
            call(kernel, *passed(8), 0.5, 1024)
        call(kernel, *passed(8), 0.5, 2048)
        call(kernel, *passed(8), 0.5, 8192)
    assert len(dynamic.generated) == 2
    (told,) = grafts.files
    assert (told.launches, told.passed_over) == (1, 2)
    assert "1 launch in the place of" in str(grafts) and str(grafts).endswith(
        "1 on cpu; 2 by the generated kernel: xnumel is 1024, not 8192"
    )


def test_the_same_memory_in_another_shape_is_seen_as_the_file_has_it(lora: Model) -> None:
    mm = torch.zeros(8, 512, 1024)
    with graft(lora.ejected(0, launch="assert mm.shape == (4096, 1024); return mm.fill_(7)")):
        call(lora.compiled(0), mm, torch.zeros(1024), torch.zeros(4096, 1024), 4194304)
    assert mm.unique().tolist() == [7.0]


@pytest.mark.parametrize(
    ("tensor", "told"),
    [
        (torch.zeros(4097, 1024), "mm is float32[4097, 1024], not float32[4096, 1024]"),
        (torch.zeros(4096, 1024, dtype=torch.float64), "mm is float64[4096, 1024], not float32[4096, 1024]"),
        (torch.zeros(4096, 2048)[:, ::2], "mm is float32[4096, 1024] with strides [2048, 2], not float32[4096, 1024]"),
        (object(), "mm is passed as object, not as a tensor"),
    ],
)
def test_a_tensor_of_other_sizes_is_named(lora: Model, tensor: Any, told: str) -> None:
    fitting = fitting_of(lora.ejected(0))
    with pytest.raises(Misfit) as misfit:
        fitting.call((tensor, torch.zeros(1024), torch.zeros(4096, 1024), 4194304, None))
    assert str(misfit.value) == told


def test_a_launch_of_another_signature_fits_nothing(lora: Model) -> None:
    with pytest.raises(Misfit, match="the model does not pass what its signature asks for"):
        fitting_of(lora.ejected(0)).call(())


def fitting_of(file: Path) -> Fitting:
    from inductor_lab.ejected import load

    return Fitting(load(file).module)


def test_every_captured_launch_fits_its_own_file(tmp_path: Path) -> None:
    """Sizes, strides and numbers as they were captured, of fixed and of any sizes."""
    count = 0
    for name in ("dlrm_dynamic_h200", "rotary_attention_train_h200", "lora_mlp_train_dynamic_h200"):
        found = store.load(CAPTURED / name)
        for kernel in one_of_a_kind(found.kernels):
            file = tmp_path / f"{name}_{count}.py"
            file.write_text(eject(found, kernel))
            fitting, count = fitting_of(file), count + 1
            module = fitting.module
            made = {
                each: SimpleNamespace(shape=shape, stride=lambda step=step: step, dtype=dtype, as_strided=None)
                for each, (shape, step, dtype, _) in module.ARGUMENTS.items()
            }
            sizes = getattr(module, "SIZES", {})
            numbers = {one: number_of(text, sizes) for one, text in fitting.numbers.items()}
            given = {one: made[each] for one, each in fitting.names.items()} | numbers
            tensors, _ = fitting.call(tuple(given.get(one) for one in fitting.parameters))
            assert tensors == list(made.values())
    assert count > 10


def test_a_size_that_only_expressions_tell_is_solved(dynamic: Model) -> None:
    """As the side of an image, of which a kernel is passed what a convolution left."""
    fitting = fitting_of(dynamic.ejected(0))
    fitting.numbers = {"xnumel": "s21 * ((s78 - 1) // 2 + 1)", "ks0": "(s78 - 1) // 2 + 1"}
    solved = fitting._solved({"s21": 4}, {"xnumel": 192, "ks0": 48})
    assert solved["s78"] in (95, 96)
    assert fitting._solved({}, {"xnumel": 192, "ks0": 48})["s21"] == 4
    fitting.numbers = {"xnumel": "s21 * s78", "ks0": "buf0_item.odd"}
    assert fitting._solved({}, {"xnumel": 192, "ks0": 48}) == {}


def number_of(text: str, sizes: dict[str, int]) -> float:
    return float(eval(text, {}, sizes)) if not text.endswith("_item") else 0.5


def test_steps_along_one_element_say_nothing_and_an_empty_tensor_covers_an_empty_one() -> None:
    assert PassedTensor((1, 4), (9, 1), "f").same(PassedTensor((1, 4), (4, 1), "f"))
    assert not PassedTensor((2, 4), (9, 1), "f").same(PassedTensor((2, 4), (4, 1), "f"))
    assert PassedTensor((0, 4), (4, 1), "f").covers(PassedTensor((4, 0), (1, 4), "f"))
    assert not PassedTensor((2, 4), (4, 1), "f").covers(PassedTensor((2, 4), (8, 2), "f"))


# ------------------------------------------------------------ wrong usage


def test_two_files_for_one_body_are_refused(lora: Model) -> None:
    one, other = lora.ejected(0, "one.py"), lora.ejected(0, "other.py")
    with pytest.raises(LabError, match=rf"{one} and {other} are both for {lora.kernel(0).name}"):
        graft(one, other)


def test_what_is_no_file_of_ours_is_refused_before_anything_runs(lora: Model) -> None:
    before = CachingAutotuner.run
    old = lora.ejected(0, "old.py")
    old.write_text(old.read_text().replace('"numbers":', '"was_not_there":'))
    foreign = lora.folder / "foreign.py"
    foreign.write_text("x = 1\n")
    for files, why in (
        ((), "graft takes at least one file"),
        ((["a.py"],), r"each file as an argument of its own, graft\('a.py', 'b.py'\); \['a.py'\] is no path"),
        ((lora.folder / "none.py",), "does not exist"),
        ((foreign,), "is no ejected file"),
        ((old,), "an older inductor_lab ejected it; eject lora_mlp_h200:0 again"),
    ):
        with pytest.raises(LabError, match=why):
            graft(*files)
    assert CachingAutotuner.run is before


def test_one_graft_is_not_opened_twice_at_once(lora: Model) -> None:
    grafts = graft(lora.ejected(0, launch=SEVEN))
    for _ in range(2):
        with grafts:
            with pytest.raises(LabError, match="open already"):
                grafts.__enter__()
            call(lora.compiled(0), *passed(), 4194304)
    assert grafts.files[0].launches == 2 and not inductor._listeners


# ------------------------------------------------------------ a whole program, in Triton's interpreter


@pytest.mark.slow
@pytest.mark.from_nothing
def test_the_loss_curve_of_a_script_agrees_whatever_the_caches_hold(tmp_path: Path) -> None:
    """One `with` around the training loop of a script that is not ours: forward and backward, compiled under the graft and found in a cache."""
    log = tmp_path / "run.log"
    (plain,) = run("cpu", 20, ["plain"], tmp_path / "one", log)
    files = files_of(log, tmp_path)
    turn = ",".join(map(str, files))
    (grafted,) = run("cpu", 20, [turn], tmp_path / "other")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        files[0]
        .read_text()
        .replace("\ndef launch(", "\ndef launch(*tensors):\n    tensors[-1].zero_()\n\n\ndef unused(", 1)
    )
    warm = run("cpu", 5, ["plain", turn, str(wrong)], tmp_path / "other")
    assert len(files) == 6 and plain["losses"][-1] < plain["losses"][0] / 2
    assert grafted["losses"] == plain["losses"] and grafted["launches"] == [{"cpu": 20}] * 6
    assert warm[0]["losses"] == warm[1]["losses"] == plain["losses"][:5] != warm[2]["losses"]
    assert warm[1]["launches"] == [{"cpu": 5}] * 6 and not grafted["warnings"] + warm[1]["warnings"]
    assert (grafted["hits"], warm[0]["hits"]) == (0, 2)
    spans = spans_of(log, tmp_path)
    turn = ",".join(map(str, spans))
    both = run("cpu", 5, [turn, "plain"], tmp_path / "other") + run("cpu", 5, [turn], tmp_path / "new")
    assert [one["losses"] for one in both] == [plain["losses"][:5]] * 3 and [one["hits"] for one in both] == [2, 2, 0]
    assert [one["launches"] for one in both] == [[{"cpu": 5}] * 2, [], [{"cpu": 5}] * 2] and not both[0]["warnings"]


@pytest.mark.slow
@pytest.mark.from_nothing
@pytest.mark.parametrize(("how", "spans"), [("inside", 3), ("ddp", 2)])
def test_each_rank_grafts_spans_beside_its_collectives(tmp_path: Path, how: str, spans: int) -> None:
    """Two ranks: a mean is reduced by a collective among the steps of forward; or DDP reduces gradients in hooks. None is a part of a span."""
    log = tmp_path / "run.log"
    plain = {one["rank"]: one["losses"] for one in run("cpu", 3, ["plain"], tmp_path / "cache", log, ranks=2, how=how)}
    files = spans_of(log, tmp_path)
    assert len(files) == spans and ("all_reduce" in log.read_text()) == (how == "inside")
    assert not any(re.search(r'"call": "[^"]*c10d', file.read_text()) for file in files)
    turn = ",".join(map(str, files))
    warm, cold = tmp_path / "cache", tmp_path / "other"
    told = run("cpu", 3, [turn], warm, ranks=2, how=how) + run("cpu", 3, [turn], cold, ranks=2, how=how)
    assert sorted(one["rank"] for one in told) == [0, 0, 1, 1] and plain[0] != plain[1]
    for one in told:
        assert one["losses"] == plain[one["rank"]] and not one["warnings"]
        assert one["launches"] == [{"cpu": 3}] * spans


@pytest.mark.slow
@pytest.mark.from_nothing
def test_a_span_is_passed_all_of_what_the_model_names_a_part_of_by_then(tmp_path: Path) -> None:
    """A padded product, whose only name is that of its part without the padding: as BERT's logits are, of 30,522 classes."""
    log = tmp_path / "run.log"
    (plain,) = run("cpu", 3, ["plain"], tmp_path / "one", log, how="padded")
    found = read([log], "program")
    one = span(found, "0_forward", 5, 6)
    file = tmp_path / "hand.py"
    file.write_text(eject_span(found, one))
    assert "reinterpret_tensor(buf4, (4, 6), (8, 1), 0); del buf4  # reuse" in log.read_text()
    assert [step.call for step in one.steps] == ["", "extern_kernels.mm"]
    assert ("buf4", (4, 8)) in [(tensor.name, tensor.type.shape) for tensor in one.tensors]
    (grafted,) = run("cpu", 3, [str(file)], tmp_path / "other", how="padded")
    assert grafted["losses"] == plain["losses"] and grafted["launches"] == [{"cpu": 3}] and not grafted["warnings"]
