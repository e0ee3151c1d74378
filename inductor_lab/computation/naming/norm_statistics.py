"""Statistics of norms alone: means, variances and deviations, where another kernel does the rest."""

from __future__ import annotations

from inductor_lab.computation.naming.match import Asked, Match, Row, bases
from inductor_lab.computation.naming.norm_claims import BATCH, claimed
from inductor_lab.computation.naming.terms import Fold, Leaf, Term, addends


def _statistics(name: str, words: str) -> Row:
    def find(term: Term, asked: Asked) -> Match | None:
        if claimed(asked) != name:
            return None
        return _moments(term, asked)

    told = f"where the comment names {'a' if name else 'no norm'}{' ' + name if name else ''}"
    return Row(
        f"{name or 'mean_and_variance'}{'_statistics' if name else ''}",
        f"rsqrt(mean((x - mean(x)) ** 2) + eps), or a mean, variance or count that is folded together with a variance, {told}", find, words,
    )  # fmt: skip


def _moments(term: Term, asked: Asked) -> Match | None:
    """A deviation, or a part of a welford fold."""
    terms = asked.normal.terms
    powers = bases(term)
    if len(powers) == 1:
        ((base, power),) = powers.items()
        if isinstance(base, Fold) and base.name.startswith("welford") and power == 1.0:
            return Match(base.of, adjective="partial" if base.name == "welford weight" else "")
        if power == -0.5:
            found = asked.square_mean(base)
            centred = asked.centred(found.x) if found else None
            if centred:
                return Match((centred[0],), (base, terms.power(base, -0.5), *_means(centred, asked)))
            if _spread(base):
                return Match(_spread(base), (base,))
        if isinstance(base, Fold) and base.name == "sum":
            x = terms.root(base.of[0])
            centred = asked.centred(x) if x is not None else None
            if centred:
                return Match((centred[0],), (base, *_means(centred, asked)))
    return None


def _deviation(term: Term, asked: Asked) -> Match | None:
    """The root of a variance."""
    powers = bases(term)
    ((base, power),) = powers.items() if len(powers) == 1 else ((term, 0.0),)
    if power != 0.5 or not isinstance(base, Fold):
        return None
    if base.name == "welford m2":
        return Match(base.of, (base,))
    x = asked.normal.terms.root(base.of[0]) if base.name == "sum" else None
    centred = asked.centred(x) if x is not None else None
    return Match((centred[0],), (base, *_means(centred, asked))) if centred else None


def _means(centred: tuple[Term, frozenset[str]], asked: Asked) -> tuple[Term, ...]:
    mean = asked.mean(*centred)
    return () if mean is None else (mean,)


def _spread(term: Term) -> tuple[Term, ...]:
    """What is folded in welford's square deviation * number + eps."""
    constant, parts = addends(term)
    if 0 < constant < 0.1 and len(parts) == 1:
        (part,) = parts
        for base in bases(part):
            if isinstance(base, Fold) and base.name == "welford m2":
                return base.of
    return ()


def _running(term: Term, asked: Asked) -> Match | None:
    """statistic * momentum + running * (1 - momentum)"""
    constant, parts = addends(term)
    if constant or len(parts) != 2 or not asked.claims(*BATCH):
        return None
    for running, by in parts.items():
        (other,) = (part for part in parts if part is not running)
        folded = [base for base in bases(other) if isinstance(base, (Fold, Leaf))]
        statistic = len(folded) == len(bases(other)) == 1 and isinstance(folded[0], Fold)
        if isinstance(running, Leaf) and 0.5 <= by < 1 and statistic:
            return Match((), (other,))
    return None


def _rms(term: Term, asked: Asked) -> Match | None:
    """rsqrt(mean(x * x) + eps) alone"""
    powers = bases(term)
    if len(powers) == 1:
        ((base, power),) = powers.items()
        found = asked.square_mean(base) if power == -0.5 else None
        if found and (found.plain or asked.claims("mean")) and not asked.centred(found.x):
            return Match((found.x,), (base,))
    return None


ROWS = (
    Row("rms", "rsqrt(mean(x * x) + eps)", _rms, "rms (of rms_norm)"),
    Row("batch_norm_running", "statistic * m + running * (1 - m), the statistic folded here, where the comment names a batch norm", _running,
        "running statistics"),
    Row("standard_deviation", "(sum((x - mean(x)) ** 2) / n) ** 0.5", _deviation, "standard deviation"),
    _statistics("layer_norm", "statistics of layer_norm"),
    _statistics("batch_norm", "statistics of batch_norm"),
    _statistics("group_norm", "statistics of group_norm"),
    _statistics("", "statistics (mean, variance)"),
)  # fmt: skip
