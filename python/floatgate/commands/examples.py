"""`floatgate examples`: the files that come with Floatgate to try it with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Unpack

from floatgate._generated.keywords import ExamplesKeywords
from floatgate.options.definition import OUTPUT, CommandOptions, Option
from floatgate.options.taking import offered, take
from floatgate.shell import console
from floatgate.shell.options import takes


@dataclass(frozen=True)
class ExamplesOptions(CommandOptions):
    """`floatgate examples`: the files that come with Floatgate to try it with."""

    copy: Annotated[
        Path | None,
        Option("Copy them into DIR/examples, to change them.", metavar="DIR", panel=OUTPUT, takes="a folder"),
    ] = None


@offered(ExamplesOptions)
def examples(**options: Unpack[ExamplesKeywords]) -> dict[str, str]:
    """Return the examples that come with Floatgate: the name that functions take, and what each is.

    Raises InputError where they are to be copied to and are already.
    """
    from floatgate.inputs.examples import copy, listed

    asked = take(ExamplesOptions, options)
    if asked.copy is not None:
        copy(asked.copy)
    return dict(listed())


@takes(ExamplesOptions, examples=("floatgate examples", "floatgate examples --copy mine"))
def examples_in_shell(asked: ExamplesOptions) -> None:
    """List the examples: jobs, plans, price lists. Commands find them by these names in every folder."""
    from floatgate.inputs.examples import copy, listed

    if asked.copy is not None:
        console.out.print(f"wrote {copy(asked.copy)}")
        return
    shown = listed()
    width = max(len(name) for name, _ in shown)
    for name, title in shown:
        console.out.print(f"{name:<{width}}  {title}")
