"""The files that come with Floatgate to try it with."""

import json
import shutil
from pathlib import Path

from floatgate.errors import InputError
from floatgate.files import shipped

_COMPILED = "__pycache__"  # pip compiles the examples that are Python
_COMMENTS = ("# ", "; ", "rem ", "<!-- ", "/* ", '"""')


def listed() -> list[tuple[str, str]]:
    """Return the examples as they are named on the command line, each with its first line's words."""
    root = shipped.examples()
    files = sorted(path for path in root.rglob("*") if path.is_file() and _COMPILED not in path.parts)
    return [(f"{shipped.EXAMPLES}/{path.relative_to(root).as_posix()}", _title(path)) for path in files]


def _title(path: Path) -> str:
    """What the comment in the first line says, or a title of its own."""
    if path.suffix == ".json":
        return str(json.loads(path.read_text(encoding="utf-8"))["title"])
    if path.suffix == ".gz":  # a trace: the script beside it begins with `How NAME was made: ...`
        said = _title(path.with_name(path.name.partition(".")[0] + ".py")).partition(": ")[2]
        return f"A trace, made up: {said}"
    with path.open(encoding="utf-8") as file:
        line = file.readline().strip()
    for mark in _COMMENTS:
        line = line.removeprefix(mark)
    return line.removesuffix("-->").removesuffix("*/").removesuffix('"""').strip()


def copy(folder: Path) -> Path:
    """Copy all examples into `folder`/examples and return that. Raises InputError when it exists."""
    target = folder / shipped.EXAMPLES
    if target.exists():
        raise InputError(f"{target}: exists: expected a folder without {shipped.EXAMPLES}")
    shutil.copytree(shipped.examples(), target, ignore=shutil.ignore_patterns(_COMPILED))
    return target
