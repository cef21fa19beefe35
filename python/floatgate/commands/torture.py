"""`floatgate torture`: the power of drives fails, again and again."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from floatgate._generated.keywords import TortureKeywords
from floatgate.options.taking import offered, take
from floatgate.options.torture import TortureOptions
from floatgate.results.folder import own_folder
from floatgate.runs.session import interruptible
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, PERCENT, Bar
from floatgate.shell.options import takes
from floatgate.values import quantities as q

if TYPE_CHECKING:
    from floatgate.runs.torture import Tortured

EXIT_BROKEN_PROMISE = 1


@offered(TortureOptions)
def torture(*drive: str | PathLike[str], **options: Unpack[TortureKeywords]) -> "Tortured":
    """Cut the power of small copies of drives under random hosts, and check every unit after each cut.

    What comes out has a case for each run, with what its cuts destroyed, and in `violations` what was
    promised and not kept: it should be empty. With `out`, torture.json is written to that folder. Ctrl-C
    keeps the cases that are done (`interrupted`).

    Raises InputError for an unknown drive, or one whose power cannot be cut.
    """
    from floatgate.runs.torture import torture as run_cases

    asked = take(TortureOptions, options, drive=drive)
    with interruptible() as stopped:
        return run_cases(asked, asked.out, stopped=stopped)


@takes(
    TortureOptions,
    examples=(
        "floatgate torture nvme-tlc mlc",
        "floatgate torture tlc --cuts 1000 --set ftl.recovery.name=summaries",
    ),
)
def torture_in_shell(asked: TortureOptions) -> int:
    """Cut the power of small copies of drives under random hosts, and check every unit after each cut.

    Exits with 1 if anything was lost that a flush, FUA or capacitors had promised to keep.
    """
    from floatgate.runs.torture import torture as run

    with (
        own_folder(asked.out, Path("out") / "torture", force=asked.force) as folder,
        interruptible() as interrupt,
        Bar("power cuts", BAR, PERCENT, "left", LEFT) as bar,
    ):
        tortured = run(asked, folder, progress=lambda part: bar.show(completed=part), stopped=interrupt)
    if asked.format == "json":
        console.print_json(tortured.document)
    else:
        _print(tortured, asked.drive)
    code = console.run_farewell(tortured.interrupted, folder, False)
    return EXIT_BROKEN_PROMISE if tortured.violations else code


def _print(tortured: "Tortured", drives: tuple[str, ...]) -> None:
    """Print what became of each drive, and every promise that was not kept."""
    columns = ("runs", "cuts", "in recovery", "requests lost", "units lost", "rows torn")
    rows = []
    for drive in dict.fromkeys(drives):
        cases = tortured.of(drive)
        ready = [case.ready_ns_max for case in cases if case.ready_ns_max is not None]
        sums = (
            len(cases),
            sum(case.cuts for case in cases),
            sum(case.cuts_in_recovery for case in cases),
            sum(case.requests_lost for case in cases),
            sum(case.units_lost_in_buffer for case in cases),
            sum(case.torn_rows + case.paired_rows_lost for case in cases),
        )
        broken = sum(case.violation is not None for case in cases)
        rows.append((drive, *map(str, sums), q.duration(max(ready, default=None)), str(broken)))
    console.print_rows("drive", (*columns, "ready after", "broken"), rows)
    for violation in tortured.violations:
        console.out.print(f"broken     {violation}")
