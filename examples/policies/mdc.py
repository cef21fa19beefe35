# Minimum declining cost (Lomet and Luo, ICDE 2021): a victim policy in Python
"""Minimum declining cost: reclaim first what would gain least by waiting.

D. Lomet and C. Luo, "Efficiently Reclaiming Space in a Log Structured Store", IEEE ICDE 2021
(arXiv:2005.00044). A superblock of which the share E is invalid costs 2 / E to reclaim, per superblock of
room gained: so much is read and written. That cost declines by itself while the host overwrites what is
still valid. The paper reclaims the superblock whose cost declines least with the next update:

    -d(2 / E)/du = 2 / E**2 * dE/du,   dE/du = (1 - E) * f

where u counts updates and f is how often a valid unit of the superblock is updated, estimated from when the
update before the last one happened: f = 2 / (u - u2).

Chosen here, because a victim policy sees superblocks only: u2 is that of the superblock itself. The paper
hands it down to the place where a page is written next, and sorts what it writes by it; where a unit goes is
another decision of the drive. (Only the abstract was at hand: check the paper before you quote its details.)
"""

import numpy as np

import floatgate as fg


class Mdc(fg.gc.victim.Policy):
    """The superblock whose cost of reclaiming declines least with the next update."""

    updates: int = 2  # over how many of its updates a superblock's frequency is measured; the paper takes 2

    def attach(self, superblocks: int, units_per_superblock: int) -> None:
        """Begin with no update seen."""
        self.units = units_per_superblock
        self.clock = 0  # updates of this die so far
        self.seen = np.zeros((superblocks, max(self.updates, 1)), dtype=np.int64)  # a ring of them each
        self.oldest = [0] * superblocks  # where in its ring the next one goes

    def on_close(self, superblock: int, valid_units: int) -> None:  # noqa: ARG002
        """It counts as updated when it was closed: nothing else is known of it yet."""
        self.seen[superblock] = self.clock

    def on_invalidate(self, superblock: int, valid_units: int) -> None:  # noqa: ARG002
        """The host updated one of its units."""
        self.clock += 1
        place = self.oldest[superblock]
        self.seen[superblock, place] = self.clock
        self.oldest[superblock] = (place + 1) % self.seen.shape[1]

    def pick(self, view: fg.gc.victim.View) -> int:
        """Compare how fast the cost of each declines; the constant factors are left out."""
        candidates = view.candidates
        valid = view.valid_units[candidates].astype(float)
        invalid = self.units - valid
        span = self.clock - self.seen[candidates].min(axis=1) + 1
        decline = np.full(len(candidates), np.inf)  # of a full one: it gains nothing
        np.divide(valid, invalid * invalid * span, out=decline, where=invalid > 0)
        return int(candidates[decline.argmin()])
