"""The microbenchmark as files: fio jobs, and the script that runs them with the drive's counters between."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from floatgate.errors import InputError
from floatgate.results.folder import atomically
from floatgate.twin.fio_job import BURSTS, job
from floatgate.twin.steps import Step, steps

#: What a drive is assumed to do while nothing is known of it, for the time that jobs take.
IN_ORDER, AT_RANDOM = 1.0e9, 3.0e8  # bytes a second
READ_S, PAUSE_S, START_S = 10, 1, 2  # seconds of a step of reads, between bursts, of fio itself
OVERWRITES = 1.5  # times that random writes go over the drive before they are taken as steady
FIRST_PART = 0.8  # of the time of all overwriting that the first takes: until then the drive settles
MEASURED_PART = 0.2  # of the time of a job of overwriting that is measured
LEAST_S, MOST_S = 60, 7 * 86_400
DEVICE = "${DEVICE}"
SCRIPT = "measure.sh"


@dataclass(frozen=True)
class Job:
    """A job for a real drive."""

    name: str  # of its files, without ending
    reveals: str
    seconds: float
    text: str  # of its fio file
    settles: str = ""  # a fio file that runs before it, of which nothing is taken
    has_counters: bool = False  # the drive's own, before and after


def jobs(capacity: int, seconds: float) -> list[Job]:
    """Return the jobs for a drive of this size that take about so long.

    Raises InputError where that is too short for anything.
    """
    if not LEAST_S <= seconds <= MOST_S:
        raise InputError(f"--budget {seconds:g}s: expected {LEAST_S} s to 7 d")
    asked = list(steps(capacity))
    fixed = sum(_fixed(step, capacity, seconds) for step in asked)
    left = max(0.1 * seconds, seconds - fixed)
    overwriting = [step.name for step in asked if _overwrites(step)]
    takes = dict.fromkeys(overwriting, (1 - FIRST_PART) * left / (len(overwriting) - 1))
    takes[overwriting[0]] = FIRST_PART * left
    return [
        _job(number, step, capacity, takes.get(step.name) or _fixed(step, capacity, seconds))
        for number, step in enumerate(asked, 1)
    ]


def _overwrites(step: Step) -> bool:
    pattern = step.setting.pattern
    return pattern.state == "steady" and not pattern.burst_bytes


def _fixed(step: Step, capacity: int, seconds: float) -> float:
    """Return the seconds of a step that does not take what is left."""
    pattern = step.setting.pattern
    if _overwrites(step):
        return 0.0
    if pattern.burst_bytes:
        return START_S + BURSTS * (PAUSE_S + pattern.burst_bytes / AT_RANDOM)
    if pattern.rw == "write":
        return START_S + capacity / IN_ORDER
    return START_S + min(READ_S, seconds / 200)


def _job(number: int, step: Step, capacity: int, seconds: float) -> Job:
    pattern = step.setting.pattern
    name = f"{number:02}-{step.name}"
    settles = ""
    if _overwrites(step):
        measured = max(1, round(seconds * MEASURED_PART))
        settles = job(step.name, step.setting, capacity, _runtime(max(1, seconds - measured)), DEVICE)
        lasts = _runtime(measured)
    elif pattern.rw == "write":
        lasts = "loops=1"
    else:
        lasts = _runtime(max(1, seconds - START_S))
    text = job(step.name, step.setting, capacity, lasts, DEVICE, step.role)
    return Job(name, step.reveals, seconds, text, settles, "write_amplification" in step.takes)


def _runtime(seconds: float) -> str:
    return f"time_based=1\nruntime={round(seconds)}s"


def turnover(capacity: int, made: list[Job]) -> float:
    """Return how often random writes go over the drive before they are measured, at the assumed rate."""
    settling = next(one for one in made if one.settles)
    return settling.seconds * (1 - MEASURED_PART) * AT_RANDOM / capacity


def script(made: list[Job], device: str) -> str:
    """Return the shell script that runs them and keeps what fio and the drive say."""
    return "\n".join(_script(made, device)) + "\n"


def _script(made: list[Job], device: str) -> Iterator[str]:
    minutes = sum(one.seconds for one in made) / 60
    yield from (
        "#!/bin/sh",
        f"# Measures a drive in about {minutes:.0f} minutes. ALL DATA ON IT ARE LOST.",
        "# Needs fio 3, and nvme-cli for the drive's own counters.",
        "# Then: floatgate twin fit THIS-FOLDER --base DRIVE",
        "set -eu",
        'cd "$(dirname "$0")"',
        f"export DEVICE=${{1:-{device}}}",
        'echo "all data on $DEVICE are lost: type yes to go on"',
        'read -r answer && [ "$answer" = yes ]',
        'counters() { nvme ocp smart-add-log "$DEVICE" -o json > "$1" 2> /dev/null || rm -f "$1"; }',
        'blockdev --getsize64 "$DEVICE" > capacity.txt',
        'blkdiscard "$DEVICE"',
    )
    for one in made:
        if one.settles:
            yield f"fio --output=/dev/null {one.name}.settle.fio"
        if one.has_counters:
            yield f"counters {one.name}.before.json"
        yield f"fio --output={one.name}.json --output-format=json {one.name}.fio"
        if one.has_counters:
            yield f"counters {one.name}.after.json"


def write(out: Path, made: list[Job], device: str, *, force: bool) -> None:
    """Write the jobs and the script into a folder. Raises InputError where it cannot be."""
    with atomically(out, force=force) as folder:
        for one in made:
            (folder / f"{one.name}.fio").write_text(one.text, encoding="utf-8")
            if one.settles:
                (folder / f"{one.name}.settle.fio").write_text(one.settles, encoding="utf-8")
        (folder / SCRIPT).write_text(script(made, device), encoding="utf-8")
