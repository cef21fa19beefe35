"""`floatgate study`: many runs from one file, in a folder that goes on where it was ended."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from floatgate._generated.keywords import StudyKeywords
from floatgate.files.temporary import Temporary
from floatgate.options.definition import OUTPUT, Argument, CommandOptions, Option, usual
from floatgate.options.shared import ELSEWHERE, Format, Scheduler, Workers
from floatgate.options.taking import offered, take
from floatgate.runs.session import interruptible
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, Bar
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floatgate.study.conduct import Progress
    from floatgate.study.result import Study
    from floatgate.study.spec import Spec

SHOWN = 10  # configurations
REASONS_SHOWN = 8


@dataclass(frozen=True)
class StudyOptions(CommandOptions):
    """`floatgate study`: every run that a file asks for, in a folder that a later call goes on with."""

    study: Annotated[
        Path,
        Argument(
            "What is varied, on what it is run, what is wanted (TOML).",
            takes="a file of a study",
            python="a mapping of the same shape will do",
        ),
    ]
    retry: Annotated[bool, Option("Run again what was refused or failed.")] = False
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: Annotated[
        Path | None,
        Option(
            "Folder of the study; what it holds is not run again.",
            metavar="DIR",
            panel=OUTPUT,
            takes="a new folder, or one of a study",
            python="it lives as long as what is returned",
            differs="a folder that grows: a study goes on in it",
        ),
    ] = usual("out/study-STUDY")
    format: Format = "table"


@offered(StudyOptions)
def study(study: str | PathLike[str] | Mapping[str, Any], **options: Unpack[StudyKeywords]) -> "Study":
    """Run every run that a study asks for, as many at once as there are cores, and return what came out.

    `study` is a TOML file, or a mapping of the same shape: `{"study": {"drive": "tlc", ...}, "parameters":
    {"ftl.op_ratio": [0.07, 0.28]}, "objectives": {"waf": "min"}}`. With `out`, what that folder holds of the
    study is not run again. Ctrl-C keeps what was done (`interrupted`). A run that is refused or fails is a
    row with its reason; `problem` says so.

    Raises InputError for a study that cannot be: an unknown key, number, drive or workload.
    """
    from floatgate.study.spec import of, read

    given = isinstance(study, Mapping)
    asked = take(StudyOptions, options, study=Path("study") if given else study)
    spec = of(study) if isinstance(study, Mapping) else read(asked.study)
    held = Temporary() if asked.out is None else None
    folder = held.folder / "study" if held is not None else Path(str(asked.out))
    return _studied(asked, spec, folder).holding(held)


def _studied(asked: StudyOptions, spec: "Spec", folder: Path, **told: Callable[..., None]) -> "Study":
    """Run what is missing of a study; what goes on is told as `Listener` says."""
    from floatgate.study.conduct import Listener
    from floatgate.study.run import run_study

    with interruptible() as interrupt:
        return run_study(
            spec,
            folder,
            workers=asked.workers,
            scheduler=asked.scheduler,
            retry=asked.retry,
            listener=Listener(stopped=interrupt, **told),
        )


@takes(
    StudyOptions,
    examples=("floatgate study study.toml", "floatgate study study.toml --workers 4 --out out/study"),
)
def study_in_shell(asked: StudyOptions) -> int:
    """Run what a study file asks for and is not there yet; write a table, a report and the best drives.

    Ctrl-C, a crash and a lost machine cost the runs that were in progress: call it again, and it goes on.
    """
    from floatgate.study.folder import REPORT
    from floatgate.study.spec import read

    spec = read(asked.study)
    folder = asked.out or Path("out") / f"study-{spec.name}"
    runs = "{task.completed:,.0f} of {task.total:,.0f} runs"
    with Bar(runs, BAR, "{task.fields[said]}", "left", LEFT, said="") as bar:
        done = _studied(asked, spec, folder, began=_began, moved=partial(_moved, bar))
    if asked.format == "json":
        console.print_json(done.summary())
    else:
        _print(done)
    console.err.print(f"wrote {folder / REPORT}")
    if done.record["ended"] == "stopped":
        return console.farewell("", "the same command goes on from here")
    if done.problem:
        console.err.print(f"floatgate: error: {done.problem}")
        return 2
    return 0


def _began(there: int, missing: int, changes: list[str]) -> None:
    """Say what is run, and why what was there does not count."""
    for change in changes:
        console.err.print(f"changed    {change}")
    kept = f"{there:,} runs are there, " if there else ""
    console.err.print(f"{kept}{missing:,} to run")


def _print(done: "Study") -> None:
    """Print how many runs there are, and the best configurations."""
    from floatgate.study.show import head, rows

    console.out.print(f"{done.spec.name}: {done.words()}", style="bold")
    best = done.front() or done.configurations()
    if best:
        heads = head(done.spec)
        console.print_columns(heads, rows(done.spec, best[:SHOWN]), left=range(len(heads)), overflow="fold")
    if len(best) > SHOWN:
        console.out.print(f"and {len(best) - SHOWN:,} more")
    for one in done.missed:
        console.out.print(one.words(done.spec))
    for line in _reason_lines(done):
        console.out.print(line)
    for said in done.remarks:
        console.out.print(f"note: {said}")


def _reason_lines(done: "Study") -> "Iterator[str]":
    """Say why runs failed or were refused, each reason once with the number of its runs."""
    for status, reasons in done.reasons.items():
        counts = list(reasons.items())
        for reason, count in counts[:REASONS_SHOWN]:
            yield f"{count:,} {status}: {reason}"
        rest = counts[REASONS_SHOWN:]
        if rest:
            left = sum(count for _, count in rest)
            yield f"{left:,} {status}: {len(rest):,} other reasons (results.parquet has them)"


def _moved(bar: Bar, progress: "Progress") -> None:
    """Show how far the study is."""
    speed = bar.speed
    said = [f"{progress.running} running"]
    said += [f"{progress.failed} failed"] if progress.failed else []
    said += [f"{progress.refused} refused"] if progress.refused else []
    said += [f"{speed:.3g} runs/s"] if speed else []
    said += [progress.best] if progress.best else []
    bar.show(completed=progress.there, total=progress.total, said=", ".join(said))
