"""Sampled runs from the command line: what they say of the whole run, on the page, and what they refuse."""

import json
from pathlib import Path

import pytest

import floatgate
from conftest import in_process

TINY = str(Path(__file__).parents[1] / "drives" / "tiny.toml")
JOB = "[job]\nrw=randwrite\nbs=4k\nsize=100%\nnorandommap=1\nioengine=libaio\niodepth=4\nio_size=163840000\n"


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.fio").write_text(JOB)


def test_write_amplification_of_a_fio_job_is_told_with_an_interval() -> None:
    ended = in_process(*f"run {TINY} job.fio --precondition steady --sample waf:20% --out o".split())
    assert ended.code == 0, ended.err
    document = json.loads(Path("o/run.json").read_text())
    sample = document["sample"]
    assert sample["requests"] == 40_000
    # Rates need longer warm-ups.
    assert sample["write"] is None
    assert sample["reached"] is True
    assert sum(part["requests"] for part in sample["parts"]) == 40_000
    assert sample["requests_forwarded"] > 10_000
    whole = floatgate.run(TINY, "job.fio", precondition="steady", report=False)
    assert whole.document["waf"] == pytest.approx(sample["waf"]["value"], rel=0.03)
    assert "in detail; of its windows" in ended.out
    assert "sampled" in [remark["kind"] for remark in document["remarks"]]
    page = next(Path("o").glob("*.html")).read_text()
    assert "carried forward" in page


def test_rates_and_latencies_of_a_fio_job_are_told_with_intervals() -> None:
    Path("job.fio").write_text(JOB.replace("randwrite", "randrw\nrwmixread=30"))
    asked = "waf:20%,iops:20%,mean:20%,p99:50%"
    ended = in_process(*f"run {TINY} job.fio --precondition steady --sample {asked} --out o".split())
    assert ended.code == 0, ended.err
    sample = json.loads(Path("o/run.json").read_text())["sample"]
    whole = floatgate.run(TINY, "job.fio", precondition="steady", report=False).document["host"]
    for kind in ("read", "write"):
        assert sample[kind]["requests"] == pytest.approx(whole[kind]["requests"], rel=0.02)
        for key, truth in (
            ("iops", whole[kind]["iops"]),
            ("bandwidth_bytes_per_s", whole[kind]["bandwidth_bytes_per_s"]),
            ("latency_ns_mean", whole[kind]["latency_ns"]["mean"]),
        ):
            figure = sample[kind][key]
            half = figure["interval"][1] - figure["value"]
            # Chance alone brings one in ten thousand further than twice half the interval.
            assert abs(figure["value"] - truth) < 2 * half
            assert figure["reached"] is (half <= 0.2 * figure["value"])
    assert "a second (+/-" in ended.out
    assert "Over the whole run: reads" in next(Path("o").glob("*.html")).read_text()


def test_an_error_that_is_not_reached_is_told() -> None:
    ended = in_process(*f"run {TINY} job.fio --precondition steady --sample waf:0.001% --out o".split())
    assert ended.code == 0, ended.err
    document = json.loads(Path("o/run.json").read_text())
    assert document["sample"]["reached"] is False
    assert any("less sure than asked" in remark["text"] for remark in document["remarks"])


def test_a_trace_in_its_own_time_is_sampled() -> None:
    line = "{},hm,1,Write,{},4096,413\n".format
    lines = "".join(line(128166372003061629 + 3000 * at, at * 7919 % 1200 * 4096) for at in range(80_000))
    Path("t.csv").write_text(lines)
    run = floatgate.run(TINY, "t.csv", precondition="steady", sample="auto", report=False)
    assert run.document["sample"]["requests_forwarded"] > 5_000
    assert run.document["sample"]["keeps_up"] is True
    whole = floatgate.run(TINY, "t.csv", precondition="steady", report=False).document["host"]["write"]
    found = run.document["sample"]["write"]
    assert found["requests"] == whole["requests"]
    assert found["iops"]["value"] == pytest.approx(whole["iops"], rel=1e-3)
    assert found["latency_ns_mean"]["value"] == pytest.approx(whole["latency_ns"]["mean"], rel=0.1)


def test_a_trace_is_sampled_over_all_its_passes() -> None:
    # Requests that are carried forward reach the end of a pass, and go on in the next one.
    line = "{},hm,1,{},{},4096,413\n".format
    # Writes at the beginning, reads after them: a window at each beginning would count the writes too often.
    kind = ["Write", "Read"]
    begin = 128166372003061629
    lines = [line(begin + 4000 * at, kind[at >= 6_000], at * 7919 % 1200 * 4096) for at in range(30_000)]
    Path("t.csv").write_text("".join(lines))
    run = floatgate.run(TINY, "t.csv", precondition="steady", loop=5, sample="auto", report=False)
    sample = run.document["sample"]
    assert sample["requests"] == 150_000
    assert (sample["write"]["requests"], sample["read"]["requests"]) == (30_000, 120_000)
    assert sample["requests_forwarded"] > 50_000
    measured = run.document["host"]["write"]["requests"] / sample["requests_measured"]
    assert 0.1 < measured < 0.35


def test_a_job_that_waits_for_times_and_completions_has_no_rates() -> None:
    Path("job.fio").write_text(JOB + "thinktime=100us\n")
    ended = in_process(*f"run {TINY} job.fio --precondition steady --sample waf:9%,iops:2% --out o".split())
    assert ended.code == 2
    assert "wait for times and for completions" in ended.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("--sample p999:5%", 'did you mean "p99"?'),
        ("--sample waf", "expected auto, or errors of waf, iops, mean, p99"),
        ("--sample iops:2%,iops:3%", '"iops:3%" is twice'),
        ("--sample auto --check", "--check"),
        ("--sample auto --set ftl.recovery.name=checkpoint", "written by time"),
        ("--sample auto --set ftl.buffer.keep_ratio=0.5", "keep_ratio"),
    ],
)
def test_what_cannot_be_sampled_is_refused_in_one_line(asked: str, says: str) -> None:
    ended = in_process(*f"run {TINY} job.fio --out o {asked}".split())
    assert ended.code == 2
    assert says in ended.err
    assert ended.err.count("\n") == 1
