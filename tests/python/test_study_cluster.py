"""A study on a Dask cluster of this machine: the same table, byte for byte, also when a worker dies."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from test_cluster import TINY, TRACE, VICTIM, _cluster as clustered

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'floatgate[cluster]'")
pytest.importorskip("optuna", reason="Optuna is not installed: pip install 'floatgate[study]'")

STUDY = """
[study]
drive = "drive.toml"
workload = ["traces/a.csv", "traces/b.csv"]
seeds = 3
options = { precondition = "fill" }

[parameters]
"ftl.op_ratio" = [0.2, 0.3, 0.4]
"ftl.gc.victim.name" = ["greedy", "fifo", "mine.py:Rested"]

[objectives]
"waf" = "min"
"""
RUNS = 2 * 3 * 3 * 3


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder: no worker stands in it."""
    place = tmp_path / "user"
    (place / "traces").mkdir(parents=True)
    monkeypatch.chdir(place)
    monkeypatch.setenv("FLOATGATE_SCHEDULER_TIMEOUT", "60s")
    monkeypatch.delenv("FLOATGATE_SCHEDULER", raising=False)
    texts = {"drive.toml": TINY, "mine.py": VICTIM, "traces/a.csv": TRACE, "study.toml": STUDY}
    for name, text in (texts | {"traces/b.csv": TRACE.replace("4096,413", "8192,413")}).items():
        (place / name).write_text(text)
    return place


def begun(out: str, *words: str) -> "subprocess.Popen[str]":
    line = [sys.executable, "-m", "floatgate", "study", "study.toml", "--out", out, *words]
    return subprocess.Popen(line, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended(running: "subprocess.Popen[str]") -> None:
    _, said = running.communicate(timeout=300)
    assert running.returncode == 0, said


def test_a_cluster_gives_the_table_of_one_machine_although_a_worker_dies(place: Path, tmp_path: Path) -> None:
    ended(begun("here"))
    with clustered(tmp_path / "cluster") as cluster:
        dying = cluster.worker("one")
        cluster.worker("two")
        running = begun("there", "--scheduler", cluster.address)
        while running.poll() is None and not _rows(place / "there"):
            with suppress(subprocess.TimeoutExpired):
                running.wait(timeout=0.01)
        dying.kill()
        dying.wait()
        ended(running)
        # What is there is not run again, wherever it was run.
        again = begun("there")
        _, said = again.communicate(timeout=100)
        assert f"{RUNS} runs are there, 0 to run" in said
    table = pq.read_table(place / "there" / "results.parquet")
    assert table.num_rows == len(set(table["key"].to_pylist())) == RUNS
    assert set(table["status"].to_pylist()) == {"done"}
    here, there = ((place / name / "results.parquet").read_bytes() for name in ("here", "there"))
    assert here == there


def _rows(folder: Path) -> bool:
    return any(path.stat().st_size for path in (folder / "rows").glob("*.jsonl"))


def test_a_search_on_a_cluster_asks_what_it_asks_here(place: Path, tmp_path: Path) -> None:
    search = '[search]\nmethod = "tpe"\nruns = 36\nbatch = 3\npruner = "median"\n'
    (place / "study.toml").write_text(STUDY + search)
    ended(begun("here"))
    with clustered(tmp_path / "cluster") as cluster:
        cluster.worker("one")
        ended(begun("there", "--scheduler", cluster.address))
    here, there = ((place / name / "results.parquet").read_bytes() for name in ("here", "there"))
    assert here == there


def test_a_cluster_that_is_not_there_is_one_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOATGATE_SCHEDULER_TIMEOUT", "1s")
    running = begun("there", "--scheduler", "tcp://127.0.0.1:9")
    _, said = running.communicate(timeout=100)
    assert running.returncode == 2
    assert said.startswith("floatgate: error: tcp://127.0.0.1:9: no answer in 1s")
    assert said.count("\n") == 1
