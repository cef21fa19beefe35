"""Results as files: `results.csv` for everyone, `ours.csv` for the paper's own folder."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from floatgate.files import ten_digits, write_rows
from floatgate.reproduce.verdict import Row

RESULTS, OURS = "results.csv", "ours.csv"
COLUMNS = (
    *("paper", "exhibit", "case", "published", "simulated", "unit", "deviation", "tolerance", "verdict"),
    *("basis", "fitted"),
)


def write_results(path: Path, rows: Iterable[Row]) -> None:
    """Write the table that `floatgate reproduce` promises; empty where there is no number."""
    write_rows(path, COLUMNS, ([plain(getattr(row, name)) for name in COLUMNS] for row in rows))


def write_ours(path: Path, rows: Iterable[Row], form: str) -> None:
    """Write a paper's rows with their confidence interval, and what they were made with."""
    from floatgate._core import version

    named = (*COLUMNS[1:], "ci95", "explained")
    made = (form, version(), datetime.now(UTC).date().isoformat())
    write_rows(
        path,
        (*named, "form", "version", "date"),
        ([*(plain(getattr(row, name)) for name in named), *made] for row in rows),
    )


def plain(value: float | str | None) -> str:
    """Write a number with ten digits; a text stays one."""
    if value is None:
        return ""
    return value if isinstance(value, str) else ten_digits(value)
