"""Files by their content, kept at a worker: a trace travels once, and serves every study after it."""

import os
import shutil
import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from floatgate.files import digest

VARIABLE = "FLOATGATE_CACHE"  # names the folder at the worker
UNUSED_DAYS = 30  # after which a file goes


class Cache:
    """A folder of files that are named by the SHA-256 of their content.

    Several workers of a machine, or of machines with one file system, may have the same.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_worker(cls, its_own: Path) -> "Cache":
        """Return the user's cache folder, or one in the worker's own folder where that is not writable."""
        usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floatgate" / "inputs"
        asked = os.environ.get(VARIABLE)
        for folder in (Path(asked) if asked else usual, its_own / "floatgate-inputs"):
            with suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                if os.access(folder, os.W_OK):
                    return cls(folder)
        raise OSError(f"{its_own}: not writable: expected a worker with a folder of its own")

    @property
    def name(self) -> str:
        """What says which workers share it, as far as they can know."""
        return f"{socket.gethostname()}:{self.folder.resolve()}"

    def lacking(self, hashes: Iterable[str]) -> list[str]:
        """Return those of `hashes` whose files are not there, or no longer what they were."""
        return [one for one in dict.fromkeys(hashes) if not self._is_whole(one)]

    def _is_whole(self, content: str) -> bool:
        path = self.folder / content
        if not path.is_file():
            return False
        if digest(path) == content:
            os.utime(path)
            return True
        path.unlink(missing_ok=True)
        return False

    def receive(self, content: str, letter: str, part: bytes, *, last: bool) -> None:
        """Take a part of a file; the last makes it one of the cache, in one step, if it is what it should be.

        `letter` is a name of the sending, so that two at once do not meet.
        """
        partial = self.folder / f".partial-{letter}-{content}"
        with partial.open("ab") as file:
            file.write(part)
        if not last:
            return
        if digest(partial) == content:
            partial.replace(self.folder / content)
        partial.unlink(missing_ok=True)
        self._tidy()

    def _tidy(self) -> None:
        """Remove files unused for long, and files that were not received whole."""
        oldest = time.time() - UNUSED_DAYS * 86_400
        for path in self.folder.iterdir():
            with suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def lay_out(self, inputs: Mapping[str, str], directory: str, root: Path) -> Path:
        """Make a folder at `root` in which files have their names: `inputs` are hashes by name.

        Names that are no absolute paths are those from `directory`, which is returned as it lies below it.
        """
        start = Path(f"{root}{directory}")
        start.mkdir(parents=True, exist_ok=True)
        for name, content in inputs.items():
            named = Path(directory) / name
            # A path through `a/..` needs `a` to be there; one that leaves the root does not lead here.
            target = Path(f"{root}{named}")
            if not Path(os.path.normpath(target)).is_relative_to(root):
                target = Path(f"{root}{os.path.normpath(named)}")
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.is_symlink():  # by another of its names
                target.symlink_to(self.folder.resolve() / content)
        return start

    @staticmethod
    def remove(root: Path) -> None:
        """Take away what `lay_out` made."""
        shutil.rmtree(root, ignore_errors=True)
