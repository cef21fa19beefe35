"""Views and random streams that a drive lends to a policy in Python for one call; the core makes them."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Random(Protocol):
    """Random stream of a policy: the same seed gives the same numbers."""

    def below(self, bound: int) -> int:
        """Draw a whole number from 0 to below `bound`, all equally likely."""

    def unit(self) -> float:
        """Draw a number from 0 to below 1, all equally likely."""

    def bits(self) -> int:
        """Draw 64 random bits, as a whole number."""


class DieView(Protocol):
    """Read-only view of a die for a policy.

    Arrays show the drive's memory and are valid during the call only. Those of all superblocks are indexed by
    superblock of this die.
    """

    @property
    def candidates(self) -> "NDArray[np.uint32]":
        """Superblocks that the policy may choose, in an order that is the same in each run."""

    @property
    def valid_units(self) -> "NDArray[np.uint32]":
        """Number of valid mapping units in each superblock."""

    @property
    def pe_cycles(self) -> "NDArray[np.uint32]":
        """Number of program/erase cycles of each superblock."""

    @property
    def closed_at(self) -> "NDArray[np.uint64]":
        """Value of the die's write clock (`clock`) when each superblock was closed."""

    @property
    def streams(self) -> "NDArray[np.uint8]":
        """Number of the write stream for which each superblock was opened last."""

    @property
    def clock(self) -> int:
        """Present write clock: number of mapping units written to this die so far, by all origins."""

    @property
    def random(self) -> Random:
        """Random stream of this policy."""
