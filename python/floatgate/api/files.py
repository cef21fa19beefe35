"""`floatgate.report`, `floatgate.schema`, `floatgate.examples`: files made again, described or copied."""

import json
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from floatgate._generated.keywords import ExamplesKeywords, ReportKeywords, SchemaKeywords
from floatgate.files import write_whole
from floatgate.inputs.examples import copy, listed
from floatgate.options.listing import ExamplesOptions, ReportOptions, SchemaOptions
from floatgate.options.taking import offered, take
from floatgate.results.description import schema_text
from floatgate.results.folder import shared_folder


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


@offered(ExamplesOptions)
def examples(**options: Unpack[ExamplesKeywords]) -> dict[str, str]:
    """Return the examples that come with Floatgate: the name that functions take, and what each is.

    Raises InputError where they are to be copied to and are already.
    """
    asked = take(ExamplesOptions, options)
    if asked.copy is not None:
        copy(asked.copy)
    return dict(listed())
