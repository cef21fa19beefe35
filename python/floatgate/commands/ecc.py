"""`floatgate ecc measure|codes`: codes that decode, and how often they fail."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from floatgate.options.ecc import EccCodesOptions, EccMeasureOptions
from floatgate.shell.bar import BAR, ELAPSED, Bar
from floatgate.shell.command import Command
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.ecc.conduct import Progress
    from floatgate.ecc.table import Measured

app = typer.Typer(help="List LDPC codes that decode, and count their failures.", no_args_is_help=True)

EXIT_INTERRUPTED = 130


@app.command(cls=Command)
@takes(EccCodesOptions)
def codes(asked: EccCodesOptions) -> None:
    """List the LDPC codes that come along, and the decoders."""
    from floatgate import _core
    from floatgate.api.ecc import codes as every
    from floatgate.shell import console

    decoders = json.loads(_core.ecc_decoders())
    if asked.json:
        console.print_json({"codes": json.loads(_core.ecc_codes()), "decoders": decoders})
        return
    console.print_rows("code", ("bits", "data", "rate", "from"), ((one.name, *one.row()) for one in every()))
    for one in decoders:
        console.out.print(f"\n{one['name']}", markup=False, style="bold")
        console.out.print(one["rule"], markup=False)


@app.command(cls=Command)
@takes(EccMeasureOptions)
def measure(asked: EccMeasureOptions) -> int:
    """Count the failures and iterations of an LDPC code by decoding words, and write them as a table.

    Each point is decoded until enough words have failed. What the law of the points says below them is
    extrapolated, and called so. Ctrl-C keeps the points that are whole.
    """
    from floatgate.api.ecc import measured
    from floatgate.results.folder import own_file
    from floatgate.runs.session import interruptible

    usual = Path(f"{Path(asked.code).stem}-{Path(asked.channel).stem}.toml")
    with own_file(asked.out, usual) as out, interruptible() as stopped, _Bar() as bar:
        found = measured(asked, out, bar.update, stopped)
    return _show(found, out, asked.format)


def _show(found: "Measured", out: Path, format: str) -> int:  # noqa: A002
    from floatgate.ecc.table import HEAD, row, told
    from floatgate.shell import console

    if format == "json":
        console.print_json(found.document())
    else:
        console.out.print(f"{found.code} over {found.channel}", markup=False, style="bold")
        console.print_rows(HEAD[0], HEAD[1:], map(row, found.points))
        for read in found.reads:
            console.out.print(told(read), markup=False)
    if found.points:
        console.err.print(f"wrote {out}", markup=False)
    if found.interrupted:
        console.err.print(f"interrupted after {len(found.points)} points", markup=False)
        return EXIT_INTERRUPTED
    return 0


class _Bar(Bar):
    """The point that is being counted."""

    columns = ("{task.description}", BAR, "{task.percentage:>3.0f} %", ELAPSED, "{task.fields[count]}")

    def __init__(self) -> None:
        super().__init__("looking for rates", count="")

    def update(self, progress: "Progress") -> None:
        """Show how far the point is."""
        self.show(
            completed=progress.part,
            description=f"soft bits {progress.soft_bits}, rate {progress.rate:.4g}",
            count=f"{progress.failures:,} of {progress.words:,} words failed",
        )
