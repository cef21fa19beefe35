"""Files of the user's, in a worker on another machine: copies, below a folder that stands for their root.

A name that is no absolute path is found from the working directory, which is the user's own below there.
"""

import json
from collections.abc import Iterable
from pathlib import Path

_root: str | None = None


def lie_below(root: Path) -> None:
    """From now on, what the user's names say lies below `root`, a folder's real path."""
    global _root
    _root = str(root)


def away() -> bool:
    """Whether this is a worker on another machine: what it writes there is not seen here."""
    return _root is not None


def place(name: str) -> str:
    """Return where the file lies that has this name on the user's machine; it may come with Floatgate."""
    if _root is None or not Path(name).is_absolute():
        return name
    copy = _root + name
    return copy if Path(copy).exists() else name


def placed(assignments: Iterable[str]) -> list[str]:
    """Return overrides, `KEY=VALUE`, with the places of files, such as a chip's, for their names."""
    found = []
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        name = value.strip().strip('"')
        there = place(name)
        found.append(assignment if there == name else f"{key}{equals}{json.dumps(there)}")
    return found


def as_named(text: str) -> str:
    """Return a text, such as a result or a message, with the user's names for their files."""
    return text if _root is None else text.replace(_root, "")
