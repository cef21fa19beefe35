"""What came last for each block, or each page of it, over batches of any number."""

from typing import Any

import numpy as np

from floatgate.lab.fit.stream import Real, Truth, Whole


class Last:
    """Keeps the last row of each key; rows are numbers in columns."""

    def __init__(self, columns: int) -> None:
        self.keys: Whole = np.empty(0, dtype=np.int64)  # rising
        self.rows: Real = np.empty((0, columns))

    def before(self, keys: Whole, rows: Real, kept: Truth | None = None) -> Real:
        """Return for each row the one before it with the same key, NaN where there is none; keep the last.

        Rows that are not `kept` only ask.
        """
        known = len(self.keys)
        every = np.concatenate([self.keys, keys])
        values = np.concatenate([self.rows, rows])
        stored = np.ones(len(every), dtype=bool)
        if kept is not None:
            stored[known:] = kept
        order = np.argsort(every, kind="stable")
        ordered, stored = every[order], stored[order]
        begins = np.ones(len(ordered), dtype=bool)
        begins[1:] = ordered[1:] != ordered[:-1]
        place = np.arange(len(ordered))
        start = np.maximum.accumulate(np.where(begins, place, 0))
        # The last stored row up to each place; one step further, the last before it.
        latest = np.maximum.accumulate(np.where(stored, place, -1))
        previous = np.concatenate([[-1], latest[:-1]]) if len(latest) else latest
        found = np.full_like(values, np.nan)
        has = previous >= start
        found[order[has]] = values[order[previous[has]]]
        ends = np.ones(len(ordered), dtype=bool)
        ends[:-1] = begins[1:]
        final = latest[ends]
        whole = final >= start[ends]
        self.keys, self.rows = ordered[ends][whole], values[order[final[whole]]]
        return found[known:]


def columns(*values: Any) -> Real:
    """Return rows of these columns."""
    return np.stack([np.asarray(value, dtype=np.float64) for value in values], axis=1)
