"""Two sets of runs beside each other, by pairs of the same seed: numbers, verdicts, refusals, pages."""

import csv
import json
import math
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg
from conftest import in_process
from floatgate.compare.write import page
from floatgate.results.paired import Paired, paired

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "drives" / "tiny.toml")
OPTIONS: dict[str, Any] = {"precondition": "instant", "limit_requests": 1500}
SHORT: dict[str, Any] = {"precondition": "instant", "limit_requests": 400}


def repeated(folder: Path, times: int = 6, workload: str = "random-write", **more: Any) -> Path:
    fg.repeat(TINY, workload, times, out=folder, **{**OPTIONS, **more})
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of repeated runs, by what is another in each."""
    folder = tmp_path_factory.mktemp("compare")
    repeated(folder / "greedy", set={"ftl.gc.victim.name": "greedy"})
    repeated(folder / "fifo", set={"ftl.gc.victim.name": "fifo"})
    repeated(folder / "choices", set={"ftl.gc.victim.name": "d-choices", "ftl.gc.victim.d": 3})
    repeated(folder / "eight", set={"ftl.gc.victim.name": "d-choices", "ftl.gc.victim.d": 8})
    repeated(folder / "two", set={"ftl.gc.victim.name": "fifo", "ftl.op_ratio": 0.5})
    repeated(folder / "again", set={"ftl.gc.victim.name": "greedy"})
    repeated(folder / "four", 4, set={"ftl.gc.victim.name": "fifo"})
    repeated(folder / "later", seed=20, set={"ftl.gc.victim.name": "fifo"})
    repeated(folder / "reads", workload="random-read", set={"ftl.gc.victim.name": "fifo"})
    repeated(folder / "longer", limit_requests=1600, set={"ftl.gc.victim.name": "greedy"})
    repeated(folder / "fresh", precondition="none", set={"ftl.gc.victim.name": "greedy"})
    return folder


def test_numbers_are_those_of_the_runs(runs: Path, tmp_path: Path) -> None:
    done = fg.compare(runs / "greedy", runs / "fifo", out=tmp_path / "o")
    found = done["waf"].found
    assert found is not None
    a, b = (
        [json.loads((runs / name / f"seed-{seed}" / "run.json").read_text())["waf"] for seed in range(1, 7)]
        for name in ("greedy", "fifo")
    )
    differences = [y - x for x, y in zip(a, b, strict=True)]
    mean = sum(differences) / 6
    half = 2.5706 * math.sqrt(sum((d - mean) ** 2 for d in differences) / 5 / 6)  # t(0.975, 5)
    assert found.difference == pytest.approx(mean)
    assert found.low == pytest.approx(mean - half, rel=1e-4)
    assert found.high == pytest.approx(mean + half, rel=1e-4)
    assert found.ratio == pytest.approx(sum(b) / sum(a))
    assert done["waf"].verdict == "A lower"
    assert done["host.write.iops"].verdict == "B lower"
    assert [(key.name, key.a, key.b) for key in done.keys] == [("ftl.gc.victim.name", "greedy", "fifo")]
    turned = fg.compare(runs / "fifo", runs / "greedy", metric="waf")["waf"]
    assert turned.verdict == "B lower"
    assert {path.name for path in (tmp_path / "o").iterdir()} == {
        *("compare.json", "compare.csv", "report.html", ".floatgate.json")
    }
    rows = list(csv.DictReader((tmp_path / "o" / "compare.csv").read_text().splitlines()))
    assert [row["metric"] for row in rows] == [one.metric for one in done.comparisons]
    assert float(next(row for row in rows if row["metric"] == "waf")["difference"]) == pytest.approx(mean)


def test_a_parameter_of_one_policy_is_a_key_of_its_own(runs: Path) -> None:
    done = fg.compare(runs / "choices", runs / "eight", metric=["waf"])
    assert [(key.name, key.a, key.b) for key in done.keys] == [("ftl.gc.victim.d", 3, 8)]
    done = fg.compare(runs / "greedy", runs / "eight", metric="waf")
    assert [key.name for key in done.keys] == ["ftl.gc.victim.name"]


def test_several_keys_are_compared_where_all_are_named(runs: Path) -> None:
    done = fg.compare(runs / "greedy", runs / "two", key="ftl.gc.victim,ftl.op_ratio", metric="waf")
    assert [key.name for key in done.keys] == ["ftl.gc.victim.name", "ftl.op_ratio"]
    assert fg.compare(runs / "greedy", runs / "two", key="drive", metric="waf")["waf"].pairs == 6
    assert fg.compare(runs / "greedy", runs / "longer", key="limit_requests", metric="waf")["waf"].pairs == 6
    assert [key.name for key in fg.compare(runs / "greedy", runs / "fresh").keys] == ["precondition"]


def test_seeds_without_a_partner_are_said(runs: Path, tmp_path: Path) -> None:
    repeated(tmp_path / "eight", 8, set={"ftl.gc.victim.name": "fifo"})
    done = fg.compare(runs / "greedy", tmp_path / "eight")
    assert done["waf"].pairs == 6
    assert done.notes == (f"seeds without a partner are in {tmp_path / 'eight'}, and not compared: 7, 8",)


REFUSED = {
    "same folder": ("greedy greedy", "the same folder: expected two that differ in a key"),
    "nothing differs": ("greedy again", "the same drive, workload and options"),
    "two keys": ("greedy two", "differ in 2 keys, ftl.gc.victim.name (greedy and fifo), ftl.op_ratio"),
    "one of two": ("greedy two --key ftl.op_ratio", "differ in ftl.gc.victim.name (greedy and fifo), too"),
    "no such key": ("greedy fifo --key ftl.gc.victim,ftl.op_ratoi", "--key ftl.op_ratoi: the same in"),
    "few pairs": ("greedy four", "4 pairs of runs with the same seed"),
    "no pair": ("greedy later", "no seed is in both"),
    "workload": ("greedy reads", "workload source: random-write and random-read"),
    "amount": ("greedy longer", "limit_requests (1500 and 1600): expected the same amount of work"),
    "metric": ("greedy fifo --metric wafs", "did you mean waf?"),
    "metric of nobody": ("greedy fifo --metric host.read.latency_ns.p99", "0 pairs of runs have it"),
    "empty metric": ("greedy fifo --metric waf,,waf", "an empty name"),
    "no folder": ("greedy nowhere", "nowhere: no such folder"),
    "a file": ("greedy greedy/repeat.json", "no folder"),
    "no result": ("greedy greedy/seed-1/empty", "holds no result"),
    "one run": ("greedy greedy/seed-1", "the same drive, workload and options"),
    "key twice": ("greedy fifo --key ,", "an empty name"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_compared_is_one_line(name: str, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs)
    (runs / "greedy" / "seed-1" / "empty").mkdir(exist_ok=True)
    words, said = REFUSED[name]
    ended = in_process("compare", *words.split(), "--out", "o")
    assert (ended.code, ended.out) == (2, ""), ended
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not (runs / "o").exists()


def changed(folder: Path, change: Any) -> Path:
    """Change the results in a folder."""
    for path in folder.glob("seed-*/run.json"):
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
    return folder


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: one.update(version="0.0.9"), "version: 0.1.0 and 0.0.9: expected runs of one version"),
        (
            lambda one: one.update(schema=3),
            "version: 0.1.0 and 0.1.0 (format 3): expected runs of one version",
        ),
        (lambda one: one.update(interrupted=True), "was interrupted: expected runs that came to their end"),
        (lambda one: one.update(schema=99), "expected a result of format"),
        (lambda one: one.pop("waf_parts"), "waf_parts"),
        (lambda one: one.update(seed=1), "seed 1 is that of"),
        (
            lambda one: one["config"].update({"ftl.gc.trigger.low": one["seed"]}),
            "ftl.gc.trigger.low is another",
        ),
    ],
)
def test_results_of_another_kind_are_one_line(change: Any, said: str, runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "fifo", tmp_path / "b")
    changed(tmp_path / "b", change)
    with pytest.raises(fg.InputError) as error:
        fg.compare(runs / "greedy", tmp_path / "b")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_policy_of_the_same_name_and_another_text_is_another(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    head = "import floatgate as fg\nclass Mine(fg.gc.victim.Policy):\n    def pick(self, view):"
    text = head + "  # {}\n        {}\n"
    for name in ("a", "b"):
        mine.write_text(
            text.format(name, "return view.candidates[view.valid_units[view.candidates].argmin()]")
        )
        repeated(tmp_path / name, 5, set={"ftl.gc.victim.name": f"{mine}:Mine"})
        _forget()
    (key,) = fg.compare(tmp_path / "a", tmp_path / "b", metric="waf").keys
    assert key.name == "ftl.gc.victim.name"
    assert key.a != key.b


def _forget() -> None:
    """Let a policy's file be read anew, as another command does."""
    from floatgate.own import found

    for value in vars(found).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def asked(**changes: Any) -> dict[str, Any]:
    tables: dict[str, Any] = {
        "study": {"drive": TINY, "workload": ["random-write", "random-read"], "seeds": 5, "options": SHORT},
        "parameters": {
            "ftl.gc.victim.name": ["greedy", "d-choices"],
            "ftl.gc.victim.d": {"values": [2, 8], "when": {"ftl.gc.victim.name": "d-choices"}},
            "ftl.op_ratio": [0.3, 0.5],
        },
        "objectives": {"waf": "min"},
    }
    tables["study"] = tables["study"] | changes
    return tables


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> "fg.Study":
    return fg.study(asked(), out=tmp_path_factory.mktemp("study") / "a")


def test_values_of_a_study_are_compared_in_each_combination(study: "fg.Study") -> None:
    found = study.differences("waf")
    # Three values of the policy with its parameter, each pair at two sizes; two sizes with each of the three.
    by_key = {key: [one for one in found if one.key == key] for key in {one.key for one in found}}
    assert {key: len(several) for key, several in by_key.items()} == {
        "ftl.gc.victim.name": 3 * 2,
        "ftl.gc.victim.d": 1 * 2,
        "ftl.op_ratio": 3,
    }
    for one in found:
        assert one.pairs == 5
        assert one.of["workload"] == "random-write"
    for one in by_key["ftl.op_ratio"]:
        assert one.found is not None
        assert one.found.verdict == "B lower"
    text = (study.folder / "report.html").read_text()
    assert "Paired differences" in text
    assert "d-choices, ftl.gc.victim.d 8" in text


def test_a_study_with_few_seeds_says_what_it_lacks(tmp_path: Path) -> None:
    done = fg.study(asked(seeds=2, workload="random-write"), out=tmp_path / "o")
    assert {one.found for one in done.differences("waf")} == {None}
    assert "at least 5; this study has 2 (seeds = 5)" in (tmp_path / "o" / "report.html").read_text()


def test_studies_are_compared_row_by_row(study: "fg.Study", tmp_path: Path) -> None:
    fg.study(asked(set={"ftl.buffer.size": "1MiB"}), out=tmp_path / "b")
    done = fg.compare(study.folder, tmp_path / "b", out=tmp_path / "o")
    assert [(key.name, key.b) for key in done.keys] == [("ftl.buffer.size", "1MiB")]
    assert len(done.comparisons) == 6
    assert all(one.pairs == 5 for one in done.comparisons)
    assert {one.of["ftl.op_ratio"] for one in done.comparisons} == {0.3, 0.5}
    assert (tmp_path / "o" / "report.html").read_text().count('class="plot"') == 1
    with pytest.raises(fg.InputError, match=r"a study, and .*: runs of one drive: expected two of"):
        fg.compare(study.folder, repeated(tmp_path / "runs", 5, **SHORT))
    fg.study(asked(options=SHORT | {"precondition": "fill"}), out=tmp_path / "c")
    assert [key.name for key in fg.compare(study.folder, tmp_path / "c").keys] == ["precondition"]
    fg.study(asked(workload=["random-write", "sequential-read"]), out=tmp_path / "d")
    with pytest.raises(
        fg.InputError, match=r"workload (random|sequential)-read: .*expected runs of one version"
    ):
        fg.compare(study.folder, tmp_path / "d")


def test_an_interval_covers_what_it_should() -> None:
    """Of 2,000 comparisons without difference about 5 % say one; 95 % of intervals hold the difference."""
    draw = random.Random(1)
    told = wrong = 0
    for _ in range(2_000):
        common = [draw.gauss(100, 10) for _ in range(6)]
        a = [value + draw.gauss(0, 1) for value in common]
        b = [value + draw.gauss(0, 1) for value in common]
        told += paired(range(6), a, b).verdict != "cannot be told"
        raised = paired(range(6), a, [value * 1.1 for value in b])
        assert raised.ratio_low is not None
        assert raised.ratio_high is not None
        wrong += not raised.ratio_low <= 1.1 <= raised.ratio_high
        assert (raised.ratio_low > 1) == (raised.low > 0)
    # Binomial with p = 0.05: 100 +- 9.7; five of these.
    assert 52 <= told <= 148
    assert 52 <= wrong <= 148


NO_NOTE = "no difference of note"


@pytest.mark.parametrize(
    ("a", "b", "ratio", "verdict"),
    [
        ([2.0] * 5, [2.0] * 5, (1.0, 1.0, 1.0), NO_NOTE),
        # Surely more, by less than three decimals show; and by as much as they show.
        ([2e3, 3e3, 4e3, 5e3, 6e3], [2001.0, 3001.0, 4001.0, 5001.0, 6001.01], None, NO_NOTE),
        (
            [2000.0, 3000.0, 4000.0, 5000.0, 6000.0],
            [2004.0, 3004.0, 4004.0, 5004.0, 6004.01],
            None,
            "A lower",
        ),
        # Perhaps the same, and no more apart than three decimals show; and perhaps further apart.
        ([2000.0] * 5, [2000.1, 1999.9, 2000.1, 1999.9, 2000.1], None, NO_NOTE),
        ([2000.0] * 5, [2010.0, 1990.0, 2010.0, 1990.0, 2000.1], None, "cannot be told"),
        ([2.0] * 5, [3.0] * 5, (1.5, 1.5, 1.5), "A lower"),
        ([0.0] * 5, [3.0] * 5, (None, None, None), "A lower"),
        ([0.0] * 5, [0.0] * 5, (None, None, None), NO_NOTE),
        ([0.0] * 5, [1.0, -1.0, 1.0, -1.0, 0.1], (None, None, None), "cannot be told"),
        ([1.0, 2.0, 3.0, 4.0, 5.0], [0.9, 1.9, 2.9, 3.9, 4.9], None, "B lower"),
        ([-1.0, 1.0, -1.0, 1.0, 0.0], [9.0, 8.0, 9.0, 8.0, 9.0], (None, None, None), "A lower"),
    ],
)
def test_pairs_at_the_edge(a: list[float], b: list[float], ratio: Any, verdict: str) -> None:
    found: Paired = paired(range(5), a, b)
    assert found.verdict == verdict
    if ratio is not None:
        assert (found.ratio, found.ratio_low, found.ratio_high) == pytest.approx(ratio)


def test_a_page_shows_every_comparison(runs: Path) -> None:
    done = fg.compare(runs / "greedy", runs / "fifo")
    text = page(done)
    assert "8 A lower" in text or "A lower" in text
    assert all(f"{one.pairs}" in text for one in done.comparisons)
    assert done._repr_html_().count("<tr") >= len(done.comparisons)
