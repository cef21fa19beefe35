"""`floatgate snapshots`: what snapshots of a logical drive cost, and what a copy would."""

from contextlib import nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from floatgate._generated.keywords import SnapshotsKeywords
from floatgate.errors import InputError
from floatgate.files import write_whole
from floatgate.options.definition import CommandOptions, Option, usual
from floatgate.options.shared import TIME, Drive, OutFile, Seed, Settings
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_file
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, PERCENT, Bar
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.runs.snapshot_costs import Asked, SnapshotCosts


@dataclass(frozen=True)
class SnapshotsOptions(CommandOptions):
    """`floatgate snapshots`: what snapshots of a logical drive cost, and what a copy would."""

    drive: Drive
    set: Settings = ()
    every: Annotated[
        str, Option("Intervals between snapshots.", metavar="TIME,...", takes="times above 0", listed=True)
    ] = "50ms,200ms,800ms"
    keep: Annotated[
        str,
        Option("Maximum number of snapshots.", metavar="N,...", takes="numbers of at least 1", listed=True),
    ] = "1,2,4,8"
    span: Annotated[
        float,
        Option("Share of the drive to overwrite and copy.", metavar="RATIO", takes="above 0, at most 0.5"),
    ] = 0.25
    time: Annotated[str, TIME] = "4s"
    seed: Seed = 1
    out: OutFile = usual("out/snapshots-DRIVE.html")


@offered(SnapshotsOptions)
def snapshots(drive: str | PathLike[str], **options: Unpack[SnapshotsKeywords]) -> "SnapshotCosts":
    """Overwrite a used drive at random with and without snapshots, and copy what they hold.

    What is found has a case without snapshots and one for each interval and number that are kept: write
    requests per second, their 99th percentile in ns, write amplification, bytes kept; and what a copy of the
    same data takes. `rows()` gives the cases as dictionaries. Lists may be sequences: `keep=[1, 4]`. With
    `out`, the report is written there.

    Raises InputError for bad input, Fault for a broken invariant, TypeError for an unknown option.
    """
    from floatgate.runs.snapshot_costs import measure, page

    asked = take(SnapshotsOptions, options, drive=drive)
    wanted = asked_of(asked)
    with own_file(asked.out, asked.out) if asked.out is not None else nullcontext() as file:
        found = measure(wanted)
        if file is not None:
            write_whole(file, page(found))
    return found


def asked_of(options: SnapshotsOptions) -> "Asked":
    """Return what is measured. Raises InputError for numbers that are none."""
    from floatgate.runs.snapshot_costs import Asked

    periods = tuple(part.strip() for part in options.every.split(","))
    return Asked(
        options.drive,
        options.set,
        periods,
        _counts(options.keep),
        options.span,
        options.time,
        options.seed,
    )


def _counts(text: str) -> tuple[int, ...]:
    try:
        counts = tuple(int(part) for part in text.split(","))
    except ValueError:
        counts = ()
    if not counts or min(counts) < 1:
        raise InputError(f"--keep {text}: expected numbers of snapshots of at least 1, such as 1,2,4")
    return counts


@takes(
    SnapshotsOptions,
    examples=("floatgate snapshots tlc", "floatgate snapshots tlc --every 100ms --keep 1,4 --time 2s"),
)
def snapshots_in_shell(asked: SnapshotsOptions) -> None:
    """Overwrite a used drive at random with and without snapshots, and copy what they hold."""
    from floatgate.runs.snapshot_costs import HEAD, measure, page, sentence, shown

    wanted = asked_of(asked)
    with own_file(asked.out, Path("out") / f"snapshots-{Path(asked.drive).stem}.html") as file:
        with Bar("snapshots", BAR, PERCENT, LEFT) as bar:
            found = measure(wanted, lambda part: bar.show(completed=part))
        write_whole(file, page(found))
    console.print_columns(HEAD, shown(found))
    console.out.print(sentence(found))
    console.err.print(f"wrote {file}")
