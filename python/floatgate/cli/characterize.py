"""`floatgate characterize`: a chip on the bench."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from floatgate.cli.command import without_effect

if TYPE_CHECKING:
    from floatgate.lab.run import Characterized, Progress

EXIT_INTERRUPTED = 130


class Model(StrEnum):
    """What the chip on the bench is made of."""

    cells = "cells"
    tables = "tables"


class Format(StrEnum):
    """What goes to standard output."""

    table = "table"
    json = "json"


def characterize(
    chip: Annotated[
        str | None, typer.Argument(help="A chip of `floatgate chips`, or a chip file.", show_default=False)
    ] = None,
    experiment: Annotated[
        list[str] | None,
        typer.Option("--experiment", metavar="NAME", help="Only this one (repeatable).  [default: all]"),
    ] = None,
    blocks: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Blocks worn to failure in each endurance test.",
            show_default="30",
        ),
    ] = None,
    model: Annotated[
        Model | None,
        typer.Option(help="The chip's cells, or the tables that drives use.", show_default="cells"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Which sample of the part.", show_default="1")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for report and logs.", show_default="out/chip-CHIP"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the results of an earlier run.")] = False,
    format: Annotated[Format, typer.Option(help="What to print.")] = Format.table,  # noqa: A002
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and exit.")] = False,
) -> int:
    """Measure a chip as a test rig would: endurance, times over life, errors, threshold voltages.

    Writes report.html, characterize.json and the rig's logs. Ctrl-C keeps the measurements made so far.
    """
    from floatgate.lab.experiments import chosen

    wanted = chosen(experiment or [])
    if list_:
        others = {"experiment": experiment, "blocks": blocks, "model": model, "seed": seed, "out": out}
        without_effect(others | {"force": force or None}, "--list runs nothing", "it without --list")
        return _list(format)
    if chip is None:
        from floatgate.errors import InputError

        raise InputError(
            "no chip given: expected `floatgate characterize CHIP` (`floatgate chips` lists them)"
        )
    from floatgate.folder import own_folder
    from floatgate.lab.run import characterize as run
    from floatgate.lab.simulated import SimulatedSource
    from floatgate.session import interruptible

    usual = Path("out") / f"chip-{Path(chip).stem}"
    with own_folder(out, usual, force=force) as folder, interruptible() as interrupt, _Bar() as bar:
        done = run(
            SimulatedSource(chip, 1 if seed is None else seed, model=(model or Model.cells).value),
            wanted,
            30 if blocks is None else blocks,
            folder,
            force=force,
            progress=bar.update,
            stopped=interrupt,
        )
    return _show(done, folder, format)


def _show(done: "Characterized", out: Path, format: Format) -> int:  # noqa: A002
    from floatgate.cli import console

    if format is Format.json:
        console.print_json(done.document())
    else:
        _print(done)
    if done.interrupted:
        console.err.print(f"interrupted: {out} holds the measurements made so far", markup=False)
        return EXIT_INTERRUPTED
    console.err.print(f"wrote {out / 'report.html'}", markup=False)
    return 0


def _list(format: Format) -> int:  # noqa: A002
    from floatgate.cli import console
    from floatgate.lab.experiments import every

    if format is Format.json:
        console.print_json(
            [
                {"name": one.name, "title": one.title, "question": one.question, "source": one.source}
                for one in every()
            ]
        )
        return 0
    width = max(len(one.name) for one in every())
    for one in every():
        console.out.print(f"{one.name:<{width}}  {one.question}", markup=False)
        console.out.print(f"{'':<{width}}  {one.source}", markup=False, style="dim")
    return 0


def _print(done: "Characterized") -> None:
    """Print the finding of each experiment."""
    from floatgate.cli import console

    sample = "" if done.seed is None else f", sample {done.seed}"
    console.out.print(
        f"{done.identity.name}: {done.identity.title}{sample}, {done.blocks} blocks a test",
        markup=False,
        style="bold",
    )
    for outcome in done.outcomes:
        console.out.print(f"\n{outcome.experiment.title}", markup=False, style="bold")
        if outcome.result is None:
            console.out.print(f"{outcome.state}: {outcome.reason}", markup=False, style="dim")
            continue
        console.out.print(outcome.result.says, markup=False)
        if outcome.reason:
            console.out.print(outcome.reason, markup=False, style="dim")


class _Bar:
    """A bar with the experiment under way, on a terminal only."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        from floatgate.cli.console import err

        self._bar = Progress(
            TextColumn("{task.fields[count]}"),
            BarColumn(bar_width=30),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("{task.description}"),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=1.0, count="")

    def __enter__(self) -> "_Bar":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, progress: "Progress") -> None:
        """Show how far the experiments are."""
        self._bar.update(
            self._task,
            completed=progress.fraction,
            description=progress.title,
            count=f"{progress.number}/{progress.total}",
        )
