"""An eviction policy: SIEVE's hand passes over the kept units and takes the first that was not used again.

After Zhang, Yang, Yue, Vigfusson, Rashmi: SIEVE, NSDI 2024; clean units may go first.
"""

import numpy as np

import floatgate as fg


@fg.compiled
class Sieve(fg.buffer.eviction.Policy):
    """Parameters are annotated: `--set ftl.buffer.eviction.clean_first=true`, or `Sieve(clean_first=True)`.

    All but `attach`, `is_drain` and `pads` become machine code: numbers and NumPy arrays, no lists or dicts.
    """

    clean_first: bool = False  # the hand passes a written unit once more than a clean one

    def attach(self, slots: int, block_units: int) -> None:
        """Make the policy's state, in plain Python: numbers and NumPy arrays, which keep their kind."""
        del block_units
        self.older = np.full(slots, -1)  # by slot: the one kept before it, and after it
        self.newer = np.full(slots, -1)
        self.visited = np.zeros(slots, dtype=np.uint8)
        self.oldest = self.newest = self.hand = -1

    def on_keep(self, slot: int, lpn: int, is_dirty: bool) -> None:
        """Take note that the buffer keeps a slot from now on: enter it as the newest."""
        self.older[slot], self.newer[slot] = self.newest, -1
        self.visited[slot] = 1 if is_dirty and self.clean_first else 0
        if self.newest >= 0:
            self.newer[self.newest] = slot
        else:
            self.oldest = slot
        self.newest = slot

    def on_use(self, slot: int, lpn: int, is_write: bool) -> None:
        """Take note that the host read a kept slot or overwrote it."""
        self.visited[slot] = 1

    def on_leave(self, slot: int, lpn: int) -> None:
        """Take note that a slot is kept no longer: remove it from the list."""
        older, newer = self.older[slot], self.newer[slot]
        if older >= 0:
            self.newer[older] = newer
        else:
            self.oldest = newer
        if newer >= 0:
            self.older[newer] = older
        else:
            self.newest = older
        if self.hand == slot:
            self.hand = newer

    def choose(self, view: fg.buffer.eviction.View) -> int:
        """Return the kept slot to evict next; at least one slot is kept.

        kept, keep         slots kept now, and how many may be kept
        lpn[slot]          the logical unit that a slot holds
        is_dirty(slot)     its data are not on the flash
        is_kept(slot)      it may be chosen
        random             random numbers that repeat with the seed: below(bound), unit(), bits()
        """
        if self.hand < 0:
            self.hand = self.oldest
        while self.visited[self.hand]:
            self.visited[self.hand] = 0
            self.hand = self.newer[self.hand] if self.newer[self.hand] >= 0 else self.oldest
        return self.hand

    # Define what the policy wants to say; what it does not define costs nothing:
    #
    # def is_overdue(self): return False   # a unit should leave although there is room
    # def is_drain(self): return False     # Python, asked once: nothing need wait in it
    # def pads(self): return False         # Python, asked once: blocks are written whole
