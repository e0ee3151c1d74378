"""What judges on a card keeps to one device where tensors meet: a card that is not there, whose tensors refuse those of the CPU."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch
from asked import some
from elsewhere import loaded
from faults.kernels import ejected
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map_only

from inductor_lab.judge import alone
from inductor_lab.judge.compare.judge import Judge
from inductor_lab.judge.compare.reference import expected, graph_values
from inductor_lab.judge.inputs.cases import Asked, Plan
from inductor_lab.judge.inputs.placement import Placement, place_inputs, seen

CARD = "meta"
"""What the device calls itself: torch has it everywhere."""


class OnCard(torch.Tensor):
    """A tensor of that card, by one of the CPU that holds its values."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> OnCard:
        made = torch.Tensor._make_wrapper_subclass(
            cls, held.shape, held.stride(), held.storage_offset(), dtype=held.dtype, device=CARD
        )
        made.held = held
        return made  # type: ignore[no-any-return]

    @classmethod
    def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return computed(function, args, kwargs or {})

    def tolist(self) -> Any:
        return self.held.tolist()


class OfThatCard(torch.Generator):
    """A generator of any device, which that card is too."""

    def __new__(cls, device: object) -> OfThatCard:
        return super().__new__(cls, "cpu")


class Card(TorchDispatchMode):
    """While it is entered, tensors can be made on that card."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return computed(function, args, kwargs or {})


class SmallCard(Card):
    """One whose memory has no room for float64."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = computed(function, args, kwargs or {})
        if any(isinstance(x, OnCard) and x.dtype == torch.float64 for x in tree_leaves(made)):
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return made


def computed(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """An operator's result where its operands are, which must be one place; numbers of the CPU and copies apart."""
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    on_card = any(isinstance(x, OnCard) for x in tensors)
    if on_card and "copy" not in str(function):
        assert all(isinstance(x, OnCard) or not x.ndim for x in tensors), f"{function} is given tensors of both devices"
    if kwargs.get("device") is not None:
        on_card = torch.device(kwargs["device"]).type == CARD
        kwargs = kwargs | {"device": "cpu"}
    args, kwargs = tree_map_only(OnCard, lambda x: x.held, (args, kwargs))
    with _disable_current_modes():
        made = function(*args, **kwargs)
    return tree_map_only(torch.Tensor, OnCard, made) if on_card else made


class Judged(Judge):
    """The judge of kernels that nobody runs: the generated one leaves what eager makes, the hand kernel too unless it is wrong."""

    wrong = False
    answer: list[bytearray] = []  # noqa: RUF012 # of one launch after the other

    def left_behind(self, *tensors: torch.Tensor) -> None:
        views = dict(zip(self.file.ARGUMENTS, tensors, strict=True))
        for name, made in zip(self.file.WRITTEN, expected(self.file, views), strict=True):
            views[name].copy_((made == 0) if self.wrong else made.reshape(views[name].shape))

    def _send(self, plan: Plan, laid: Placement, *_: Any) -> None:
        memories = [memory.clone() for memory in laid.memories]
        self.left_behind(*(seen(memories[how["memory"]], how) for how in laid.layout.values()))
        self.answer = [bytearray(memory.numpy().tobytes()) for memory in memories]
        self.wrong = False

    def _received(self, doing: str, limit: float = 0.0) -> tuple[dict[str, Any], list[bytearray]]:
        if "who wrote" in doing:
            return {"blocks": {}}, []
        return {"parameters": {}, "did": [], "changed": []}, self.answer


KERNELS = "leaky_bf16", "max_pool", "taken", "softmax", "argmax", "cross_entropy", "sum_and_its_sign", "batch_variance"


SOME = [(name, Card) for name in KERNELS if name != "max_pool"]  # which takes half of their time


@pytest.mark.parametrize(
    ("name", "card"),
    some(list(product(KERNELS, (Card, SmallCard))), [*SOME, ("softmax", SmallCard), ("argmax", SmallCard)]),
)
def test_a_card_s_tensors_never_meet_those_of_the_cpu(
    name: str, card: type[Card], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a card whose memory does not do, what is right is worked out on the CPU."""
    monkeypatch.setattr(alone, "DEVICE", CARD)
    monkeypatch.setattr(alone, "INTERPRETING", False)
    monkeypatch.setattr("inductor_lab.judge.compare.judge.send", lambda *_: None)
    monkeypatch.setattr(torch, "Generator", OfThatCard)
    with card():
        judge = Judged(Path(f"{name}.py"), loaded(ejected(name), CARD), None, Asked())  # type: ignore[arg-type]
        judge.file.launch_generated = judge.left_behind  # type: ignore[attr-defined]
        plan = Plan("rows on every boundary", "every kind", 3, boundaries=True)
        values = judge.drawn(plan)
        assert judge.tried(plan, values).case.passed
        judge.wrong = True
        tried = judge.tried(plan, values)
        assert not tried.case.passed and judge.where(tried, values)["wrong"]
        judge.coverage.missing()
        plain = Plan("seed 0", "normal", 0)
        assert judge.tried(plain, judge.drawn(plain)).case.passed
        assert judge.agrees_with_graph() is not False


def test_that_card_refuses_a_tensor_of_the_cpu() -> None:
    with Card(), pytest.raises(AssertionError, match="both devices"):
        torch.zeros(3, device=CARD) + torch.zeros(3)


@pytest.mark.parametrize(("dtype", "where"), [(torch.int64, "cpu"), (torch.float32, CARD)])
def test_the_graph_s_form_is_not_given_indices_on_a_card(
    monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype, where: str
) -> None:
    """Where the graph is another computation they may lie outside of what it indexes: on a card that ends the process, on the CPU it is an error."""
    seen_on = []

    def aten(index: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor]:
        seen_on.append({index.device.type, x.device.type})
        return (x,)

    arguments = {"index": ((4,), (1,), dtype, (0, 4)), "x": ((4,), (1,), torch.float32, "normal")}
    file = SimpleNamespace(ARGUMENTS=arguments, aten=aten, WRITTEN=())
    monkeypatch.setattr(alone, "DEVICE", CARD)
    laid = place_inputs(file, {"index": torch.zeros(4, dtype=dtype), "x": torch.zeros(4)}, 0)
    (made,) = graph_values(file, laid)
    assert seen_on == [{where}] and made.device.type == CARD
