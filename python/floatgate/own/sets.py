"""Sets of up to 64 things, one bit each, as views of compiled policies have them."""


def first_in(of: int, start: int) -> int:
    """Return the first member of a set from `start` on, 0 to 63; -1: there is none."""
    rest = of >> start << start
    return (rest & -rest).bit_length() - 1
