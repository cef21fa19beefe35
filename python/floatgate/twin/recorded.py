"""What fio and nvme-cli wrote about a drive: a folder with a JSON file for each job."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.files import read_json, read_text
from floatgate.twin.fio_job import MARK
from floatgate.twin.measurements import CALIBRATE, LATENCIES, ROLES, Measurements, Row
from floatgate.twin.pattern import Pattern, Setting, read_pattern

EXPECTED = "what fio --output-format=json wrote"
COUNTERS = "what nvme ocp smart-add-log -o json wrote"
#: Names of the counter of bytes on flash, by version of nvme-cli.
MEDIA = ("physical_media_units_written", "Physical media units written")
_PERCENTILES = {f"{float(name[1:]):f}": name for name in LATENCIES if name.startswith("p")}
_SIZES = {
    f"{letter}{rest}": 1 << shift
    for letter, shift in (("k", 10), ("m", 20), ("g", 30))
    for rest in ("", "b", "ib")
}


def read_folder(folder: Path) -> Measurements:
    """Read all results of a folder. Raises InputError, naming the file."""
    rows: list[Row] = []
    for path in sorted(folder.glob("*.json")):
        if not path.name.endswith((".before.json", ".after.json")):
            rows += _of_file(path)
    return Measurements(folder.absolute().name, tuple(rows), _capacity(folder / "capacity.txt"))


def _capacity(path: Path) -> float | None:
    if not path.exists():
        return None
    text = read_text(path, "the bytes of the drive").strip()
    if not text.isdecimal() or not int(text):
        raise InputError(f"{path}: {text[:40]}: expected the bytes of the drive")
    return float(text)


def _of_file(path: Path) -> list[Row]:
    document = read_json(path, EXPECTED)
    jobs = document.get("jobs") if isinstance(document, dict) else None
    if not jobs or not isinstance(jobs, list):
        raise InputError(f"{path}: no jobs: expected {EXPECTED}")
    rows: list[Row] = []
    for job in jobs:
        options = {**document.get("global options", {}), **job.get("job options", {})}
        role, setting = _setting(f"{path}: {job.get('jobname', 'job')}", options)
        rows += _numbers(str(path), job, setting, role)
        written = job.get("write", {}).get("io_bytes", 0)
        if len(jobs) == 1 and written:
            rows += _amplification(path, document, setting, role, written)
    return rows


def _setting(place: str, options: Mapping[str, str]) -> tuple[str, Setting]:
    """Return role and setting of a job: as `twin jobs` described it, or by its options."""
    rw, role = options.get("rw") or options.get("readwrite") or "read", CALIBRATE
    described = options.get("description", "")
    try:
        if described.startswith(MARK):
            role, _, text = described.removeprefix(MARK).partition(" ")
            pattern = read_pattern(text)
        else:
            pattern = _by_options(rw, options)
    except ValueError as error:
        raise InputError(f"{place}: {error}") from None
    if role not in ROLES:
        raise InputError(f"{place}: role {role}: expected {' or '.join(ROLES)}")
    size = _size(place, "bs", options.get("bs") or options.get("blocksize") or "4k")
    depth = int(options.get("iodepth", "1")) * int(options.get("numjobs", "1"))
    rate = _offered(options, pattern)
    return role, Setting(pattern, size, depth, offered=rate)


def _offered(options: Mapping[str, str], pattern: Pattern) -> float | None:
    """Return the requests a second of all jobs: fio has them for each direction, reads first."""
    each = options.get("rate_iops", "").split(",")
    if not all(one.isdecimal() and int(one) for one in each):
        return None
    directions = each * 2 if len(each) == 1 else each
    wanted = directions[:2] if pattern.is_mixed else directions[pattern.is_write : pattern.is_write + 1]
    return float(sum(map(int, wanted))) * int(options.get("numjobs", "1"))


def _by_options(rw: str, options: Mapping[str, str]) -> Pattern:
    words = [{"readwrite": "rw"}.get(rw, rw)]
    distribution = options.get("random_distribution", "random")
    if distribution not in ("random", "uniform"):
        words.append(distribution)
    if words[0] in ("rw", "randrw"):
        words.append(f"mix:{options.get('rwmixread', '50')}")
    if options.get("rate_process") == "poisson":
        words.append("poisson")
    return read_pattern(" ".join(words))


def _size(place: str, option: str, text: str) -> int:
    found = re.fullmatch(r"([0-9]+)([a-z]*)", text.strip().lower())
    if found is None or found[2] not in {"", *_SIZES}:
        raise InputError(f"{place}: {option} = {text}: expected one size of requests")
    return int(found[1]) * _SIZES.get(found[2], 1)


def _numbers(place: str, job: Mapping[str, Any], setting: Setting, role: str) -> Iterator[Row]:
    """Yield rates and latencies of a job."""
    for side in ("read", "write"):
        of_side = job.get(side) or {}
        latency = of_side.get("clat_ns") or {}
        if not of_side.get("total_ios") or not latency.get("mean"):
            continue
        bursts = bool(setting.pattern.burst_bytes)  # their rate has the pauses in it
        if not bursts and of_side.get("iops"):
            yield Row(place, "iops", setting, side, float(of_side["iops"]), "IOPS", role)
        total = (of_side.get("lat_ns") or latency)["mean"]
        if bursts or (setting.depth == 1 and not setting.pattern.has_flushes):
            yield Row(place, "mean", setting, side, total * 1e-9, "us", role)
        if setting.offered is not None:
            for name, ns in (latency.get("percentile") or {}).items():
                if name in _PERCENTILES and ns:
                    yield Row(place, _PERCENTILES[name], setting, side, ns * 1e-9, "us", role)
    flushes = (job.get("sync") or {}).get("lat_ns") or {}
    if flushes.get("mean") and setting.pattern.has_flushes:
        yield Row(place, "mean", setting, "flush", flushes["mean"] * 1e-9, "us", role)


def _amplification(
    path: Path, document: Mapping[str, Any], setting: Setting, role: str, written: int
) -> Iterator[Row]:
    """Yield bytes on flash for each of the host's: by the drive's counters, or the simulated drive's own."""
    before, after = (path.with_suffix(f".{when}.json") for when in ("before", "after"))
    found = None
    if before.exists() and after.exists():
        found = (_media_bytes(after) - _media_bytes(before)) / written
    elif isinstance(document.get("floatgate"), dict):
        found = document["floatgate"].get("waf")
    takes = setting.pattern.is_write and not (setting.pattern.burst_bytes or setting.pattern.has_flushes)
    if found and takes and (setting.pattern.state == "steady" or not setting.pattern.is_random):
        yield Row(str(path), "write_amplification", setting, "write", found, "ratio", role)


def _media_bytes(path: Path) -> int:
    """Return bytes on flash: nvme-cli writes 128 bits as digits, as a text of them, or in two halves."""
    document = read_json(path, COUNTERS)
    value = next((document[name] for name in MEDIA if name in document), None)
    if isinstance(value, dict) and {"hi", "lo"} <= set(value):
        return (int(value["hi"]) << 64) + int(value["lo"])
    if isinstance(value, int) or (isinstance(value, str) and value.isdecimal()):
        return int(value)
    raise InputError(f"{path}: no {MEDIA[0]}: expected {COUNTERS}")
