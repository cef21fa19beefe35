"""Changes that hold for all that a paper simulates, made to see its claims break: `breaks.py`."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Changes:
    """What differs from what the drive and chip files say."""

    drive: Mapping[str, Any] = field(default_factory=dict)
    chip: Mapping[str, Any] = field(default_factory=dict)

    @property
    def drive_settings(self) -> tuple[str, ...]:
        """The drive's as `key=value`, for what takes overrides so."""
        return tuple(f"{key}={value}" for key, value in self.drive.items())

    @property
    def chip_settings(self) -> tuple[str, ...]:
        """The chip's as `key=value`, for the laboratory's chips."""
        return tuple(f"{key}={value}" for key, value in self.chip.items())


_now = Changes()


def now() -> Changes:
    """Return the changes in force: none, but where a break is tried."""
    return _now


@contextmanager
def under(changes: Changes) -> Iterator[None]:
    """Let the changes hold for what this process simulates."""
    global _now
    before, _now = _now, changes
    try:
        yield
    finally:
        _now = before
