"""What was measured: a table for people, lines for programs, the table of the documentation's first page."""

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from peers.cases import OURS
from peers.measure import Line, Spread

NAMES = {OURS: "Floatgate", "mqsim": "MQSim", "simplessd": "SimpleSSD", "flashsim": "FlashSim"}
#: Results that differ by more are pointed out: the two do not simulate the same then.
AGREE = 0.05
#: What stands between these two comments of docs/index.md is written by `--docs`.
MARKS = ("<!-- peers: written by `make bench PEERS=... DOCS=1` -->", "<!-- /peers -->")


def processor() -> str:
    """Return the processor's name."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else "unknown processor"


def amount(value: float) -> str:
    """Return a number with three digits."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def spread(one: Spread | None) -> str:
    """Return a median with the least and the most."""
    if one is None:
        return "-"
    return f"{amount(one.middle)} ({amount(one.least)} to {amount(one.most)})"


def ratio(ours: Line, other: Line) -> float:
    """How many times as fast ours is: by page operations where writes make them, or else by requests."""
    if not ours.case.reads and ours.pages_per_s and other.pages_per_s and ours.case.drive:
        return ours.pages_per_s.middle / other.pages_per_s.middle
    return ours.requests_per_s.middle / other.requests_per_s.middle


def differs(ours: Line, other: Line) -> str:
    """Say where the results of two simulators differ by more than agrees."""
    said = []
    pairs = (
        ("mean response", ours.mean_us, other.mean_us),
        ("page operations a request", ours.pages_per_request, other.pages_per_request),
    )
    for what, mine, theirs in pairs:
        if mine and theirs and abs(theirs / mine - 1) > AGREE:
            said.append(f"{what} {theirs / mine - 1:+.0%}")
    return ", ".join(said)


def markdown(lines: Sequence[Line]) -> str:
    """Return the whole table."""
    text = [
        "| case | simulator | CPU s | requests a CPU s | page operations a CPU s | Floatgate is "
        "| mean response | differs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for line in lines:
        ours = next(one for one in lines if one.case is line.case and one.simulator == OURS)
        times = "" if line is ours else f"{ratio(ours, line):.3g} times as fast"
        mean = "-" if line.mean_us is None else f"{line.mean_us:.1f} us"
        fields = (
            line.case.title if line is ours else "",
            NAMES[line.simulator],
            f"{line.cpu_s.middle:.2f} ({line.cpu_s.least:.2f} to {line.cpu_s.most:.2f})",
            spread(line.requests_per_s),
            spread(line.pages_per_s),
            times,
            mean,
            "" if line is ours else differs(ours, line),
        )
        text.append("| " + " | ".join(fields) + " |")
    return "\n".join(text) + "\n"


def csv(lines: Sequence[Line]) -> str:
    """Return the numbers for programs."""

    def three(one: Spread | None) -> str:
        return ",," if one is None else f"{one.middle:.6g},{one.least:.6g},{one.most:.6g}"

    head = ["case,simulator,rounds", *(f"{name},{name}_min,{name}_max" for name in _COLUMNS)]
    text = [",".join([*head, "pages_per_request", "mean_us"])]
    for line in lines:
        numbers = (three(line.cpu_s), three(line.requests_per_s), three(line.pages_per_s))
        rest = ("" if one is None else f"{one:.6g}" for one in (line.pages_per_request, line.mean_us))
        text.append(",".join([line.case.name, line.simulator, str(line.rounds), *numbers, *rest]))
    return "\n".join(text) + "\n"


_COLUMNS = ("cpu_s", "requests_per_cpu_s", "page_operations_per_cpu_s")


def counts(lines: Sequence[Line]) -> str:
    """Return how many rounds there were, of each case if they differ."""
    rounds = {line.case.name: line.rounds for line in lines}
    if len(set(rounds.values())) == 1:
        return str(lines[0].rounds)
    return ", ".join(f"{count} ({name})" for name, count in rounds.items())


def report(lines: Sequence[Line], version: str) -> str:
    """Return the table with the machine it is from."""
    return (
        f"{date.today()}, {processor()}. Floatgate {version}. CPU seconds of processes: "
        f"medians of {counts(lines)} rounds, with the least and the most.\n"
        "Where a case is no whole job, starting and filling are subtracted: a short run from a long one.\n\n"
        f"{markdown(lines)}"
    )


def short(lines: Sequence[Line]) -> str:
    """Return the table of the first page: a line for each case, a column for each simulator."""
    others = [name for name in NAMES if name != OURS and any(line.simulator == name for line in lines)]
    text = [
        "| in one CPU second | Floatgate | " + " | ".join(f"times {NAMES[name]}" for name in others) + " |",
        "|---" * (2 + len(others)) + "|",
    ]
    for ours in (line for line in lines if line.simulator == OURS):
        beside = {line.simulator: line for line in lines if line.case is ours.case}
        whole = len(ours.case.requests[OURS]) == 1
        writes = not ours.case.reads and ours.pages_per_s is not None
        if whole:
            speed = f"{ours.cpu_s.middle:.2f} s in all"
        elif writes and ours.pages_per_s:
            speed = f"{amount(ours.pages_per_s.middle)} page operations"
        else:
            speed = f"{amount(ours.requests_per_s.middle)} requests"
        times = [f"{ratio(ours, beside[name]):.3g}" if name in beside else "-" for name in others]
        text.append(f"| {ours.case.title} | {speed} | " + " | ".join(times) + " |")
    return "\n".join(text) + "\n"


def into_docs(page: str, lines: Sequence[Line]) -> str:
    """Return the page with the table between its marks replaced."""
    first, last = (page.index(mark) for mark in MARKS)
    said = f"{date.today()}, {processor()}."
    return f"{page[: first + len(MARKS[0])]}\n{said}\n\n{short(lines)}{page[last:]}"
