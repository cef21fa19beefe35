"""What a second worker brings: `python benches/parallel.py`, in seconds by the clock and of the processor.

Each question is asked with one worker and with two, in turn: seeds and configurations of a study, points of a
grid. Processor time counts all processes. On a machine that does nothing else, the wall times tell the gain.
On a busy one they do not; there, twice the processor time with one worker over that with two is the most it
can be: all that a second worker costs is in it.
"""

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

TINY = str(Path(__file__).parents[1] / "tests" / "drives" / "tiny.toml")
STUDY = """[study]
drive = "{drive}"
workload = "random-write"
seeds = 8
options = {{ precondition = "fill", limit_requests = {requests}, loop = 100 }}

[parameters]
"ftl.op_ratio" = [0.25, 0.35]

[objectives]
waf = "min"
"""
GRID = ["--block", "4KiB", "--depth", "1,2,4,8,16,32", "--pattern", "random", "--op", "read,write"]


def questions(folder: Path) -> dict[str, list[str]]:
    """Return the commands, without their workers."""
    short, long = folder / "short.toml", folder / "long.toml"
    short.write_text(STUDY.format(drive=TINY, requests=400_000))
    long.write_text(STUDY.format(drive=TINY, requests=2_000_000))
    return {
        "short study": ["study", str(short)],
        "long study": ["study", str(long)],
        "grid": ["grid", "slc", *GRID],
    }


def cost(words: list[str]) -> tuple[float, float]:
    """Return the wall time and the processor time of a command."""
    with TemporaryDirectory() as out:
        return _cost([*words, "--out", f"{out}/out"])


def _cost(words: list[str]) -> tuple[float, float]:
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "floatgate", *words], capture_output=True, text=True)
    took = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"floatgate {' '.join(words)}: exit status {done.returncode}: {done.stderr.strip()}")
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=["short study", "long study", "grid"])
    asked = parser.parse_args()
    say("| question | workers | wall s | CPU s | 2 against 1, wall | at most, by CPU |")
    say("|---|---|---|---|---|---|")
    with TemporaryDirectory() as temporary:
        for name, words in questions(Path(temporary)).items():
            if asked.only not in (None, name):
                continue
            rounds = [
                [cost([*words, "--workers", str(count)]) for count in (1, 2)] for _ in range(asked.rounds)
            ]
            one, two = (
                [median(part) for part in zip(*(r[at] for r in rounds), strict=True)] for at in (0, 1)
            )
            say(f"| {name} | 1 | {one[0]:.1f} | {one[1]:.1f} | | |")
            gain = f"{one[0] / two[0]:.2f} | {2 * one[1] / two[1]:.2f}"
            say(f"| {name} | 2 | {two[0]:.1f} | {two[1]:.1f} | {gain} |")


if __name__ == "__main__":
    main()
