"""Error rates that never fall with wear, age or reads.

Where sampled or measured ones fall (the blocks that are left are the better ones, a state that moved on is
read right by chance, too few cells were sampled) a drive is told the greatest so far: tables that fall are
refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Rising:
    """Rates on grids of two axes, the last one inside: a tuple of one rate per page type at each point."""

    rates: tuple[tuple[float, ...], ...]
    lifted: int  # rates that were below one before them
    most: float  # by how much at most: the rate in the table over the one found

    def says(self) -> str:
        """Return what happened to the rates, for the comment behind them; empty if nothing did."""
        if not self.lifted:
            return ""
        total = sum(map(len, self.rates))
        found = f"{self.lifted} of {total} fell, to 1/{self.most:.3g} at most"
        return f"; {found}: the greatest before stands"


def rising(rates: Sequence[Sequence[float]], outer: int, inner: int) -> Rising:
    """Lift each rate to the greatest before it along both axes of its grid of `outer` times `inner` points.

    Grids of several program steps follow each other: between them nothing is lifted.
    """
    done: list[tuple[float, ...]] = []
    lifted, most = 0, 1.0
    for place, found in enumerate(rates):
        row, column = divmod(place % (outer * inner), inner)
        before = [done[place - step] for step, there in ((1, column), (inner, row)) if there]
        least = [max(rates) for rates in zip(*before, strict=True)] if before else [0.0] * len(found)
        for rate, floor in zip(found, least, strict=True):
            if rate < floor:
                lifted += 1
                most = max(most, floor / rate if rate > 0 else float("inf"))
        done.append(tuple(map(max, found, least)))
    return Rising(tuple(done), lifted, most)
