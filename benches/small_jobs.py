"""Count what a small job costs: CPU seconds and memory of `floatgate run`, by drive and precondition.

    python benches/small_jobs.py [--drive NAME]... [--requests 100] [--runs 3] [--trace FILE]

Each command runs `--runs` times in a process of its own, after one run that fills the caches of pilots and
pages (the column `first`); the least of each figure is shown, since other work on the machine only adds to
it. Python keeps what it compiled, as in any installation, PYTHONDONTWRITEBYTECODE or not. `--trace`
adds that trace on mqsim-default, without a precondition.
"""

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from peers.measure import environment

DRIVES = ("tlc", "nvme-tlc", "mqsim-default")
STATES = ("none", "fill", "instant")
MB = 1e6


def cost(words: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Run a command; give its CPU seconds and the most memory it held, in MB."""
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    command = [sys.executable, "-m", "floatgate", *words]
    child = os.posix_spawn(sys.executable, command, environment, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    if status != 0:
        raise SystemExit(f"floatgate {' '.join(words)}: exit status {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / MB


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--drive", action="append")
    parser.add_argument("--requests", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--trace", type=Path)
    asked = parser.parse_args()
    ask = ["random-read", "--limit-requests", str(asked.requests), "--precondition"]
    jobs = [(drive, state, [drive, *ask, state]) for drive in asked.drive or DRIVES for state in STATES]
    if asked.trace:
        jobs.append(("mqsim-default", asked.trace.name, ["mqsim-default", str(asked.trace)]))
    print("drive           state          first CPU s   CPU s   MB   without report")  # noqa: T201
    with TemporaryDirectory() as folder:
        kept = {"FLOATGATE_PILOTS": f"{folder}/pilots", "FLOATGATE_PAGES": f"{folder}/pages"}
        settings = {**environment(), **kept}
        cost(["--help"], settings)
        for drive, state, words in jobs:
            words = ["run", *words, "--out", f"{folder}/run", "--force"]
            first, _ = cost(words, settings)
            whole = [cost(words, settings) for _ in range(asked.runs)]
            bare = min(cost([*words, "--no-report"], settings)[0] for _ in range(asked.runs))
            least, held = min(one[0] for one in whole), max(one[1] for one in whole)
            print(f"{drive:15} {state:14} {first:11.2f} {least:7.2f} {held:5.0f} {bare:10.2f}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
