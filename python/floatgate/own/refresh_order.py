"""Orders of refreshes in Python: which of the superblocks that wait is written anew next."""

from typing import TYPE_CHECKING, ClassVar, Protocol, SupportsIndex

from floatgate.own.lent import DieView
from floatgate.own.policy import Own

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RefreshView(DieView, Protocol):
    """What a policy may know; candidates wait to be written anew, the first that fell due first."""

    @property
    def due_since_ns(self) -> "NDArray[np.uint64]":
        """Since when each candidate has been due, in its place: ns of simulated time."""

    @property
    def now_ns(self) -> int:
        """Simulated time, in ns."""


class Policy(Own):
    """An order of refreshes. Each die has its own object; superblocks are numbered within the die."""

    seam: ClassVar[str] = "ftl.refresh.order"
    must: ClassVar[tuple[str, ...]] = ("next",)
    may: ClassVar[tuple[str, ...]] = ()

    def next(self, view: RefreshView) -> SupportsIndex:
        """Return one of `view.candidates`. Asked when a die has time and two superblocks or more wait."""
        raise NotImplementedError
