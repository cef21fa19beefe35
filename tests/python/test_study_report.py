"""The report of a study on tables whose answers are known, and its best configurations as drive files."""

import base64
import gzip
import html
import itertools
import json
import math
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from math import pi, sin, sqrt
from pathlib import Path
from statistics import fmean, pstdev, stdev
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floatgate as fg
from conftest import in_process
from floatgate import _core
from floatgate.files import shipped
from floatgate.study import design
from floatgate.study.aggregate import Configuration, front as best_of
from floatgate.study.drive_files import commands, settings, write_drive_files
from floatgate.study.report import effect_figures, fronts, parallel, sensitivity, write_report
from floatgate.study.report.data import BINS, read
from floatgate.study.report.effects import Effect, effects
from floatgate.study.report.page import headline
from floatgate.study.report.quantity import quantity
from floatgate.study.result import Study
from floatgate.study.spec import Objective, Spec, of
from floatgate.study.table import Run, assemble

TINY = str(Path(__file__).parents[1] / "drives" / "tiny.toml")
OPTIONS: dict[str, Any] = {"precondition": "fill", "limit_requests": 400}
DONE = ("done", None)

Measure = Callable[[Run], dict[str, float]]
Status = Callable[[Run], "tuple[str, str | None] | None"]  # None: not run yet


def asked(**changed: Any) -> dict[str, Any]:
    """A study of two parameters, six configurations, with some of its tables changed."""
    tables: dict[str, Any] = {
        "study": {"drive": "tlc", "workload": "random-write", "seeds": 2},
        "parameters": {"ftl.op_ratio": [0.1, 0.2, 0.3], "ftl.gc.victim.name": ["greedy", "fifo"]},
        "objectives": {"waf": "min"},
    }
    return tables | changed


def made(
    folder: Path,
    study: Mapping[str, Any],
    measure: Measure,
    *,
    status: Status = lambda _run: DONE,
    name: str = "known",
    found: Sequence[Mapping[str, Any]] | None = None,
) -> Study:
    """Write the folder of a study whose runs came to what `measure` says; `found` are its configurations."""
    spec = of(study, name)
    values = design.configurations(spec) if found is None else found
    combined = list(itertools.product(values, spec.drives))
    runs = [
        Run(number, drive, workload, seed, one, f"{number}-{workload}-{seed}")
        for number, (one, drive) in enumerate(combined)
        for workload in spec.workloads
        for seed in spec.seeds
    ]
    there = [(run, *ended) for run in runs if (ended := status(run)) is not None]
    numbers = [measure(run) if ended == "done" else {} for run, ended, _ in there]
    columns = sorted({key for one in numbers for key in one})
    stored = pa.table(
        {
            "key": pa.array([run.key for run, _, _ in there], pa.string()),
            "status": pa.array([ended for _, ended, _ in there], pa.string()),
            "reason": pa.array([reason for _, _, reason in there], pa.string()),
            **{key: pa.array([one.get(key) for one in numbers]) for key in columns},
        }
    )
    return written(folder, spec, assemble(spec, runs, stored), len(runs), len(combined))


def written(folder: Path, spec: Spec, table: pa.Table, runs: int, points: int) -> Study:
    """Write a study's table, and return the study."""
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, folder / "results.parquet")
    ended = table["status"].to_pylist()
    counts = {one: ended.count(one) for one in ("done", "refused", "failed", "pruned")}
    record = {
        "schema": 1,
        "version": "0.1.0",
        "name": spec.name,
        "study": spec.written,
        "sampler": {"method": spec.search.method, "package": "SALib", "version": "1.6", "seed": 1},
        "runs": counts | {"missing": runs - len(ended)},
        "design": {"points": points},
        "table": "",
        "ended": None,
        "inputs": {},
    }
    return Study(folder, spec, record)


def again(study: Study) -> Study:
    """Return a study read anew."""
    return Study(study.folder, study.spec, study.record)


def additive(run: Run) -> dict[str, float]:
    """10 for each 0.1 of space, 3 for fifo, and seeds that are 1 apart."""
    fifo = run.values.get("ftl.gc.victim.name") == "fifo"
    return {"waf": 100 * run.values.get("ftl.op_ratio", 0.2) + 3 * fifo + run.seed - 1.5}


def page_of(study: Study, path: Path) -> str:
    return write_report(study, path).read_text()


def figures_of(text: str) -> dict[str, Any]:
    """Return what a page draws."""
    found = re.search(r'id="figures">([^<]*)<', text)
    if found is None:
        return {}
    drawn: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(found[1])))["figures"]
    return drawn


def words(text: str) -> str:
    """Return what a page says, without its script, style and markup."""
    bare = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", bare)))


# Main effects


def by_name(found: Sequence[Effect]) -> dict[str, Effect]:
    return {one.factor.name: one for one in found}


def test_main_effects_of_an_additive_number_are_its_parts(tmp_path: Path) -> None:
    data = read(made(tmp_path, asked(), additive))
    found = by_name(effects(data, "waf", None))
    op = found["ftl.op_ratio"]
    assert [one.place for one in op.levels] == [0.1, 0.2, 0.3]
    assert [one.mean for one in op.levels] == pytest.approx([11.5, 21.5, 31.5])
    # Two configurations a level, 3 apart: Student's t with one degree of freedom.
    half = 12.7062 * stdev([10, 13]) / sqrt(2)
    assert [one.half for one in op.levels] == pytest.approx([half] * 3, rel=1e-5)
    victims = found["ftl.gc.victim.name"]
    assert [one.label for one in victims.levels] == ["greedy", "fifo"]
    assert [one.mean for one in victims.levels] == pytest.approx([20, 23])
    assert [one.half for one in victims.levels] == pytest.approx([4.30265 * 10 / sqrt(3)] * 2, rel=1e-5)
    assert [one.configurations for one in victims.levels] == [3, 3]


def test_the_share_of_variance_is_epsilon_squared(tmp_path: Path) -> None:
    data = read(made(tmp_path, asked(), additive))
    found = by_name(effects(data, "waf", None))
    total, within = 6 * (pstdev([10, 20, 30]) ** 2 + 1.5**2), 6 * 1.5**2
    assert found["ftl.op_ratio"].share == pytest.approx(1 - within / 3 * 5 / total)
    assert found["ftl.gc.victim.name"].share == 0.0  # less than chance alone would put there


GRID: dict[str, Any] = {
    "ftl.op_ratio": [0.1, 0.2, 0.3, 0.4],
    "ftl.gc.victim.name": ["greedy", "fifo", "random"],
    "ftl.gc.read_ahead": [1, 2],
}


def test_what_the_others_do_by_themselves_is_taken_out(tmp_path: Path) -> None:
    """A number of two parts, and a third that is there only where two parameters meet."""
    study = asked(study={"drive": "tlc", "workload": "random-write"}, parameters=GRID)

    def measure(run: Run) -> dict[str, float]:
        op, ahead = run.values["ftl.op_ratio"], run.values["ftl.gc.read_ahead"]
        together = 1 if (op > 0.25) == (ahead == 2) else -1
        return {"waf": 100 * op + together}

    found = by_name(effects(read(made(tmp_path, study, measure)), "waf", None))
    op, ahead = found["ftl.op_ratio"], found["ftl.gc.read_ahead"]
    assert all(one.evened for one in found.values())
    assert [one.mean for one in op.levels] == pytest.approx([10, 20, 30, 40])
    # What is left is +-1 everywhere; of 24 configurations the fit of 1 + 3 + 2 + 1 numbers takes seven.
    assert [one.half for one in op.levels] == pytest.approx([2.570582 * sqrt(24 / 17 / 6)] * 4, rel=1e-5)
    assert [one.half for one in ahead.levels] == pytest.approx([2.200985 * sqrt(24 / 17 / 12)] * 2, rel=1e-5)
    squares = 6 * (15**2 + 5**2 + 5**2 + 15**2)
    assert op.share == pytest.approx((squares - 3 * 24 / 17) / (squares + 24))
    assert (ahead.share, found["ftl.gc.victim.name"].share) == (0.0, 0.0)


def test_values_that_stand_beside_different_others_compare(tmp_path: Path) -> None:
    """Fifo was run with little space only; it is 3 worse all the same, and not 3 and what the space does."""
    study = asked(parameters=GRID)

    def status(run: Run) -> tuple[str, str | None] | None:
        fifo = run.values["ftl.gc.victim.name"] == "fifo"
        return None if fifo and run.values["ftl.op_ratio"] < 0.35 else DONE

    data = read(made(tmp_path, study, additive, status=status))
    means = {one.label: one.mean for one in by_name(effects(data, "waf", None))["ftl.gc.victim.name"].levels}
    assert means["fifo"] - means["greedy"] == pytest.approx(3)
    assert means["random"] - means["greedy"] == pytest.approx(0, abs=1e-9)


def test_a_condition_takes_nothing_from_the_parameter_it_is_on(tmp_path: Path) -> None:
    parameters = {
        "ftl.gc.victim.name": ["greedy", "d-choices"],
        "ftl.gc.victim.d": {"values": [2, 4], "when": {"ftl.gc.victim.name": "d-choices"}},
        "ftl.gc.read_ahead": [1, 2, 3, 4],
    }

    def measure(run: Run) -> dict[str, float]:
        return {"waf": 20.0 - run.values.get("ftl.gc.victim.d", 0) + 5 * run.values["ftl.gc.read_ahead"]}

    found = by_name(effects(read(made(tmp_path, asked(parameters=parameters), measure)), "waf", None))
    assert all(one.evened for one in found.values())
    d, names = found["ftl.gc.victim.d"], found["ftl.gc.victim.name"]
    assert [one.mean for one in d.levels] == pytest.approx([30.5, 28.5])
    assert names.levels[0].mean - names.levels[1].mean == pytest.approx(3)


def test_each_workload_has_its_own_effects(tmp_path: Path) -> None:
    study = asked(study={"drive": "tlc", "workload": ["random-write", "random-read"], "seeds": 2})
    data = read(
        made(
            tmp_path,
            study,
            lambda run: {"waf": additive(run)["waf"] * (2 if run.workload == "random-read" else 1)},
        )
    )
    for workload, times in ((0, 1), (1, 2), (None, 1.5)):
        levels = by_name(effects(data, "waf", workload))["ftl.op_ratio"].levels
        assert [one.mean for one in levels] == pytest.approx([11.5 * times, 21.5 * times, 31.5 * times])
    assert effect_figures.lines(data) == [0, 1]


def test_with_one_parameter_the_interval_is_that_of_the_seeds(tmp_path: Path) -> None:
    study = asked(parameters={"ftl.op_ratio": [0.1, 0.2]})
    for workload in (None, 0):
        (found,) = effects(read(made(tmp_path / "o", study, additive)), "waf", workload)
        assert [one.mean for one in found.levels] == pytest.approx([10, 20])
        assert [one.half for one in found.levels] == pytest.approx(
            [12.7062 * sqrt(0.5) / sqrt(2)] * 2, rel=1e-5
        )
        assert found.share is None


def test_with_one_parameter_and_one_seed_there_is_no_interval(tmp_path: Path) -> None:
    study = asked(study={"drive": "tlc", "workload": "random-write"}, parameters={"ftl.op_ratio": [0.1, 0.2]})
    done = made(tmp_path, study, additive)
    (found,) = effects(read(done), "waf", None)
    assert [one.half for one in found.levels] == [None, None]
    assert "nothing is known of its spread" in page_of(done, tmp_path / "r.html")


def test_a_range_is_cut_into_bins_of_equally_many(tmp_path: Path) -> None:
    study = asked(
        study={"drive": "tlc", "workload": "random-write"},
        parameters={"ftl.op_ratio": {"from": 0.1, "to": 0.9}},
        search={"method": "lhs", "runs": 800},
    )
    data = read(made(tmp_path, study, additive))
    (found,) = effects(data, "waf", None)
    assert [one.configurations for one in found.levels] == [800 // BINS] * BINS
    for one in found.levels:
        assert one.mean == pytest.approx(100 * one.place - 0.5)  # seed 1 alone
    edges = np.quantile(sorted(100 * one.values["ftl.op_ratio"] - 0.5 for one in data.found), [0, 1 / BINS])
    assert edges[0] < found.levels[0].mean < edges[1]


def test_a_condition_leaves_out_where_it_does_not_hold(tmp_path: Path) -> None:
    study = asked(
        parameters={
            "ftl.gc.victim.name": ["greedy", "d-choices"],
            "ftl.gc.victim.d": {"values": [2, 4], "when": {"ftl.gc.victim.name": "d-choices"}},
        }
    )
    data = read(made(tmp_path, study, lambda run: {"waf": float(run.values.get("ftl.gc.victim.d", 9))}))
    found = by_name(effects(data, "waf", None))
    assert [(one.place, one.mean) for one in found["ftl.gc.victim.d"].levels] == [(2, 2), (4, 4)]
    assert [one.mean for one in found["ftl.gc.victim.name"].levels] == [9, 3]


def test_lists_of_all_kinds_keep_their_order(tmp_path: Path) -> None:
    parameters = {
        "a": [True, False],
        "b": ["z", "a"],
        "c": [0, 0.5],
        "d": [1, "auto", True],
        "e": [1000, 1, 2],
        "f": [0, 1, 1000],
    }
    data = read(made(tmp_path, asked(parameters=parameters), lambda _run: {"waf": 1.0}))
    levels = {one.name: one.labels for one in data.factors}
    assert levels == {
        "a": ("true", "false"),
        "b": ("z", "a"),
        "c": ("0", "0.5"),
        "d": ("1", "auto", "true"),
        "e": ("1", "2", "1000"),  # on a scale, a logarithmic one
        "f": ("0", "1", "1000"),  # evenly spaced: 0 and 1 are one point of a scale
    }
    scales = {one.name for one in data.factors if one.is_scale}
    assert scales == {"c", "e"}
    assert all((one.levels >= 0).all() for one in data.factors)
    chosen = [dict(settings(data.spec, one)) for one in data.found]
    assert chosen == design.configurations(data.spec)
    assert {type(one["d"]) for one in chosen} == {int, str, bool}


# Sobol indices


def ishigami(run: Run) -> dict[str, float]:
    x, y, z = (pi * (2 * run.values[name] - 1) for name in "xyz")
    return {"waf": 1000 + sin(x) + 7 * sin(y) ** 2 + 0.1 * z**4 * sin(x)}


SALTELLI: dict[str, Any] = {
    "study": {"drive": "tlc", "workload": "random-write"},
    "parameters": {name: {"from": 0.0, "to": 1.0} for name in "xyz"},
    "search": {"method": "saltelli", "runs": 1024 * 5},
}


def test_sobol_indices_of_ishigamis_function(tmp_path: Path) -> None:
    data = read(made(tmp_path, asked(**SALTELLI), ishigami))
    assert sensitivity.why_not(data) is None
    found = sensitivity.indices(data, "waf", 0, None)
    assert found is not None
    # Closed forms for a = 7, b = 0.1.
    variance = 7**2 / 8 + 0.1 * pi**4 / 5 + 0.1**2 * pi**8 / 18 + 0.5
    first = [0.5 * (1 + 0.1 * pi**4 / 5) ** 2 / variance, 7**2 / 8 / variance, 0]
    both = 0.1**2 * pi**8 * 8 / 225 / variance
    total = [first[0] + both, first[1], both]
    assert [one.parameter for one in found] == ["x", "y", "z"]
    assert [one.first for one in found] == pytest.approx(first, abs=0.03)
    assert [one.total for one in found] == pytest.approx(total, abs=0.04)
    for one, exact, whole in zip(found, first, total, strict=True):
        assert 0 < one.first_half < 0.2
        assert abs(one.first - exact) < 2 * one.first_half
        assert abs(one.total - whole) < 2 * one.total_half


def test_points_of_the_design_that_are_one_configuration_count_as_often_as_they_come(tmp_path: Path) -> None:
    study = asked(
        study={"drive": ["tlc", "mlc"], "workload": "random-write"},
        parameters={"a": [0, 1], "b": ["off", "on"], "c": [1, 0.5]},
        search={"method": "saltelli", "runs": 2 * 512 * 5},
    )
    data = read(
        made(
            tmp_path,
            study,
            lambda run: {
                "waf": 2.0 * run.values["a"] + (run.values["b"] == "on") * (1 + (run.drive == "mlc"))
            },
        )
    )
    assert len(data.found) == 2 * 8
    for drive, b in enumerate((1, 2)):
        found = sensitivity.indices(data, "waf", drive, None)
        assert found is not None
        shares = [4 / (4 + b**2), b**2 / (4 + b**2), 0]
        assert [one.first for one in found] == pytest.approx(shares, abs=0.02)
        assert [one.total for one in found] == pytest.approx(shares, abs=0.02)


def test_the_points_are_those_that_the_study_ran() -> None:
    spec = of(asked(**SALTELLI))
    assert design.sampled(spec) == design.configurations(spec)


def test_indices_are_refused_with_a_reason(tmp_path: Path) -> None:
    assert "Sobol" not in page_of(made(tmp_path / "a", asked(), additive), tmp_path / "grid.html")
    small = asked(**SALTELLI | {"search": {"method": "saltelli", "runs": 40}})
    one_fails = made(
        tmp_path / "b",
        small,
        ishigami,
        status=lambda run: ("failed", "x") if run.configuration == 3 else DONE,
    )
    assert "1 of 40 have no result" in str(sensitivity.why_not(read(one_fails)))
    one_is_missing = made(
        tmp_path / "c", small, ishigami, status=lambda run: None if run.configuration == 3 else DONE
    )
    assert "1 of 40 have no result" in str(sensitivity.why_not(read(one_is_missing)))
    other = made(tmp_path / "d", small, ishigami, found=[{"x": 0.1, "y": 0.2, "z": 0.3}] * 40)
    assert "not those of this version's design" in str(sensitivity.why_not(read(other)))
    same = read(made(tmp_path / "e", small, lambda _run: {"waf": 0.1 + 0.2}))
    assert sensitivity.indices(same, "waf", 0, None) is None
    assert "all values are the same" in page_of(same.study, tmp_path / "r.html")


# The page


def two_objectives(**changed: Any) -> dict[str, Any]:
    return asked(objectives={"waf": "min", "host.read.latency_ns.p99": "min"}, **changed)


def traded(run: Run) -> dict[str, float]:
    """What is good for one objective is bad for the other, but for fifo, which is bad for both."""
    op, fifo = run.values["ftl.op_ratio"], run.values["ftl.gc.victim.name"] == "fifo"
    return {
        "waf": 1 / op + fifo + 0.01 * run.seed,
        "host.read.latency_ns.p99": int(1e6 * op * (1 + fifo)) + run.seed,
    }


def test_a_page_says_what_was_run_and_what_is_best(tmp_path: Path) -> None:
    study = made(tmp_path, two_objectives(constraints={"waf": "< 9"}), traded)
    text = page_of(study, tmp_path / "r.html")
    said = words(text)
    assert (
        "12 of 12 runs done: the full grid over 2 parameters of tlc, on 1 workload with 2 seeds each." in said
    )
    assert "2 of 6 configurations are on the front" in said
    assert set(figures_of(text)) == {"front", "effects-0", "effects-1", "parallel"}
    assert [one.number for one in study.front()] == [4, 2]
    assert "01-configuration-4.toml" in said
    assert (
        "floatgate run tlc random-write --set ftl.op_ratio=0.3 --set ftl.gc.victim.name=greedy --seed 2"
        in said
    )
    assert "read latency p99" in said
    assert "300 us" in said  # with its unit
    assert "read latency p99 (us)" in json.dumps(figures_of(text)["front"])


def test_cards_have_the_best_of_each_objective(tmp_path: Path) -> None:
    def measure(run: Run) -> dict[str, float]:
        return {"waf": 1 / run.values["ftl.op_ratio"], "host.write.iops": 1e5 / run.values["ftl.op_ratio"]}

    study = asked(
        parameters={"ftl.op_ratio": [0.1, 0.2, 0.5]}, objectives={"waf": "min", "host.write.iops": "max"}
    )
    said = words(page_of(made(tmp_path, study, measure), tmp_path / "r.html"))
    assert "write amplification 2.00 smallest: 0.5" in said
    assert "write IOPS 1.00M largest: 0.1" in said


def test_paired_differences_begin_with_the_answer(tmp_path: Path) -> None:
    """In words, in the direction that the study wants, before main effects."""

    def measure(run: Run) -> dict[str, float]:
        fifo = run.values["ftl.gc.victim.name"] == "fifo"
        return {"waf": (2.2 if fifo else 2.0) + 0.001 * run.seed, "host.write.iops": 9e4 if fifo else 1e5}

    of = {"drive": "tlc", "workload": "random-write", "seeds": 5}
    study = asked(study=of, objectives={"waf": "min", "host.write.iops": "max"})
    said = words(page_of(made(tmp_path, study, measure), tmp_path / "r.html"))
    where = "than fifo in 3 of 3 (by 9.08 %) combinations of the other keys"
    assert f"Write amplification: ftl.gc.victim.name greedy is lower {where}" in said
    assert "Write IOPS: ftl.gc.victim.name greedy is higher than fifo in 3 of 3 (by 11.1 %)" in said
    assert "no value of ftl.op_ratio can be told from another" in said
    assert said.index("Paired differences") < said.index("Main effects")


def test_the_same_study_gives_the_same_bytes(tmp_path: Path) -> None:
    for study in (two_objectives(), asked(**SALTELLI | {"search": {"method": "saltelli", "runs": 80}})):
        measure = traded if "ftl.op_ratio" in study["parameters"] else ishigami
        found = made(tmp_path / "o", study, measure)
        first = write_report(found, tmp_path / "a.html").read_bytes()
        assert write_report(again(found), tmp_path / "b.html").read_bytes() == first


NASTY = "<script>alert('x')</script>&\"<img src=x onerror=alert(1)>"


def test_names_are_text_on_a_page_and_nothing_else(tmp_path: Path) -> None:
    study = two_objectives(
        study={"drive": f"{NASTY}.toml", "workload": [NASTY, "b"], "set": {"k": NASTY}, "env": {"V": NASTY}},
        parameters={"ftl.op_ratio": [0.1, 0.2], "ftl.gc.victim.name": ["greedy", NASTY], NASTY: [1, 2]},
    )
    found = made(
        tmp_path,
        study,
        traded,
        status=lambda run: ("failed", NASTY) if run.values["ftl.gc.victim.name"] == NASTY else DONE,
        name=NASTY,
    )
    text = page_of(found, tmp_path / "r.html")
    plain = page_of(made(tmp_path / "p", two_objectives(), traded), tmp_path / "p.html")
    assert text.count("<script") == plain.count("<script") == 3
    assert "<img" not in text
    assert text.count("&lt;script&gt;alert") > 10


def every_run_fails(run: Run) -> tuple[str, str | None]:
    return "failed", f"die {run.seed} broke"


EDGES: dict[str, tuple[dict[str, Any], Status, str]] = {
    "one parameter": (
        asked(parameters={"ftl.op_ratio": [0.1, 0.2]}),
        lambda _run: DONE,
        "Best is 0.1 (configuration 0): write amplification 10.0",
    ),
    "one value": (
        asked(parameters={"ftl.op_ratio": [0.1]}),
        lambda _run: DONE,
        "Best is configuration 0",
    ),
    "no objective": (asked(objectives={}), lambda _run: DONE, "No objective was set"),
    "all failed": (asked(), every_run_fails, "0 of 12 runs done"),
    "all failed, a bound": (
        asked(constraints={"waf": "< 3"}),
        every_run_fails,
        "No configuration has all its runs",
    ),
    "all refused": (asked(), lambda _run: ("refused", "no such drive"), "12 of 12 runs refused"),
    "interrupted": (
        asked(),
        lambda run: DONE if run.configuration < 2 else None,
        "8 of 12 runs are missing: the study is not at its end",
    ),
    "one configuration": (
        asked(),
        lambda run: None if run.configuration else DONE,
        "Best is configuration 0",
    ),
    "nothing run": (asked(), lambda _run: None, "0 of 12 runs done"),
    "no bound kept": (
        asked(constraints={"waf": "< 3"}),
        lambda _run: DONE,
        "None of 6 configurations keeps waf < 3: configuration 0 (ftl.op_ratio 0.1, ftl.gc.victim.name "
        "greedy) comes nearest, with waf 10.0.",
    ),
    "an objective that no run has": (
        asked(objectives={"host.read.iops": "max"}),
        lambda _run: DONE,
        "No run has host.read.iops.",
    ),
    "several drives": (
        asked(study={"drive": ["tlc", "mlc"], "workload": ["random-write", "random-read"], "seeds": 2}),
        lambda _run: DONE,
        "over 2 parameters of 2 drives, on 2 workloads",
    ),
    "many workloads": (
        asked(study={"drive": "tlc", "workload": [f"volume:{number}" for number in range(9)]}),
        lambda _run: DONE,
        "Of 9 workloads the mean is drawn.",
    ),
    "pruned": (
        asked(),
        lambda run: ("pruned", None) if run.configuration % 2 else DONE,
        "ended early by the pruner",
    ),
    "a search": (
        asked(search={"method": "tpe", "runs": 12}),
        lambda _run: DONE,
        "A search looks more often where it found good values",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_a_page_of_every_kind_of_study(name: str, tmp_path: Path) -> None:
    study, status, expected = EDGES[name]
    grid = of({key: value for key, value in study.items() if key != "search"})
    found = made(tmp_path, study, additive, status=status, found=design.configurations(grid))
    text = page_of(found, tmp_path / "r.html")
    assert expected in words(text), words(text)[:2000]
    assert "nan" not in re.sub(r"\w*nan\w+|\w+nan\w*", "", words(text))
    json.dumps(figures_of(text), allow_nan=False)


def test_reasons_are_counted(tmp_path: Path) -> None:
    status: Status = lambda run: ("failed", "late") if run.configuration else ("refused", "none")  # noqa: E731
    said = words(page_of(made(tmp_path, asked(), additive, status=status), tmp_path / "r.html"))
    assert "10 of 12 runs failed: they broke off (late)." in said
    assert "2 of 12 runs refused: no such drive can be (none)." in said
    assert "failed 10 late refused 2 none" in said


@pytest.mark.parametrize("objectives", [("waf",), ("waf", "host.read.latency_ns.p99")])
def test_where_no_bound_is_kept_the_page_shows_by_how_much(objectives: Sequence[str], tmp_path: Path) -> None:
    study = asked(objectives=dict.fromkeys(objectives, "min"), constraints={"waf": "< 3"})
    figures = fronts.fronts(read(made(tmp_path, study, traded)), [])
    (figure,) = figures.values()
    names = [mark.name for panel in figure.panels for mark in panel.marks]
    assert "break a bound" in " ".join(names)
    assert "best" not in " ".join(names)


@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_each_pair_of_objectives_has_a_panel(objectives: int, tmp_path: Path) -> None:
    keys = ["waf", "host.read.iops", "host.write.iops", "host.trim.iops", "host.flush.iops"][:objectives]
    study = asked(
        objectives=dict.fromkeys(keys, "max"),
        parameters={"ftl.op_ratio": {"from": 0.1, "to": 0.9, "steps": 30}},
    )

    def measure(run: Run) -> dict[str, float]:
        return {key: math.cos(place + 7 * run.values["ftl.op_ratio"]) for place, key in enumerate(keys)}

    data = read(made(tmp_path, study, measure))
    figure = fronts.fronts(data, data.study.front())["front"]
    pairs = {(panel.x.title, panel.y.title) for panel in figure.panels}
    assert len(pairs) == min(objectives * (objectives - 1) // 2, fronts.PAIRS_MOST)


def test_the_stairs_stay_on_the_side_of_what_is_reached(tmp_path: Path) -> None:
    data = read(made(tmp_path, two_objectives(), traded))
    figure = fronts.fronts(data, data.study.front())["front"]
    stairs = next(mark for mark in figure.panels[0].marks if type(mark).__name__ == "Line")
    assert list(zip(stairs.x, stairs.y, strict=True)) == [  # type: ignore[attr-defined]
        pytest.approx(corner, rel=1e-3)
        for corner in [(3.348, 300), (5.015, 300), (5.015, 200), (10.015, 200), (10.015, 100)]
    ]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of 100,000 runs: 10,000 configurations, two workloads, five seeds."""
    spec = of(
        {
            "study": {"drive": "tlc", "workload": ["random-write", "random-read"], "seeds": 5},
            "parameters": {
                "ftl.op_ratio": {"from": 0.07, "to": 0.4},
                "ftl.gc.victim.name": ["greedy", "fifo"],
            },
            "objectives": {"waf": "min", "host.read.latency_ns.p99": "min", "host.write.iops": "max"},
            "search": {"method": "random", "runs": 100_000},
        },
        "large",
    )
    rng, many = np.random.default_rng(1), 10_000
    op, fifo = rng.uniform(0.07, 0.4, many).repeat(10), (rng.random(many) < 0.5).repeat(10)
    waf = (1 / op) * (1 + 0.3 * fifo) * rng.normal(1, 0.02, 10 * many)
    table = pa.table(
        {
            "configuration": np.arange(many).repeat(10),
            "drive": ["tlc"] * 10 * many,
            "workload": [*["random-write"] * 5, *["random-read"] * 5] * many,
            "seed": pa.array(np.tile([1, 2, 3, 4, 5], 2 * many), pa.uint64()),
            "status": ["done"] * 10 * many,
            "reason": pa.nulls(10 * many, pa.string()),
            "key": [str(row) for row in range(10 * many)],
            "set.ftl.op_ratio": op,
            "set.ftl.gc.victim.name": np.where(fifo, "fifo", "greedy"),
            "waf": waf,
            "host.read.latency_ns.p99": (1e5 * rng.gamma(3, 1, many).repeat(10)).astype(int),
            "host.write.iops": 1e5 / waf * rng.normal(1, 0.1, many).repeat(10),
        }
    )
    return written(tmp_path_factory.mktemp("large"), spec, table, 100_000, many)


def test_a_hundred_thousand_runs_are_a_small_page(large: Study, tmp_path: Path) -> None:
    text = page_of(large, tmp_path / "r.html")
    assert len(text) < 2_000_000
    said = words(text)
    assert "10,000 configurations are too many for points" in said
    assert "of 10,000" in said
    drawn = figures_of(text)
    for name, figure in drawn.items():
        assert len(json.dumps(figure)) < 1_500_000, name


def test_many_lines_are_thinned_the_same_way_each_time(large: Study) -> None:
    data = read(large)
    front = data.study.front()
    behind, ahead = parallel.chosen(data, front, "waf")
    assert (len(behind), len(ahead)) == (parallel.LINES_MOST, min(len(front), parallel.FRONT_MOST))
    assert parallel.chosen(read(again(data.study)), front, "waf") == (behind, ahead)
    values = data.totals["waf"]
    drawn = values[behind]
    assert list(drawn) == sorted(drawn)
    rest = np.delete(values, [one.number for one in front])
    assert (drawn[0], drawn[-1]) == (rest.min(), rest.max())
    assert np.median(drawn) == pytest.approx(np.median(rest), rel=0.02)


def test_numbers_over_seeds_are_those_of_the_configurations(tmp_path: Path) -> None:
    study = two_objectives(study={"drive": "tlc", "workload": ["random-write", "b"], "seeds": 3})
    lacking: Status = lambda run: ("failed", "x") if (run.configuration, run.workload, run.seed) == (1, "b", 2) else DONE  # noqa: E731, E501  # fmt: skip
    data = read(made(tmp_path, study, traded, status=lacking))
    means, halves = data.by_workload["waf"]
    for place, one in enumerate(data.found):
        values = [traded(Run(0, "", "", seed, one.values, ""))["waf"] for seed in (1, 2, 3)]
        assert means[place, 0] == pytest.approx(fmean(values))
        assert halves[place, 0] == pytest.approx(4.302653 * stdev(values) / sqrt(3))
        if place == 1:
            assert math.isnan(means[place, 1])
            assert math.isnan(data.totals["waf"][place])
        else:
            assert data.totals["waf"][place] == pytest.approx(one.numbers["waf"])


def test_the_front_of_many_objectives_is_what_nothing_betters() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 6, (400, 3))
    aims: list[Any] = ["min", "max", "min"]
    objectives = [Objective(str(place), aim) for place, aim in enumerate(aims)]
    found = [
        Configuration(number, "", {}, 1, 0, None, {str(n): float(x) for n, x in enumerate(row)}, {}, True)
        for number, row in enumerate(rows)
    ]
    signed = rows * [1, -1, 1]
    expected = {
        number
        for number, row in enumerate(signed)
        if not any((other <= row).all() and (other < row).any() for other in signed)
    }
    front = best_of(found, objectives)
    assert {one.number for one in front} == expected
    assert [one.numbers["0"] for one in front] == sorted(one.numbers["0"] or 0.0 for one in front)


@pytest.mark.parametrize(
    ("key", "title", "shown"),
    [
        ("waf", "write amplification", "1.23e+06 ± 12340"),
        ("host.read.latency_ns.p999", "read latency p99.9", "1.23 ms ± 0.0123"),
        ("host.write.bandwidth_bytes_per_s", "write bandwidth", "1.23 MB/s ± 0.0123"),
        ("host.write.iops", "write IOPS", "1.23M ± 12.3k"),
        ("capacity_bytes", "capacity", "1.18 MiB ± 0.0118"),
        ("engine.events", "engine events", "1.23M ± 12.3k"),
    ],
)
def test_numbers_have_names_and_units(key: str, title: str, shown: str) -> None:
    assert quantity(key).title == title
    assert quantity(key).show(1_234_000.0, 12_340.0) == shown


# Commands and drive files


def test_a_command_repeats_its_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.fio").write_text("[a]\nrw=randwrite\nbs=4k\nnumber_ios=${COUNT}\niodepth=${QD}\nsize=2m\n")
    study = {
        "study": {
            "drive": TINY,
            "workload": ["job.fio", "random-write"],
            "seeds": [3, 5],
            "options": OPTIONS | {"layout": False},
            "set": {"ftl.gc.read_ahead": 2},
            "env": {"COUNT": "300"},
        },
        "parameters": {"ftl.buffer.size": ["64KiB", "128KiB"], "env.QD": [1, 4], "ftl.op_ratio": [0.4]},
        "objectives": {"waf": "min", "host.write.latency_ns.p99": "min"},
    }
    done = fg.study(study, out="o")
    spec, rows = done.spec, done.table().to_pylist()
    for row in (rows[0], rows[-1], rows[6]):
        one = done.configurations()[row["configuration"]]
        words_of = shlex.split(commands(spec, one).of(row["workload"], row["seed"]))
        assert words_of[:2] == ["floatgate", "run"]
        assert ("--env" in words_of) == (row["workload"] == "job.fio")
        ended = in_process(*words_of[1:], "--format", "json", "--no-report", "--out", f"r-{row['key']}")
        assert ended.code == 0, ended.err
        repeated = json.loads(ended.out)
        assert repeated["waf"] == row["waf"]
        assert repeated["host"]["write"]["latency_ns"]["p99"] == row["host.write.latency_ns.p99"]


STUDY: dict[str, Any] = {
    "study": {
        "drive": TINY,
        "workload": "random-write",
        "seeds": 2,
        "options": OPTIONS,
        "set": {"ftl.gc.read_ahead": 2},
    },
    "parameters": {
        "ftl.gc.victim.name": ["greedy", "d-choices"],
        "ftl.op_ratio": [0.2, 0.4],
        "ftl.gc.victim.d": {"values": [2, 8], "when": {"ftl.gc.victim.name": "d-choices"}},
    },
    "objectives": {"waf": "min", "capacity_bytes": "max"},
    "constraints": {"waf": "< 9"},
}


def test_a_drive_file_is_the_configuration_that_the_study_ran(tmp_path: Path) -> None:
    done = fg.study(STUDY, out=tmp_path / "o")
    files = write_drive_files(done, tmp_path / "best")
    front = done.front()
    assert [path.name for path in files] == [
        f"{rank + 1:02}-configuration-{one.number}.toml" for rank, one in enumerate(front)
    ]
    rows = {(row["configuration"], row["seed"]): row for row in done.table().to_pylist()}
    for path, one in zip(files, front, strict=True):
        for seed in (1, 2):
            run = fg.run(str(path), "random-write", seed=seed, **OPTIONS)
            row = rows[one.number, seed]
            assert run.document["waf"] == row["waf"]
            assert run.document["host"]["write"]["latency_ns"]["p99"] == row["host.write.latency_ns.p99"]
        text = path.read_text()
        assert f"configuration {one.number} of study study" in text
        assert f"#   waf = {one.numbers['waf']:.6g} ± " in text
        assert f"#   ftl.op_ratio = {one.values['ftl.op_ratio']}" in text
        assert re.search(
            r"^op_ratio = 0\.\d.*# study study: one of 0\.2, 0\.4; .* has 0\.25$", text, re.MULTILINE
        )
        assert re.search(r"^read_ahead = 2.*# study study: in all its runs", text, re.MULTILINE)
    names = {row["set.ftl.gc.victim.name"] for row in rows.values()}
    assert names == {"greedy", "d-choices"}


def test_a_drive_file_stands_on_a_drive_of_floatgate(tmp_path: Path) -> None:
    study = asked(parameters={"ftl.gc.victim.name": ["d-choices"], "ftl.gc.victim.d": [3]})
    (path,) = write_drive_files(made(tmp_path / "o", study, additive), tmp_path / "best")
    table = tomllib.loads(path.read_text())
    assert table["base"] == "tlc"
    assert table["ftl"] == {"gc": {"victim": {"name": "d-choices", "d": 3}}}
    entries = json.loads(_core.explain_drive(str(path), [], shipped.folders()))["entries"]
    said = {entry["key"]: (entry["value"], entry["source"]) for entry in entries}
    assert said["ftl.gc.victim.d"] == ("3", "study known: one of 3; tlc has none")


def test_what_scrolls_can_be_reached_by_keyboard(tmp_path: Path) -> None:
    page = page_of(made(tmp_path / "o", asked(), additive), tmp_path / "r.html")
    boxes = re.findall(r'<div class="(?:wide|figures scrolls)[^>]*>', page)
    assert any("scrolls" in box for box in boxes)
    assert all('tabindex="0"' in box for box in boxes)


def test_a_file_takes_back_what_its_base_says(tmp_path: Path) -> None:
    # The drive has its user_capacity, which op_ratio takes away: on the command line, and in a file above it.
    study = asked(parameters={"ftl.op_ratio": [0.2]})
    (path,) = write_drive_files(made(tmp_path / "o", study, additive), tmp_path / "best")
    table = tomllib.loads(path.read_text())
    assert table["base"] == "tlc"
    assert table["ftl"] == {"op_ratio": 0.2}
    wanted = json.loads(_core.explain_drive("tlc", ["ftl.op_ratio=0.2"], shipped.folders()))
    found = json.loads(_core.explain_drive(str(path), [], shipped.folders()))
    assert found["capacity_bytes"] == wanted["capacity_bytes"]


def test_drive_files_are_at_most_ten_and_old_ones_go(tmp_path: Path) -> None:
    many = asked(
        parameters={"ftl.gc.read_ahead": list(range(1, 15))},
        objectives={"waf": "min", "host.write.iops": "max"},
    )

    def measure(run: Run) -> dict[str, float]:
        return {
            "waf": float(run.values["ftl.gc.read_ahead"]),
            "host.write.iops": run.values["ftl.gc.read_ahead"] + 0.5,
        }

    best = tmp_path / "best"
    found = made(tmp_path / "o", many, measure)
    files = write_drive_files(found, best)
    assert len(files) == 10
    first = {path.name: path.read_bytes() for path in files}
    (best / "mine.toml").write_text('base = "tlc"\n')
    assert write_drive_files(again(found), best) == files
    assert {path.name: path.read_bytes() for path in files} == first
    one = asked(parameters={"ftl.gc.read_ahead": [1]})
    (left,) = write_drive_files(made(tmp_path / "p", one, additive), best)
    assert sorted(path.name for path in best.iterdir()) == sorted([left.name, "mine.toml"])
    none = made(tmp_path / "q", one, additive, status=lambda _run: ("failed", "x"))
    assert write_drive_files(none, best) == []
    assert [path.name for path in best.iterdir()] == ["mine.toml"]
    assert write_drive_files(none, tmp_path / "nothing") == []
    assert not (tmp_path / "nothing").exists()


def test_variables_and_policies_of_ones_own_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "import floatgate as fg\n\nclass Mine(fg.gc.victim.Policy):\n    d: int = 2\n\n"
        "    def pick(self, view):\n        return view.candidates[0]\n"
    )
    study = asked(
        study={"drive": "tlc", "workload": "job.fio", "env": {"SIZE": "1g"}},
        parameters={"env.QD": [4], "ftl.gc.victim.name": ["mine.py:Mine"], "ftl.gc.victim.d": [5]},
    )
    found = made(tmp_path / "o", study, additive)
    (path,) = write_drive_files(found, tmp_path / "best")
    text = path.read_text()
    assert tomllib.loads(text)["ftl"]["gc"]["victim"] == {"name": "mine.py:Mine", "d": 5}
    assert "# Variables of the fio job, which are no part of a drive: SIZE=1g QD=4" in text
    assert "--env QD=4 --env SIZE=1g --seed 1" in text
    own = "--set ftl.gc.victim.name=mine.py:Mine --set ftl.gc.victim.d=5"
    said = words(page_of(found, tmp_path / "r.html"))
    assert f"floatgate run tlc job.fio {own} --env QD=4 --env SIZE=1g --seed 1" in said


def test_a_drive_that_is_another_now_is_refused_in_one_line(tmp_path: Path) -> None:
    found = made(tmp_path / "o", asked(parameters={"ftl.gc.victim.d": [5]}), additive)
    with pytest.raises(fg.InputError) as error:
        write_drive_files(found, tmp_path / "best")
    assert "\n" not in str(error.value)
    assert list((tmp_path / "best").iterdir()) == []


def test_the_headline_is_in_words(tmp_path: Path) -> None:
    found = made(tmp_path, asked(), additive)
    assert headline(read(found), found.front()) == (
        "12 of 12 runs done: the full grid over 2 parameters of tlc, on 1 workload with 2 seeds each. "
        "Best is 0.1, greedy (configuration 0): write amplification 10.0 ± 6.35."
    )


def test_a_part_of_a_result_counts_in_the_unit_of_the_whole() -> None:
    assert quantity("energy_j.per_host_byte.total").show(1.6e-8, 2e-9) == "16.0 nJ/B ± 2.00"
    assert quantity("energy_j.total").show(3e-13, 1e-13) == "0.300 pJ ± 0.100"
