"""The timeline of a run, a Perfetto trace that the core writes piece by piece."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from floatgate import _core


class TimelineSink:
    """Writes the timeline while the run goes on."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")

    def drain(self, session: "_core.Session") -> None:
        """Take what was recorded since the last call."""
        self._file.write(session.timeline())

    def close(self) -> None:
        """End the file."""
        self._file.close()
