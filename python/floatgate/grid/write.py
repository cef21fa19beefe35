"""A grid's folder: `grid.json`, `grid.csv`, `grid.parquet` and `report.html`."""

from pathlib import Path
from typing import Any

from floatgate.files import ten_digits, write_rows
from floatgate.grid import figures, steady
from floatgate.grid.point import NOT_REACHED, STEADY, Point
from floatgate.grid.run import Grid
from floatgate.grid.table import COLUMNS
from floatgate.results.folder import write_json
from floatgate.results.tables import Table
from floatgate.values import quantities as q

GRID = "grid.json"
HEAD = ("", "state", "IOPS", "+/- 95 %", "MB/s", "mean", "p50", "p99", "requests", "simulated")


def write(grid: Grid, folder: Path) -> None:
    """Write a grid's files into a folder that is there already."""
    write_json(folder / GRID, document(grid))
    rows = [point.row() for point in grid.points]
    _write_csv(rows, folder / "grid.csv")
    _write_parquet(rows, folder / "grid.parquet")
    (folder / "report.html").write_text(_page(grid), encoding="utf-8")


def document(grid: Grid) -> dict[str, Any]:
    """Return the whole grid: what was asked, and each point with its windows and stages."""
    from floatgate._core import version

    asked = grid.asked
    return {
        "version": version(),
        "drive": asked.drive,
        "title": grid.title,
        "set": list(asked.overrides),
        "seed": asked.options.seed,
        "precondition": asked.options.precondition,
        "file_bytes": asked.file_bytes,
        "rule": {"name": asked.rule.name, "seconds": asked.rule.seconds, "precision": asked.rule.precision},
        "interrupted": grid.interrupted,
        "points": [
            point.row()
            | {
                "windows_iops": list(point.windows),
                "steady_from": point.steady_from,
                "stages_ns": dict(point.stages_ns),
            }
            for point in grid.points
        ],
    }


def _write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    write_rows(path, list(rows[0]), ([*map(ten_digits, row.values())] for row in rows))


def _write_parquet(rows: list[dict[str, Any]], path: Path) -> None:
    Table.of(COLUMNS, {name: [row[name] for row in rows] for name in rows[0]}).write(path)


def _page(grid: Grid) -> str:
    from floatgate.report.sheet import Section, sheet

    asked, points = grid.asked, grid.points
    facts = [
        f"{len(points)} points",
        f"file of {q.size(asked.file_bytes)}",
        f"state: {asked.options.precondition}",
        f"seed {asked.options.seed}",
        *asked.overrides,
    ]
    sections = [
        Section(
            "Rates over request sizes",
            "Requests and bytes per second, to steady values; bars are 95 % confidence intervals. "
            + not_reached_words(points)
            + spare_words(points),
            {"rates": figures.rates(points)},
        )
    ]
    drawn = figures.stages(points)
    if drawn:
        block = q.size(figures.stage_block(points))
        says = (
            f"Mean time of requests of {block} by stage, as shares; the time itself stands beside the name."
        )
        sections.append(Section("Where the time goes", says, {"stages": drawn}))
    if any(point.state == STEADY for point in points):
        what = "rounds" if asked.rule.name == "snia" else "batches"
        shown = {"steadiness": figures.steadiness(points, what)}
        sections.append(Section("How steady", rule_words(grid), shown))
    sections.append(Section("Points", "", head=HEAD, rows=[cells(point) for point in points]))
    notice = (
        "This grid was interrupted; points that were not done have no numbers." if grid.interrupted else ""
    )
    return sheet("Floatgate test grid", asked.drive, grid.title, facts, sections, notice)


def not_reached_words(points: tuple[Point, ...]) -> str:
    """Say how many points reached no steady state."""
    missing = [point.setting.name for point in points if point.state == NOT_REACHED]
    if not missing:
        return "Every point reached a steady state." if points else ""
    some = "; ".join(missing[:4]) + (" and others" if len(missing) > 4 else "")
    return f"{len(missing)} points reached no steady state in the time given (crosses): {some}."


def spare_words(points: tuple[Point, ...]) -> str:
    """Say how many writes ended while the drive still had erased blocks to spend."""
    writes = [point for point in points if point.setting.op == "write" and point.state == STEADY]
    fresh = [point for point in writes if point.collected is False]
    if not fresh:
        return ""
    return (
        f" {len(fresh)} of {len(writes)} write points ended before garbage collection had to make room: their"
        " rates are those of a drive with erased blocks in hand (--precondition instant shows others)."
    )


def rule_words(grid: Grid) -> str:
    """Say when a point counts as steady."""
    rule = grid.asked.rule
    if rule.name == "snia":
        return (
            f"SNIA's rule: rounds of {rule.seconds:g} s; steady when over five rounds the rate stays within"
            f" {steady.SNIA_RANGE:.0%} of its average and a line through it changes by at most"
            f" {steady.SNIA_SLOPE:.0%}; given up after {steady.SNIA_MOST_ROUNDS} rounds."
        )
    return (
        f"Batch means: the first half of a run is left out, the second cut into {steady.BATCHES} batches of"
        f" equal count; steady when their 95 % interval is within {rule.precision:.1%} of the mean, a line"
        f" through them changes by at most {steady.DRIFT:.0%}, and neighbours are not correlated; given up"
        f" after {rule.seconds:g} simulated seconds."
    )


def cells(point: Point) -> list[str]:
    """Return a point in the order of HEAD."""
    asked = [point.setting.name, point.state]
    if point.state != STEADY:
        return [*asked, *[q.NOTHING] * 6, q.NOTHING, q.duration(point.simulated_ns)]
    return [
        *asked,
        q.count(point.iops),
        q.count(point.iops_ci95),
        q.three(point.mb_per_s or 0.0),
        q.duration(point.latency_ns_mean),
        q.duration(point.latency_ns_p50),
        q.duration(point.latency_ns_p99),
        q.count(point.requests),
        q.duration(point.simulated_ns),
    ]
