"""How much a drive may be written: from its life, and from the workload's own write amplification."""

from dataclasses import dataclass
from math import inf
from pathlib import Path

from floatgate import files
from floatgate.errors import InputError
from floatgate.plan.model import Drive
from floatgate.versions import read_document

_LIFE = "what floatgate age --format json printed"
_KEYS = ("ended", "drive_writes", "waf")


@dataclass(frozen=True)
class WornDrive:
    """The end of a life: a number that does not depend on the drive's size, and the waf it is of."""

    drive_writes: float
    waf: float

    def endurance(self, capacity: float, waf: float) -> float:
        """Bytes that the host may write to a drive of `capacity` bytes with another write amplification."""
        return self.drive_writes * capacity * self.waf / waf


def life_of(path: Path, place: str) -> WornDrive:
    """Read a life. Raises InputError, which begins with `place`."""
    values = files.read_json(path, _LIFE)
    missing = [key for key in _KEYS if not isinstance(values, dict) or key not in values]
    if missing:
        raise InputError(f"{place}: {path}: {missing[0]} is missing: expected {_LIFE}")
    if values["ended"] is not True:
        raise InputError(f"{place}: {path}: this life was stopped before its end: expected a whole one")
    return WornDrive(_above(values, "drive_writes", place, path), _above(values, "waf", place, path))


def amplification(drive: Drive, folder: Path, place: str) -> float | None:
    """Return the write amplification that a drive names, a number or a run's; None where it names none.

    Raises InputError, which begins with `place`.
    """
    named = drive.write_amplification
    if not isinstance(named, str):
        return named
    found = read_document(folder / named / "run.json")["waf"]
    if not found:
        raise InputError(f"{place}: {folder / named}: a run without writes has no write amplification")
    return float(found)


def _above(values: dict[str, object], key: str, place: str, path: Path) -> float:
    found = values[key]
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 < found < inf:
        raise InputError(f"{place}: {path}: {key} = {found}: expected a number above 0")
    return float(found)
