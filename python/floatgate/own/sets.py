"""Sets of up to 64 members as bit masks, in the views of compiled policies."""


def first_in(of: int, start: int) -> int:
    """Return the first member of the set `of` from `start` on, 0 to 63; -1 if there is none."""
    rest = of >> start << start
    return (rest & -rest).bit_length() - 1
