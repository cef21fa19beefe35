"""Bounds that no configuration of a study keeps, and what comes nearest to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from floatgate.results.flags import words as flag_words
from floatgate.study.aggregate import Configuration
from floatgate.study.show import number, shown
from floatgate.study.spec import Constraint, Spec


@dataclass(frozen=True)
class Missed:
    """A bound that no configuration keeps, or several that none keeps together."""

    bounds: tuple[Constraint, ...]
    nearest: Configuration
    of: int  # configurations that have the numbers

    def words(self, spec: Spec) -> str:
        """Say it in a sentence, with what comes nearest."""
        one = self.nearest
        named = [one.drive] if len(spec.drives) > 1 else []
        named += [f"{key} {shown(value)}" for key, value in one.values.items()]
        which = f"configuration {one.number}" + (f" ({', '.join(named)})" if named else "")
        has = [_measured(one, key) for key in dict.fromkeys(bound.key for bound in self.bounds)]
        said = " and ".join(map(str, self.bounds))
        together = " together" if len(self.bounds) > 1 else ""
        count = f"None of {self.of:,} configurations keeps" if self.of > 1 else "The one configuration breaks"
        return f"{count} {said}{together}: {which} comes nearest, with {' and '.join(has)}."

    def document(self) -> dict[str, Any]:
        """Return it as a summary has it."""
        one = self.nearest
        return {
            "bounds": [str(bound) for bound in self.bounds],
            "configurations": self.of,
            "nearest": {
                "configuration": one.number,
                "drive": one.drive,
                "values": dict(one.values),
                "numbers": {bound.key: one.numbers[bound.key] for bound in self.bounds},
            },
        }


def missed(spec: Spec, found: Sequence[Configuration]) -> list[Missed]:
    """Return each bound that no configuration keeps; where each is kept by some, all if none keeps all."""
    alone = [one for bound in spec.constraints if (one := _missed((bound,), found)) is not None]
    if alone or len(spec.constraints) < 2:
        return alone
    together = _missed(spec.constraints, found)
    return [] if together is None else [together]


def _missed(bounds: tuple[Constraint, ...], found: Sequence[Configuration]) -> Missed | None:
    known = [(_excess(bounds, one), one) for one in found]
    beyond = [(excess, one.number, one) for excess, one in known if excess is not None]
    if not beyond or min(beyond)[0] <= 0:
        return None
    return Missed(bounds, min(beyond)[2], len(beyond))


def _excess(bounds: Sequence[Constraint], one: Configuration) -> float | None:
    """By which share of a bound the worst of them is broken; None where a number is not known."""
    shares = []
    for bound in bounds:
        value = one.numbers[bound.key]
        if value is None:
            return None
        excess = bound.excess(value)
        shares.append(excess / abs(bound.bound) if bound.bound and excess > 1e-300 else excess)
    return max(shares)


def _measured(one: Configuration, key: str) -> str:
    flagged = flag_words(one.flags(key))
    return f"{key} {number(key, one.numbers[key] or 0.0)}" + (f" ({flagged})" if flagged else "")
