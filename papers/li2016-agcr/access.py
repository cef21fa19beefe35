"""What the pages of a workload are used for, and how well a history window tells (figures 2 and 6)."""

from collections.abc import Iterable, Iterator

from floatgate.reproduce.passes import READ, WRITE, Request

PAGE = 4096
ALMOST_ALL = 0.95  # section 3.1: of the accesses to a page
WINDOWS = (2, 3, 4, 6, 8)

Access = tuple[int, int]  # page, and READ or WRITE


def pages(request: Request) -> range:
    """Return the pages that a request touches."""
    return range(request.offset // PAGE, -(-(request.offset + request.bytes) // PAGE))


def accesses(requests: Iterable[Request]) -> Iterator[Access]:
    """Yield the page accesses of requests in their order."""
    for request in requests:
        for page in pages(request):
            yield page, request.op


def characteristics(every: Iterable[Access]) -> dict[int, str]:
    """Return what each page is over the whole workload: R read-only, W write-only, I interleaved."""
    counts: dict[int, list[int]] = {}
    for page, op in every:
        counts.setdefault(page, [0, 0])[op] += 1
    return {page: _kind(*count) for page, count in counts.items()}


def _kind(reads: int, writes: int) -> str:
    if reads > ALMOST_ALL * (reads + writes):
        return "R"
    return "W" if writes > ALMOST_ALL * (reads + writes) else "I"


def shares(every: list[Access]) -> dict[str, float]:
    """Figure 2: shares of the reads on read-only, of the writes on write-only pages; of all on the others."""
    kinds = characteristics(every)
    alike = {READ: "R", WRITE: "W"}
    found = {}
    for name, op in (("reads on read-only", READ), ("writes on write-only", WRITE)):
        of_op = [kinds[page] == alike[op] for page, what in every if what == op]
        found[name] = sum(of_op) / len(of_op) if of_op else 0.0
    interleaved = sum(kinds[page] == "I" for page, _ in every)
    return {**found, "accesses on interleaved": interleaved / len(every) if every else 0.0}


def accuracy(every: list[Access]) -> dict[int, float]:
    """Figure 6: share of the accesses whose page a window tells rightly, the upcoming access counted.

    An access is told as read-only or write-only when the window holds nothing else. Pages accessed less often
    than the window is long are told by what there is, from the second access on.
    """
    kinds = characteristics(every)
    right, told = dict.fromkeys(WINDOWS, 0), 0
    history: dict[int, tuple[int, int]] = {}  # page: the last accesses as bits, and how many
    for page, op in every:
        bits, count = history.get(page, (0, 0))
        bits, count = (bits << 1 | op) & 0xFF, count + 1
        history[page] = bits, count
        if count < 2:
            continue
        told += 1
        for window in WINDOWS:
            seen = min(window, count)
            writes = (bits & ((1 << seen) - 1)).bit_count()
            kind = "W" if writes == seen else "R" if writes == 0 else "I"
            right[window] += kind == kinds[page]
    return {window: count / told if told else 0.0 for window, count in right.items()}
