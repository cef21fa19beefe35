"""A trigger: collect while at most `low` superblocks are free, and in idle time up to `high`."""

import floatgate as fg


class Marks(fg.gc.trigger.Policy):
    """Parameters are annotated attributes: `--set ftl.gc.trigger.low=3`, or `Marks(low=3)`."""

    low: int = 2  # free superblocks of a die
    high: int = 4

    def foreground_limit(self) -> int:
        """Return the most free superblocks at which `foreground` can be true."""
        return self.low

    def foreground(self, view: fg.gc.trigger.View) -> bool:
        """Return whether to collect although the host may be waiting.

        free, superblocks     free superblocks of the die, and those in use
        garbage_units         invalid mapping units in closed superblocks
        superblock_units      mapping units of a superblock
        """
        return view.free <= self.low

    def background(self, view: fg.gc.trigger.View) -> bool:
        """Return whether to collect while the die has nothing else to do."""
        return view.free < self.high

    def idle_after_ns(self) -> int:
        """Return how long a die must have been idle before background work; None: there is none."""
        return 1_000_000

    def worthwhile(self, gain: int, units: int) -> bool:
        """Return whether a victim that gives back `gain` of its `units` is worth it in the background."""
        return gain >= 0.1 * units
