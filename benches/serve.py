"""Hold a served drive to nbdkit's memory plugin, or its answers to the clock.

    python benches/serve.py [--drive sata-tlc] [--rounds 5] [--seconds 2] [--only TEXT] [--folder DIR]
                            [--server NAME=COMMAND]... [--lateness]

Each job of fio's runs on each server in turn, round after round, so that what else the machine does hits all
of them. The table has medians of IOPS, medians (least to most) of the ratios to nbdkit's memory in the same
round, and medians of the processor time that the server took for a request, which other work on the machine
changes least. `--server` names builds of floatgate to compare, with the words that start each; without it,
this one is measured. `--folder` is where images are made: /dev/shm leaves the disk out.

`--lateness` serves at pace 1 instead, and says how late answers were. Needs fio (with its engine nbd) and
nbdkit.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

SIZE = "1g"
TICKS = os.sysconf("SC_CLK_TCK")
MEMORY = "nbdkit memory"
PATIENCE_S = 60


@dataclass(frozen=True)
class Job:
    """What fio does."""

    block: str
    access: str
    depth: int

    @property
    def name(self) -> str:
        """As the table names it."""
        return f"{self.block} {self.access}, depth {self.depth}"

    def words(self) -> list[str]:
        """As fio wants it."""
        return [f"--bs={self.block}", f"--rw={self.access}", f"--iodepth={self.depth}"]


JOBS = (
    Job("4k", "randread", 1),
    Job("4k", "randwrite", 1),
    Job("4k", "randread", 32),
    Job("4k", "randwrite", 32),
    Job("4k", "randrw", 8),
    Job("64k", "randread", 8),
    Job("64k", "randwrite", 8),
)
PACED = tuple(Job("4k", access, depth) for access in ("randread", "randwrite") for depth in (1, 4, 32))


@dataclass(frozen=True)
class Server:
    """What answers."""

    address: str
    process: int

    def processor_s(self) -> float:
        """The processor time that it took so far, its threads together."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def nbdkit(folder: Path) -> Iterator[Server]:
    """Serve nbdkit's memory."""
    socket = folder / "memory.sock"
    with subprocess.Popen(["nbdkit", "--foreground", "--unix", str(socket), "memory", SIZE]) as server:
        try:
            until = time.monotonic() + PATIENCE_S
            while not socket.exists() and time.monotonic() < until:
                time.sleep(0.01)
            yield Server(f"nbd+unix:///?socket={socket}", server.pid)
        finally:
            server.terminate()


@contextmanager
def served(command: str, drive: str, folder: Path, pace: str) -> Iterator[Server]:
    """Serve a drive from its image in `folder`. The run folder is there afterwards."""
    words = ["serve", drive, "--image", str(folder / "image"), "--pace", pace, "--no-watch", "--no-report"]
    words += ["--out", str(folder / "out"), "--force"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        [*shlex.split(command), *words], stderr=subprocess.PIPE, stdout=quiet, text=True
    ) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        if not said.startswith("serving "):
            raise SystemExit(said + server.stderr.read())
        try:
            yield Server(said.split()[1], server.pid)
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate()


def fio(server: Server, *words: str) -> tuple[float, float]:
    """Run a job; give operations in a second, and microseconds of the server's processor time for each."""
    before = server.processor_s()
    usual = ["fio", "--name=job", "--ioengine=nbd", f"--uri={server.address}", f"--size={SIZE}"]
    done = subprocess.run([*usual, "--output-format=json", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    requests = job["read"]["total_ios"] + job["write"]["total_ios"]
    return job["read"]["iops"] + job["write"]["iops"], (server.processor_s() - before) * 1e6 / requests


def fill(server: Server) -> None:
    """Write all of what is measured, so that reads find data and no server makes room first."""
    fio(server, "--rw=write", "--bs=1m", "--iodepth=4")


def compare(asked: argparse.Namespace, folder: Path) -> None:
    """Print what each server reaches."""
    columns = "| job | server | IOPS | ratio to nbdkit memory | us of processor time a request |"
    print(f"{columns}\n|---|---|---|---|---|")  # noqa: T201
    with ExitStack() as kept:
        servers = {}
        for number, (name, command) in enumerate(asked.server):
            (own := folder / str(number)).mkdir()
            servers[name] = kept.enter_context(served(command, asked.drive, own, "max"))
        servers[MEMORY] = kept.enter_context(nbdkit(folder))
        for server in servers.values():
            fill(server)
        for job in JOBS:
            if asked.only not in job.name:
                continue
            timed = [*job.words(), "--time_based", f"--runtime={asked.seconds}"]
            rounds = [
                {name: fio(server, *timed) for name, server in servers.items()} for _ in range(asked.rounds)
            ]
            for name in servers:
                ratios = [one[name][0] / one[MEMORY][0] for one in rounds]
                spread = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
                iops, took = (median(one[name][figure] for one in rounds) for figure in (0, 1))
                print(f"| {job.name} | {name} | {iops:,.0f} | {spread} | {took:.1f} |", flush=True)  # noqa: T201


def lateness(asked: argparse.Namespace, folder: Path) -> None:
    """Print how late answers were at pace 1, round by round."""
    print("| job | server | IOPS | microseconds late |\n|---|---|---|---|")  # noqa: T201
    for number, (_, command) in enumerate(asked.server):
        (own := folder / str(number)).mkdir()
        with served(command, asked.drive, own, "max") as server:
            fill(server)
    for job in PACED:
        if asked.only not in job.name:
            continue
        for _ in range(asked.rounds):
            for number, (name, command) in enumerate(asked.server):
                own = folder / str(number)
                with served(command, asked.drive, own, "1") as server:
                    iops, _ = fio(server, *job.words(), "--time_based", f"--runtime={asked.seconds}")
                notes = json.loads((own / "out" / "run.json").read_text())["workload"]["notes"]
                late = dict(notes)["lateness_us"]
                print(f"| {job.name} | {name} | {iops:,.0f} | {late} |", flush=True)  # noqa: T201


def named(text: str) -> tuple[str, str]:
    """Take `NAME=COMMAND` apart."""
    name, sign, command = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text}: expected NAME=COMMAND")
    return name, command


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--drive", default="sata-tlc")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--only", default="", metavar="TEXT", help="jobs whose names have it")
    parser.add_argument("--folder", type=Path, help="where images are made")
    parser.add_argument("--server", type=named, action="append", metavar="NAME=COMMAND")
    parser.add_argument("--lateness", action="store_true")
    asked = parser.parse_args()
    asked.server = asked.server or [("floatgate", f"{shlex.quote(sys.executable)} -m floatgate")]
    missing = [program for program in ("fio", "nbdkit") if shutil.which(program) is None]
    if missing:
        raise SystemExit(f"{', '.join(missing)}: not installed: expected fio and nbdkit")
    print(f"load of the last minute before: {os.getloadavg()[0]:.1f}\n")  # noqa: T201
    with TemporaryDirectory(dir=asked.folder) as folder:
        (lateness if asked.lateness else compare)(asked, Path(folder))
    print(f"\nload of the last minute after: {os.getloadavg()[0]:.1f}")  # noqa: T201


if __name__ == "__main__":
    main()
