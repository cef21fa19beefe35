"""`floatgate grid`: a drive asked for every block size, depth, pattern and operation."""

from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

if TYPE_CHECKING:
    from floatgate.grid import Grid
    from floatgate.grid.measure import Rule

from floatgate.cli.run import Format as RunFormat
from floatgate.options import State

EXIT_INTERRUPTED = 130


class Format(StrEnum):
    """What goes to standard output."""

    TABLE = RunFormat.TABLE.value
    JSON = RunFormat.JSON.value


class Steady(StrEnum):
    """The rule by which a rate counts as steady."""

    BATCHES = "batches"
    SNIA = "snia"


_WHAT = "Requests"
_RULE = "Steady state"
_OUTPUT = "Output"


def grid(
    drive: Annotated[
        str, typer.Argument(help="Name or file of a drive (`floatgate drives`) or disk (scsi-15k).")
    ],
    block: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Sizes.", show_default="512 to 1m", rich_help_panel=_WHAT),
    ] = None,
    depth: Annotated[
        str, typer.Option(metavar="LIST", help="Requests outstanding.", rich_help_panel=_WHAT)
    ] = "1,2,4",
    pattern: Annotated[
        str, typer.Option(metavar="LIST", help="Patterns.", rich_help_panel=_WHAT)
    ] = "sequential,random",
    op: Annotated[
        str, typer.Option("--op", metavar="LIST", help="Operations.", rich_help_panel=_WHAT)
    ] = "read,write",
    file_size: Annotated[
        str,
        typer.Option(
            metavar="SIZE", help="Size of the file at the start of the drive.", rich_help_panel=_WHAT
        ),
    ] = "1GiB",
    steady: Annotated[
        Steady, typer.Option(help="Batch means, or SNIA's five rounds.", rich_help_panel=_RULE)
    ] = Steady.BATCHES,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Maximum simulated time per point.",
            show_default="60s",
            rich_help_panel=_RULE,
        ),
    ] = None,
    round_: Annotated[
        str | None,
        typer.Option(
            "--round",
            metavar="TIME",
            help="SNIA: simulated time per round.",
            show_default="60s",
            rich_help_panel=_RULE,
        ),
    ] = None,
    precision: Annotated[
        float,
        typer.Option(
            metavar="RATIO", min=1e-4, max=0.5, help="Maximum half width / mean.", rich_help_panel=_RULE
        ),
    ] = 0.02,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override a configuration key.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of every random stream.")] = 1,
    precondition: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(get_args(State)),
            help="State of the drive before each point.",
            show_default="fill",
        ),
    ] = None,
    load_state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Start each point from a saved state.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes.", show_default="one per core")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Grid folder.", show_default="out/grid-DRIVE", rich_help_panel=_OUTPUT
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing grid.", rich_help_panel=_OUTPUT)
    ] = False,
    format: Annotated[  # noqa: A002 - the option's name
        Format, typer.Option(help="What to print.", rich_help_panel=_OUTPUT)
    ] = Format.TABLE,
) -> int:
    """Measure a drive at every block size, depth, pattern and operation, until each rate is steady.

    Ctrl-C keeps the completed points.
    """
    from floatgate.cli import console
    from floatgate.folder import atomically, own_folder
    from floatgate.grid import Asked, run_grid, settings
    from floatgate.grid.point import BLOCK_LIST, OPS, PATTERNS, read_blocks, read_depths, read_names
    from floatgate.grid.write import document, write
    from floatgate.options import Options
    from floatgate.session import interruptible

    usual_state: State = "fill" if load_state is None else "none"
    asked = Asked(
        drive,
        tuple(
            settings(
                read_blocks(BLOCK_LIST if block is None else block),
                read_depths(depth),
                read_names("--pattern", pattern, PATTERNS),
                read_names("--op", op, OPS),
            )
        ),
        tuple(set_ or ()),
        Options(
            seed=seed,
            requests=True,
            precondition=cast("State", precondition) if precondition else usual_state,
            load_state=None if load_state is None else str(load_state),
        ),
        _bytes(file_size),
        _rule(steady, time, round_, precision),
    )
    usual = Path("out") / f"grid-{Path(drive).stem}"
    with own_folder(out, usual, force=force) as final, atomically(final, force=force) as folder:
        with interruptible() as interrupt, _Bar() as bar:
            done = run_grid(asked, workers=workers, progress=bar.update, stopped=interrupt)
        write(done, folder)
    if format is Format.JSON:
        console.print_json(document(done))
    else:
        _print(done)
    if done.interrupted:
        console.err.print(f"interrupted: {final} holds the completed points", markup=False)
        return EXIT_INTERRUPTED
    console.err.print(f"wrote {final / 'report.html'}", markup=False)
    return 0


def _bytes(text: str) -> int:
    from floatgate.errors import InputError
    from floatgate.measures import BLOCKS, measure

    try:
        return int(measure(text, BLOCKS, "1GiB"))
    except ValueError as error:
        raise InputError(f"--file-size {text}: {error}") from None


def _rule(steady: Steady, time: str | None, round_: str | None, precision: float) -> "Rule":
    from floatgate.cli.command import without_effect
    from floatgate.errors import InputError
    from floatgate.grid.measure import Rule
    from floatgate.options import nanoseconds

    if steady is Steady.SNIA:
        without_effect({"time": time}, "--steady snia takes rounds", "--round with this rule")
        option, text = "--round", round_
    else:
        without_effect({"round": round_}, "batches have no rounds", "--steady snia with this, or --time")
        option, text = "--time", time
    text = "60s" if text is None else text
    seconds = nanoseconds(option, text) / 1e9
    if not seconds:
        raise InputError(f"{option} {text}: expected a time above 0, such as 60s")
    return Rule(steady.value, seconds, precision)


def _print(done: "Grid") -> None:
    """Print a table for each pattern and operation: block sizes down, depths across."""
    from rich.table import Table

    from floatgate import quantities as q
    from floatgate.cli.console import out
    from floatgate.grid.point import STEADY
    from floatgate.grid.write import not_reached_words, spare_words

    out.print(f"{done.asked.drive}: {done.title}", markup=False, style="bold")
    groups = dict.fromkeys((point.setting.pattern, point.setting.op) for point in done.points)
    for pattern, op in groups:
        mine = [p for p in done.points if (p.setting.pattern, p.setting.op) == (pattern, op)]
        depths = sorted({point.setting.depth for point in mine})
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(f"{pattern} {op}", no_wrap=True)
        for depth in depths:
            table.add_column(f"IOPS, depth {depth}", justify="right", no_wrap=True)
        for depth in depths:
            table.add_column(f"MB/s, depth {depth}", justify="right", no_wrap=True)
        for block in sorted({point.setting.block_bytes for point in mine}):
            row = {point.setting.depth: point for point in mine if point.setting.block_bytes == block}
            iops = [q.count(p.iops) if p.state == STEADY else p.state for p in row.values()]
            mb = [q.three(p.mb_per_s) if p.mb_per_s is not None else q.NOTHING for p in row.values()]
            table.add_row(q.size(block), *iops, *mb)
        out.print(table)
    out.print(not_reached_words(done.points) + spare_words(done.points), markup=False)


class _Bar:
    """A bar with an estimate, on a terminal only."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        from floatgate.cli.console import err

        self._bar = Progress(
            TextColumn("{task.completed:.0f} of {task.total:.0f} points"),
            BarColumn(bar_width=30),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[last]}"),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._bar.add_task("", total=1.0, last="")

    def __enter__(self) -> "_Bar":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def update(self, done: int, total: int, last: str) -> None:
        """Show how many points are done."""
        self._bar.update(self._task, completed=done, total=total, last=last)
