"""`floatgate grid`: a drive asked for every block size, depth, pattern and operation."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Unpack

from floatgate._generated.keywords import GridKeywords
from floatgate.errors import InputError
from floatgate.options import Options, nanoseconds
from floatgate.options.definition import REQUESTS, RULE, CommandOptions, Option, usual
from floatgate.options.effect import without_effect
from floatgate.options.run import whole_numbers
from floatgate.options.shared import (
    ELSEWHERE,
    LOAD_STATE,
    PRECONDITION,
    TIME,
    Drive,
    Force,
    Format,
    OutFolder,
    Scheduler,
    Seed,
    Settings,
    State,
    Workers,
)
from floatgate.options.taking import offered, take
from floatgate.results.folder import atomically_or_not, new_folder
from floatgate.runs.session import interruptible
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, Bar
from floatgate.shell.options import takes
from floatgate.values import quantities as q
from floatgate.values.units import BLOCKS, measure

if TYPE_CHECKING:
    from floatgate.grid.measure import Rule
    from floatgate.grid.run import Asked, Grid


@dataclass(frozen=True)
class GridOptions(CommandOptions):
    """`floatgate grid`: a drive asked for every block size, depth, pattern and operation."""

    drive: Drive
    block: Annotated[
        str | None,
        Option("Sizes.", metavar="LIST", panel=REQUESTS, takes="sizes of whole sectors", listed=True),
    ] = usual("512 to 1m")
    depth: Annotated[
        str,
        Option(
            "Requests outstanding.",
            metavar="LIST",
            panel=REQUESTS,
            takes="numbers of at least 1",
            listed=True,
            differs="several: a point of the grid for each",
        ),
    ] = "1,2,4"
    pattern: Annotated[
        str,
        Option("Patterns.", metavar="LIST", panel=REQUESTS, takes="of sequential, random", listed=True),
    ] = "sequential,random"
    op: Annotated[
        str, Option("Operations.", metavar="LIST", panel=REQUESTS, takes="of read, write", listed=True)
    ] = "read,write"
    file_size: Annotated[
        str,
        Option(
            "Size of the file at the start of the drive.",
            metavar="SIZE",
            panel=REQUESTS,
            takes="a size of at most the drive's",
        ),
    ] = "1GiB"
    steady: Annotated[
        Literal["batches", "snia"], Option("Batch means, or SNIA's five rounds.", panel=RULE)
    ] = "batches"
    time: Annotated[str | None, TIME] = usual("60s")
    round: Annotated[
        str | None,
        Option("SNIA: simulated time per round.", metavar="TIME", panel=RULE, takes="a time above 0"),
    ] = usual("60s")
    precision: Annotated[
        float, Option("Maximum half width / mean.", metavar="RATIO", panel=RULE, least=1e-4, most=0.5)
    ] = 0.02
    set: Settings = ()
    seed: Seed = 1
    precondition: Annotated[State | None, PRECONDITION] = usual("fill")
    load_state: Annotated[str | None, LOAD_STATE] = None
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFolder = usual("out/grid-DRIVE")
    force: Force = False
    format: Format = "table"


@offered(GridOptions)
def grid(drive: str | PathLike[str], **options: Unpack[GridKeywords]) -> "Grid":
    """Measure `drive` at every block size, depth, pattern and operation, until each rate is steady.

    The grid has a point for each setting, in their order: requests per second with the half width of its
    95 % confidence interval, MB/s (10^6 bytes), latencies in ns, and the stages of a request. Lists may be
    sequences: `depth=[1, 8]`. Ctrl-C keeps the points that are done: `grid.interrupted` is then true. With
    `out`, grid.json, grid.csv, grid.parquet and report.html are written to that folder.

    Raises InputError for bad input, Fault for a broken invariant, TypeError for an unknown option.
    """
    from floatgate.grid.run import run_grid
    from floatgate.grid.write import write

    asked = take(GridOptions, options, drive=drive)
    wanted = asked_of(asked)
    with atomically_or_not(asked.out, force=asked.force) as folder, interruptible() as stopped:
        done = run_grid(wanted, workers=asked.workers, scheduler=asked.scheduler, stopped=stopped)
        if folder is not None:
            write(done, folder)
    return done


def asked_of(options: GridOptions) -> "Asked":
    """Return what a grid is asked of. Raises InputError for lists, sizes and times that are none."""
    from floatgate.grid.point import BLOCK_LIST, OPS, PATTERNS, read_blocks, read_names, settings
    from floatgate.grid.run import Asked

    usual: State = "fill" if options.load_state is None else "none"
    wanted = settings(
        read_blocks(BLOCK_LIST if options.block is None else options.block),
        whole_numbers("--depth", options.depth, 1, 65536),
        read_names("--pattern", options.pattern, PATTERNS),
        read_names("--op", options.op, OPS),
    )
    begins = Options(
        seed=options.seed,
        requests=True,
        precondition=options.precondition or usual,
        load_state=options.load_state,
    )
    return Asked(options.drive, tuple(wanted), options.set, begins, _bytes(options.file_size), _rule(options))


def _bytes(text: str) -> int:
    try:
        return int(measure(text, BLOCKS, "1GiB"))
    except ValueError as error:
        raise InputError(f"--file-size {text}: {error}") from None


def _rule(options: GridOptions) -> "Rule":
    from floatgate.grid.measure import Rule

    if options.steady == "snia":
        without_effect({"time": options.time}, "--steady snia takes rounds", "--round with this rule")
        option, text = "--round", options.round
    else:
        without_effect(
            {"round": options.round}, "batches have no rounds", "--steady snia with this, or --time"
        )
        option, text = "--time", options.time
    text = "60s" if text is None else text
    seconds = nanoseconds(option, text) / 1e9
    if not seconds:
        raise InputError(f"{option} {text}: expected a time above 0, such as 60s")
    return Rule(options.steady, seconds, options.precision)


@takes(
    GridOptions,
    examples=(
        "floatgate grid gray2007-flash-disk",
        "floatgate grid tlc --block 4KiB,64KiB --depth 1,8 --pattern random --op read",
    ),
)
def grid_in_shell(asked: GridOptions) -> int:
    """Measure a drive at every block size, depth, pattern and operation, until each rate is steady.

    Ctrl-C keeps the completed points. A disk stands in for a drive, too: scsi-15k.
    """
    from floatgate.grid.run import run_grid
    from floatgate.grid.write import document, write

    wanted = asked_of(asked)
    usual = Path("out") / f"grid-{Path(asked.drive).stem}"
    with new_folder(asked.out, usual, force=asked.force) as (folder, final):
        points = "{task.completed:.0f} of {task.total:.0f} points"
        bar = Bar(points, BAR, "left", LEFT, "{task.fields[last]}", last="")
        with bar, interruptible() as stopped:
            done = run_grid(
                wanted,
                workers=asked.workers,
                scheduler=asked.scheduler,
                progress=lambda n, of, last: bar.show(completed=n, total=of, last=last),
                stopped=stopped,
            )
        write(done, folder)
    if asked.format == "json":
        console.print_json(document(done))
    else:
        _print(done)
    kept = f"{final} holds the completed points"
    return console.farewell(final / "report.html", kept if done.interrupted else "")


def _print(done: "Grid") -> None:
    """Print a table for each pattern and operation: block sizes down, depths across."""
    from rich.table import Table

    from floatgate.grid.point import STEADY
    from floatgate.grid.write import not_reached_words, spare_words

    console.out.print(f"{done.asked.drive}: {done.title}", style="bold")
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
        console.out.print(table)
    console.out.print(not_reached_words(done.points) + spare_words(done.points))
