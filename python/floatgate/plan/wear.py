"""How much a drive may be written: from its life, and from the workload's own write amplification."""

from dataclasses import dataclass
from math import inf
from pathlib import Path

from floatgate import files
from floatgate.errors import InputError
from floatgate.plan.model import Drive, Workload
from floatgate.results.amplification import settled, unsettled
from floatgate.results.versions import read_document
from floatgate.values import quantities as q

_LIFE = "what floatgate age --format json printed"
_KEYS = ("ended", "drive_writes", "waf")
_UNIT = "mapping_unit_bytes"


@dataclass(frozen=True)
class WornDrive:
    """The end of a life: a number that does not depend on the drive's size, and the waf it is of."""

    drive_writes: float
    waf: float
    unit_bytes: float | None  # of the whole mapping units it was written in; None where its file does not say

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
    unit = _above(values, _UNIT, place, path) if _UNIT in values else None
    return WornDrive(_above(values, "drive_writes", place, path), _above(values, "waf", place, path), unit)


def check_unit(life: WornDrive, workload: Workload, place: str) -> None:
    """Refuse the write amplification of a life of whole units for random writes of parts of them.

    Raises InputError, which begins with `place`.
    """
    unit = life.unit_bytes
    if unit is None or not workload.iops.random_write or workload.block % unit == 0:
        return
    raise InputError(
        f"{place}: this life was written in whole mapping units of {q.size(unit)}, and the workload's "
        f"requests are {q.size(workload.block)}: expected write_amplification, a number or a run of the "
        "workload"
    )


def amplification(drive: Drive, folder: Path, place: str) -> tuple[float | None, str | None]:
    """Return the write amplification that a drive names, a number or a run's; None where it names none.

    It is bytes programmed over bytes that the host wrote: a run's of an older format is brought to that. With
    it why it is not settled; None where it is. Raises InputError, which begins with `place`.
    """
    named = drive.write_amplification
    if not isinstance(named, str):
        return named, None
    document = read_document(folder / named / "run.json")
    found = document["waf"]
    if found is None:
        raise InputError(f"{place}: {folder / named}: a run without writes has no write amplification")
    why = None if settled(document) else unsettled(document)
    if not found:
        why = why or "all of it was overwritten there"
        raise InputError(f"{place}: {folder / named}: a run that programmed nothing: {why}")
    return float(found), why


def _above(values: dict[str, object], key: str, place: str, path: Path) -> float:
    found = values[key]
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 < found < inf:
        raise InputError(f"{place}: {path}: {key} = {found}: expected a number above 0")
    return float(found)
