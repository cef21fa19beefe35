"""How much of each state lies on the wrong side: `nand::cells::distribution`, the core's own arithmetic."""

from typing import Protocol, cast

from floatgate import _core


class _Core(Protocol):
    def best_references(self, means: list[float], deviations: list[float]) -> list[float]: ...

    def page_error_rates(
        self, means: list[float], deviations: list[float], references: list[float], two_step: bool
    ) -> list[float]: ...


_OVERLAP = cast(_Core, _core)


def best_references(means: list[float], deviations: list[float]) -> list[float]:
    """Return the references between neighbouring states at which fewest cells are misread.

    Raises InputError for means that do not rise, and for deviations that are not above zero.
    """
    return _OVERLAP.best_references(means, deviations)


def page_error_rates(
    means: list[float], deviations: list[float], references: list[float], *, two_step: bool
) -> list[float]:
    """Return the share of wrong bits of each page type when every state is alike often, in a Gray coding.

    Raises InputError as `best_references`, and for a number of states or references that no cell has.
    """
    return _OVERLAP.page_error_rates(means, deviations, references, two_step)
