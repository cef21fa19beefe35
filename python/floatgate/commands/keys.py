"""`floatgate keys`: every key of a configuration, and which of them a drive has."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from floatgate.inputs.configuration import find
from floatgate.options.definition import Argument, CommandOptions, Option
from floatgate.options.shared import Format, Settings
from floatgate.shell import console
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.inputs.configuration import Key


@dataclass(frozen=True)
class KeysOptions(CommandOptions):
    """`floatgate keys`: every key of a configuration."""

    pattern: Annotated[
        str | None,
        Argument(
            "A part of a key, or a glob over all of it: gc, 'ftl.*.idle_after'.",
            takes="what some key fits",
            completes="keys",
            differs="of the names of keys, not of addresses",
        ),
    ] = None
    drive: Annotated[
        str | None,
        Option(
            "Show values, places and sources on this drive, and what is off.",
            metavar="DRIVE",
            takes="a drive's name or file",
            completes="drives",
            differs="an option: keys are there without a drive",
        ),
    ] = None
    set: Settings = ()
    format: Format = "table"


@takes(KeysOptions, examples=("floatgate keys gc.victim", "floatgate keys slc_cache --drive nvme-qlc"))
def keys_in_shell(asked: KeysOptions) -> None:
    """List the keys that a configuration can have, those of features that are off included."""
    found = find(asked.pattern, asked.drive, list(asked.set))
    if asked.format == "json":
        console.print_json([asdict(key) for key in found])
        return
    for key in found:
        _print(key, on_drive=asked.drive is not None)


def _print(key: "Key", *, on_drive: bool) -> None:
    from rich.text import Text

    line = Text(key.key, style="bold" if key.off is None else "dim")
    if on_drive and key.off is not None:
        line.append(f"  off: needs {key.off}", style="dim")
    elif on_drive and key.value is not None:
        line.append(f" = {key.value}")
        line.append(f"  [{key.place}]" + (f" {key.source}" if key.source else ""), style="dim")
    elif on_drive:
        line.append("  not set", style="dim")
    elif key.default is not None:
        line.append(f" = {key.default}", style="not bold")
    elif key.required:
        line.append("  required", style="not bold")
    console.out.print(line)
    said = f"    {key.help}; {key.takes}"
    console.out.print(said + (f"; needs {key.needs}" if key.needs and not on_drive else ""))
