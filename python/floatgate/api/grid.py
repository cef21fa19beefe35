"""`floatgate.grid`: a drive asked for every block size, depth, pattern and operation."""

from os import PathLike
from typing import Unpack

from floatgate._generated.keywords import GridKeywords
from floatgate.errors import InputError
from floatgate.grid.measure import Rule
from floatgate.grid.point import BLOCK_LIST, OPS, PATTERNS, read_blocks, read_depths, read_names, settings
from floatgate.grid.run import Asked, Grid, run_grid
from floatgate.grid.write import write
from floatgate.options import Options, State, nanoseconds
from floatgate.options.drives import GridOptions
from floatgate.options.effect import without_effect
from floatgate.options.taking import offered, take
from floatgate.results.folder import atomically
from floatgate.runs.session import interruptible
from floatgate.values.units import BLOCKS, measure


@offered(GridOptions)
def grid(drive: str | PathLike[str], **options: Unpack[GridKeywords]) -> Grid:
    """Measure `drive` at every block size, depth, pattern and operation, until each rate is steady.

    The grid has a point for each setting, in their order: requests per second with the half width of its
    95 % confidence interval, MB/s (10^6 bytes), latencies in ns, and the stages of a request. Lists may be
    sequences: `depth=[1, 8]`. Ctrl-C keeps the points that are done: `grid.interrupted` is then true. With
    `out`, grid.json, grid.csv, grid.parquet and report.html are written to that folder.

    Raises InputError for bad input, Fault for a broken invariant, TypeError for an unknown option.
    """
    asked = take(GridOptions, options, drive=drive)
    wanted = asked_of(asked)
    if asked.out is None:
        return _run(asked, wanted)
    with atomically(asked.out, force=asked.force) as folder:
        done = _run(asked, wanted)
        write(done, folder)
    return done


def _run(asked: GridOptions, wanted: Asked) -> Grid:
    with interruptible() as stopped:
        return run_grid(wanted, workers=asked.workers, scheduler=asked.scheduler, stopped=stopped)


def asked_of(options: GridOptions) -> Asked:
    """Return what a grid is asked of. Raises InputError for lists, sizes and times that are none."""
    usual: State = "fill" if options.load_state is None else "none"
    wanted = settings(
        read_blocks(BLOCK_LIST if options.block is None else options.block),
        read_depths(options.depth),
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


def _rule(options: GridOptions) -> Rule:
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
