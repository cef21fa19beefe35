"""A cost regulator: cheap writes while the host waits or writes a unit again soon, else costly ones."""

import floatgate as fg


@fg.compiled
class Regulated(fg.regulator.Policy):
    """Parameters are annotated attributes: `--set ftl.regulator.waiting=4`, or `Regulated(waiting=4)`.

    `choose` and `on_read` become machine code: numbers and NumPy arrays, no lists or dicts.
    """

    waiting: int = 2  # operations of the host at the die that make a write cheap
    soon_ns: int = 1_000_000_000  # a unit that lived no longer is written cheaply

    def costs(self, steps: fg.regulator.Steps) -> list[fg.regulator.WriteCost]:
        """Return the write costs to choose from. Asked once, in plain Python.

        high(), medium(), low()    writes with the fine, the usual and the coarse step of `[ftl.write_cost]`
        """
        return [steps.high(), steps.low()]

    def choose(self, view: fg.regulator.View, bits: int) -> int:
        """Return the index in `costs` of a unit's write cost, or that index and the unit's new bits.

        origin        on whose behalf: self.HOST, self.GC, self.WEAR, self.REWRITE, self.REFRESH, ...
        first         the host never accessed this unit since the run began
        previous      the cost of its old copy; -1: there is none
        age_ns        how long the old copy lived, at most; -1: it was written before the run
        waiting       the host's operations waiting or at work at the die
        gap_ns        mean time between the host's operations on this die; -1: too few yet
        quiet_ns      time since the last of them
        t_prog_ns[cost], references[cost], feasible[cost]    what each cost would come to on this block
        random        random numbers that repeat with the seed: below(bound), unit(), bits()
        """
        is_short_lived = 0 <= view.age_ns <= self.soon_ns
        is_cheap = view.origin == self.HOST and (view.waiting >= self.waiting or is_short_lived)
        return 1 if is_cheap else 0

    # Define what the policy wants to hear or say; what it does not define costs nothing:
    #
    # def attach(self): ...                  # Python, once: state is made here, arrays and numbers
    # def bits_per_unit(self): return 2      # Python, once: bits that are kept of each unit, 0 at first
    # def on_read(self, view, bits): return view.cost == 1 and bits & 1 == 0, bits | 1   # write it anew?
