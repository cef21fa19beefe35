"""`floatgate characterize`: a chip on the bench."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Unpack

from floatgate._generated.keywords import CharacterizeKeywords
from floatgate.errors import InputError
from floatgate.options.definition import CommandOptions, Option, usual
from floatgate.options.effect import changed, without_effect
from floatgate.options.shared import (
    CHIP,
    ELSEWHERE,
    SAMPLE,
    Force,
    Format,
    List,
    OutFolder,
    Scheduler,
    Workers,
)
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_folder
from floatgate.runs.session import interruptible
from floatgate.shell import console
from floatgate.shell.bar import BAR, ELAPSED, PERCENT, Bar
from floatgate.shell.options import takes
from floatgate.values.arguments import named

if TYPE_CHECKING:
    from floatgate.lab.experiment import Experiment
    from floatgate.lab.run import Characterized, Progress

BLOCKS = 30  # worn to failure in each endurance test, where nothing else is asked for


@dataclass(frozen=True)
class CharacterizeOptions(CommandOptions):
    """`floatgate characterize`: a chip on the bench."""

    chip: Annotated[str | None, CHIP] = None
    experiment: Annotated[
        tuple[str, ...],
        Option("Only this one (repeatable).", metavar="NAME", shown="all", takes="a name of --list"),
    ] = ()
    blocks: Annotated[
        int | None, Option("Blocks worn to failure in each endurance test.", metavar="N", least=1)
    ] = usual("30")
    model: Annotated[
        Literal["cells", "tables"] | None, Option("The chip's cells, or the tables that drives use.")
    ] = usual("cells")
    seed: Annotated[int | None, SAMPLE] = usual("1")
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFolder = usual("out/chip-CHIP")
    force: Force = False
    format: Format = "table"
    list: List = False


@offered(CharacterizeOptions)
def characterize(chip: str | PathLike[str], **options: Unpack[CharacterizeKeywords]) -> "Characterized":
    """Measure `chip` as a test rig would: endurance, times over life, errors, threshold voltages.

    What is found has an outcome for each experiment, in the order of `floatgate.experiments`: a sentence,
    numbers and figures, or why there is none; `document()` holds all numbers. Ctrl-C keeps the measurements
    made so far: `interrupted` is then true. With `out`, report.html, characterize.json and the rig's logs
    are written to that folder.

    Raises InputError for an unknown chip or experiment, or more blocks than the chip has.
    """
    from floatgate.lab.experiments import chosen

    asked = take(CharacterizeOptions, options, chip=chip)
    wanted = chosen(list(asked.experiment))
    with interruptible() as stopped:
        return _characterized(asked, wanted, asked.out, stopped)


def _characterized(
    asked: CharacterizeOptions,
    experiments: "Sequence[Experiment]",
    folder: Path | None,
    stopped: Callable[[], bool],
    progress: "Callable[[Progress], None]" = lambda _progress: None,
) -> "Characterized":
    """Measure what was asked for, and write it to a folder where there is one."""
    from floatgate.lab import run as lab
    from floatgate.lab.bench import Bench
    from floatgate.lab.simulated import SimulatedSource

    seed = 1 if asked.seed is None else asked.seed
    source = SimulatedSource(str(asked.chip), seed, model=asked.model or "cells")
    blocks = BLOCKS if asked.blocks is None else asked.blocks
    if folder is None:
        bench = Bench(source, blocks, stopped=stopped)
        return lab.ask(bench, experiments, asked.workers, asked.scheduler, progress)
    return lab.characterize(
        source,
        experiments,
        blocks,
        folder,
        force=asked.force,
        workers=asked.workers,
        scheduler=asked.scheduler,
        progress=progress,
        stopped=stopped,
    )


@named
def experiments() -> "list[Experiment]":
    """Return the experiments of `characterize`, each with its question and the paper that it is from."""
    from floatgate.lab.experiments import every

    return every()


@takes(
    CharacterizeOptions,
    examples=(
        "floatgate characterize mt29f8g08maawc",
        "floatgate characterize poster-mlc --experiment endurance --blocks 8",
    ),
)
def characterize_in_shell(asked: CharacterizeOptions) -> int:
    """Measure a chip as a test rig would: endurance, times over life, errors, threshold voltages.

    Writes report.html, characterize.json and the rig's logs. Ctrl-C keeps the measurements made so far.
    """
    from floatgate.lab.experiments import chosen

    wanted = chosen(list(asked.experiment))
    if asked.list:
        others = changed(asked, "chip", "format", "list")
        without_effect(others, "--list runs nothing", "it without --list")
        return _list(asked.format)
    if asked.chip is None:
        raise InputError(
            "no chip given: expected `floatgate characterize CHIP` (`floatgate chips` lists them)"
        )

    usual = Path("out") / f"chip-{Path(asked.chip).stem}"
    with (
        own_folder(asked.out, usual, force=asked.force) as folder,
        interruptible() as interrupt,
        Bar("{task.fields[count]}", BAR, PERCENT, ELAPSED, "{task.description}", count="") as bar,
    ):

        def moved(to: "Progress") -> None:
            bar.show(completed=to.fraction, description=to.title, count=f"{to.number}/{to.total}")

        done = _characterized(asked, wanted, folder, interrupt, moved)
    return _show(done, folder, asked.format)


def _show(done: "Characterized", out: Path, format: str) -> int:  # noqa: A002
    if format == "json":
        console.print_json(done.document())
    else:
        _print(done)
    kept = f"{out} holds the measurements made so far"
    return console.farewell(out / "report.html", kept if done.interrupted else "")


def _list(format: str) -> int:  # noqa: A002
    from floatgate.lab.experiments import every

    if format == "json":
        console.print_json(
            [
                {"name": one.name, "title": one.title, "question": one.question, "source": one.source}
                for one in every()
            ]
        )
        return 0
    width = max(len(one.name) for one in every())
    for one in every():
        console.out.print(f"{one.name:<{width}}  {one.question}")
        console.out.print(f"{'':<{width}}  {one.source}", style="dim")
    return 0


def _print(done: "Characterized") -> None:
    """Print the finding of each experiment."""
    sample = "" if done.seed is None else f", sample {done.seed}"
    console.out.print(
        f"{done.identity.name}: {done.identity.title}{sample}, {done.blocks} blocks a test", style="bold"
    )
    for outcome in done.outcomes:
        console.out.print(f"\n{outcome.experiment.title}", style="bold")
        if outcome.result is None:
            console.out.print(f"{outcome.state}: {outcome.reason}", style="dim")
            continue
        console.out.print(outcome.result.says)
        if outcome.reason:
            console.out.print(outcome.reason, style="dim")
