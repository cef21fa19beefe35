"""`floatgate report`: make the report of a run folder again."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Annotated, Unpack

from floatgate._generated.keywords import ReportKeywords
from floatgate.options.definition import Argument, CommandOptions, usual
from floatgate.options.shared import OutFile
from floatgate.options.taking import offered, take
from floatgate.shell import console
from floatgate.shell.options import takes


@dataclass(frozen=True)
class ReportOptions(CommandOptions):
    """`floatgate report`: the report of a run folder again."""

    folder: Annotated[
        Path, Argument("A run folder, or its run.json.", metavar="DIR", takes="a folder of `floatgate run`")
    ]
    out: OutFile = usual("DIR/report.html")


@offered(ReportOptions)
def report(folder: str | PathLike[str], **options: Unpack[ReportKeywords]) -> Path:
    """Make the report of a run folder again, one self-contained HTML file; return where it is.

    Raises InputError when the folder is not a whole run, or the file cannot be written.
    """
    return reported(take(ReportOptions, options, folder=folder))


def reported(asked: ReportOptions) -> Path:
    """Make the report that was asked for."""
    from floatgate.report import write_report

    folder = asked.folder.parent if asked.folder.name == "run.json" else asked.folder
    return write_report(folder, folder / "report.html" if asked.out is None else asked.out)


@takes(ReportOptions, examples=("floatgate report out/run", "floatgate report out/run --out run.html"))
def report_in_shell(asked: ReportOptions) -> None:
    """Regenerate report.html from the files in the run folder."""
    console.err.print(f"wrote {reported(asked)}")
