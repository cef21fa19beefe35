"""`floatgate.snapshots`: what snapshots of a logical drive cost, and what a copy would."""

from contextlib import nullcontext
from os import PathLike
from typing import Unpack

from floatgate._generated.keywords import SnapshotsKeywords
from floatgate.errors import InputError
from floatgate.files import write_whole
from floatgate.options.drives import SnapshotsOptions
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_file
from floatgate.runs.snapshot_costs import Asked, SnapshotCosts, measure, page


@offered(SnapshotsOptions)
def snapshots(drive: str | PathLike[str], **options: Unpack[SnapshotsKeywords]) -> SnapshotCosts:
    """Overwrite a used drive at random with and without snapshots, and copy what they hold.

    What is found has a case without snapshots and one for each interval and number that are kept: write
    requests per second, their 99th percentile in ns, write amplification, bytes kept; and what a copy of the
    same data takes. `rows()` gives the cases as dictionaries. Lists may be sequences: `keep=[1, 4]`. With
    `out`, the report is written there.

    Raises InputError for bad input, Fault for a broken invariant, TypeError for an unknown option.
    """
    asked = take(SnapshotsOptions, options, drive=drive)
    wanted = asked_of(asked)
    with own_file(asked.out, asked.out) if asked.out is not None else nullcontext() as file:
        found = measure(wanted)
        if file is not None:
            write_whole(file, page(found))
    return found


def asked_of(options: SnapshotsOptions) -> Asked:
    """Return what is measured. Raises InputError for numbers that are none."""
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
