"""A victim policy of one's own: greedy among the superblocks that had time to lose their short-lived data."""

import floatgate as fg


class Rested(fg.gc.victim.Policy):
    """Takes the fewest valid units among superblocks that have rested, or among all where none has."""

    rest: float = 0.2  # of what the die holds: how much is written before a superblock may be chosen

    def attach(self, superblocks: int, units_per_superblock: int) -> None:
        """Begin on a die."""
        self.units = superblocks * units_per_superblock

    def pick(self, view: fg.gc.victim.View) -> int:
        """Return one of the candidates."""
        candidates = view.candidates
        rested = candidates[view.clock - view.closed_at[candidates] >= self.rest * self.units]
        among = rested if len(rested) else candidates
        return int(among[view.valid_units[among].argmin()])
