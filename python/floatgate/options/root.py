"""Options that stand before every command."""

from dataclasses import dataclass
from typing import Annotated

from floatgate.options.definition import CommandOptions, Option


@dataclass(frozen=True)
class RootOptions(CommandOptions):
    """`floatgate`: options that stand before the command."""

    version: Annotated[bool, Option("Print the version and exit.", shell="fg.__version__")] = False
    debug: Annotated[
        bool, Option("Show the traceback if Floatgate has a bug.", shell="Python shows it by itself")
    ] = False
