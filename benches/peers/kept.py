"""Lines of runs that were kept, read back: a table may be put together from several."""

import csv
from collections.abc import Sequence
from pathlib import Path

from peers.cases import CASES
from peers.measure import Line, Spread

_KNOWN = {case.name: case for case in CASES}


def read(folders: Sequence[Path]) -> list[Line]:
    """Return the lines of these runs, in the order of the cases; a later run replaces an earlier one's."""
    found: dict[tuple[str, str], Line] = {}
    for folder in folders:
        with (folder / "raw.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                found[row["case"], row["simulator"]] = _line(row)
    order = list(_KNOWN)
    return sorted(found.values(), key=lambda line: order.index(line.case.name))


def _line(row: dict[str, str]) -> Line:
    def spread(name: str) -> Spread:
        return Spread(*(float(row[name + end]) for end in ("", "_min", "_max")))

    pages = spread("page_operations_per_cpu_s") if row["page_operations_per_cpu_s"] else None
    each, mean = (float(row[name]) if row[name] else None for name in ("pages_per_request", "mean_us"))
    cost = spread("cpu_s"), spread("requests_per_cpu_s"), pages
    return Line(_KNOWN[row["case"]], row["simulator"], int(row["rounds"]), *cost, each, mean)
