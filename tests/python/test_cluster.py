"""Work on a Dask cluster: a scheduler and two workers as processes of their own, on loopback.

The workers stand in empty folders of their own. What a command leaves is what it leaves on one machine.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from conftest import one_line_error
from floatgate.errors import InputError
from floatgate.files import digest
from floatgate.inputs import workload as workloads
from floatgate.inputs.plan import Plan
from floatgate.options import Options
from floatgate.runs.repeat import repeat
from floatgate.workers import crew, note, spread, stopping
from floatgate.workers.cache import Cache
from floatgate.workers.inputs import of_plan

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'floatgate[cluster]'")

ROOT = Path(__file__).parents[2]
TINY = (ROOT / "tests" / "drives" / "tiny.toml").read_text()
VICTIM = (ROOT / "python" / "floatgate" / "own" / "skeletons" / "victim.py").read_text()
JOB = "[job]\nrw=randwrite\nbs=4k\nsize=4m\nnumber_ios=4000\n"
TRACE = "".join(
    f"{128166372003061629 + 10_000 * n},hm,1,{'Write' if n % 3 else 'Read'},{n * 7 % 900 * 4096},4096,413\n"
    for n in range(3000)
)
WORKERS = ("one", "two")


def _paths() -> str:
    """Where processes of the tests find this file, besides what they find anyhow."""
    return os.pathsep.join((str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")))


class Cluster:
    """A scheduler and workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, list[subprocess.Popen[bytes]]()
        self.file = folder / "scheduler.json"
        self._start("scheduler", "--no-dashboard", "--port", "0")
        self._until(self._is_told)
        self.address: str = json.loads(self.file.read_text())["address"]

    def _is_told(self) -> bool:
        """Whether the scheduler said where it is: its file is there before anything is in it."""
        return self.file.exists() and self.file.read_text().rstrip().endswith("}")

    def worker(self, name: str, *words: str) -> "subprocess.Popen[bytes]":
        """Start a worker in a folder of its own; killed, it stays dead."""
        return self._start("worker", "--no-dashboard", "--no-nanny", "--nthreads", "1", *words, folder=name)

    def _start(self, kind: str, *words: str, folder: str = ".") -> "subprocess.Popen[bytes]":
        place = self.folder / folder
        place.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1"]
        paths = os.pathsep.join((str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")))
        environment = os.environ | {"FLOATGATE_CACHE": str(place / "cache"), "PYTHONPATH": paths}
        with (self.folder / f"{kind}-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, "--scheduler-file", str(self.file), *words],
                cwd=place,
                stdout=log,
                stderr=log,
                env=environment,
            )
        self.processes.append(process)
        return process

    def _until(self, there: Callable[[], bool]) -> None:
        while not there():
            with suppress(subprocess.TimeoutExpired):  # as long as it lives
                self.processes[0].wait(timeout=0.01)
                raise AssertionError("the scheduler ended")

    def end(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with _cluster(tmp_path_factory.mktemp("cluster")) as found:
        for name in WORKERS:
            found.worker(name)
        yield found


@contextmanager
def _cluster(folder: Path) -> Iterator[Cluster]:
    found = Cluster(folder)
    try:
        yield found
    finally:
        found.end()


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded machine takes its time to start a worker."""
    monkeypatch.setenv("FLOATGATE_SCHEDULER_TIMEOUT", "60s")
    monkeypatch.delenv("FLOATGATE_SCHEDULER", raising=False)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, with files that no worker has."""
    place = tmp_path / "user"
    (place / "traces").mkdir(parents=True)
    monkeypatch.chdir(place)
    texts = {"drive.toml": TINY, "mine.py": VICTIM, "traces/t.csv": TRACE, "job.fio": "include rest.inc\n"}
    for name, text in (texts | {"rest.inc": JOB}).items():
        (place / name).write_text(text)
    return place


def command(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "floatgate", *words], capture_output=True, text=True, timeout=120, check=False
    )


def left(folder: str | Path) -> dict[str, bytes]:
    """What a command left in a folder, without what a run cost."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
            if path.name == "run.json":
                document = json.loads(path.read_bytes())
                del document["engine"]
                found[str(path.relative_to(folder))] = json.dumps(document).encode()
    return found


@pytest.mark.parametrize(
    ("absolute", "workload", "more"),
    [(False, "traces/t.csv", ["--requests"]), (True, "job.fio", ["--no-report"])],
)
def test_repeated_runs_leave_what_they_leave_on_one_machine(
    absolute: bool, workload: str, more: list[str], cluster: Cluster, place: Path
) -> None:
    before = f"{place}/" if absolute else ""
    words = ["run", f"{before}drive.toml", before + workload, "--repeat", "3", *more]
    words += ["--set", f"ftl.gc.victim.name={before}mine.py:Rested", "--set", "ftl.gc.victim.rest=100"]
    here = command(*words, "--out", "here")
    there = command(*words, "--out", "there", "--scheduler", cluster.address)
    assert (here.returncode, there.returncode) == (0, 0), here.stderr + there.stderr
    assert there.stdout == here.stdout
    mine = left("here")
    assert len(mine) > 10
    assert left("there") == mine


def test_a_grid_leaves_what_it_leaves_on_one_machine(
    cluster: Cluster, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["grid", "drive.toml", "--block", "4k,8k", "--op", "read", "--file-size", "1MiB"]
    words += ["--time", "100ms", "--depth", "1,2", "--pattern", "random"]
    assert command(*words, "--out", "here").returncode == 0
    monkeypatch.setenv("FLOATGATE_SCHEDULER", cluster.address)
    assert command(*words, "--out", "there").returncode == 0
    assert left("there") == left("here")


def plan(drive: str = "drive.toml", workload: str = "job.fio") -> Plan:
    return Plan(drive, workloads.resolve(workload), (), Options())


def test_a_killed_worker_loses_nothing_and_counts_nothing_twice(place: Path) -> None:
    with _cluster(place.parent / "small") as small:
        one = small.worker("one")
        killed: list[float] = []

        def progress(part: float) -> None:
            """Once something is done and the rest is not, let a second worker come, and the first go."""
            if part and not killed:
                killed.append(part)
                small.worker("two")
                os.kill(one.pid, signal.SIGKILL)

        mine = plan()
        done = repeat(mine, 12, Path("there"), report=False, scheduler=small.address, progress=progress)
    assert 0 < killed[0] < 1
    repeat(mine, 12, Path("here"), report=False)
    assert done.seeds == tuple(range(1, 13))
    assert left("there") == left("here")


def test_files_are_read_where_workers_keep_them(cluster: Cluster, place: Path) -> None:
    """By then they are no longer where their names say, neither here nor there."""
    plans = [plan(f"{before}drive.toml", f"{before}traces/t.csv") for before in ("", f"{place}/")]
    inputs = [file for one in plans for file in of_plan(one)]
    with crew(scheduler=cluster.address, inputs=inputs) as team:
        for name in ("drive.toml", "traces"):
            (place / name).rename(place.parent / f"moved-{name}")
        refused = team.submit(_numbers, plan("tlc", "job.fio"))  # which was never sent
        found = [team.submit(_numbers, one).result() for one in plans]
        with pytest.raises(InputError, match=r"job\.fio: "):
            refused.result()
    for name in ("drive.toml", "traces"):
        (place.parent / f"moved-{name}").rename(place / name)
    assert found == [_numbers(one) for one in plans]
    sent = {
        Cache(cluster.folder / name / "cache").folder / digest(file) for file in inputs for name in WORKERS
    }
    assert len(sent) == 4
    assert all(path.is_file() for path in sent)


def _numbers(plan: Plan) -> Any:
    from floatgate.runs import session

    document = session.drive(plan.open(), plan).document
    del document["engine"]
    return document


def test_a_damaged_file_of_the_cache_is_sent_again(cluster: Cluster, place: Path) -> None:
    (place / "traces/t.csv").write_text(TRACE[: len(TRACE) // 2].rpartition("\n")[0] + "\n")
    words = [
        "run",
        "drive.toml",
        "traces/t.csv",
        "--repeat",
        "2",
        "--scheduler",
        cluster.address,
        "--no-report",
    ]
    assert command(*words, "--out", "one").returncode == 0
    for path in cluster.folder.glob("*/cache/*"):
        path.write_bytes(b"rust")
    assert command(*words, "--out", "two").returncode == 0
    assert left("two") == left("one")


def test_what_is_wrong_is_said_in_the_words_of_one_machine(cluster: Cluster, place: Path) -> None:
    (place / "traces/t.csv").write_text(TRACE + "1,hm,1,Wrote,0,4096,413\n")
    for before in ("", f"{place}/"):
        words = ["run", f"{before}drive.toml", f"{before}traces/t.csv", "--repeat", "2", "--out", "out"]
        said = one_line_error(command(*words))
        assert one_line_error(command(*words, "--scheduler", cluster.address)) == said
        assert "Wrote" in said


def test_work_that_is_told_to_stop_leaves_what_was_done(cluster: Cluster, place: Path) -> None:
    (place / "job.fio").write_text("[job]\nrw=randwrite\nbs=4k\nsize=4m\ntime_based=1\nruntime=1000d\n")
    done = repeat(plan(), 3, Path("out"), report=False, scheduler=cluster.address, stopped=lambda: True)
    assert done.interrupted
    assert len(list(Path("out").glob("seed-*/run.json"))) == 3


_ENDLESS = """
import sys
from floatgate.workers import crew
import test_cluster

with crew(scheduler=sys.argv[1]) as team:
    for number in range(team.count):
        team.submit(test_cluster.endless, number)
    print(team.submit(abs, -1).result(), flush=True)
"""


def endless(number: int) -> int:
    """Work until told to stop."""
    if number:
        return number
    while not stopping():
        note(0.5)
    return number


def test_work_of_a_killed_command_stops(cluster: Cluster, place: Path) -> None:
    """Its worker would have no time for anybody else."""
    paths = os.environ | {"PYTHONPATH": _paths()}
    words = [sys.executable, "-c", _ENDLESS, cluster.address]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=paths) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == b"1\n"
        killed.kill()
    assert spread(abs, range(-8, 0), scheduler=cluster.address) == list(range(8, 0, -1))


def test_work_that_fails_ends_the_rest_with_its_error(cluster: Cluster) -> None:
    with pytest.raises(TypeError, match="bad operand"):
        spread(abs, ["a", *range(50)], scheduler=cluster.address)
    assert spread(abs, range(-200, 0), scheduler=cluster.address) == list(range(200, 0, -1))


def test_a_chip_on_the_bench_is_the_same_anywhere(cluster: Cluster, place: Path) -> None:
    words = ["characterize", "hy27us08121a", "--blocks", "4", "--experiment", "endurance"]
    words += ["--experiment", "all-pages", "--experiment", "page-order"]
    assert command(*words, "--workers", "1", "--out", "here").returncode == 0
    assert command(*words, "--scheduler", cluster.address, "--out", "there").returncode == 0
    assert command(*words, "--workers", "2", "--out", "both").returncode == 0
    assert left("there") == left("here")
    assert left("both") == left("here")


def test_lives_beside_each_other_are_the_same_anywhere(cluster: Cluster, place: Path) -> None:
    words = ["age", "drive.toml", "--set", "nand.tables.pe_cycles=[0]"]
    words += ["--set", 'nand.tables.t_prog=["200us", "400us"]', "--set", 'nand.tables.t_bers=["1ms"]']
    words += ["--set", "nand.tables.endurance.cycles=[150, 160, 170]", "--set", "ftl.op_ratio=0.4"]
    words += ["--compare", "ftl.wear.name=none,static", "--measure", "0"]
    here = command(*words, "--out", "here.html")
    there = command(*words, "--out", "there.html", "--scheduler", cluster.address)
    assert (here.returncode, here.stdout) == (there.returncode, there.stdout), here.stderr + there.stderr
    assert here.returncode == 0
    assert Path("there.html").read_bytes() == Path("here.html").read_bytes()


def test_a_scheduler_that_dies_ends_the_command(place: Path) -> None:
    with _cluster(place.parent / "small") as small:
        small.worker("one")
        (place / "job.fio").write_text("[job]\nrw=randwrite\nbs=4k\nsize=4m\ntime_based=1\nruntime=1000d\n")
        with crew(scheduler=small.address, inputs=of_plan(plan())) as team:
            assert team.submit(abs, -1).result() == 1
            waits = team.submit(_numbers, plan())
            small.processes[0].kill()
            with pytest.raises(InputError, match="the scheduler is gone"):
                waits.result(timeout=120)


def test_a_worker_of_another_floatgate_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = place.parent / "other.py"
    other.write_text(
        "from floatgate.workers import identity\nidentity.identity = lambda: '0.0.1 (of another day)'\n"
    )
    words = ("run", "drive.toml", "job.fio", "--repeat", "2", "--out", "out", "--scheduler")
    with _cluster(place.parent / "small") as small:
        monkeypatch.setenv("FLOATGATE_SCHEDULER_TIMEOUT", "1s")
        said = one_line_error(command(*words, small.address))
        assert said.startswith(f"{small.address}: no worker in 1s: expected one")
        monkeypatch.setenv("FLOATGATE_SCHEDULER_TIMEOUT", "60s")
        small.worker("other", "--preload", str(other))
        said = one_line_error(command(*words, small.address))
    assert "a worker with Floatgate 0.0.1 (of another day): expected " in said
    assert not (place / "out").exists()


def test_a_scheduler_that_does_not_answer_is_refused_in_time(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOATGATE_SCHEDULER_TIMEOUT", "1s")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        words = ("run", "drive.toml", "job.fio", "--repeat", "2", "--out", "out")
        said = one_line_error(command(*words, "--scheduler", address))
        monkeypatch.setenv("FLOATGATE_SCHEDULER", address)
        assert one_line_error(command(*words)) == said
    assert said.startswith(f"{address}: no answer in 1s: expected a Dask scheduler")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--scheduler", "host"), "--scheduler host: expected the address of a Dask scheduler"),
        (
            ("--scheduler", "tcp://127.0.0.1:1", "--workers", "2"),
            "--workers 2: a cluster has its own number of workers",
        ),
    ],
)
def test_an_address_is_one_and_says_all(words: tuple[str, ...], said: str, place: Path) -> None:
    grid = ("grid", "drive.toml", "--block", "4k", "--op", "read", "--file-size", "1MiB", "--out", "out")
    assert one_line_error(command(*grid, *words)).startswith(said)
