"""The parts of studies: values of parameters, designs, what configurations come to, rows on disk."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floatgate as fg
from floatgate.study.aggregate import Configuration, configurations, front
from floatgate.study.design import configurations as designed
from floatgate.study.parameters import Choices, Parameter, Range, configuration, in_order
from floatgate.study.spec import Constraint, Objective, Spec, of
from floatgate.study.store import SEGMENTS_MOST, Outcome, Store, write


def spec(parameters: dict[str, Any], drive: Any = "tlc", **search: Any) -> Any:
    tables = {
        "study": {"drive": drive, "workload": "random-write"},
        "parameters": parameters,
        "objectives": {"waf": "min"},
    }
    return of(tables | ({"search": search} if search else {}))


def test_whole_numbers_of_a_range_have_equal_parts() -> None:
    space = Range(1, 4)
    found = [space.at((index + 0.5) / 1000) for index in range(1000)]
    assert {value: found.count(value) for value in {*found}} == dict.fromkeys((1, 2, 3, 4), 250)
    assert all(isinstance(value, int) for value in found)


def test_a_logarithmic_range_has_equal_ratios() -> None:
    assert Range(1, 1000, log=True, steps=4).on_grid() == (1, 10, 100, 1000)
    assert Range(0.01, 1.0, log=True, steps=3).on_grid() == (0.01, 0.1, 1.0)
    assert [Range(2, 64, log=True).at(share) for share in (0.0, 0.999999)] == [2, 64]


def test_a_grid_of_whole_numbers_has_none_twice() -> None:
    assert Range(1, 3, steps=9).on_grid() == (1, 2, 3)


@pytest.mark.parametrize("share", [0.0, 1e-12, 0.3, 0.5, 1 - 1e-12, 1.0])
def test_every_point_of_a_design_is_inside(share: float) -> None:
    for space in (Range(3, 7), Range(0.1, 0.2), Range(2, 64, log=True), Range(0.5, 2.0, log=True)):
        assert space.low <= space.at(share) <= space.high
    assert Choices(("a", "b", "c")).at(share) in "abc"


def test_parameters_follow_what_they_depend_on() -> None:
    c = Parameter("c", Choices((1,)), (("b", (1,)),))
    b = Parameter("b", Choices((1,)), (("a", (1,)),))
    a = Parameter("a", Choices((1, 2)))
    ordered = in_order([c, b, a])
    assert [one.name for one in ordered] == ["a", "b", "c"]
    assert configuration(ordered, [0.9, 0.0, 0.0]) == {"a": 2}  # what depends on b is gone with it
    with pytest.raises(ValueError, match="depends on itself"):
        in_order([c, Parameter("b", Choices((1,)), (("c", (1,)),))])


@pytest.mark.parametrize(
    ("method", "runs", "count"), [("random", 50, 50), ("lhs", 50, 50), ("sobol", 50, 32)]
)
def test_a_design_fills_its_budget(method: str, runs: int, count: int) -> None:
    found = designed(spec({"ftl.op_ratio": {"from": 0.1, "to": 0.4}}, method=method, runs=runs))
    values = [one["ftl.op_ratio"] for one in found]
    assert len(values) == len({*values}) == count
    assert all(0.1 <= value <= 0.4 for value in values)
    if method == "lhs":  # one in each fiftieth
        assert sorted(int((value - 0.1) / 0.3 * 50) for value in values) == list(range(50))
    if method == "sobol":
        assert sorted(int((value - 0.1) / 0.3 * 32) for value in values) == list(range(32))


def test_saltelli_has_room_for_whole_bases() -> None:
    two = {"ftl.op_ratio": {"from": 0.1, "to": 0.4}, "ftl.buffer.size": ["1MiB", "2MiB"]}
    found = designed(spec(two, method="saltelli", runs=50))
    assert len({json.dumps(one) for one in found}) == len(found) <= 8 * (2 + 2)
    with pytest.raises(fg.InputError, match="expected at least 4"):
        designed(spec(two, method="saltelli", runs=3))


def test_the_budget_is_of_runs() -> None:
    asked = spec({"ftl.op_ratio": {"from": 0.1, "to": 0.4}}, ["tlc", "slc"], method="random", runs=21)
    assert len(designed(asked)) == 10  # each on two drives


def rows(values: dict[tuple[int, str, int], float | None], **more: Any) -> list[dict[str, Any]]:
    return [
        {"configuration": number, "drive": "tlc", "workload": workload, "seed": seed, "status": "done",
         "reason": None, "set.ftl.op_ratio": number / 10, "waf": value, **more}
        for (number, workload, seed), value in values.items()
    ]  # fmt: skip


def two_workloads(over: str = "mean", constraint: str | None = None) -> Any:
    return of(
        {
            "study": {"drive": "tlc", "workload": ["random-write", "random-read"], "seeds": 2},
            "parameters": {"ftl.op_ratio": [0.0, 0.1]},
            "objectives": {"waf": "min"},
            "constraints": {"waf": constraint} if constraint else {},
            "search": {"over": over},
        }
    )


VALUES: dict[tuple[int, str, int], float | None] = {
    (0, "a", 1): 2.0,
    (0, "a", 2): 4.0,
    (0, "b", 1): 1.0,
    (0, "b", 2): 2.0,
}


def test_an_objective_is_a_mean_over_seeds_and_workloads() -> None:
    (one,) = configurations(two_workloads(), rows(VALUES))
    assert one.numbers["waf"] == pytest.approx((3.0 + 1.5) / 2)
    spread = one.spread["waf"]
    assert spread is not None
    assert spread.mean == pytest.approx(2.25)
    assert spread.samples == 2
    # Student's t with one degree of freedom: 12.706 standard errors of the seeds' means 1.5 and 3.
    assert spread.half_width == pytest.approx(12.706 * 0.75, rel=1e-4)


def test_the_worst_workload_counts_where_that_is_asked() -> None:
    (one,) = configurations(two_workloads("worst"), rows(VALUES))
    assert one.numbers["waf"] == 3.0


def test_a_workload_without_the_number_does_not_count() -> None:
    reads: dict[tuple[int, str, int], float | None] = {
        (0, "a", 1): 2.0,
        (0, "a", 2): 4.0,
        (0, "b", 1): None,
        (0, "b", 2): None,
    }
    (one,) = configurations(two_workloads(), rows(reads))
    assert one.numbers["waf"] == 3.0
    (other,) = configurations(two_workloads(), rows(reads | {(0, "b", 1): 1.0}))
    assert other.numbers["waf"] is None  # a run that lacks it where its twin has it


def test_a_bound_is_kept_or_not() -> None:
    for bound, kept in [
        ("< 3", True),
        ("< 2.25", False),
        ("<= 2.25", True),
        ("> 2.25", False),
        (">= 2", True),
    ]:
        (one,) = configurations(two_workloads(constraint=bound), rows(VALUES))
        assert one.feasible is kept, bound
    assert str(Constraint("waf", "<", 3.0)) == "waf < 3"


def test_a_configuration_with_a_missing_run_is_not_judged() -> None:
    few = dict(list(VALUES.items())[:3])
    (one,) = configurations(two_workloads(), rows(few))
    assert (one.runs, one.missing, one.feasible, one.numbers["waf"]) == (3, 1, False, None)


def point(number: int, *values: float, feasible: bool = True) -> Configuration:
    numbers = dict(zip("ab", values, strict=False))
    return Configuration(number, "tlc", {}, 1, 0, None, numbers, {}, feasible)


def test_a_front_has_what_nothing_betters() -> None:
    both = [Objective("a", "min"), Objective("b", "max")]
    found = [point(0, 1, 1), point(1, 2, 3), point(2, 2, 2), point(3, 3, 3), point(4, 0, 9, feasible=False)]
    assert [one.number for one in front(found, both)] == [0, 1]
    # Equals stand side by side, and the order in which they come does not matter.
    equals = [point(5, 1, 1), *found]
    assert [one.number for one in front(equals, both)] == [0, 5, 1]
    assert [one.number for one in front(equals[::-1], both)] == [0, 5, 1]
    assert [one.number for one in front(found, both[:1])] == [0]


def test_rows_of_many_commands_become_one_file(tmp_path: Path) -> None:
    for index in range(SEGMENTS_MOST + 4):
        store = Store(tmp_path)
        numbers = {"waf": 1.5} if index % 2 else {"waf": 2, "other": [1, 2]}  # other columns, other types
        store.add(Outcome(f"key-{index}", "done", None, numbers))
        store.close()
    Store(tmp_path).tidy()
    assert len(list((tmp_path / "rows").glob("*.parquet"))) == 1
    found = Store(tmp_path).outcomes(["waf"])
    assert len(found) == SEGMENTS_MOST + 4
    assert {one.numbers["waf"] for one in found.values()} == {1.5, 2.0}


def test_a_second_try_counts_more_than_the_first(tmp_path: Path) -> None:
    for status in ("failed", "done", "refused"):
        store = Store(tmp_path)
        store.add(Outcome("key", status, None if status == "done" else "why"))
        store.close()
    assert {one.status for one in Store(tmp_path).outcomes().values()} == {"done"}
    table = Store(tmp_path).table()
    assert table["status"].to_pylist() == ["done"]


def test_lines_of_a_living_command_stay_its_own(tmp_path: Path) -> None:
    living, other = Store(tmp_path), Store(tmp_path)
    living.add(Outcome("a", "done", None, {"waf": 1.0}))
    assert other.others()
    assert not living.others()
    other.tidy()
    assert len(list((tmp_path / "rows").glob("*.jsonl"))) == 1
    assert set(other.outcomes()) == {"a"}
    assert other.news()
    assert not other.news()
    living.add(Outcome("b", "done", None, {"waf": 1.0}))
    assert other.news()
    living.close()
    assert set(other.outcomes()) == {"a", "b"}


def test_a_file_of_columns_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    table = pa.table({"key": ["a"], "status": ["done"], "reason": pa.array([None], pa.string())})
    write(table, tmp_path / "x.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_bounds_that_none_keeps_are_said_with_what_comes_nearest() -> None:
    from floatgate.study.bounds import missed

    def spec(**bounds: str) -> Spec:
        parameters = {"ftl.op_ratio": [0.1, 0.2]}
        return of(
            {"study": {"drive": "tlc", "workload": "w"}, "parameters": parameters, "constraints": bounds}
        )

    def one(number: int, **numbers: float | None) -> Configuration:
        return Configuration(number, "tlc", {"ftl.op_ratio": 0.1 * number}, 1, 0, None, numbers, {}, False)

    found = [one(1, waf=4.0, capacity_bytes=2.0), one(2, waf=3.0, capacity_bytes=1.0)]
    assert missed(spec(waf="< 5"), found) == []
    (alone,) = missed(spec(waf="< 2"), found)
    assert (alone.nearest.number, alone.of) == (2, 2)
    assert "None of 2 configurations keeps waf < 2: configuration 2 (ftl.op_ratio 0.2)" in alone.words(spec())
    (strict,) = missed(spec(waf="< 3"), found)
    assert strict.nearest.number == 2
    # Each bound is kept by one of them, and both by none.
    (both,) = missed(spec(waf="<= 3.5", capacity_bytes=">= 1.9"), found)
    assert [str(bound) for bound in both.bounds] == ["waf <= 3.5", "capacity_bytes >= 1.9"]
    assert both.nearest.number == 1
    assert "keeps waf <= 3.5 and capacity_bytes >= 1.9 together" in both.words(spec())
    assert missed(spec(waf="< 2"), [one(3, waf=None)]) == []
