"""A placement policy: of a few dies that can take a program, the one with the least to do."""

import floatgate as fg


@fg.compiled
class PowerOfChoices(fg.placement.Policy):
    """Parameters are annotated attributes: `--set ftl.placement.draws=3`, or `PowerOfChoices(draws=3)`.

    `choose` and `home` become machine code: numbers and NumPy arrays, no lists or dicts.
    """

    draws: int = 2  # dies that are drawn; the one with the fewest programs takes the unit

    def attach(self, dies: int) -> None:
        """Make the policy's state, in plain Python: numbers and NumPy arrays, which keep their kind."""
        self.turn = 0

    def choose(self, view: fg.placement.View) -> int | None:
        """Return an eligible die, or None to wait for a change. At least one die is eligible.

        dies                     in the drive, numbered channels first, then ways
        channels, ways, way_dies, planes    its shape
        programs[die]            program operations bound to a die and not yet done
        lpn, program_units       the first logical unit that will go there, and units of a program
        is_eligible(die)         it can take a program unit now
        next_eligible(start)     the first such die from `start` on, around the end; -1: there is none
        random                   random numbers that repeat with the seed: below(bound), unit(), bits()
        """
        best = view.next_eligible(self.turn)
        for _ in range(self.draws - 1):
            die = view.next_eligible(view.random.below(view.dies))
            if view.programs[die] < view.programs[best]:
                best = die
        self.turn = best + 1 if best + 1 < view.dies else 0
        return best

    # def home(self, view): return view.lpn // view.program_units % view.dies   # if addresses name dies
