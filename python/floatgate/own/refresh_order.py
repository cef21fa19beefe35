"""Orders of refreshes in Python: policies that choose which superblock due for refresh is rewritten next."""

from typing import TYPE_CHECKING, ClassVar, Protocol, SupportsIndex

from floatgate.own.lent import DieView
from floatgate.own.policy import Own

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RefreshView(DieView, Protocol):
    """What a policy may know of a die; candidates wait for refresh, in the order in which they fell due."""

    @property
    def due_since_ns(self) -> "NDArray[np.uint64]":
        """Time at which each candidate fell due, in ns of simulated time; in the order of `candidates`."""

    @property
    def now_ns(self) -> int:
        """Present simulated time in ns."""


class Policy(Own):
    """A policy for the order of refreshes. Each die has its own object; superblocks are numbered per die."""

    seam: ClassVar[str] = "ftl.refresh.order"
    must: ClassVar[tuple[str, ...]] = ("next",)
    may: ClassVar[tuple[str, ...]] = ()

    def next(self, view: RefreshView) -> SupportsIndex:
        """Return the one of `view.candidates` to rewrite next.

        Asked when a die has time for a refresh and at least two superblocks wait.
        """
        raise NotImplementedError
