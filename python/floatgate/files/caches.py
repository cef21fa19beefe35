"""Where Floatgate keeps between runs what it could work out again: below the user's own folder for that."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from zlib import crc32

OFF = "off"


def folder(name: str, variable: str) -> Path | None:
    """Return the folder of that name, or the one that a variable names; none where that says so."""
    asked = os.environ.get(variable)
    if asked:
        return None if asked == OFF else Path(asked)
    usual = os.environ.get("XDG_CACHE_HOME")
    # As the specification has it, a relative path is none.
    if usual and Path(usual).is_absolute():
        return Path(usual) / "floatgate" / name
    try:
        return Path.home() / ".cache" / "floatgate" / name
    except RuntimeError:  # a user without a home
        return None


class Cache:
    """A folder of files, each with what it follows from: `key`. Nothing here can fail a command.

    A file that is missing, damaged, or of another key is none.
    """

    def __init__(self, place: Path | None) -> None:
        self._place = place

    def read(self, name: str, key: str) -> bytes | None:
        """Return what was kept under that name, if it was for that key."""
        if self._place is None:
            return None
        try:
            header, _, content = (self._place / name).read_bytes().partition(b"\n")
        except OSError:
            return None
        return content if header == _header(key, content) else None

    def write(self, name: str, key: str, content: bytes) -> None:
        """Keep a file's bytes; a reader at the same time finds the old file or the new one."""
        if self._place is None:
            return
        with suppress(OSError):
            self._place.mkdir(parents=True, exist_ok=True)
            handle, partial = tempfile.mkstemp(dir=self._place)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_header(key, content) + b"\n" + content)
                Path(partial).replace(self._place / name)
            except OSError:
                Path(partial).unlink(missing_ok=True)


def _header(key: str, content: bytes) -> bytes:
    told = key.encode()
    return b"%08x %s" % (crc32(content, crc32(told)), told)


def identity(path: Path | str) -> str:
    """Say which file of an installation it is, and of which state, without reading it."""
    found = Path(path).stat()
    return f"{path} {found.st_size} {found.st_mtime_ns}"
