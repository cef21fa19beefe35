"""A garbage collection trigger: while at most `low` superblocks are free, in idle time below `high`."""

import floatgate as fg


class Marks(fg.gc.trigger.Policy):
    """Parameters are annotated attributes: `--set ftl.gc.trigger.low=3`, or `Marks(low=3)`."""

    low: int = 2  # free superblocks of a die
    high: int = 4

    def foreground_limit(self) -> int:
        """Return the greatest number of free superblocks at which `foreground` can be true."""
        return self.low

    def foreground(self, view: fg.gc.trigger.View) -> bool:
        """Return whether garbage collection should start or go on although the host may be waiting.

        free, superblocks     free superblocks of the die, and those in use
        garbage_units         invalid mapping units in closed superblocks
        superblock_units      mapping units of a superblock
        """
        return view.free <= self.low

    def background(self, view: fg.gc.trigger.View) -> bool:
        """Return whether garbage collection should start or go on while the die has nothing else to do."""
        return view.free < self.high

    def idle_after_ns(self) -> int:
        """Return the time in ns for which a die must have been idle before background collection starts."""
        return 1_000_000

    def worthwhile(self, gain: int, units: int) -> bool:
        """Return whether a victim that frees `gain` of its `units` units is worth collecting in idle time."""
        return gain >= 0.1 * units
