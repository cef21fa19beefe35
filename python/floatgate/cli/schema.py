"""`floatgate schema`: what a result holds, for programs."""

import typer

from floatgate.cli.options import takes
from floatgate.options.listing import SchemaOptions


@takes(SchemaOptions)
def schema(asked: SchemaOptions) -> None:
    """Print the JSON Schema (2020-12) of run.json: every key with its type, unit and meaning."""
    from floatgate.api.files import schema_to
    from floatgate.generate_results import schema_text

    if asked.out is None:
        typer.echo(schema_text(), nl=False)
        return
    schema_to(asked.out, force=asked.force)
