"""A folder for the results of a run that was told no other: it lives as long as an object refers to it.

It belongs to the process that made it. A forked child that ends takes nothing away from its parent.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize


class Temporary:
    """A folder of its own, gone with the last reference to this object or with the process."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="floatgate-"))
        self._finalizer = finalize(self, _remove, self.folder, os.getpid())

    def remove(self) -> None:
        """Remove it now."""
        self._finalizer()

    @classmethod
    def holding(cls, files: Mapping[str, bytes]) -> "Temporary":
        """Make one in which the folder `run` holds these files."""
        made = cls()
        for name, content in files.items():
            path = made.folder / "run" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return made


@contextmanager
def given_or_temporary(out: str | Path | None, name: str) -> Iterator[Path]:
    """Give the folder `out`, or else one of this name that is gone when the block is."""
    if out is not None:
        yield Path(out)
        return
    temporary = Temporary()
    try:
        yield temporary.folder / name
    finally:
        temporary.remove()


def _remove(folder: Path, maker: int) -> None:
    if os.getpid() == maker:
        rmtree(folder, ignore_errors=True)


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder by their paths inside it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
