"""Rows as people read them: the same words in the terminal and on the page."""

from floatgate.reproduce.verdict import Row


def heads(row: Row) -> tuple[str, ...]:
    """Return the column heads of an exhibit, by one of its rows."""
    if _qualitative(row):
        return ("case", "published", "simulated", "basis", "verdict")
    unit = "" if row.unit in ("", "1") else f" ({row.unit})"
    numbers = ("published" + unit, "simulated" + unit, "+/- 95 %", "deviation", "tolerance")
    return ("case", *numbers, "basis", "verdict")


def cells(row: Row) -> tuple[str, ...]:
    """Return the cells of one row."""
    verdict = row.verdict + (f" (README: {row.explained})" if row.explained else "")
    basis = f"{row.basis}: {row.fitted}" if row.fitted else row.basis
    published = "" if row.published is None else number(row.published)
    if _qualitative(row):
        return (row.case, published, number(row.simulated), basis, verdict)
    return (
        row.case,
        f"{number(row.reference)} (sum of parts)" if row.reference is not None else published,
        number(row.simulated),
        "" if row.ci95 is None else number(row.ci95),
        "" if row.deviation is None else f"{100 * row.deviation:+.3g} %",
        _allowed(row),
        basis,
        verdict,
    )


def number(value: float | str | None) -> str:
    """Four digits, or all before the point; `not simulated` where there is none."""
    if value is None:
        return "not simulated"
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _qualitative(row: Row) -> bool:
    return row.tolerance is None and row.range is None


def _allowed(row: Row) -> str:
    """Return what the exhibit allows: a tolerance, or the range of simulated over published."""
    if row.range is not None:
        return f"{row.range[0]:g} to {row.range[1]:g} times"
    return f"{100 * (row.tolerance or 0.0):g} %"
