"""Checks of a policy in Python: the test battery of its seam, then runs under an independent checker."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from floatgate import _core
from floatgate.errors import Fault, InputError
from floatgate.files.temporary import Temporary
from floatgate.own import found
from floatgate.own.policy import Own

# A drive that collects garbage all the time, small enough for thousands of choices in a second.
SMALL = (
    "nand.blocks_per_plane=64",
    "nand.pages_per_block=12",
    "geometry.channels=1",
    "geometry.ways=2",
    "ftl.op_ratio=0.6",
    "ftl.buffer.size=256KiB",
)
# Without these the policies of some seams would never be asked.
BESIDE: dict[str, dict[str, str | bool]] = {
    # Data so old that most reads need several attempts.
    "ecc.flow": {
        "ecc.code.name": "ldpc",
        "ecc.code.retries": "60",
        "ecc.code.retry_step": "6mV",
        "chip": "derived/tlc-3d-256g",
        "nand.errors.name": "tables",
        "nand.errors.celsius": "30.0",
        "ftl.reading.age": "1d",
        "ftl.reading.data_age": "365d",
    },
    "ftl.buffer.eviction": {"ftl.buffer.read_cache": True},
    "ftl.regulator": {"ecc.code.name": "ldpc"},
    "ftl.refresh.order": {
        "ecc.code.name": "ldpc",
        "ftl.reading.data_age": "30d",
        "ftl.refresh.age": "20d",
    },
    "ftl.slc_cache": {"ftl.slc_cache.in_idle_time": True},
    "ftl.snapshots.expiry": {"ftl.snapshots.every": "10ms", "ftl.snapshots.keep": "3"},
    "host.place": {"ftl.streams.name": "fdp", "ftl.streams.handles": "3"},
}
JOB = "[global]\nrw={rw}\nbs=4k\niodepth=8\nrandom_distribution={pattern}\nio_size=192m\n[check]\n"
WORKLOADS = {
    "uniform random writes": JOB.format(rw="randwrite", pattern="random"),
    "skewed writes and reads": JOB.format(rw="randrw", pattern="zipf:1.1"),
}
SEEDS = (1, 2)


@dataclass(frozen=True)
class Checked:
    """Result of the check of one policy."""

    name: str  # `mine.py:Mine`
    seam: str
    kept: tuple[str, ...]  # what it was put through
    fault: str | None  # the first rule that it broke


def check(file: str, progress: Callable[[str], None] = lambda _text: None) -> list[Checked]:
    """Check each policy of a file. Raises InputError where the file has none or cannot be read."""
    classes = found.policies_in(file)
    if not classes:
        raise InputError(
            f"{file}: no policy in it: expected a class of fg.gc.victim.Policy or another seam's"
        )
    return [_checked(f"{file}:{name}", cls, progress) for name, cls in classes.items()]


def _checked(name: str, cls: type[Own], progress: Callable[[str], None]) -> Checked:
    kept: list[str] = []
    try:
        for step in _steps(name, cls):
            progress(f"{name}: {step}")
            kept.append(step)
    except (InputError, Fault) as error:
        return Checked(name, cls.seam, tuple(kept[:-1]), str(error))
    return Checked(name, cls.seam, tuple(kept), None)


def _steps(name: str, cls: type[Own]) -> Iterator[str]:
    """Carry out the steps of the check of a policy, and yield the name of each step before it."""
    yield "the seam's battery"
    # As the cards of the catalogue do, a class owns up to it in its own words.
    _core.check_policy(cls.seam, name, may_starve="starv" in (cls.__doc__ or "").lower())
    temporary = Temporary()
    try:
        for title, text in WORKLOADS.items():
            job = temporary.folder / "check.fio"
            job.write_text(text, encoding="utf-8")
            for seed in SEEDS:
                yield f"{title}, seed {seed}"
                if run_of_a_check(name, cls, job, seed) != run_of_a_check(name, cls, job, seed):
                    raise InputError(
                        f"{name}: another result from the same seed: expected random numbers of the view"
                    )
    finally:
        temporary.remove()


def run_of_a_check(name: str, cls: type[Own], job: Path, seed: int) -> bytes:
    """Run a drive with this policy under the independent checker; return its table of requests as bytes."""
    from floatgate.commands.run import run

    settings: dict[str, str | bool] = {f"{cls.seam}.name": name}
    settings |= {key: value for key, _, value in (one.partition("=") for one in SMALL)}
    settings |= BESIDE.get(cls.seam, {})
    # Full, so that there is garbage to collect and old data to write anew from the first request on.
    done = run("tlc", job, set=settings, seed=seed, precondition="fill", check=True, requests=True)
    return (done.folder / "requests.parquet").read_bytes()
