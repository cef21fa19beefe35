"""`floatgate reproduce`: published numbers beside simulated ones."""

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from floatgate._generated.keywords import ReproduceKeywords
from floatgate.files import shipped
from floatgate.files.temporary import given_or_temporary
from floatgate.options.definition import OUTPUT, Argument, CommandOptions, Option, usual
from floatgate.options.effect import changed, without_effect
from floatgate.options.shared import ELSEWHERE, Force, List, OutFolder, Scheduler, Workers
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_folder
from floatgate.runs.session import interruptible
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, Bar
from floatgate.shell.options import takes
from floatgate.values.arguments import named

if TYPE_CHECKING:
    from floatgate.reproduce.paper import Paper
    from floatgate.reproduce.run import Reproduced
    from floatgate.reproduce.work import Progress

EXIT_MISS = 1


@dataclass(frozen=True)
class ReproduceOptions(CommandOptions):
    """`floatgate reproduce`: published numbers beside simulated ones."""

    paper: Annotated[
        tuple[str, ...],
        Argument("Papers to reproduce.", shown="all of them", takes="names of --list", completes="papers"),
    ] = ()
    full: Annotated[
        bool | None,
        Option(
            "All cases with narrow intervals, or the quick ones, in about two minutes.",
            flags=("--full/--quick",),
        ),
    ] = usual("quick")
    causes: Annotated[
        bool, Option("Run the experiments that show why claims are missed, instead of the papers' exhibits.")
    ] = False
    out: OutFolder = usual("out/reproduce")
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    record: Annotated[
        bool, Option("Also write ours.csv and the figures into the papers' folders.", panel=OUTPUT)
    ] = False
    force: Force = False
    list: List = False


@offered(ReproduceOptions)
def reproduce(*paper: str | PathLike[str], **options: Unpack[ReproduceKeywords]) -> "Reproduced":
    """Reproduce papers, all of them when none is named: the quick cases, or all of them with `full=True`.

    What comes out has a row for each number: published, simulated, deviation, tolerance and verdict, in the
    unit that the paper gives; `unexplained` are the misses that no README explains. With `out`, results.csv,
    reproduce.html and the figures are written to that folder. Ctrl-C keeps the rows that are done
    (`interrupted`), and writes nothing.

    Raises InputError for an unknown paper, Fault for a broken invariant, TypeError for an unknown option.
    """
    from floatgate.reproduce.paper import find

    asked = take(ReproduceOptions, options, paper=paper)
    chosen = find(list(asked.paper), shipped.papers())
    with given_or_temporary(asked.out, "reproduced") as folder, interruptible() as stopped:
        return _reproduced(asked, chosen, folder, stopped)


def _reproduced(
    asked: ReproduceOptions,
    papers: "list[Paper]",
    folder: Path,
    stopped: Callable[[], bool],
    progress: "Callable[[Progress], None]" = lambda _progress: None,
) -> "Reproduced":
    """Reproduce papers as it was asked for."""
    from floatgate.reproduce import run

    return run.reproduce(
        papers,
        folder,
        force=asked.force,
        full=bool(asked.full),
        causes=asked.causes,
        record=asked.record,
        workers=asked.workers,
        scheduler=asked.scheduler,
        progress=progress,
        stopped=stopped,
    )


@named
def papers() -> "list[Paper]":
    """Return the papers that come with Floatgate, each with what it claims and shows."""
    from floatgate.reproduce.paper import find

    return find([], shipped.papers())


@takes(
    ReproduceOptions,
    examples=("floatgate reproduce", "floatgate reproduce desnoyers2012-wa --full --workers 4"),
)
def reproduce_in_shell(asked: ReproduceOptions) -> int:
    """Reproduce papers: published, simulated, deviation, tolerance and verdict of every exhibit.

    Exits with 1 if a claim was not reproduced and the paper's README does not explain it.
    """
    from floatgate.reproduce.paper import find

    chosen = find(list(asked.paper), shipped.papers())
    if asked.list:
        without_effect(changed(asked, "paper", "list"), "--list runs nothing", "it without --list")
        return _list(chosen)

    with (
        own_folder(asked.out, Path("out/reproduce"), force=asked.force) as folder,
        interruptible() as interrupt,
        Bar("{task.fields[count]}", BAR, "left", LEFT, count="starting") as bar,
    ):

        def moved(to: "Progress") -> None:
            bar.show(completed=to.fraction, count=f"{to.done}/{to.total} cases")

        done = _reproduced(asked, chosen, folder, interrupt, moved)
    _print(chosen, done)
    kept = "nothing was written; the cases above were completed"
    wrote = f"{folder / 'results.csv'} and {folder / 'reproduce.html'}"
    code = console.farewell(wrote, kept if done.interrupted else "")
    return EXIT_MISS if done.unexplained and not code else code


def _list(papers: "list[Paper]") -> int:
    width = max((len(paper.key) for paper in papers), default=0)
    for paper in papers:
        console.out.print(f"{paper.key:<{width}}  {paper.title}. {paper.authors}, {paper.venue}.")
    return 0


def _print(papers: "list[Paper]", done: "Reproduced") -> None:
    """Print a table for each exhibit, then the counts, predicted lines first."""
    from floatgate.reproduce.show import cells, heads
    from floatgate.reproduce.verdict import tally

    for paper in papers:
        for exhibit in paper.exhibits.values():
            mine = [row for row in done.rows if (row.paper, row.exhibit) == (paper.key, exhibit.key)]
            if mine:
                console.out.print(f"\n{paper.key}: {exhibit.title}", style="bold")
                console.out.print(exhibit.claim, style="dim")
                styles = ["red" if row.unexplained else "yellow" if row.missed else "" for row in mine]
                console.print_columns(heads(mine[0]), map(cells, mine), left=(0,), styles=styles)
    console.out.print(f"\n{tally(done.rows)}")
