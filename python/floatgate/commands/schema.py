"""`floatgate schema`: what a result holds, for programs."""

import typer

from floatgate.options.listing import SchemaOptions
from floatgate.shell.options import takes


@takes(SchemaOptions)
def schema(asked: SchemaOptions) -> None:
    """Print the JSON Schema (2020-12) of run.json: every key with its type, unit and meaning."""
    from floatgate.api.files import schema_to
    from floatgate.results.description import schema_text

    if asked.out is None:
        typer.echo(schema_text(), nl=False)
        return
    schema_to(asked.out, force=asked.force)
