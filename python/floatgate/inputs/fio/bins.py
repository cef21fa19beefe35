"""fio's latency bins: 64 to each power of two, as `--output-format=json+` lists them."""

from collections.abc import Iterable

BITS = 6
_GROUPS = 29
BINS = _GROUPS << BITS


def index(ns: int) -> int:
    """The number of the bin that a latency falls into (`plat_val_to_idx` in fio's stat.c)."""
    exponent = max(ns, 1).bit_length() - 1
    if exponent <= BITS:
        return ns
    coarse = exponent - BITS
    return min(((coarse + 1) << BITS) + ((ns >> coarse) & ((1 << BITS) - 1)), BINS - 1)


def value(bin_index: int) -> int:
    """The latency in ns that stands for a bin: its middle (`plat_idx_to_val`)."""
    if bin_index < 1 << (BITS + 1):
        return bin_index
    coarse = (bin_index >> BITS) - 1
    return (1 << (coarse + BITS)) + int(((bin_index % (1 << BITS)) + 0.5) * (1 << coarse))


def bins(histogram: Iterable[tuple[int, int]]) -> dict[str, int]:
    """Return requests by bin, keyed by the bin's latency in ns, in order."""
    found: dict[int, int] = {}
    for ns, requests in histogram:
        at = value(index(ns))
        found[at] = found.get(at, 0) + requests
    return {str(at): found[at] for at in sorted(found)}
