"""`floatgate.run` as researchers use it: from notebooks, in pools of processes, with NumPy's numbers."""

import _thread
import copy
import importlib
import multiprocessing
import os
import pickle
import pkgutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import floatgate as fg
from floatgate._generated import results
from floatgate.runs import session

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests" / "drives" / "tiny.toml"
JOB = "[job]\nrw=randrw\nbs=4k\nsize=64k\nnumber_ios=20\n"
LONG = "[job]\nrw=randwrite\nbs=4k\ntime_based\nruntime=100000\n"


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "job.fio").write_text(JOB)
    return tmp_path / "job.fio"


def _numbers(run: fg.Run) -> tuple[Any, ...]:
    return run.waf, run.host.read.requests, run.latency.read.p99, run.requests().to_pylist()


@pytest.mark.parametrize("kept", ["temporary", "named"])
def test_a_run_survives_copies(kept: str, job: Path, tmp_path: Path) -> None:
    run = fg.run(TINY, job, requests=True, out=None if kept == "temporary" else tmp_path / "o")
    expected = _numbers(run)
    copies = [copy.copy(run), copy.deepcopy(run), pickle.loads(pickle.dumps(run))]
    folder = run.folder
    del run
    for one in copies:
        assert _numbers(one) == expected
        assert one.report(tmp_path / "r.html").is_file()
    del copies, one
    assert folder.exists() is (kept == "named")


def test_an_interruption_survives_copies(job: Path) -> None:
    """A worker that Ctrl-C ends hands over what it had done."""
    interrupted = fg.Interrupted(fg.run(TINY, job, requests=True))
    said, expected = str(interrupted), _numbers(interrupted.run)
    assert str(interrupted.run.folder) in said
    for one in (copy.copy(interrupted), pickle.loads(pickle.dumps(interrupted))):
        assert _numbers(one.run) == expected
        assert str(one).startswith(said.partition("(")[0])


def test_errors_survive_copies() -> None:
    """What an error is made of must be what it says to be made of, or a pool of processes breaks over it."""
    for module in pkgutil.walk_packages(fg.__path__, "floatgate."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    own: list[Any] = [error for error in _below(BaseException) if error.__module__.startswith("floatgate")]
    assert {fg.Fault, fg.InputError, fg.Interrupted} <= set(own)
    for error in own:
        assert pickle.loads(pickle.dumps(error("why"))).args == ("why",), error


def _below(kind: type[BaseException]) -> list[type[BaseException]]:
    return [kind, *(found for one in kind.__subclasses__() for found in _below(one))]


def test_a_part_of_a_result_survives_copies() -> None:
    part = results.TooShort(victims=1, needed=10, drifting=False, reason="victims")
    for one in (copy.copy(part), copy.deepcopy(part), pickle.loads(pickle.dumps(part))):
        assert one == part
        assert one.needed == 10


def test_a_policy_survives_copies() -> None:
    policy = fg.gc.victim.DChoices(d=np.int64(4))
    for one in (copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert one.overrides() == policy.overrides() == ["ftl.gc.victim.name=d-choices", "ftl.gc.victim.d=4"]
    assert copy.deepcopy(fg.gc.victim).path == fg.gc.victim.path


def _in_worker(job: Path) -> fg.Run:
    return fg.run(TINY, job, requests=True)


def test_a_worker_hands_its_run_over(job: Path) -> None:
    """The worker has ended, and its folder with it, before the run is looked at."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        run = pool.apply(_in_worker, (job,))
        pool.close()
        pool.join()
    assert _numbers(run) == _numbers(fg.run(TINY, job, requests=True))


FORK = """
import gc, os, sys
import floatgate as fg
run = fg.run(sys.argv[1], sys.argv[2])
child = os.fork()
if child == 0:
    mine = run.folder
    del run
    gc.collect()
    sys.exit(0 if mine.exists() else 3)
status = os.waitpid(child, 0)[1]
assert run.folder.exists() and run.series().num_rows, "the child took it away"
print(run.folder)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_a_forked_child_takes_nothing_away(job: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORK, str(TINY), str(job)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not Path(done.stdout.strip()).exists()  # its maker has ended


def test_numpy_and_paths_are_taken(job: Path, tmp_path: Path) -> None:
    int_like: Any = np.uint32(3)
    usual = fg.run(TINY, job, seed=3, limit_requests=15, set={"ftl.op_ratio": 0.25, "nand.planes": 1})
    given = fg.run(
        TINY,
        job,
        seed=int_like,
        limit_requests=np.int64(15),
        check=np.bool_(True),  # type: ignore[arg-type] # no type checker knows that it is as good
        set={"ftl.op_ratio": np.float64(0.25), "nand.planes": np.int8(1)},
        save_state=tmp_path / "s.state",
        out=tmp_path / "o",
    )
    assert given.host.to_dict() == usual.host.to_dict()
    again = fg.run(str(TINY), job, load_state=tmp_path / "s.state", set={"ftl.op_ratio": np.array(0.25)})
    assert again.host.completed.total == 16
    assert fg.run(TINY, job, precondition="fill", precondition_fill=np.float32(0.5)).waf is not None


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"seed": "7"}, "seed = '7': expected a whole number, not str"),
        ({"seed": 1.5}, "seed = 1.5: expected a whole number, not float"),
        ({"seed": True}, "seed = True: expected a whole number, not bool"),
        ({"check": "yes"}, "check = 'yes': expected True or False, not str"),
        ({"check": 1}, "check = 1: expected True or False, not int"),
        ({"precondition_fill": "half"}, "precondition_fill = 'half': expected a finite number, not str"),
        ({"precondition_fill": float("nan")}, "precondition_fill = nan: expected a finite number"),
        ({"limit_time": 10}, "limit_time = 10: expected a text, not int"),
        ({"volume": "hm_1"}, "volume = 'hm_1': expected texts, not str"),
        ({"force": None}, "force = None: expected True or False"),
        ({"out": 3}, "out = 3: expected a text or a path, not int"),
        ({"env": ["A=1"]}, "env: expected a mapping"),
        ({"env": {"A": 1}}, "env['A'] = 1: expected a text"),
        ({"set": {"ftl.op_ratio": None}}, "ftl.op_ratio = None: expected a number"),
        ({"set": {3: 4}}, "3: expected the name of a key"),
        ({"policies": ["greedy"]}, "policies: 'greedy': expected policies"),
        ({"seeds": 4}, "run() has no option 'seeds'"),
    ],
)
def test_a_wrong_type_is_refused_by_name(named: dict[str, Any], said: str, job: Path) -> None:
    with pytest.raises(TypeError) as refused:
        fg.run(TINY, job, **named)
    assert said in str(refused.value)


def test_wrong_files_are_refused_by_name(job: Path) -> None:
    with pytest.raises(TypeError, match="drive = 3: expected a text or a path"):
        fg.run(3, job)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="workload = None"):
        fg.run(TINY, None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="folder = 3"):
        fg.Run.open(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("named", "said"),
    [({"seed": -1}, "--seed -1"), ({"limit_requests": 0}, "--limit-requests 0"), ({"loop": 0}, "loop")],
)
def test_a_value_out_of_range_is_refused(named: dict[str, Any], said: str, job: Path) -> None:
    with pytest.raises(fg.InputError, match=said):
        fg.run(TINY, job, **named)


@pytest.mark.parametrize("handled", [True, False])
def test_ctrl_c_keeps_the_partial_result(
    handled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a notebook's kernel does it, and where no handler can be set: it comes when the core is at work."""
    (tmp_path / "long.fio").write_text(LONG)
    slices = session._slices
    if not handled:
        monkeypatch.setattr("floatgate.runs.session.signal.getsignal", lambda _number: signal.SIG_IGN)

    def interrupted(*arguments: Any) -> Any:
        asked = False
        for progress in slices(*arguments):
            if progress.host_requests and not asked:
                asked = True
                _thread.interrupt_main()
            yield progress

    monkeypatch.setattr(session, "_slices", interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as raised:
        fg.run(TINY, tmp_path / "long.fio", out=tmp_path / "o")
    assert signal.getsignal(signal.SIGINT) is before
    assert isinstance(raised.value, fg.Interrupted)
    partial = raised.value.run
    assert partial.document.interrupted
    assert partial.host.completed.total > 0
    assert fg.Run.open(tmp_path / "o").host == partial.host


def test_the_second_ctrl_c_is_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "long.fio").write_text(LONG)
    slices = session._slices

    def interrupted(*arguments: Any) -> Any:
        for progress in slices(*arguments):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            yield progress

    monkeypatch.setattr(session, "_slices", interrupted)
    with pytest.raises(KeyboardInterrupt) as raised:
        fg.run(TINY, tmp_path / "long.fio", out=tmp_path / "o")
    assert not isinstance(raised.value, fg.Interrupted)
    assert not (tmp_path / "o").exists()
