"""A wear levelling policy: the least worn free superblock; cold data move if wear differs by `threshold`."""

from typing import SupportsIndex

import floatgate as fg


class Levelled(fg.wear.Policy):
    """Parameters are annotated attributes: `--set ftl.wear.threshold=50`, or `Levelled(threshold=50)`."""

    threshold: int = 20  # program/erase cycles of difference above which data moves
    period: int = 8  # erases of a die between two looks

    def free_rank(self, superblock: int, pe_cycles: int, erases: int) -> int:
        """Return the rank of a free superblock, at least 0: the one of the lowest rank is opened next."""
        del superblock, erases  # among the equally worn any will do
        return pe_cycles

    def relocate(self, view: fg.wear.View) -> SupportsIndex | None:
        """Return one of `view.candidates` to be relocated now, or None. Asked after each erase.

        candidates     closed superblocks that could be relocated
        valid_units    by superblock: mapping units still valid
        pe_cycles      by superblock: program/erase cycles
        closed_at      by superblock: the write clock when it was closed
        clock          mapping units written to this die so far
        erased         the superblock just erased
        erases         erases of this die so far
        random         random numbers that repeat with the seed: below(bound), unit(), bits()
        """
        if view.erases % self.period or not len(view.candidates):
            return None
        least = view.candidates[view.pe_cycles[view.candidates].argmin()]
        return least if int(view.pe_cycles.max()) - int(view.pe_cycles[least]) > self.threshold else None

    # Define what the policy wants to hear or say; what it does not define costs nothing:
    #
    # def on_erase(self, superblock, pe_cycles, erase_ns, program_ns): ...
    # def spreads(self): return True
    # def held_back(self): return 0.0
