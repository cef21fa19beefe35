# Greedy-MP (Shin, Applied Sciences 2024): a wear policy and the victim policy that goes with it, in Python
"""Greedy-MP: what is worn too much gets cold data, and rests until the others have caught up.

I. Shin, "Leveraging Static and Dynamic Wear Leveling to Prolong the Lifespan of Solid-State Drives", Applied
Sciences 14(18), 8186, 2024. Its rules, as the abstract has them:

- when the erases of a block exceed a threshold, cold data is moved to that block (`Wear`);
- such a block is no candidate for garbage collection until its erases are like those of the others
  (`Victim`); apart from that garbage collection is greedy.

Use both with the same threshold. Chosen here, because the abstract leaves it open: erases count as too many
against the mean of the die; cold is the least worn candidate, among equals the one closed first; a block is
like the others when it is back at the mean. Chosen because a wear policy cannot say where data goes: the worn
superblock is the next to be opened, for the data that moves or for the host's: for what needs one first.
What it holds counts as cold while the share `cold` of it is valid, and only then does it rest; when nothing
else gives back a sixteenth of itself, it does not.
"""

import math

import numpy as np

import floatgate as fg


class Wear(fg.wear.Policy):
    """A superblock that is worn too much is opened next, and cold data is moved."""

    threshold: int = 10  # program/erase cycles above the mean of the die beyond which a superblock is worn

    _mean: float = math.inf  # of the die's cycles at its last erase

    def free_rank(self, superblock: int, pe_cycles: int, erases: int) -> int:  # noqa: ARG002
        """Worn ones first, then the least worn."""
        return 0 if pe_cycles > self._mean + self.threshold else pe_cycles + 1

    def relocate(self, view: fg.wear.View) -> int | None:
        """Move the coldest data after a worn superblock was erased."""
        cycles, candidates = view.pe_cycles, view.candidates
        self._mean = float(cycles.mean())
        if not len(candidates) or cycles[view.erased] <= self._mean + self.threshold:
            return None
        least = candidates[cycles[candidates] == cycles[candidates].min()]
        return int(least[view.closed_at[least].argmin()])


class Victim(fg.gc.victim.Policy):
    """The fewest valid units, among superblocks that do not rest."""

    threshold: int = 10  # program/erase cycles above the mean of the die beyond which a superblock rests
    cold: float = 0.5  # share of its units that must be valid for it to count as cold; 0: always

    def attach(self, superblocks: int, units_per_superblock: int) -> None:
        """Begin with none resting."""
        self.units = units_per_superblock
        self.resting = np.zeros(superblocks, dtype=bool)

    def pick(self, view: fg.gc.victim.View) -> int:
        """Take note of who rests; choose greedily among the others."""
        above = view.pe_cycles - view.pe_cycles.mean()
        self.resting = (self.resting | (above > self.threshold)) & (above > 0)
        candidates = view.candidates
        valid = view.valid_units[candidates]
        awake = candidates[~self.resting[candidates] | (valid < self.cold * self.units)]
        if not len(awake) or view.valid_units[awake].min() > 15 / 16 * self.units:
            awake = candidates  # the drive needs room, or it would move all it holds for none
        return int(awake[view.valid_units[awake].argmin()])
