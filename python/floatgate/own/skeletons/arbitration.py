"""A channel arbiter: the longest wait gets the channel, but commands wait as if for `ahead_ns` more."""

import floatgate as fg


@fg.compiled
class Aged(fg.controller.arbitration.Policy):
    """Parameters are annotated: `--set controller.arbitration.ahead_ns=500`, or `Aged(ahead_ns=500)`.

    `pick` becomes machine code: numbers and NumPy arrays, no lists or dicts.
    """

    # A policy that may let a die wait for ever fails its check, unless the text above says "starvation".

    ahead_ns: int = 2_000  # how much sooner a command counts as having come: it is short and starts an array

    def attach(self, dies: int) -> None:
        """Make the policy's state, in plain Python: numbers and NumPy arrays, which keep their kind."""
        self.next = 0

    def pick(self, view: fg.controller.arbitration.View) -> tuple[int, int]:
        """Return one of the waiting dies, and for what it gets the channel: self.COMMAND or self.DATA.

        dies                   of the channel
        commands, outs, ins    sets of the dies that wait to be sent a command, to give and to take data
        next_in(set, start)    the first die of a set from `start` on, around the end; -1: it is empty
        since_ns               since when: at 2 * die for its command, at 2 * die + 1 for its data
        random                 random numbers that repeat with the seed: below(bound), unit(), bits()
        """
        command = self.oldest(view, view.commands, self.COMMAND)
        data = self.oldest(view, view.outs | view.ins, self.DATA)
        if data < 0:
            return command, self.COMMAND
        if command < 0:
            return data, self.DATA
        if view.since_ns[2 * command] - self.ahead_ns <= view.since_ns[2 * data + 1]:
            return command, self.COMMAND
        return data, self.DATA

    def oldest(self, view: fg.controller.arbitration.View, of: int, want: int) -> int:
        """Return the die of a set that has waited longest; -1: the set is empty. Methods may call methods."""
        first = view.next_in(of, 0)
        die, best = first, first
        while die >= 0:
            if view.since_ns[2 * die + want] < view.since_ns[2 * best + want]:
                best = die
            after = view.next_in(of, die + 1)
            die = after if after > die else -1
        return best
