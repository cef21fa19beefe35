"""What a run says of its numbers, many say: each remark and flag goes wherever the number goes."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import floatgate as fg
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import resolve
from floatgate.options import Options
from floatgate.results import flags
from floatgate.results.remarks import RULES
from floatgate.study.one import Task, run as run_one
from floatgate.study.report import write_report
from floatgate.study.store import REMARKS, Store
from floatgate.study.table import assemble, write_results

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "drives" / "tiny.toml")
OPTIONS = {"precondition": "instant", "limit_requests": 400}
NUMBERS = ("waf", "waf_long_run.value", "host.write.iops", "host.write.latency_ns.p99")
SEEDS = 5
SAYING = 2  # seeds whose runs make the remark

SOURCE = (ROOT / "python" / "floatgate" / "results" / "remarks.py").read_text()
KINDS = sorted(set(re.findall(r'Remark\(\s*"(\w+)"', SOURCE)))


def remark(kind: str) -> dict[str, str]:
    return {"kind": kind, "text": f"What {kind} says.", "advice": f"do about {kind}"}


def test_every_remark_raises_a_flag_or_says_that_it_raises_none() -> None:
    assert len(KINDS) >= len(RULES) - 1
    assert set(KINDS) <= set(flags.FLAGS) | flags.PLAIN
    assert not set(flags.FLAGS) & flags.PLAIN


def test_a_flag_counts_the_runs_that_have_it() -> None:
    kinds = [["too_short"], [], ["too_short", "padding"], []]
    (raised,) = flags.flagged("waf", kinds)
    assert str(raised) == "too short to say in 2 of 4 runs"
    assert str(flags.flagged("waf_long_run.value", [["too_short"]])[0]) == "too short to say"
    assert flags.flagged("host.write.iops", kinds) == ()
    assert flags.flagged("wafer", kinds) == ()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Repeated runs with one policy and with another."""
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for policy in ("greedy", "fifo"):
        found[policy] = folder / policy
        fg.repeat(TINY, "random-write", SEEDS, set={"ftl.gc.victim.name": policy}, out=found[policy],
                  precondition="instant", limit_requests=400)  # fmt: skip
    return found


def saying(kind: str, folder: Path) -> None:
    """Let some of the runs in a folder have said this, and no other thing."""
    for seed in range(1, SEEDS + 1):
        path = folder / f"seed-{seed}" / "run.json"
        document = json.loads(path.read_text())
        path.write_text(json.dumps(document | {"remarks": [remark(kind)] if seed <= SAYING else []}))


def numbers_of(kind: str) -> list[str]:
    """The numbers that a remark flags."""
    return [number for number in NUMBERS if flags.flagged(number, [[kind]])]


@pytest.mark.parametrize("kind", KINDS)
def test_a_remark_goes_into_the_summary_of_repeated_runs(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import floatgate.runs.repeat as module
    from floatgate.results.folder import read_json as read
    from floatgate.shell import console

    def said(path: Path) -> dict[str, Any]:
        document = read(path)
        return document | {"remarks": [remark(kind)] if document["seed"] <= SAYING else []}

    monkeypatch.setattr(module, "read_json", said)
    plan = Plan(TINY, resolve("random-write"), (), Options(precondition="instant", limit_requests=400))
    done = module.repeat(plan, SEEDS, tmp_path / "o", report=False)
    document = json.loads((tmp_path / "o" / "repeat.json").read_text())
    assert document["remarks"] == [remark(kind) | {"runs": SAYING, "of": SEEDS}]
    console.print_repeated(done)
    printed = capsys.readouterr().out
    assert f"note: in {SAYING} of {SEEDS} runs: What {kind} says. Advice: do about {kind}." in printed
    for number in numbers_of(kind):
        raised = document["metrics"][number]["flags"]
        assert [(one["kind"], one["runs"]) for one in raised] == [(kind, SAYING)]
        assert f"{flags.FLAGS[kind].says} in {SAYING} of {SEEDS} runs" in printed


@pytest.mark.parametrize("kind", KINDS)
def test_a_remark_goes_into_comparisons(
    kind: str, runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from floatgate.commands.compare import _print

    saying(kind, runs["greedy"])
    saying("padding", runs["fifo"])
    done = fg.compare(runs["greedy"], runs["fifo"], metric=",".join(NUMBERS), out=tmp_path / "o")
    assert [one.kind for one in done.remarks_a] == [kind]
    assert [(one.kind, one.runs, one.of) for one in done.remarks_b] == [("padding", SAYING, SEEDS)]
    _print(done)
    texts = [capsys.readouterr().out, (tmp_path / "o" / "report.html").read_text()]
    texts.append((tmp_path / "o" / "compare.json").read_text())
    assert all(f"What {kind} says." in text for text in texts)
    texts.append((tmp_path / "o" / "compare.csv").read_text())
    for number in numbers_of(kind):
        assert [one.kind for one in done[number].flags_a] == [kind]
        assert done[number].flags_b == ()
        assert all(flags.FLAGS[kind].says in text for text in texts)


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "o"
    asked = {
        "study": {"drive": TINY, "workload": "random-write", "seeds": SEEDS, "options": OPTIONS},
        "parameters": {"ftl.gc.victim.name": ["greedy", "fifo"]},
        "objectives": {"waf": "min", "host.write.latency_ns.p99": "min"},
    }
    fg.study(asked, out=folder)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_a_remark_goes_into_rows_and_the_report_of_a_study(
    kind: str, studied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from floatgate.commands.study import _print

    table = pq.read_table(studied / "results.parquet")
    said = [[remark(kind)] if seed in range(1, SAYING + 1) else [] for seed in table["seed"].to_pylist()]
    place = table.column_names.index(REMARKS)
    changed = table.set_column(place, table.schema.field(place), [said])
    pq.write_table(changed, studied / "results.parquet")
    study = fg.Study.open(studied)
    assert [(one.kind, one.runs, one.of) for one in study.remarks] == [(kind, 2 * SAYING, 2 * SEEDS)]
    _print(study)
    write_report(study, tmp_path / "report.html")
    texts = [capsys.readouterr().out, (tmp_path / "report.html").read_text()]
    assert all(f"What {kind} says." in text for text in texts)
    summary = study.summary()
    assert summary["remarks"] == [remark(kind) | {"runs": 2 * SAYING, "of": 2 * SEEDS}]
    for number in (one for one in study.spec.needed if one in numbers_of(kind)):
        assert all([one.kind for one in each.flags(number)] == [kind] for each in study.configurations())
        assert all(flags.FLAGS[kind].says in text for text in texts)
        assert all(each["flags"][number][0]["kind"] == kind for each in summary["front"])
        assert all([one.kind for one in each.flags_a] == [kind] for each in study.differences(number))


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_of_a_study_keeps_its_remarks(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import floatgate.study.one as module
    from floatgate.study.spec import of
    from floatgate.study.table import Run

    monkeypatch.setattr(module, "remarks", lambda _document: [remark(kind)])
    plan = Plan(TINY, resolve("random-write"), (), Options(precondition="instant", limit_requests=400))
    store = Store(tmp_path)
    outcome = run_one(Task("k", plan))
    assert outcome is not None
    store.add(outcome)
    store.close()
    spec = of({"study": {"drive": TINY, "workload": "random-write"}, "parameters": {}})
    write_results(tmp_path, assemble(spec, [Run(0, TINY, "random-write", 1, {}, "k")], store.table()))
    (row,) = pq.read_table(tmp_path / "results.parquet").to_pylist()
    assert row[REMARKS] == [remark(kind)]


def test_a_number_that_some_runs_lack_is_no_gap_in_the_summary(tmp_path: Path) -> None:
    done = fg.repeat(TINY, "random-write", 6, precondition="instant", limit_requests=60, out=tmp_path / "o")
    values = {metric.name: interval for metric, interval in done.metrics}
    assert values["waf_long_run.value"] is None
    assert "too_short" in {one.kind for one in done.flags["waf_long_run.value"]}
    assert "too_short" in {one.kind for one in done.flags["waf"]}
    assert done.document["metrics"]["waf_long_run.value"]["samples"] < 6
