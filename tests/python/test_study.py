"""Studies: what is asked, what is run, what stays when they are stopped, killed, changed or shared."""

import copy
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import floatgate as fg
from conftest import in_process
from floatgate.errors import InputError
from floatgate.study import numbers
from floatgate.study.spec import of, read

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "drives" / "tiny.toml")
OPTIONS = {"precondition": "fill", "limit_requests": 400}

MINE = """
import floatgate as fg

class Mine(fg.gc.victim.Policy):
    d: int = 2

    def pick(self, view):
        {body}
"""
GREEDY = "return view.candidates[view.valid_units[view.candidates].argmin()]"


def study(**changed: Any) -> dict[str, Any]:
    """A small study with some of its tables changed."""
    tables: dict[str, Any] = {
        "study": {"drive": TINY, "workload": ["random-write", "random-read"], "seeds": 2, "options": OPTIONS},
        "parameters": {"ftl.op_ratio": [0.2, 0.4], "ftl.gc.victim.name": ["greedy", "fifo"]},
        "objectives": {"waf": "min"},
    }
    return tables | changed


def rows(folder: Path) -> list[dict[str, Any]]:
    table: list[dict[str, Any]] = pq.read_table(folder / "results.parquet").to_pylist()
    return table


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "o"
    fg.study(study(), out=folder, workers=2)
    return folder


def test_a_full_grid_has_a_row_for_every_run(done: Path) -> None:
    found = rows(done)
    assert len(found) == 2 * 2 * 2 * 2
    cells = {
        (row["set.ftl.op_ratio"], row["set.ftl.gc.victim.name"], row["workload"], row["seed"])
        for row in found
    }
    assert len(cells) == 16
    assert {row["status"] for row in found} == {"done"}
    assert len({row["key"] for row in found}) == 16
    assert [row["configuration"] for row in found] == sorted(row["configuration"] for row in found)


def test_a_row_has_the_numbers_of_its_run(done: Path) -> None:
    row = rows(done)[0]
    run = fg.run(TINY, row["workload"], seed=row["seed"], precondition="fill", limit_requests=400,
                 set={"ftl.op_ratio": row["set.ftl.op_ratio"], "ftl.gc.victim.name": "greedy"})  # fmt: skip
    expected = numbers.numbers(json.loads((run.folder / "run.json").read_text()))
    assert expected["host.write.latency_ns.p99"] > 0
    assert {name: row[name] for name in expected} == expected
    assert {name for name, value in row.items() if value is not None} - set(expected) == {
        *("configuration", "drive", "workload", "seed", "status", "key", "remarks"),
        *("set.ftl.op_ratio", "set.ftl.gc.victim.name"),
    }


def test_columns_say_their_unit_and_meaning(done: Path) -> None:
    schema = pq.read_schema(done / "results.parquet")
    says = {name: schema.field(name).metadata or {} for name in schema.names}
    assert says["host.write.latency_ns.p99"][b"unit"] == b"ns"
    assert all(one[b"meaning"] for one in says.values())


def test_the_number_of_workers_changes_no_byte(done: Path, tmp_path: Path) -> None:
    fg.study(study(), out=tmp_path / "o", workers=1)
    assert (tmp_path / "o" / "results.parquet").read_bytes() == (done / "results.parquet").read_bytes()


def test_pandas_polars_and_duckdb_read_it(done: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    path = done / "results.parquet"
    assert len(pandas.read_parquet(path)) == len(polars.read_parquet(path)) == 16
    opened = fg.Study.open(done)
    assert len(opened.pandas()) == len(opened.polars()) == 16


def test_starting_again_runs_nothing(done: Path) -> None:
    began: list[tuple[int, int]] = []
    again(done, study(), began)
    assert began == [(16, 0)]


def again(folder: Path, asked: dict[str, Any], began: list[tuple[int, int]], **more: Any) -> list[str]:
    """Go on with a study; note how many runs were there and missing, and return what it says has changed."""
    from floatgate.study.conduct import Listener
    from floatgate.study.run import run_study

    said: list[str] = []

    def begin(there: int, missing: int, changes: list[str]) -> None:
        began.append((there, missing))
        said.extend(changes)

    run_study(of(asked, "study"), folder, listener=Listener(began=begin), **more)
    return said


def test_a_wider_study_runs_what_it_lacks(tmp_path: Path) -> None:
    began: list[tuple[int, int]] = []
    narrow = study(parameters={"ftl.op_ratio": [0.2]})
    again(tmp_path / "o", narrow, began)
    wide = study(parameters={"ftl.op_ratio": [0.1, 0.2, 0.3]})
    said = again(tmp_path / "o", wide, began)
    assert began == [(0, 4), (4, 8)]
    assert said == []
    again(tmp_path / "o", narrow, began)
    assert began[-1] == (4, 0)
    assert len(rows(tmp_path / "o")) == 4
    again(tmp_path / "o", wide, began)
    assert began[-1] == (12, 0)


def test_what_changed_is_said_before_it_runs_again(tmp_path: Path) -> None:
    drive, job, policy = tmp_path / "mine.toml", tmp_path / "job.fio", tmp_path / "mine.py"
    drive.write_text(Path(TINY).read_text())
    job.write_text("[a]\nrw=randwrite\nbs=4k\nnumber_ios=300\nsize=2m\n")
    policy.write_text(MINE.format(body=GREEDY))
    asked = study(
        study={"drive": str(drive), "workload": [str(job), "random-write"], "options": OPTIONS},
        parameters={"ftl.gc.victim.name": ["greedy", f"{policy}:Mine"]},
    )
    began: list[tuple[int, int]] = []
    again(tmp_path / "o", asked, began)
    assert began == [(0, 4)]

    # What a run does not depend on runs nothing again.
    drive.write_text("# of my own\n" + Path(TINY).read_text().replace("op_ratio = ", "op_ratio  =  "))
    job.write_text("# mine\n[a]\nbs=4k\nrw=randwrite\nnumber_ios=300\nsize=2m\n")
    assert again(tmp_path / "o", asked, began) == []
    assert began[-1] == (4, 0)

    job.write_text("[a]\nrw=randwrite\nbs=4k\nnumber_ios=301\nsize=2m\n")
    assert again(tmp_path / "o", asked, began) == [f"{job} has another content"]
    assert began[-1] == (2, 2)

    policy.write_text(MINE.format(body="return view.candidates[0]"))
    assert again(tmp_path / "o", asked, began) == [
        f"{drive}: ftl.gc.victim.name = {policy}:Mine stands for something else"
    ]
    assert began[-1] == (2, 2)

    asked["study"]["options"] = OPTIONS | {"limit_requests": 300}
    assert again(tmp_path / "o", asked, began) == ["options: limit_requests was 400, is 300"]
    assert began[-1] == (0, 4)


def test_results_of_another_meaning_are_neither_read_nor_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, began = study(parameters={"ftl.op_ratio": [0.2]}), []  # type: ignore[var-annotated]
    with monkeypatch.context() as before:
        before.setattr("floatgate.study.identity.NEWEST", 4)
        before.setattr("floatgate.study.result.NEWEST", 4)
        again(tmp_path / "o", asked, began)
    record = json.loads((tmp_path / "o" / "study.json").read_text())
    del record["inputs"]["results"]  # as it was written then
    (tmp_path / "o" / "study.json").write_text(json.dumps(record))
    with pytest.raises(
        InputError, match=r"results have format 4: expected 5 .*of bytes, not of mapping units"
    ):
        fg.Study.open(tmp_path / "o")
    (said,) = again(tmp_path / "o", asked, began)
    assert began == [(0, 4), (0, 4)], "not one row of before is taken"
    assert said.startswith("results had format 4, have 5: write amplification is of bytes")
    assert len(rows(tmp_path / "o")) == 4


def test_a_figure_that_is_not_settled_is_called_so(done: Path) -> None:
    """400 writes of 4 KiB, and a buffer that holds 32."""
    from floatgate.study.show import rows as shown

    found = fg.Study.open(done)
    assert all([flag.kind for flag in one.flags("waf")] for one in found.configurations())
    assert all("not settled" in row[-1] for row in shown(found.spec, found.configurations()))


def test_conditional_parameters_stand_only_where_they_apply(tmp_path: Path) -> None:
    asked = study(
        study={"drive": TINY, "workload": "random-write", "options": OPTIONS},
        parameters={
            "ftl.gc.victim.d": {"values": [2, 8], "when": {"ftl.gc.victim.name": "d-choices"}},
            "ftl.gc.victim.name": ["greedy", "d-choices"],
        },
    )
    fg.study(asked, out=tmp_path / "o")
    found = [(row["set.ftl.gc.victim.name"], row["set.ftl.gc.victim.d"]) for row in rows(tmp_path / "o")]
    assert found == [("greedy", None), ("d-choices", 2), ("d-choices", 8)]


def test_a_refused_drive_is_a_row_with_its_reason(tmp_path: Path) -> None:
    asked = study(
        study={"drive": TINY, "workload": "random-write", "options": OPTIONS},
        parameters={"ftl.gc.victim.name": ["greedy", "d-choices"], "ftl.gc.victim.d": [2]},
    )
    done = fg.study(asked, out=tmp_path / "o")
    assert done.runs == {"done": 1, "refused": 1, "failed": 0, "pruned": 0, "missing": 0}
    refused = rows(tmp_path / "o")[0]
    assert refused["status"] == "refused"
    assert "it needs ftl.gc.victim.name = d-choices" in refused["reason"]
    assert refused["waf"] is None
    assert done.problem is not None
    assert done.problem.startswith("1 of 2 runs were refused: ")
    began: list[tuple[int, int]] = []
    again(tmp_path / "o", asked, began)
    again(tmp_path / "o", asked, began, retry=True)
    assert began == [(2, 0), (1, 1)]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return 10**9", "mine.py"),
        ("raise ValueError('no idea')", "ValueError: no idea"),
        ("return 1 // 0", "ZeroDiv"),
    ],
)
def test_a_policy_that_fails_is_told_and_costs_nothing_else(body: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.format(body=body))
    name = f"{tmp_path / 'mine.py'}:Mine"
    (tmp_path / "s.toml").write_text(
        f"""
        [study]
        drive = "{TINY}"
        workload = "random-write"
        options = {{ precondition = "fill", limit_requests = 2000 }}
        [parameters]
        "ftl.gc.victim.name" = ["greedy", "{name}"]
        """
    )
    ended = in_process("study", str(tmp_path / "s.toml"), "--out", str(tmp_path / "o"))
    assert ended.code == 2
    last = ended.err.strip().splitlines()[-1]
    assert last.startswith("floatgate: error: 1 of 2 runs failed: ")
    assert reason in last
    assert [row["status"] for row in rows(tmp_path / "o")] == ["done", "failed"]


def test_parameters_of_a_policy_in_python_and_variables_of_a_job(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.format(body=GREEDY))
    (tmp_path / "job.fio").write_text("[a]\nrw=randwrite\nbs=4k\nnumber_ios=200\nsize=2m\niodepth=${DEPTH}\n")
    mine = f"{tmp_path / 'mine.py'}:Mine"
    asked = {
        "study": {"drive": TINY, "workload": str(tmp_path / "job.fio"), "env": {"DEPTH": "1"}},
        "parameters": {
            "ftl.gc.victim.name": [mine],
            "ftl.gc.victim.d": [1, 2],
            "env.DEPTH": [1, 8],
        },
    }
    fg.study(asked, out=tmp_path / "o")
    found = {(row["set.env.DEPTH"], row["host.write.iops"]) for row in rows(tmp_path / "o")}
    assert len(rows(tmp_path / "o")) == 4
    assert len(found) == 2  # the depth tells, the parameter without a reader does not
    wrong = asked | {"parameters": {"ftl.gc.victim.name": [mine], "ftl.gc.victim.e": [1]}}
    with pytest.raises(fg.InputError, match=r"ftl\.gc\.victim\.e: no configuration has such a key"):
        fg.study(wrong)


DESIGNS = {
    "random": 12, "lhs": 12, "sobol": 8, "saltelli": 8, "tpe": 12, "nsga2": 12,
}  # fmt: skip


def searched(method: str, **more: Any) -> dict[str, Any]:
    objectives = {"waf": "min", "capacity_bytes": "max"} if method == "nsga2" else {"waf": "min"}
    return study(
        study={"drive": TINY, "workload": "random-write", "options": OPTIONS},
        parameters={
            "ftl.op_ratio": {"from": 0.15, "to": 0.5},
            "ftl.gc.victim.name": ["greedy", "fifo"],
        },
        objectives=objectives,
        search={"method": method, "runs": 12, **more},
    )


@pytest.mark.parametrize("method", DESIGNS)
def test_every_method_repeats_itself_and_goes_on(method: str, tmp_path: Path) -> None:
    batch = {"batch": 4} if method in ("tpe", "nsga2") else {}
    asked = searched(method, **batch)
    first = fg.study(asked, out=tmp_path / "a", workers=1)
    assert 0 < first.runs["done"] <= DESIGNS[method]
    # Half of it is lost; the rest is asked for again, in the same order.
    lost = sorted((tmp_path / "a" / "rows").glob("*.parquet"))
    kept = pq.read_table(lost[0])
    pq.write_table(kept.slice(0, len(kept) // 2), lost[0])
    fg.study(asked, out=tmp_path / "a", workers=2)
    fg.study(asked, out=tmp_path / "b", workers=2)
    assert (tmp_path / "a" / "results.parquet").read_bytes() == (
        tmp_path / "b" / "results.parquet"
    ).read_bytes()
    other = searched(method, **batch, seed=2)
    if method != "saltelli":
        fg.study(other, out=tmp_path / "c")
        assert rows(tmp_path / "c")[0]["set.ftl.op_ratio"] != rows(tmp_path / "a")[0]["set.ftl.op_ratio"]


@pytest.mark.parametrize("method", ["grid", "random", "tpe"])
def test_several_drives(method: str, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(Path(TINY).read_text().replace('t_bers = "1ms"', 't_bers = "9ms"'))
    drives = [TINY, str(tmp_path / "other.toml")]
    asked = study(
        study={"drive": drives, "workload": "random-write", "options": OPTIONS},
        parameters={"ftl.op_ratio": [0.2, 0.3, 0.4]},
        search={} if method == "grid" else {"method": method, "runs": 8},
    )
    done = fg.study(asked, out=tmp_path / "o")
    assert {row["drive"] for row in rows(tmp_path / "o")} == set(drives)
    assert len({one.drive for one in done.configurations()}) == 2


def test_a_budget_of_time_ends_a_study_that_goes_on(tmp_path: Path) -> None:
    asked = searched("random", time="1ns")
    done = fg.study(asked, out=tmp_path / "o")
    assert done.record["ended"] == "time"
    assert done.interrupted
    assert done.runs["missing"] > 0
    whole = fg.study(searched("random"), out=tmp_path / "o")
    assert not whole.interrupted
    assert whole.runs["done"] == 12


def test_a_search_finds_what_a_constraint_leaves(tmp_path: Path) -> None:
    asked = searched("nsga2", batch=12) | {"constraints": {"waf": "< 1.6"}}
    asked["search"]["runs"] = 48
    done = fg.study(asked, out=tmp_path / "o")
    front = done.front()
    assert len(front) > 2
    assert all(one.numbers["waf"] < 1.6 for one in front)  # type: ignore[operator]
    assert any(not one.feasible for one in done.configurations())
    # Along a front, what is better in one is worse in the other.
    capacities = [one.numbers["capacity_bytes"] for one in front]
    assert capacities == sorted(capacities)  # type: ignore[type-var]


def test_a_pruner_ends_runs_early_the_same_way_each_time(tmp_path: Path) -> None:
    asked = searched("tpe", batch=4, pruner="median")
    asked["search"]["runs"] = 24
    asked["study"]["options"] = {"precondition": "fill", "limit_requests": 20_000}
    done = fg.study(asked, out=tmp_path / "a", workers=2)
    assert done.runs["pruned"] > 0
    fg.study(asked, out=tmp_path / "b", workers=1)
    assert (tmp_path / "a" / "results.parquet").read_bytes() == (
        tmp_path / "b" / "results.parquet"
    ).read_bytes()
    pruned = next(row for row in rows(tmp_path / "a") if row["status"] == "pruned")
    whole = next(row for row in rows(tmp_path / "a") if row["status"] == "done")
    assert pruned["host.write.requests"] < whole["host.write.requests"]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "key": (study(parameters={"ftl.gc.victm.name": ["greedy"]}), "did you mean ftl.gc.victim.name"),
    "name": (study(parameters={"ftl.gc.victim.name": ["greedi"]}), "did you mean greedy"),
    "number for a name": (study(parameters={"ftl.gc.victim.name": [3]}), "expected one of"),
    "empty product": (study(parameters={"ftl.op_ratio": []}), "an empty product"),
    "twice": (study(parameters={"ftl.op_ratio": [0.2, 0.2]}), "a value twice"),
    "no list": (study(parameters={"ftl.op_ratio": 0.2}), "expected a list of values"),
    "no steps": (study(parameters={"ftl.op_ratio": {"from": 0.1, "to": 0.2}}), "expected steps"),
    "turned": (study(parameters={"ftl.op_ratio": {"from": 0.3, "to": 0.2, "steps": 3}}), "a smaller from"),
    "log of 0": (
        study(parameters={"ftl.op_ratio": {"from": 0, "to": 0.2, "steps": 3, "log": True}}), "above 0"),
    "objective": (study(objectives={"host.read.p99": "min"}), "did you mean host.read.latency_ns.p99"),
    "aim": (study(objectives={"waf": "low"}), "objectives.waf"),
    "no number": (study(objectives={"host.read.latency_ns": "min"}), "no result has such a number"),
    "constraint": (study(constraints={"waf": "about 3"}), "expected one of <= >= < >"),
    "condition": (
        study(parameters={"ftl.op_ratio": {"values": [0.2], "when": {"ftl.gc.name": "x"}}}),
        "no parameter is called"),
    "no such value": (
        study(parameters={"ftl.gc.victim.name": ["greedy"],
                          "ftl.op_ratio": {"values": [0.2], "when": {"ftl.gc.victim.name": "fifo"}}}),
        "expected one of its values"),
    "drive": (study(study={"drive": "no-such", "workload": "random-write"}), "unknown drive"),
    "workload": (study(study={"drive": TINY, "workload": "random-wrote"}), "did you mean random-write"),
    "option": (
        study(study={"drive": TINY, "workload": "random-write", "options": {"limit_reqests": 1}}),
        "did you mean limit_requests"),
    "option of one run": (
        study(study={"drive": TINY, "workload": "random-write", "options": {"timeline": True}}),
        "no such option"),
    "seeds": (study(study={"drive": TINY, "workload": "random-write", "seeds": 0}), "a number from 1 to"),
    "fixed twice": (
        study(study={"drive": TINY, "workload": "random-write", "set": {"ftl.op_ratio": 0.1}}),
        "is a parameter, too"),
    "fixed key": (
        study(study={"drive": TINY, "workload": "random-write", "set": {"ftl.op_ratoi": 0.1}}),
        "ftl.op_ratio"),
    "method": (study(search={"method": "annealing", "runs": 3}), "search.method"),
    "runs of a grid": (study(search={"method": "grid", "runs": 3}), "a full grid has its own"),
    "no runs": (study(search={"method": "tpe"}), "search.runs is missing"),
    "too few": (study(search={"method": "random", "runs": 3}), "expected at least 4"),
    "nothing wanted": (study(objectives={}, search={"method": "tpe", "runs": 30}), "at least one objective"),
    "pruner of two": (
        study(objectives={"waf": "min", "capacity_bytes": "max"},
              search={"method": "tpe", "runs": 30, "pruner": "median"}),
        "one objective"),
    "time": (study(search={"method": "random", "runs": 30, "time": "0s"}), "a time above 0"),
    "unknown table": (study(objectifs={"waf": "min"}), "objectifs"),
    "policy": (study(parameters={"ftl.gc.victim.name": ["nowhere.py:Mine"]}), "nowhere.py"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line(name: str, tmp_path: Path) -> None:
    asked, expected = BAD[name]
    with pytest.raises(fg.InputError) as error:
        fg.study(asked, out=tmp_path / "o")
    assert expected in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "o").exists()


def test_a_file_says_its_line(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('[study]\ndrive = "tlc"\nworkload = "random-write"\nseed = 3\n[parameters]\n')
    with pytest.raises(fg.InputError, match=r"s\.toml:4: study\.seed: unknown key \(did you mean seeds\?\)"):
        read(path)


def test_an_objective_that_no_run_has_is_told(tmp_path: Path) -> None:
    asked = study(
        study={"drive": TINY, "workload": "random-read", "options": OPTIONS},
        objectives={"host.write.latency_ns.p99": "min"},
    )
    done = fg.study(asked, out=tmp_path / "o")
    assert done.problem is not None
    assert "host.write.latency_ns.p99: no run has this number" in done.problem
    assert done.runs["done"] == 4


def test_a_folder_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(fg.InputError, match="no study"):
        fg.study(study(), out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


LONG = f"""
[study]
drive = "{TINY}"
workload = "random-write"
seeds = 14
options = {{ precondition = "fill", limit_requests = 3000 }}
[parameters]
ftl.op_ratio = [0.2, 0.3, 0.4]
[objectives]
waf = "min"
"""


def command(folder: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "floatgate", "study", "s.toml", "--out", "o", *words],
        cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait_for_rows(folder: Path, running: "subprocess.Popen[str]") -> None:
    """Return once the study has written a row or two, or has ended."""
    while running.poll() is None:
        if any(path.stat().st_size for path in (folder / "o" / "rows").glob("*.jsonl")):
            return


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_study_that_was_stopped_goes_on(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(LONG)
    running = command(tmp_path)
    wait_for_rows(tmp_path, running)
    running.send_signal(how)
    _, said = running.communicate(timeout=100)
    ends = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}
    assert running.returncode in (0, ends[how]), said
    if how == signal.SIGINT and running.returncode:
        assert said.strip().endswith("goes on from here")
    began: list[tuple[int, int]] = []
    again(tmp_path / "o", dict(read_toml(tmp_path / "s.toml")), began)
    there, missing = began[0]
    assert there > 0
    assert there + missing == 42
    fg.study(read_toml(tmp_path / "s.toml"), out=tmp_path / "whole")
    assert (tmp_path / "o" / "results.parquet").read_bytes() == (
        tmp_path / "whole" / "results.parquet"
    ).read_bytes()


def read_toml(path: Path) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(path.read_text())


def test_two_commands_share_a_folder(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(LONG)
    both = [command(tmp_path, "--workers", "1"), command(tmp_path, "--workers", "1")]
    for one in both:
        _, said = one.communicate(timeout=200)
        assert one.returncode == 0, said
    found = rows(tmp_path / "o")
    assert len(found) == len({row["key"] for row in found}) == 42
    done = fg.Study.open(tmp_path / "o")
    assert done.runs["done"] == 42


def test_torn_and_foreign_lines_cost_nothing(tmp_path: Path) -> None:
    asked = study(parameters={"ftl.op_ratio": [0.2]})
    fg.study(asked, out=tmp_path / "o")
    before = (tmp_path / "o" / "results.parquet").read_bytes()
    # Another command was killed while it wrote.
    (tmp_path / "o" / "rows" / "0123.jsonl").write_text(
        '{"key": "x", "status": "done", "reason": null, "numb'
    )
    began: list[tuple[int, int]] = []
    again(tmp_path / "o", asked, began)
    assert began == [(4, 0)]
    assert (tmp_path / "o" / "results.parquet").read_bytes() == before
    assert not list((tmp_path / "o" / "rows").glob("*.jsonl"))


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    asked = study(parameters={"ftl.op_ratio": [0.2]})
    fg.study(asked, out=tmp_path / "o")
    rows_file = next((tmp_path / "o" / "rows").glob("*.parquet"))
    rows_file.write_bytes(b"PAR1 no more")
    with pytest.raises(fg.InputError, match="expected a file that a study wrote"):
        fg.study(asked, out=tmp_path / "o")


def test_without_out_it_lives_as_long_as_the_object() -> None:
    done = fg.study(study(parameters={"ftl.op_ratio": [0.2]}))
    folder = done.folder
    assert done.table().num_rows == 4
    assert "4 done" in done._repr_html_()
    del done
    assert not folder.exists()


def test_json_says_where_the_best_is(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(LONG.replace("seeds = 14", "seeds = 2"))
    ended = in_process("study", str(tmp_path / "s.toml"), "--out", str(tmp_path / "o"), "--format", "json")
    assert ended.code == 0, ended.err
    said = json.loads(ended.out)
    assert said["runs"]["done"] == 6
    assert said["front"][0]["values"] == {"ftl.op_ratio": 0.4}


FULL = {
    "study": {"drive": [TINY], "workload": ["random-write"], "seeds": [1, 2], "options": dict(OPTIONS),
              "set": {"ftl.buffer.size": "128KiB"}, "env": {}},
    "parameters": {
        "ftl.op_ratio": {"from": 0.1, "to": 0.4, "steps": 3, "log": True},
        "ftl.gc.victim.name": ["greedy", "d-choices"],
        "ftl.gc.victim.d": {"values": [2, 8], "when": {"ftl.gc.victim.name": ["d-choices"]}},
    },
    "objectives": {"waf": "min"},
    "constraints": {"waf": "< 3"},
    "search": {"method": "tpe", "runs": 40, "time": "1h", "seed": 3, "batch": 5,
               "over": "worst", "pruner": "median"},
}  # fmt: skip
HOSTILE: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**30, 0.5, float("nan"), float("inf"), "", "x", "\0"),
    *([], {}, [[]], [{}], {"a": {"b": []}}, "9" * 400),
)


def places_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield (*path, key)
        yield from places_of(below, (*path, key))


def test_whatever_stands_in_a_study_is_taken_or_refused_in_one_line() -> None:
    from floatgate.study.check import check
    from floatgate.study.rounds import Rounds

    said, taken = [], 0
    for path in places_of(FULL):
        for hostile in HOSTILE:
            asked = copy.deepcopy(FULL)
            owner: Any = asked
            for part in path[:-1]:
                owner = owner[part]
            owner[path[-1]] = hostile
            try:
                next(iter(Rounds(check(of(asked)))))
                taken += 1
            except fg.InputError as error:
                said.append(str(error))
            except Exception as error:
                raise AssertionError(f"{path} = {hostile!r}: {error!r}") from error
    assert len(said) > 300
    assert not [one for one in said if "\n" in one]
    assert taken > 20


@pytest.mark.parametrize("part", ["study", "runs", "inputs", "table", "sampler", "name", "schema"])
def test_a_record_of_anybody_is_one_line_or_a_study(part: str, tmp_path: Path) -> None:
    asked = study(parameters={"ftl.op_ratio": [0.2]})
    fg.study(asked, out=tmp_path / "o")
    path = tmp_path / "o" / "study.json"
    record = json.loads(path.read_text())
    said = []
    others: tuple[Any, ...] = (None, 3, "x", [], {}, {"a": {"b": []}})
    for hostile in others:
        path.write_text(json.dumps(record | {part: hostile}))
        for use in (
            lambda: fg.Study.open(tmp_path / "o").summary(),
            lambda: fg.study(asked, out=tmp_path / "o"),
        ):
            try:
                use()
            except fg.InputError as error:
                said.append(str(error))
    assert not [one for one in said if "\n" in one]


def test_the_page_shows_the_example() -> None:
    page = (ROOT / "docs" / "how-to" / "studies.md").read_text()
    shown = page.split('title="victims.toml"\n')[1].split("```")[0]
    example = (ROOT / "examples" / "study" / "victims.toml").read_text()
    assert example.partition("\n")[2] == shown
    assert len(example.splitlines()) <= 20
