"""Does a drive pass the data-centre profile? Yes or no, line by line.

The targets are those of the Open Compute Project (Datacenter NVMe SSD Specification 2.0, A.2.1): rates
for each TB of the drive, latencies of reads and writes up to the longest. Its table names the
workloads; FioSynth 3.6 (github.com/facebookincubator/FioSynth, suite HE_Flash_Short_wTRIM_2H20) has their
sizes, rates and pauses, which make jobs of fio here. A percentile with too few requests is not answered.

    python profile.py nvme-tlc --seconds 60
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import floatgate as fg

MIB = 1 << 20
TB = 1e12
# A percentile is answered where so many requests lie beyond it.
BEYOND = 5


@dataclass(frozen=True)
class Writer:
    """Writes of one size: so many, then a pause; for each TB of the drive the pause is that much shorter."""

    size: str
    percentage_random: int
    count: int
    pause_us: int


@dataclass(frozen=True)
class Trimmer:
    """Trims of one size: so many, then a pause, over the first tenth of the drive."""

    size: str
    depth: int
    count: int
    pause_us: int


@dataclass(frozen=True)
class Load:
    """A workload for each TB of the drive, and what a drive must reach with it."""

    name: str
    readers: int
    sizes: str
    percentage_random: int
    depth: int
    read_mib_s: int  # of each reader
    writers: tuple[Writer, ...]
    trimmers: tuple[Trimmer, ...]
    rates_mib_s: tuple[float, float]  # read, written
    reads_us: tuple[int, int, int]  # p99, p99.99, the longest
    writes_us: tuple[int, int]  # p99.99, the longest


TYPE_6 = "4k/28:8k/9:16k/8:32k/9:64k/11:128k/35"
LOADS = (
    Load(
        "4K_L2R6DWPD_wTRIM", 1, TYPE_6, 65, 13, 69,
        (Writer("512k", 25, 128, 1_280_000), Writer("512k", 25, 160, 2_560_000)),
        (Trimmer("64m", 10, 10, 12_800_000), Trimmer("2g", 1, 1, 30_000_000)),
        (68, 72), (2000, 5000, 15_000), (15_000, 30_000),
    ),
    Load(
        "4K_L2R9DWPD_wTRIM", 1, TYPE_6, 65, 13, 69,
        (Writer("512k", 25, 128, 960_000), Writer("512k", 25, 160, 1_920_000)),
        (Trimmer("64m", 10, 10, 9_600_000), Trimmer("2g", 1, 1, 22_500_000)),
        (68, 93), (2200, 5500, 15_000), (15_000, 30_000),
    ),
    Load(
        "MyRocks_Heavy_wTRIM", 1, "8k/68:4k/8:16k/12:128k/12", 100, 20, 210,
        (
            Writer("4k", 33, 32, 87_200), Writer("32k", 33, 32, 87_200),
            Writer("64k", 33, 64, 87_200), Writer("512k", 25, 42, 400_000),
        ),
        (Trimmer("1m", 3, 3, 144_000_000), Trimmer("8m", 1, 5, 5_280_000), Trimmer("16m", 1, 5, 5_280_000)),
        (210, 101), (2000, 5000, 15_000), (10_000, 25_000),
    ),
    Load(
        "FLeaf_wTRIM", 3, "4k/58:8k/18:16k/8:32k/7:64k/5:128k/3:256k/1", 100, 10, 107,
        (Writer("512k", 2, 25, 96_000),),
        (Trimmer("2300m", 1, 3, 76_000_000),),
        (320, 87), (3000, 6000, 15_000), (20_000, 30_000),
    ),
)  # fmt: skip


def jobs(load: Load, capacity_tb: float, seconds: int) -> str:
    """Return the workload as fio jobs for a drive of this capacity."""
    lines = ["[global]", "ioengine=libaio", "direct=1", "norandommap", "time_based", f"runtime={seconds}s"]
    for number in range(load.readers):
        lines += [
            f"[reads_{number}]", "rw=randread", f"percentage_random={load.percentage_random}",
            f"bssplit={load.sizes}", f"iodepth={max(1, int(load.depth * capacity_tb))}",
            f"rate={max(1, round(1024 * load.read_mib_s * capacity_tb))}k,", "size=80%",
        ]  # fmt: skip
    for number, writer in enumerate(load.writers):
        lines += [
            f"[writes_{number}]", "rw=randwrite", f"percentage_random={writer.percentage_random}",
            f"bs={writer.size}", f"thinktime={max(1, int(writer.pause_us / capacity_tb))}us",
            f"thinktime_blocks={writer.count}", "size=90%",
        ]  # fmt: skip
    for number, trimmer in enumerate(load.trimmers):
        lines += [
            f"[trims_{number}]", "rw=trim", f"bs={trimmer.size}", f"iodepth={trimmer.depth}",
            f"thinktime={max(1, int(trimmer.pause_us / capacity_tb))}us",
            f"thinktime_blocks={trimmer.count}", "size=10%",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Answer:
    """One line: what is asked, what the drive reaches, and the verdict; none where the run is too short."""

    target: str
    reached: str
    passes: bool | None


def answers(load: Load, run: fg.Run, capacity_tb: float) -> Iterator[Answer]:
    """Yield the verdict on every target."""
    read, write = run.host.read, run.host.write
    # As fio's rates are made of whole requests and pauses, a rate counts as reached from 97 % on.
    for what, done, asked in (("read", read, load.rates_mib_s[0]), ("written", write, load.rates_mib_s[1])):
        reached = done.bandwidth_bytes_per_s / MIB / capacity_tb
        yield Answer(f"{asked:.0f} MiB/s {what} for each TB", f"{reached:.1f}", reached >= 0.97 * asked)
    shown = (("p99", 0.01), ("p99.99", 1e-4), ("max", 0.0))
    for what, done, asked_us, quantiles in (
        ("read", read, load.reads_us, shown),
        ("write", write, load.writes_us, shown[1:]),
    ):
        found = done.latency_ns
        values = {"p99": found.p99, "p99.99": found.p9999, "max": found.max}
        for (name, beyond), limit in zip(quantiles, asked_us, strict=True):
            value, enough = values[name], done.requests * beyond >= BEYOND or name == "max"
            reached = "-" if value is None else f"{value / 1000:,.0f} us"
            said = reached if enough else f"{reached}, of {done.requests:,} requests alone"
            passes = (value or 0) <= 1000 * limit if enough and value is not None else None
            yield Answer(f"{name} of a {what} at most {limit:,} us", said, passes)


def capacity_tb_of(drive: str) -> float:
    """Return what the host sees of a drive, in terabytes."""
    return fg.run(drive, "fio --name=one --rw=read --bs=4k --number_ios=1").document["capacity_bytes"] / TB


def main() -> None:
    """Run every workload on the drive and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("drive", nargs="?", default="nvme-tlc", help="a drive of Floatgate's, or a file")
    parser.add_argument("--seconds", type=int, default=60, help="simulated time of each workload")
    parser.add_argument("--only", default="", help="workloads whose names hold this")
    parser.add_argument(
        "--precondition",
        default="instant",
        help="the drive's state: `workload`, written as the profile does, takes hours for a terabyte",
    )
    options = parser.parse_args()
    capacity_tb = capacity_tb_of(options.drive)
    verdicts: list[bool | None] = []
    for load in (load for load in LOADS if options.only in load.name):
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder) / f"{load.name}.fio"
            job.write_text(jobs(load, capacity_tb, options.seconds), encoding="utf-8")
            run = fg.run(options.drive, job, precondition=options.precondition)
        sys.stdout.write(f"{load.name}: write amplification {run.waf:.2f}\n")
        for answer in answers(load, run, capacity_tb):
            word = {True: "yes", False: "NO", None: "too few"}[answer.passes]
            sys.stdout.write(f"  {word:9}{answer.target:38}{answer.reached}\n")
            verdicts.append(answer.passes)
    passed, failed = verdicts.count(True), verdicts.count(False)
    sys.stdout.write(
        f"{passed} of {len(verdicts)} lines pass, {failed} do not; the rest needs a longer run\n"
    )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
