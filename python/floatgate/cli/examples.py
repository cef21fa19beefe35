"""`floatgate examples`: the files that come with Floatgate to try it with."""

from pathlib import Path
from typing import Annotated

import typer


def examples(
    copy: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Copy them into DIR/examples, to change them.")
    ] = None,
) -> None:
    """List the examples: jobs, plans, price lists. Commands find them by these names in every folder."""
    from floatgate import examples as found
    from floatgate.cli import console

    if copy is not None:
        console.out.print(f"wrote {found.copy(copy)}", markup=False)
        return
    shown = found.listed()
    width = max(len(name) for name, _ in shown)
    for name, title in shown:
        console.out.print(f"{name:<{width}}  {title}", markup=False, soft_wrap=True)
