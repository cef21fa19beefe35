"""Rows as people read them: the same words in the terminal and on the page."""

from floatgate.reproduce.verdict import Row


def heads(row: Row) -> tuple[str, ...]:
    """Return the column heads of an exhibit, by one of its rows."""
    if row.tolerance is None:
        return ("case", "published", "simulated", "verdict")
    unit = "" if row.unit in ("", "1") else f" ({row.unit})"
    return ("case", "published" + unit, "simulated" + unit, "+/- 95 %", "deviation", "tolerance", "verdict")


def cells(row: Row) -> tuple[str, ...]:
    """Return the cells of one row."""
    verdict = row.verdict + (f" (README: {row.explained})" if row.explained else "")
    if row.tolerance is None:
        return (row.case, number(row.published), number(row.simulated), verdict)
    return (
        row.case,
        number(row.published),
        number(row.simulated),
        "" if row.ci95 is None else number(row.ci95),
        "" if row.deviation is None else f"{100 * row.deviation:+.3g} %",
        f"{100 * row.tolerance:g} %",
        verdict,
    )


def number(value: float | str | None) -> str:
    """Four digits, or all before the point; `not simulated` where there is none."""
    if value is None:
        return "not simulated"
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
