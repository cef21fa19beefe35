"""Figure 2 of the article: requests per second over their size, one to four deep, beside the text."""

from collections.abc import Callable, Iterable
from pathlib import Path

from floatgate.grid import Setting
from floatgate.reproduce import Case, Finding, Line, published

EXHIBIT = "figure2"
KINDS = [(pattern, op) for pattern in ("sequential", "random") for op in ("read", "write")]
PLATEAU = 131072  # bytes: from here on the article's sequential rates are flat
USUAL = 8192  # bytes: the random requests that its text speaks of
NEAR = 0.08  # of a published rate
# A command has a cost that a longer request spreads over more bytes: no curve is quite flat.
FLAT = 0.15
PUBLISHED = "published"
HERE = Path(__file__).parent

Measure = Callable[[Setting], float]


def cases() -> Iterable[Case]:
    """Yield a case for each pair of pattern and operation."""
    for pattern, op in KINDS:
        cost = 40.0 if (pattern, op) == ("random", "write") else 10.0
        yield Case(EXHIBIT, f"{pattern} {op}", {"pattern": pattern, "op": op}, cost=cost)


def curves(case: Case, measure: Measure, full: bool) -> Finding:
    """Measure the curves of a pattern and operation, and say whether they are as the article has them."""
    pattern, op = case.parameters["pattern"], case.parameters["op"]
    blocks = [512 << step for step in range(12)] if full else [512, USUAL, PLATEAU, 1 << 20]
    depths = (1, 2, 4) if full else (4,)
    rates = {
        (depth, block): measure(Setting(pattern, op, block, depth)) for depth in depths for block in blocks
    }
    kib = tuple(block / 1024 for block in blocks)
    lines = [Line(case.name, kib, tuple(rates[depth, block] for block in blocks)) for depth in depths]
    points = sorted(anchors(pattern, op).items())
    lines.append(Line(PUBLISHED, tuple(x / 1024 for x, _ in points), tuple(y for _, y in points), "points"))
    if pattern == "sequential":
        growth = rates[4, 1 << 20] * (1 << 20) / (rates[4, PLATEAU] * PLATEAU) - 1
        text = f"{growth:+.0%} from 128 KB to 1 MB"
        return Finding(text, holds=abs(growth) <= FLAT, lines=tuple(lines))
    rate, usual = rates[4, USUAL], anchors(pattern, op)[USUAL]
    return Finding(f"{rate:,.0f}/s", holds=abs(rate / usual - 1) <= NEAR, lines=tuple(lines))


def anchors(pattern: str, op: str) -> dict[int, float]:
    """Return the rates that the article's text gives, four deep, by request size in bytes."""
    found = {}
    for (exhibit, case), value in published(HERE).items():
        if exhibit == "rates" and case.startswith(f"{pattern} {op}, "):
            amount, unit = case.rsplit(", ", 1)[1].split()
            found[int(amount) * {"B": 1, "KiB": 1024}[unit]] = float(value)
        if pattern == "sequential" and exhibit == "plateau" and case.startswith(f"{op}, "):
            block = int(case.split()[1]) * 1024
            found[block] = float(value) * 1e6 / block
    return found
