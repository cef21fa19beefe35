"""Folders that work writes for its command: where it is, or elsewhere, and then they travel."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from floatgate.files import copies


@dataclass(frozen=True)
class Parcel:
    """What was written for `folder`, on another machine."""

    folder: Path
    files: dict[str, bytes]  # by their paths below it
    result: Any

    def unpack(self) -> Any:
        """Write it where it belongs; return the result that came with it."""
        self.folder.mkdir()
        for name, content in self.files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return self.result


def writing(folder: Path, write: Callable[[Path], Any]) -> Any:
    """Let work `write` into a new `folder` of its command, and return its result; work returns this in turn.

    In a worker on another machine it is written there; it is here when the result is.
    """
    if not copies.away():
        shutil.rmtree(folder, ignore_errors=True)  # of a process that was killed at this work
        folder.mkdir()
        return write(folder)
    with TemporaryDirectory(prefix="floatgate-") as temporary:
        elsewhere = Path(temporary)
        result = write(elsewhere)
        files = {
            str(path.relative_to(elsewhere)): path.read_bytes()
            for path in sorted(elsewhere.rglob("*"))
            if path.is_file()
        }
    return Parcel(folder, files, result)


def arrived(result: Any) -> Any:
    """Return a result of work elsewhere, once what it wrote is here."""
    return result.unpack() if isinstance(result, Parcel) else result
