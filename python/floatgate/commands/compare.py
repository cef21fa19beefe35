"""`floatgate compare`: two sets of runs that differ in one key, seed by seed."""

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from floatgate.options.compare import CompareOptions
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.compare.work import Compared


@takes(CompareOptions)
def compare(asked: CompareOptions) -> int:
    """Say which of two sets of runs is lower in which number, by paired differences of the same seeds.

    A and B are folders of `run --repeat`, or of studies, which differ in one key.
    """
    from floatgate.api.compare import compared_of
    from floatgate.compare.show import csv_head, csv_rows
    from floatgate.compare.write import write
    from floatgate.files import cell
    from floatgate.results.folder import own_folder
    from floatgate.shell import console

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
    console.err.print(f"wrote {folder / 'report.html'}", markup=False)
    return 0


def _print(done: "Compared") -> None:
    """Print a row for each comparison, and what the runs said."""
    from floatgate.compare.show import head, pairs_words, row, title
    from floatgate.shell.console import out, print_rows

    out.print(title(done), markup=False, style="bold")
    out.print(f"A {done.a}, B {done.b}: {pairs_words(done)}", markup=False)
    first, *columns = head(done)
    print_rows(first, columns, [row(done, one) for one in done.comparisons])
    for note in done.notes:
        out.print(f"note: {note}", markup=False)
    for side, remarks in (("A", done.remarks_a), ("B", done.remarks_b)):
        for said in remarks:
            out.print(f"note: {side}, {said}", markup=False)
