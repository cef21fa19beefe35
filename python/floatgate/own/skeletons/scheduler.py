"""A scheduler: host reads pass all other operations, but only a limited number in a row."""

import numpy as np

import floatgate as fg


@fg.compiled
class Bounded(fg.controller.scheduler.Policy):
    """Parameters are annotated attributes: `--set controller.scheduler.row=4`, or `Bounded(row=4)`.

    `pick` and `suspends` become machine code: numbers and NumPy arrays, no lists or dicts.
    """

    # A policy that may let some class wait for ever fails its check unless the text above says "starvation".

    row: int = 8  # reads that pass an older operation, one after the other
    suspensions: int = 4  # how often a program or an erase may be interrupted

    def attach(self) -> None:
        """Make the policy's state, in plain Python: numbers and NumPy arrays, which keep their kind."""
        self.passed = 0
        self.picked = np.zeros(5, dtype=np.int64)

    def pick(self, view: fg.controller.scheduler.View) -> int:
        """Return a ready class: self.HOST_READ, INTERNAL_READ, HOST_PROGRAM, INTERNAL_PROGRAM, ERASE.

        is_ready(class)       an operation of it waits and may be chosen
        oldest(classes)       the ready class among a set whose oldest operation came first; -1: none is
        queued_ns[class]      when the oldest operation of a ready class was queued
        submitted[class]      its running number: lower came earlier
        urgent                the die is short of free superblocks
        now_ns                the time
        random                random numbers that repeat with the seed: below(bound), unit(), bits()
        """
        oldest = view.oldest(self.ALL)
        chosen = oldest
        if view.is_ready(self.HOST_READ) and self.passed < self.row:
            chosen = self.HOST_READ
        self.passed = self.passed + 1 if chosen != oldest else 0
        self.picked[chosen] += 1
        return chosen

    def suspends(self, running: int, remaining_ns: int, times: int) -> bool:
        """Return whether a host read that just arrived suspends the running program or erase.

        running: self.RUNNING_PROGRAM or self.RUNNING_ERASE; suspended `times` times before.
        """
        may = running == self.RUNNING_PROGRAM or running == self.RUNNING_ERASE
        return may and times < self.suspensions

    # def hastens_collection(self): return True   # Python, asked once
