"""Recognises what DiskSpd understands, and reads it."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from floatgate import files
from floatgate.errors import InputError

if TYPE_CHECKING:
    from floatgate.inputs.diskspd.model import Profile

_COMMAND = re.compile(r"(?:\S*[\\/])?diskspd(?:\.exe)?\s+\S", re.IGNORECASE)
_COMMENT = ("rem ", "::", ";")


def is_command(argument: str) -> bool:
    """Whether `argument` is a command line of DiskSpd's."""
    return _COMMAND.match(argument) is not None


def is_profile(path: Path) -> bool:
    """Whether a file's name says that it is a profile, or a command line kept in a file."""
    return path.suffix.lower() in (".xml", ".diskspd")


def read(argument: str) -> "Profile":
    """Read a command line, a file with one, or a profile. Raises InputError."""
    from floatgate.inputs.diskspd.command import read_command
    from floatgate.inputs.diskspd.xml import read_profile

    if is_command(argument):
        return read_command(argument, "diskspd")
    path = Path(argument)
    if path.suffix.lower() == ".xml":
        return read_profile(files.read_bytes(path, "a DiskSpd profile"), argument)
    return _of_file(files.read_text(path, "a DiskSpd command line"), argument)


def _of_file(content: str, source: str) -> "Profile":
    from floatgate.inputs.diskspd.command import read_command

    lines = content.splitlines()
    told = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    told = [(number, line) for number, line in told if not line.lower().startswith(_COMMENT)]
    if len(told) != 1 or not is_command(told[0][1]):
        raise InputError(
            f"{source}: {len(told)} lines: expected one command line: diskspd -b8K -r ... file.dat"
        )
    return read_command(told[0][1], f"{source}:{told[0][0]}")
