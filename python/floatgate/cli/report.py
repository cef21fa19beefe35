"""`floatgate report`: make the report of a run folder again."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run folder, or its run.json.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it.", show_default="DIR/report.html")
    ] = None,
) -> None:
    """Regenerate report.html from the files in the run folder."""
    from floatgate.cli import console
    from floatgate.report import write_report

    folder = folder.parent if folder.name == "run.json" else folder
    written = write_report(folder, folder / "report.html" if out is None else out)
    console.err.print(f"wrote {written}", markup=False)
