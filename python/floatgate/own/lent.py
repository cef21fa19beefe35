"""What a drive lends to a policy in Python for one call; the core makes it."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Random(Protocol):
    """A policy's own random stream: the same numbers from the same seed."""

    def below(self, bound: int) -> int:
        """Return a whole number from 0 to below `bound`, each as likely."""

    def unit(self) -> float:
        """Return a number from 0 to below 1."""

    def bits(self) -> int:
        """Return 64 random bits."""


class DieView(Protocol):
    """A die as a policy sees it. Arrays are the drive's memory, by superblock: right during the call only."""

    @property
    def candidates(self) -> "NDArray[np.uint32]":
        """The superblocks that may be chosen, in no meaningful but a repeatable order."""

    @property
    def valid_units(self) -> "NDArray[np.uint32]":
        """Mapping units still valid in each superblock."""

    @property
    def pe_cycles(self) -> "NDArray[np.uint32]":
        """Program/erase cycles of each superblock."""

    @property
    def closed_at(self) -> "NDArray[np.uint64]":
        """The write clock when each superblock was closed."""

    @property
    def streams(self) -> "NDArray[np.uint8]":
        """The stream that each superblock was opened for last."""

    @property
    def clock(self) -> int:
        """Mapping units written to this die so far, by all origins."""

    @property
    def random(self) -> Random:
        """This policy's own random stream."""
