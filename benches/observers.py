"""What it costs to watch a run: CPU seconds of the same run with each observer, in turn; medians of five.

python benches/observers.py [REQUESTS]
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

OBSERVERS = {
    "nothing": (),
    "--requests": ("--requests",),
    "--timeline": ("--timeline",),
    "--timeline-detail dies": ("--timeline", "--timeline-detail", "dies"),
    "--check": ("--check",),
}
DRIVE = ("--set", "nand.blocks_per_plane=64", "--set", "ftl.user_capacity=1700MB", "--precondition", "fill")
TURNS = 5


def say(line: str) -> None:
    """Show a line."""
    sys.stdout.write(line + "\n")


def cpu_s() -> float:
    """Return the CPU seconds that all children used so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(folder: Path, requests: int, observers: tuple[str, ...]) -> tuple[float, int]:
    """Return the CPU seconds of a run, and the bytes that the observers wrote."""
    limit = ("--limit-requests", str(requests), "--no-report")
    line = [sys.executable, "-m", "floatgate", "run", "slc", "random-write", *DRIVE, *limit, *observers]
    began = cpu_s()
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([*line, "--out", str(folder), "--force"], check=True, capture_output=True, env=kept)
    written = [folder / name for name in ("requests.parquet", "timeline.perfetto-trace")]
    return cpu_s() - began, sum(path.stat().st_size for path in written if path.exists())


def main() -> None:
    """Time each observer, in turn, and show the medians."""
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 400_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        empty = statistics.median(run(folder, 1, ())[0] for _ in range(TURNS))
        took: dict[str, list[float]] = {observer: [] for observer in OBSERVERS}
        wrote: dict[str, int] = {}
        for _ in range(TURNS):
            for observer, words in OBSERVERS.items():
                seconds, wrote[observer] = run(folder, requests, words)
                took[observer].append(seconds - empty)
    plain = statistics.median(took["nothing"])
    say(f"{requests:,} random writes; {empty:.2f} s of CPU to begin and end are left out")
    say(f"{'observer':24} {'CPU s':>7} {'of plain':>9} {'us/request':>11} {'bytes/request':>14}")
    for observer, seconds in took.items():
        middle = statistics.median(seconds)
        more_us = (middle - plain) / requests * 1e6
        share = middle / plain
        say(f"{observer:24} {middle:7.2f} {share:9.2f} {more_us:11.2f} {wrote[observer] / requests:14.1f}")


if __name__ == "__main__":
    main()
