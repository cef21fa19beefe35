"""`floatgate schema`: what a result holds, for programs."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import typer

from floatgate._generated.keywords import SchemaKeywords
from floatgate.files import write_whole
from floatgate.options.definition import CommandOptions, usual
from floatgate.options.shared import Force, OutFile
from floatgate.options.taking import offered, take
from floatgate.results.description import schema_text
from floatgate.results.folder import shared_folder
from floatgate.shell.options import takes


@dataclass(frozen=True)
class SchemaOptions(CommandOptions):
    """`floatgate schema`: what a result holds, for programs."""

    out: OutFile = usual("standard output")
    force: Force = False


@offered(SchemaOptions)
def schema(**options: Unpack[SchemaKeywords]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of run.json: every key with its type, unit and meaning.

    Raises InputError when a file that is named cannot be written.
    """
    asked = take(SchemaOptions, options)
    if asked.out is not None:
        schema_to(asked.out, force=asked.force)
    found: dict[str, Any] = json.loads(schema_text())
    return found


def schema_to(out: Path, *, force: bool) -> None:
    """Write the schema to a file."""
    with shared_folder(out.parent, out.name, force=force):
        write_whole(out, schema_text())


@takes(SchemaOptions, examples=("floatgate schema", "floatgate schema --out run.schema.json"))
def schema_in_shell(asked: SchemaOptions) -> None:
    """Print the JSON Schema (2020-12) of run.json: every key with its type, unit and meaning."""
    if asked.out is None:
        typer.echo(schema_text(), nl=False)
        return
    schema_to(asked.out, force=asked.force)
