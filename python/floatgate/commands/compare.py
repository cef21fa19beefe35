"""`floatgate compare`: two sets of runs that differ in one key, seed by seed."""

import csv
import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Unpack

from floatgate._generated.keywords import CompareKeywords
from floatgate.errors import InputError
from floatgate.files import cell
from floatgate.options.definition import OUTPUT, Argument, CommandOptions, Option, usual
from floatgate.options.shared import RETURNED, Force, OutFolder
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_folder
from floatgate.shell import console
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.compare.work import Compared


_TAKES = "a folder of run --repeat, or of a study"


@dataclass(frozen=True)
class CompareOptions(CommandOptions):
    """`floatgate compare`: two sets of runs that differ in one key, pair by pair of the same seed."""

    a: Annotated[Path, Argument("The runs that B is compared with.", metavar="A", takes=_TAKES)]
    b: Annotated[Path, Argument("The runs that are compared with A.", metavar="B", takes=_TAKES)]
    metric: Annotated[
        str | None,
        Option("Numbers of run.json.", metavar="LIST", takes="paths of numbers: waf", listed=True),
    ] = usual("the headline, or a study's objectives and bounds")
    key: Annotated[
        str | None,
        Option(
            "What may differ, where it is more than one key.",
            metavar="LIST",
            takes="keys, options, or drive for its whole configuration",
            listed=True,
        ),
    ] = usual("the one key that differs")
    out: OutFolder = usual("out/compare-A-B")
    force: Force = False
    format: Annotated[
        Literal["table", "json", "csv"],
        Option("What to print.", panel=OUTPUT, shell=RETURNED, differs="of rows, so CSV, too"),
    ] = "table"


@offered(CompareOptions)
def compare(a: str | PathLike[str], b: str | PathLike[str], **options: Unpack[CompareKeywords]) -> "Compared":
    """Compare the runs in two folders that differ in one key, pair by pair of the same seed.

    `a` and `b` are folders of `repeat` or of studies. Each comparison has the mean difference B - A and the
    ratio B / A with 95 % intervals of paired differences, and its verdict: `A lower`, `B lower`, `no
    difference of note` (a ratio of 1.000), `cannot be told`; for studies there is one for each combination of
    the other keys. Flags and remarks of the runs stand beside. With `out`, compare.json, compare.csv and
    report.html are written to that folder.

    Raises InputError for sets of different versions, workloads or drives, naming the key that differs, and
    for fewer than five pairs.
    """
    from floatgate.compare.write import write

    asked = take(CompareOptions, options, a=a, b=b)
    done = compared_of(asked)
    if asked.out is not None:
        write(done, asked.out, force=asked.force)
    return done


def compared_of(asked: CompareOptions) -> "Compared":
    """Compare what was asked for."""
    from floatgate.compare.work import compare as work_out

    return work_out(
        Path(asked.a), Path(asked.b), _listed("--metric", asked.metric), _listed("--key", asked.key)
    )


def _listed(option: str, text: str | None) -> tuple[str, ...]:
    """Return the names of a list with commas. Raises InputError where one is empty."""
    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputError(f"{option} {text}: an empty name: expected names with commas between")
    return names


@takes(
    CompareOptions,
    examples=(
        "floatgate compare out/greedy out/fifo",
        "floatgate compare out/tlc out/qlc --key drive --metric waf,host.write.latency_ns.p99",
    ),
)
def compare_in_shell(asked: CompareOptions) -> int:
    """Say which of two sets of runs is lower in which number, by paired differences of the same seeds.

    A and B are folders of `run --repeat`, or of studies, which differ in one key.
    """
    from floatgate.compare.show import csv_head, csv_rows
    from floatgate.compare.write import write

    done = compared_of(asked)
    usual = Path("out") / f"compare-{done.a.name or 'a'}-{done.b.name or 'b'}"
    with own_folder(asked.out, usual, force=asked.force) as folder:
        write(done, folder, force=asked.force)
    if asked.format == "json":
        console.print_json(done.document())
    elif asked.format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(map(cell, csv_head(done)))
        writer.writerows(map(cell, row) for row in csv_rows(done))
    else:
        _print(done)
    console.err.print(f"wrote {folder / 'report.html'}")
    return 0


def _print(done: "Compared") -> None:
    """Print a row for each comparison, and what the runs said."""
    from floatgate.compare.show import head, pairs_words, row, title
    from floatgate.study.report.quantity import quantity

    console.out.print(title(done), style="bold")
    console.out.print(f"A {done.a}, B {done.b}: {pairs_words(done)}")
    first, *columns = head(done)
    # Flags are sentences, which would leave no room for the numbers.
    flagged = columns[-1] == "flags"
    most = len(columns) + (not flagged)
    console.print_rows(first, columns[: most - 1], [row(done, one)[:most] for one in done.comparisons])
    for one in done.comparisons:
        if one.flags:
            console.out.print(f"flag: {quantity(one.metric).title}: {one.flags}")
    for note in done.notes:
        console.out.print(f"note: {note}")
    for side, remarks in (("A", done.remarks_a), ("B", done.remarks_b)):
        for said in remarks:
            console.out.print(f"note: {side}, {said}")
