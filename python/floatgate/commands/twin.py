"""`floatgate twin jobs|measure|fit|check`: a drive that was measured, as a drive that is simulated."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

import typer

from floatgate._generated.keywords import (
    TwinCheckKeywords,
    TwinFitKeywords,
    TwinJobsKeywords,
    TwinMeasureKeywords,
)
from floatgate.errors import InputError
from floatgate.files import write_whole
from floatgate.options.definition import Argument, CommandOptions, Option, usual
from floatgate.options.run import nanoseconds
from floatgate.options.shared import (
    ELSEWHERE,
    Drive,
    Force,
    Format,
    OutFile,
    OutFolder,
    Scheduler,
    Seed,
    Workers,
)
from floatgate.options.taking import offered, take
from floatgate.results.folder import atomically_or_not, new_folder, own_file, own_folder
from floatgate.shell import console
from floatgate.shell.bar import ELAPSED, Bar
from floatgate.shell.command import Command
from floatgate.shell.options import takes
from floatgate.values import quantities as q

if TYPE_CHECKING:
    from floatgate.twin.compared import Checked
    from floatgate.twin.evaluate import Simulator
    from floatgate.twin.fitting import Twin
    from floatgate.twin.measurements import Measurements
    from floatgate.twin.script import Job

__all__ = ["check", "fit", "jobs", "measure"]
app = typer.Typer(help="Turn measurements of a drive into a drive, and compare both.", no_args_is_help=True)
EXIT_MISSED = 1

Table = Annotated[
    Path,
    Argument(
        "measurements.csv, or a folder of what fio and nvme-cli wrote (docs/how-to/twin.md).",
        metavar="MEASUREMENTS",
        takes="a table of measurements, or a folder of fio's results",
    ),
]


@dataclass(frozen=True)
class TwinJobsOptions(CommandOptions):
    """`floatgate twin jobs`: a microbenchmark of a drive, as fio jobs."""

    capacity: Annotated[
        str, Argument("Size of the drive: 960GB.", metavar="CAPACITY", takes="a size with its unit: 960GB")
    ]
    budget: Annotated[
        str, Option("Time that they take, about.", metavar="TIME", takes="a time from 1min to 7d")
    ] = "1h"
    device: Annotated[
        str, Option("The device that they are for.", metavar="PATH", takes="a block device's path")
    ] = "/dev/nvme0n1"
    out: OutFolder = usual("out/twin-jobs")
    force: Force = False
    format: Format = "table"


@dataclass(frozen=True)
class TwinMeasureOptions(CommandOptions):
    """`floatgate twin measure`: a simulated drive, measured as a real one would be."""

    drive: Drive
    seed: Seed = 1
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFile = usual("DRIVE-measured.csv")
    format: Format = "table"


@dataclass(frozen=True)
class TwinFitOptions(CommandOptions):
    """`floatgate twin fit`: a drive made of measurements."""

    measurements: Table
    base: Annotated[
        str,
        Option(
            "The drive whose values stand where nothing was measured.",
            metavar="DRIVE",
            takes="a drive's name or file",
            completes="drives",
        ),
    ] = "tlc"
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFile = usual("twin-NAME.toml")
    format: Format = "table"


@dataclass(frozen=True)
class TwinCheckOptions(CommandOptions):
    """`floatgate twin check`: a drive beside measurements."""

    drive: Drive
    measurements: Table
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFolder = usual("out/twin-NAME")
    force: Force = False
    format: Format = "table"


@offered(TwinJobsOptions)
def jobs(capacity: str, **options: Unpack[TwinJobsKeywords]) -> "list[Job]":
    """Return the fio jobs that measure a drive of `capacity`, each with what it reveals and its seconds.

    With `out`, their files and the script that runs them with nvme-cli's counters between are written to
    that folder. The script erases the drive.

    Raises InputError for a size or a time that no jobs fit.
    """
    from floatgate.twin.script import write

    asked = take(TwinJobsOptions, options, capacity=capacity)
    made = _made(asked)
    if asked.out is not None:
        write(asked.out, made, asked.device, force=asked.force)
    return made


def _made(asked: TwinJobsOptions) -> "list[Job]":
    from floatgate.twin.script import jobs as all_jobs

    return all_jobs(_bytes(asked), nanoseconds("--budget", asked.budget) * 1e-9)


def _bytes(asked: TwinJobsOptions) -> int:
    from floatgate.values.units import SIZES, measure

    try:
        size = int(measure(asked.capacity, SIZES, "960GB"))
    except ValueError as error:
        raise InputError(f"CAPACITY {asked.capacity}: {error}") from None
    if not 1 << 28 <= size <= 1 << 50:
        raise InputError(f"CAPACITY {asked.capacity}: expected 256MiB to 1024TiB")
    return size


@offered(TwinMeasureOptions)
def measure(drive: str | PathLike[str], **options: Unpack[TwinMeasureKeywords]) -> "Measurements":
    """Measure a simulated drive with the jobs of `twin.jobs`: what `twin.fit` finds in it can be compared.

    With `out`, the table is written to that file. Raises InputError for a drive that cannot run them.
    """
    from floatgate.twin.measured import csv

    asked = take(TwinMeasureOptions, options, drive=drive)
    found = _measured(asked)
    if asked.out is not None:
        with own_file(asked.out, asked.out):
            write_whole(asked.out, csv(found))
    return found


Told = Callable[[str, int], None]


def _measured(asked: TwinMeasureOptions, progress: Told = lambda _stage, _runs: None) -> "Measurements":
    from floatgate.twin.measured import measure as measure_all

    with _simulator(asked.drive, None, (asked.workers, asked.scheduler)) as simulator:
        return measure_all(simulator, asked.seed, progress)


@offered(TwinFitOptions)
def fit(measurements: str | PathLike[str], **options: Unpack[TwinFitKeywords]) -> "Twin":
    """Find the drive that gives `measurements`: its parameters, with intervals and the rows that reveal them.

    `undetermined` has the parameters that no row reveals, `alike` pairs that are not told apart. With
    `out`, the drive's file is written.

    Raises InputError for rows that contradict each other, naming them, and where none calibrates.
    """
    asked = take(TwinFitOptions, options, measurements=measurements)
    twin, text = _fitted(asked)
    if asked.out is not None:
        with own_file(asked.out, asked.out):
            write_whole(asked.out, text)
    return twin


def _fitted(asked: TwinFitOptions, progress: Told = lambda _stage, _runs: None) -> "tuple[Twin, str]":
    from floatgate.twin.measurements import read_measurements
    from floatgate.twin.stages import fit as fit_all
    from floatgate.twin.write import text

    table = read_measurements(asked.measurements)
    where = (asked.workers, asked.scheduler)
    with _simulator(asked.base, table.capacity, where) as simulator:
        twin = fit_all(table, simulator, progress)
        command = f"floatgate twin fit {asked.measurements.name} --base {Path(asked.base).name}"
        return twin, text(twin, simulator.base, command)


@offered(TwinCheckOptions)
def check(
    drive: str | PathLike[str], measurements: str | PathLike[str], **options: Unpack[TwinCheckKeywords]
) -> "Checked":
    """Simulate each of `measurements` on `drive`; return both numbers, deviation and verdict of every row.

    With `out`, check.json and report.html are written to that folder. A large drive is simulated by a
    replica, whose dies, times and rates are its own.

    Raises InputError for rows that contradict each other, and for a drive that runs none of them.
    """
    from floatgate.twin.measured import write_check

    asked = take(TwinCheckOptions, options, drive=drive, measurements=measurements)
    with atomically_or_not(asked.out, force=asked.force) as folder:
        found = _checked(asked)
        if folder is not None:
            write_check(folder, found)
    return found


def _checked(asked: TwinCheckOptions, progress: Told = lambda _stage, _runs: None) -> "Checked":
    from floatgate.twin.compared import check as check_all
    from floatgate.twin.measurements import read_measurements

    table = read_measurements(asked.measurements)
    with _simulator(asked.drive, table.capacity, (asked.workers, asked.scheduler)) as simulator:
        return check_all(simulator, table.name, table.rows, progress)


@contextmanager
def _simulator(
    drive: str, capacity: float | None, where: tuple[int | None, str | None]
) -> "Iterator[Simulator]":
    """Give workers that simulate drives on a base."""
    from floatgate.twin.evaluate import Simulator
    from floatgate.twin.parameters import read_base
    from floatgate.workers import crew

    base = read_base(drive)
    with crew(workers=where[0], scheduler=where[1]) as workers:
        yield Simulator(base, base.capacity if capacity is None else capacity, workers)


class _Bar(Bar):
    """What is being done, and how many runs were made for it."""

    def __init__(self, what: str) -> None:
        super().__init__("{task.description}", ELAPSED, "{task.fields[runs]}", description=what, runs="")

    def update(self, stage: str, runs: int) -> None:
        """Show the stage."""
        self.show(description=stage, runs=f"{runs:,} runs")


@app.command(cls=Command)
@takes(TwinJobsOptions, examples=("floatgate twin jobs 960GB", "floatgate twin jobs 3.84TB --budget 8h"))
def jobs_in_shell(asked: TwinJobsOptions) -> None:
    """Write the fio jobs that measure a drive, and the script that runs them.

    The script erases the drive. Each line says what a job reveals.
    """
    from floatgate.twin.script import SCRIPT, turnover, write

    made = _made(asked)
    with own_folder(asked.out, Path("out/twin-jobs"), force=asked.force) as folder:
        write(folder, made, asked.device, force=asked.force)
    if asked.format == "json":
        console.print_json([vars(one) for one in made])
    else:
        rows = [(one.name, one.reveals, q.duration(one.seconds * 1e9)) for one in made]
        console.print_rows("job", ("reveals", "takes"), rows)
        total = sum(one.seconds for one in made)
        console.out.print(f"{len(made)} jobs, {q.duration(total * 1e9)}")
    over = turnover(_bytes(asked), made)
    if over < 1.5:
        console.err.print(
            f"note: at 300 MB/s random writes go over the drive {over:.2g} times before they are measured:"
            " expected 1.5 for a steady state, so give more --budget"
        )
    console.err.print(f"wrote {folder / SCRIPT}")


@app.command(cls=Command)
@takes(TwinMeasureOptions, examples=("floatgate twin measure tlc", "floatgate twin measure twin-tlc.toml"))
def measure_in_shell(asked: TwinMeasureOptions) -> None:
    """Measure a simulated drive with the jobs of `twin jobs`, as if it were a real one."""
    from floatgate.twin.measured import csv

    with own_file(asked.out, Path(f"{Path(asked.drive).stem}-measured.csv")) as out, _Bar("measuring") as bar:
        found = _measured(asked, bar.update)
        write_whole(out, csv(found))
    if asked.format == "json":
        console.print_json([{"what": row.name, "value": row.value, "role": row.role} for row in found.rows])
    else:
        console.print_rows(
            "measurement",
            ("value", "role"),
            [(row.name, row.shown(row.value), row.role) for row in found.rows],
        )
    console.err.print(f"wrote {out}")


@app.command(cls=Command)
@takes(
    TwinFitOptions,
    examples=("floatgate twin fit measurements.csv", "floatgate twin fit out/twin-jobs --base tlc"),
)
def fit_in_shell(asked: TwinFitOptions) -> None:
    """Find the drive that gives some measurements, and write its file.

    Every number of the file says which measurement gave it, with its 95 % interval.
    """
    from floatgate.twin.measured import document, parameter_rows

    usual = Path(f"twin-{asked.measurements.stem}.toml")
    with own_file(asked.out, usual) as out, _Bar("reading measurements") as bar:
        twin, text = _fitted(asked, bar.update)
        write_whole(out, text)
    if asked.format == "json":
        console.print_json(document(twin))
    else:
        console.print_rows("parameter", ("value", "95 %", "revealed by"), parameter_rows(twin))
    console.err.print(f"wrote {out}")


@app.command(cls=Command)
@takes(
    TwinCheckOptions,
    examples=(
        "floatgate twin check twin-measurements.toml measurements.csv",
        "floatgate twin check tlc out/twin-jobs --format json",
    ),
)
def check_in_shell(asked: TwinCheckOptions) -> int:
    """Compare a drive with measurements: measured, simulated, deviation and verdict of each row.

    Exits with 1 where a held-out row misses.
    """
    from floatgate.twin.measured import write_check
    from floatgate.twin.page import HEAD, row, summary

    usual = Path("out") / f"twin-{asked.measurements.stem}"
    with new_folder(asked.out, usual, force=asked.force) as (folder, out), _Bar("simulating") as bar:
        found = _checked(asked, bar.update)
        write_check(folder, found)
    if asked.format == "json":
        console.print_json(found.document())
    else:
        console.print_rows(HEAD[0], HEAD[1:], [row(one) for one in found.worst_first()])
        console.out.print(summary(found))
    console.err.print(f"wrote {out / 'report.html'}")
    return 0 if found.passed else EXIT_MISSED
