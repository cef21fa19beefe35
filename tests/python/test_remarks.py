"""What a reader is told about a number: its parts, what it comes to, and when it says nothing."""

from typing import Any

import pytest

from floatgate.results import amplification
from floatgate.results.headline import headline
from floatgate.results.remarks import remarks


def long_run(victims: int = 812, reason: str = "victims", short: bool = False, **more: Any) -> dict[str, Any]:
    known = None if short else 4.0
    missing = {"victims": victims, "needed": 10, "drifting": reason == "drifting", "reason": reason}
    found = {
        "value": known,
        "low": known and 3.8,
        "high": known and 4.2,
        "half_width_relative": known and 0.05,
        "victims": victims,
        "overwrites": 0.015,
        "too_short": missing if short else None,
    }
    return found | more


def document(**more: Any) -> dict[str, Any]:
    latency = {"mean": 2e9, "p50": 1, "p99": 2, "p999": 3, "max": 4}
    side = {"requests": 1000, "bytes": 1 << 30, "iops": 500.0, "latency_ns": latency, "interval": None}
    base = {
        "host": {"read": side, "write": side | {"bandwidth_bytes_per_s": 1.0}, "arrivals": {}},
        "waf": 5.0,
        "waf_parts": {"host": 1.0, "gc": 3.9, "gc_debt": 0.0, "padding": 0.1},
        "waf_bytes": {"held_before": 0, "held": 1 << 20, "held_share": 0.001, "settled": True},
        "waf_long_run": long_run(),
        "flash": {"units_programmed": {"host": 1, "gc": 4, "total": 5}},
        "ftl": {"buffer": {"hit_ratio_read": 0.1, "hit_ratio_write": 0.2}},
        "stages": {"read": {"queue": 1.0}, "write": {"queue": 1.0}},
        "utilisation": {"channel": 0.5, "die": 0.5},
        "wear": {"pe_cycles_mean": 1.0},
    }
    return base | more


def kinds(found: dict[str, Any]) -> list[str]:
    return [remark["kind"] for remark in remarks(found)]


def test_an_ordinary_run_is_left_alone() -> None:
    assert kinds(document()) == []


def test_what_the_core_remarked_stands_first() -> None:
    core = {"kind": "x", "text": "said.", "advice": "do"}
    found = remarks(document(remarks=[core], waf_long_run=long_run(6, short=True)))
    assert found[0] == core
    assert found[1]["kind"] == "too_short"


def test_too_few_victims_are_told_with_their_number() -> None:
    (found,) = remarks(document(waf_long_run=long_run(6, short=True)))
    assert found["kind"] == "too_short"
    assert "6 victims" in found["text"]
    assert "10 are needed" in found["text"]
    assert "--loop until=waf:5%" in found["advice"]


def test_a_run_that_never_settled_says_so() -> None:
    (found,) = remarks(document(waf_long_run=long_run(400, short=True, reason="drifting")))
    assert "still changing" in found["text"]


@pytest.mark.parametrize(("reason", "words"), [("folding", "not folded"), ("room", "gained no room")])
def test_what_a_run_lacks_that_has_victims_enough(reason: str, words: str) -> None:
    found = document(waf_long_run=long_run(150, short=True, reason=reason))
    (remark,) = remarks(found)
    assert words in remark["text"]
    assert "needed" not in remark["text"] + amplification.long_run(found)


def test_reads_that_paid_for_collection_of_before_are_told() -> None:
    base = document(waf=None, waf_parts=None, waf_long_run=None)
    (remark,) = remarks(base)
    assert remark["kind"] == "owed_before"
    assert "4 units" in remark["text"]
    assert kinds(base | {"flash": {"units_programmed": {"gc": 0, "total": 0}}}) == []


def test_padding_without_a_write_cache_is_not_blamed_on_flush_after() -> None:
    parts = {"host": 1.0, "gc": 0.5, "gc_debt": 0.0, "padding": 3.5}
    (remark,) = remarks(document(waf_parts=parts, config={"ftl.buffer.write_back": False}))
    assert "without a write cache" in remark["text"]
    assert "flush_after" not in remark["text"] + remark["advice"]


def test_padding_of_finished_zones_is_blamed_on_finishes() -> None:
    parts = {"host": 1.0, "gc": 0.0, "gc_debt": 0.0, "padding": 3.5}
    zoned = document(waf_parts=parts)
    zoned["ftl"] = zoned.get("ftl", {}) | {"zones": {"finished": 12}}
    (remark,) = remarks(zoned)
    assert "finished 12 zones" in remark["text"]
    assert "flush_after" not in remark["text"] + remark["advice"]


def test_a_workload_that_ended_before_anything_was_collected() -> None:
    (found,) = remarks(document(waf_long_run=long_run(0, short=True)))
    assert found["kind"] == "nothing_collected"
    assert "1.00 GiB" in found["text"]
    assert "1.50 % of the drive" in found["text"]


@pytest.mark.parametrize(("done", "lost", "words"), [(0, 0, "worn out before"), (5, 2, "wore out and")])
def test_a_drive_that_takes_no_writes_says_why(done: int, lost: int, words: str) -> None:
    host = document()["host"]
    host |= {"failed": {"read": 0, "write": 95}, "write": host["write"] | {"requests": done}}
    worn = {"read_only": True, "superblocks_lost": lost}
    (found,) = remarks(document(host=host, wear=worn))
    assert found["kind"] == "read_only"
    assert words in found["text"]
    assert f"95 writes were answered with an error and {done} completed" in found["text"]
    assert kinds(document(host=host, wear=worn | {"read_only": False})) == []  # refused for another reason


def test_a_fresh_drive_is_advised_against_where_nothing_was_collected() -> None:
    fresh, used = (
        remarks(document(waf_long_run=long_run(0, short=True), state={"began": began}))[0]["advice"]
        for began in ("none", "instant")
    )
    assert "--precondition instant" in fresh
    assert "--precondition" not in used


def skewed(began: str = "instant", replaced: int = 320, overwrites: float = 0.5) -> dict[str, Any]:
    buffer = document()["ftl"]["buffer"] | {"units_replaced": replaced, "units_replaced_uniform": 100.0}
    state = {"began": began}
    return document(state=state, ftl={"buffer": buffer}, waf_long_run=long_run(overwrites=overwrites))


def test_skewed_work_on_a_uniform_state_is_told_of_the_other_state() -> None:
    (found,) = remarks(skewed())
    assert found["kind"] == "another_state"
    assert "3.20 times" in found["text"]
    assert "50.0 % of the drive" in found["text"]
    assert "--precondition workload" in found["advice"]
    for other in (
        skewed(began="workload"),
        skewed(began="none"),
        skewed(replaced=120),
        skewed(overwrites=4.0),
    ):
        assert kinds(other) == []


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ({"host": 1.0, "gc": 0.5, "gc_debt": 3.5, "padding": 0.0}, "owed_before"),
        ({"host": 1.0, "gc": 0.5, "gc_debt": 0.0, "padding": 3.5}, "padding"),
    ],
)
def test_what_the_workload_did_not_cause_is_told(parts: dict[str, float], kind: str) -> None:
    (found,) = remarks(document(waf_parts=parts))
    assert found["kind"] == kind
    assert "5.00" in found["text"]


def test_a_drive_that_cannot_keep_up_is_told_with_wait_and_backlog() -> None:
    late = {"span_ns": 10e9, "late_ns_last": 3e9, "late_ns_max": 3e9, "outstanding_mean": 18_000.0}
    slow = document(stages={"read": {"queue": 1.7e9}, "write": {"queue": 1.7e9}})
    slow["host"]["arrivals"] = late
    (found,) = remarks(slow)
    assert found["kind"] == "cannot_keep_up"
    assert all(part in found["text"] for part in ("1.70 s", "18.0k", "3.00 s late"))


def test_a_backlog_that_went_away_is_told_only_where_most_waited() -> None:
    late = {"span_ns": 10e9, "late_ns_last": 0, "late_ns_max": 3e9, "outstanding_mean": 12.0}
    passing = document(stages={"read": {"queue": 1e9}, "write": {"queue": 1e9}})
    passing["host"]["arrivals"] = late
    assert kinds(passing) == []
    passing["stages"] = {"read": {"queue": 1.9e9}, "write": {"queue": 1.9e9}}
    assert kinds(passing) == ["cannot_keep_up"]


def test_a_job_that_waits_for_the_drive_keeps_any_depth_outstanding() -> None:
    depth = document(stages={"read": {"queue": 1.99e9}, "write": {"queue": 1.99e9}})
    depth["host"]["arrivals"] = {"span_ns": 1e9, "late_ns_last": 0, "late_ns_max": 0, "outstanding_mean": 1e5}
    assert kinds(depth) == []


def test_figures_of_the_buffer_are_called_so() -> None:
    (found,) = remarks(document(ftl={"buffer": {"hit_ratio_read": 0.97, "hit_ratio_write": 0.2}}))
    assert found["kind"] == "from_the_buffer"
    assert "97.0 %" in found["text"]


def unsettled(share: float, held: int = 1 << 29, before: int = 0) -> dict[str, Any]:
    return {"held_before": before, "held": held, "held_share": share, "settled": False}


def test_what_still_waits_in_the_buffer_unsettles_the_figure_and_was_fast() -> None:
    (found,) = remarks(document(waf_bytes=unsettled(0.4)))
    assert found["kind"] == "not_settled"
    assert "40.0 % of what the host wrote is still in the buffer" in found["text"]
    assert "that of the buffer filling up" in found["text"]
    (found,) = remarks(document(waf_bytes=unsettled(0.05)))
    assert "buffer filling up" not in found["text"]
    (found,) = remarks(document(waf_bytes=unsettled(0.2, 0, 1 << 28)))
    assert "the buffer gave off what it held before, 20.0 % of what the host wrote" in found["text"]


def test_a_figure_that_is_not_settled_is_said_nowhere() -> None:
    parts = {"host": 0.4, "gc": 0.5, "gc_debt": 3.0, "padding": 3.0}
    found = document(
        waf=0.288, waf_parts=parts, waf_bytes=unsettled(0.4), waf_long_run=long_run(0, short=True)
    )
    assert kinds(found) == ["not_settled", "nothing_collected"]
    assert "0.288" not in remarks(found)[1]["text"]
    assert amplification.parts(found) == {}
    (metric,) = [metric for metric in headline(found) if metric.name == "waf"]
    assert (metric.value, metric.shown) == (0.288, "not settled")


def test_a_loop_that_gave_up_says_after_how_many_passes() -> None:
    loop = {"rule": "until=waf:1%", "passes": 100, "reached": False}
    (found,) = remarks(document(loop=loop))
    assert found["kind"] == "loop_given_up"
    assert "pass 100" in found["text"]
    assert "known to 5.00 %" in found["text"]
    assert kinds(document(loop=loop | {"reached": True})) == []


def test_the_long_run_is_said_with_its_interval_or_why_not() -> None:
    assert amplification.long_run(document()) == "4.00 +/- 5.00 % (812 victims)"
    short = document(waf_long_run=long_run(6, short=True))
    assert amplification.long_run(short) == "too short to say: 6 victims, 10 needed"
    changing = document(waf_long_run=long_run(6, short=True, reason="drifting"))
    assert amplification.long_run(changing) == "too short to say: 6 victims, still changing"
    assert amplification.long_run({"waf_long_run": None}) == "-"


def test_the_headline_has_the_long_run_with_its_interval_where_there_is_one() -> None:
    (metric,) = [metric for metric in headline(document()) if metric.name == "waf_long_run.value"]
    assert metric.value == 4.0
    assert metric.interval == (3.8, 4.2)
    assert metric.spread == "5.00 %"
    short = document(waf_long_run=long_run(6, short=True))
    assert not any(metric.name.startswith("waf_long_run") for metric in headline(short))


def test_a_run_in_which_nothing_was_collected_is_not_in_steady_state() -> None:
    assert amplification.collected(document())
    assert not amplification.collected(document(waf_long_run=long_run(0, short=True)))
    assert amplification.collected({"waf": 1.0}), "a result of before this was counted"
