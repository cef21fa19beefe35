"""A victim policy: greedy, among superblocks closed at least `rest` written units ago."""

from typing import SupportsIndex

import numpy as np

import floatgate as fg


class Rested(fg.gc.victim.Policy):
    """Parameters are annotated attributes: `--set ftl.gc.victim.rest=1000`, or `Rested(rest=1000)`."""

    rest: int = 0  # mapping units written to the die since a superblock was closed

    def attach(self, superblocks: int, units_per_superblock: int) -> None:
        """Make the policy's state. Each die has an object of its own."""
        self.most = units_per_superblock
        self.picked = np.zeros(superblocks, dtype=np.int64)

    def pick(self, view: fg.gc.victim.View) -> SupportsIndex:
        """Return the victim: one of `view.candidates`. Arrays are valid during this call only: copy to keep.

        candidates     superblocks that may be chosen
        valid_units    by superblock: mapping units still valid
        pe_cycles      by superblock: program/erase cycles
        closed_at      by superblock: the write clock when it was closed
        clock          mapping units written to this die so far
        units_per_superblock    mapping units that it holds
        random         random numbers that repeat with the seed: below(bound), unit(), bits()
        """
        candidates = view.candidates
        rested = candidates[view.clock - view.closed_at[candidates] >= self.rest]
        among = rested if len(rested) else candidates
        victim = among[view.valid_units[among].argmin()]
        self.picked[victim] += 1
        return int(victim)

    # Define what the policy wants to hear; what it does not define costs nothing:
    #
    # def on_close(self, superblock, valid_units): ...
    # def on_invalidate(self, superblock, valid_units): ...   # told for each unit: slow
    # def on_reclaim(self, superblock): ...
    # def stand_for(self, part): ...   # this die stands for one with 1/part as many superblocks
