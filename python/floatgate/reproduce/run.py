"""From papers to a folder of results."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from floatgate.files import putting
from floatgate.options.effect import without_effect
from floatgate.report.plot import Figure
from floatgate.reproduce import work
from floatgate.reproduce.case import Case, Finding
from floatgate.reproduce.figure import figure
from floatgate.reproduce.page import PAGE, write_page
from floatgate.reproduce.paper import Paper
from floatgate.reproduce.verdict import Row, judge
from floatgate.reproduce.write import OURS, RESULTS, write_ours, write_results
from floatgate.results import notebook
from floatgate.results.folder import atomically
from floatgate.workers import How


@dataclass(frozen=True)
class Reproduced:
    """What came out; of an interrupted reproduction, the rows that were done, and no folder."""

    rows: list[Row]
    interrupted: bool

    @property
    def unexplained(self) -> list[Row]:
        """The misses that no README explains."""
        return [row for row in self.rows if row.unexplained]

    def _repr_html_(self) -> str:
        from floatgate.reproduce.show import number
        from floatgate.reproduce.verdict import tally

        head = ("paper", "exhibit", "case", "published", "simulated", "verdict")
        rows = (
            (row.paper, row.exhibit, row.case, number(row.published), number(row.simulated), row.verdict)
            for row in self.rows
        )
        return notebook.table("reproduced", head, rows, (tally(self.rows),))


def reproduce(
    papers: list[Paper],
    out: Path,
    *,
    full: bool = False,
    causes: bool = False,
    record: bool = False,
    force: bool = False,
    progress: Callable[[work.Progress], None] = lambda _progress: None,
    **how: Unpack[How],
) -> Reproduced:
    """Simulate every case of `papers` and write `out`: results.csv, reproduce.html and a figure per exhibit.

    `causes` runs the experiments behind explanations of misses instead, from which nothing else follows.
    `record` also writes `ours.csv` and the figures into the papers' own folders.
    Raises InputError for a faulty paper or an unwritable folder, Fault for a broken invariant.
    """
    if causes:
        without_effect({"record": record or None}, "--causes runs parts of papers", "it without --causes")
    every = work.tasks(papers, full, causes=causes)
    try:
        with atomically(out, force=force) as partial:
            found = work.run_all(every, full, progress=progress, **how)
            pairs = [
                (task, finding) for task, finding in zip(every, found, strict=True) if finding is not None
            ]
            interrupted = len(pairs) < len(every)
            rows = [
                row
                for paper in papers
                for row in _judge(paper, pairs, full and not (interrupted or causes), interrupted or causes)
            ]
            if interrupted:
                raise _InterruptedError(rows)
            _write(partial, papers, rows)
    except _InterruptedError as stop:
        return Reproduced(stop.rows, True)
    if record:
        _record(papers, rows, "full" if full else "quick")
    return Reproduced(rows, False)


class _InterruptedError(Exception):
    """Leaves the block that makes the folder, so that nothing half is left behind."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__(rows)
        self.rows = rows


def _judge(paper: Paper, pairs: list[tuple[work.Task, Finding]], full: bool, partly: bool) -> list[Row]:
    mine: dict[Case, Finding] = {}
    for (owner, case), finding in pairs:
        if owner.key == paper.key:
            mine[case] = finding
    named = {(case.exhibit, case.name): finding for case, finding in mine.items()}
    return judge(paper, mine, [] if partly else paper.conclude(named), full)


def _write(folder: Path, papers: list[Paper], rows: list[Row]) -> None:
    write_results(folder / RESULTS, rows)
    figures: dict[tuple[str, str], Figure] = {}
    for paper in papers:
        (folder / paper.key).mkdir()
        figures |= _draw(paper, rows, folder / paper.key)
    write_page(folder / PAGE, papers, rows, figures)


def _draw(paper: Paper, rows: list[Row], folder: Path) -> dict[tuple[str, str], Figure]:
    """Write the figures of a paper, and return them by paper and exhibit."""
    from floatgate.report.draw import svg

    drawn: dict[tuple[str, str], Figure] = {}
    for exhibit in paper.exhibits.values():
        mine = [row for row in rows if (row.paper, row.exhibit) == (paper.key, exhibit.key)]
        made = figure(exhibit, mine)
        if made:
            (folder / f"{exhibit.key}.svg").write_text(svg(made), encoding="utf-8")
            drawn[paper.key, exhibit.key] = made
    return drawn


def _record(papers: list[Paper], rows: list[Row], form: str) -> None:
    for paper in papers:
        with putting(paper.folder) as partial:
            write_ours(partial / OURS, [row for row in rows if row.paper == paper.key], form)
            _draw(paper, rows, partial)
