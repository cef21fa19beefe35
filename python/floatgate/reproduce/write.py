"""Results as files: `results.csv` for everyone, `ours.csv` for the paper's own folder."""

import csv
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from floatgate.reproduce.verdict import Row

RESULTS, OURS = "results.csv", "ours.csv"
COLUMNS = ("paper", "exhibit", "case", "published", "simulated", "unit", "deviation", "tolerance", "verdict")


def write_results(path: Path, rows: Iterable[Row]) -> None:
    """Write the table that `floatgate reproduce` promises; empty where there is no number."""
    _write(path, COLUMNS, ([plain(getattr(row, name)) for name in COLUMNS] for row in rows))


def write_ours(path: Path, rows: Iterable[Row], form: str) -> None:
    """Write a paper's rows with their confidence interval, and what they were made with."""
    from floatgate._core import version

    named = (*COLUMNS[1:], "ci95", "explained")
    made = (form, version(), datetime.now(UTC).date().isoformat())
    _write(
        path,
        (*named, "form", "version", "date"),
        ([*(plain(getattr(row, name)) for name in named), *made] for row in rows),
    )


def plain(value: float | str | None) -> str:
    """Write a number so that whole nanoseconds stay whole and noise beyond ten digits goes."""
    if value is None:
        return ""
    return value if isinstance(value, str) else format(value, ".10g")


def _write(path: Path, columns: Iterable[str], lines: Iterable[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(lines)
