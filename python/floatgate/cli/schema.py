"""`floatgate schema`: what a result holds, for programs."""

from pathlib import Path
from typing import Annotated

import typer


def schema(
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it there instead.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
) -> None:
    """Print the JSON Schema (2020-12) of run.json: every key with its type, unit and meaning."""
    from floatgate.folder import shared_folder
    from floatgate.generate_results import schema_text

    if out is None:
        typer.echo(schema_text(), nl=False)
        return
    with shared_folder(out.parent, out.name, force=force):
        out.write_text(schema_text(), encoding="utf-8")
