"""The marker of a folder that Floatgate wrote: which files are its own, and whether it is being written.

While the folder is being written the marker is locked; a lock ends with its process, however that ends.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from floatgate import files
from floatgate.errors import InputError

NAME = ".floatgate.json"
_EXPLAINS = "Floatgate wrote this folder: --force replaces it while it holds nothing but these files"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Begin the marker of a new folder and hold its lock inside the block."""
    # It has its name only when it is locked: a marker without a lock is taken for one whose owner is dead.
    unnamed = folder / f"{NAME}.new"
    with unnamed.open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        unnamed.rename(folder / NAME)
        yield


def is_abandoned(folder: Path) -> bool:
    """Whether the folder has a marker that no process holds any more."""
    try:
        with (folder / NAME).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def complete(folder: Path) -> None:
    """List in the marker all files that the folder holds."""
    # Not in one step: another file would have no lock.
    (folder / NAME).write_text(_text(_files(folder)), encoding="utf-8")


def add(path: Path) -> None:
    """Count a file that was written into a marked folder later, such as a report, as Floatgate's own."""
    own = listed(path.parent)
    if own is not None:
        files.write_whole(path.parent / NAME, _text(own | {path.name}))


def listed(folder: Path) -> set[str] | None:
    """Return the files that Floatgate wrote, by their paths inside `folder`; None where it has no marker."""
    try:
        own = {str(name) for name in files.read_json(folder / NAME, "a marker")["files"]}
    except (InputError, KeyError, TypeError):
        return None
    # A marker that names what is not in its folder is none that Floatgate wrote: its files would be deleted.
    inside = (PurePosixPath(name) for name in own)
    return None if any(path.is_absolute() or ".." in path.parts for path in inside) else own


def foreign(folder: Path) -> list[str]:
    """Return what the folder holds beside the files that its marker lists."""
    return sorted(_files(folder) - (listed(folder) or set()))


def remove(folder: Path) -> bool:
    """Delete Floatgate's own files and the folders that are empty then; return whether nothing is left."""
    for name in listed(folder) or ():
        with suppress(FileNotFoundError):
            (folder / name).unlink()
    if not _files(folder):
        (folder / NAME).unlink(missing_ok=True)
    for inner in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        with suppress(OSError):
            inner.rmdir()
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def _files(folder: Path) -> set[str]:
    """All that is no folder, by its path inside `folder`; links are not followed."""
    found = set()
    for root, _, names in os.walk(folder):
        found |= {(Path(root) / name).relative_to(folder).as_posix() for name in names}
    return found - {NAME}


def _text(own: set[str]) -> str:
    return json.dumps({"about": _EXPLAINS, "files": sorted(own)}, indent=1) + "\n"
