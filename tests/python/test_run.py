"""Whole runs on the real core: from a drive file and a trace to a run folder."""

import gzip
import json
import random
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import floatgate as fg
import timelines
from conftest import Command, one_line_error
from floatgate.options import State

# A drive of 1 GiB of flash, so that a short trace fills it.
SMALL = (
    'base = "slc"\ntitle = "a small one"\n[nand]\nblocks_per_plane = 32\n[ftl]\nuser_capacity = "800MiB"\n'
)
CAPACITY = 800 << 20


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small drive and an MSR trace of our own, as the working directory."""
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "mixed.csv").write_text("".join(trace_lines(3000)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def trace_lines(requests: int) -> list[str]:
    """MSR lines: two writes for each read, 4 to 64 KiB, all over the small drive, 100 us apart on average."""
    rng, ticks, lines = random.Random(5), 128_166_372_000_000_000, []
    for _ in range(requests):
        ticks += rng.randrange(2000)
        size = 4096 * rng.randint(1, 16)
        offset = rng.randrange((CAPACITY - size) // 512) * 512
        lines.append(f"{ticks},made,0,{rng.choice(('Write', 'Write', 'Read'))},{offset},{size},0\n")
    return lines


def _document(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return document


def _without_engine(folder: Path) -> dict[str, Any]:
    document = _document(folder)
    del document["engine"]
    return document


WORKLOADS = (
    "mixed.csv",
    "mixed.csv.gz",
    "volume:prn_0,fit=0.5",
    "writes.fio",
    "fio --name=x --rw=randwrite --bs=4k --size=4m",
    "random-write",
)


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("kind", ["none", "fill", "steady", "instant", "workload"])
def test_each_kind_of_workload_on_a_drive_in_each_state(here: Path, workload: str, kind: State) -> None:
    (here / "mixed.csv.gz").write_bytes(gzip.compress((here / "mixed.csv").read_bytes()))
    (here / "writes.fio").write_text("[x]\nrw=randwrite\nbs=4k\nsize=4m\n")
    run = fg.run("small.toml", workload, precondition=kind, limit_requests=200)
    document = run.document.to_dict()
    assert document["state"]["began"] == kind
    assert document["host"]["completed"]["total"] == 200


RUN = ("run", "small.toml", "mixed.csv", "--precondition", "instant", "--check")


def test_the_result_has_the_promised_keys(floatgate: Command, here: Path) -> None:
    assert floatgate(*RUN, "--seed", "7", "--out", "o").returncode == 0
    document = _document(here / "o")
    for key in (
        "version",
        "seed",
        "drive",
        "workload",
        "config",
        "simulated_ns",
        "waf",
        "wear",
        "utilisation",
    ):
        assert document[key] is not None, key
    assert document["seed"] == 7
    assert document["drive"] == "small"
    assert document["config"]["geometry.channels"] == 8
    assert document["config_places"]["nand.blocks_per_plane"]["place"] == "small.toml:4"
    assert document["config_places"]["geometry.channels"]["place"].startswith("drives/slc.toml:")
    for kind in ("read", "write"):
        side = document["host"][kind]
        assert side["requests"] > 0
        latency = side["latency_ns"]
        assert latency["p50"] <= latency["p90"] <= latency["p99"] <= latency["p999"] <= latency["max"]
    energy = document["energy_j"]
    assert energy["total"] == pytest.approx(energy["controller"] + energy["bus"] + energy["nand"])
    assert energy["nand"] == pytest.approx(sum(energy["nand_by_kind"].values()))
    assert energy["per_request"]["total"] * sum(
        document["host"][kind]["requests"] for kind in ("read", "write")
    ) == pytest.approx(energy["total"])
    for counts in (document["flash"][kind] for kind in ("reads", "programs", "erases")):
        assert counts["total"] == sum(n for origin, n in counts.items() if origin != "total" and n)
    engine = document["engine"]
    assert engine["peak_rss_bytes"] > 1 << 20
    assert engine["wall_s"] > 0


def test_every_request_submitted_is_completed_or_failed(floatgate: Command, here: Path) -> None:
    assert floatgate(*RUN, "--out", "o").returncode == 0
    host = _document(here / "o")["host"]
    for kind in ("read", "write", "trim", "flush", "total"):
        assert host["submitted"][kind] == host["completed"][kind] + host["failed"][kind]
    assert host["submitted"]["total"] == 3000


def test_the_same_run_gives_the_same_bytes(floatgate: Command, here: Path) -> None:
    for out in ("a", "b"):
        assert floatgate(*RUN, "--seed", "3", "--out", out, "--requests", "--timeline").returncode == 0
    assert _without_engine(here / "a") == _without_engine(here / "b")
    names = {path.name for path in (here / "a").iterdir()} - {"run.json"}
    assert len(names) == 6
    for name in names:
        assert (here / "a" / name).read_bytes() == (here / "b" / name).read_bytes(), name


def test_another_seed_gives_another_run(floatgate: Command, here: Path) -> None:
    for seed in ("3", "4"):
        assert floatgate(*RUN, "--seed", seed, "--out", seed, "--no-report").returncode == 0
    assert _document(here / "3")["host"] != _document(here / "4")["host"]


def test_a_result_can_be_run_again_without_its_drive_file(floatgate: Command, here: Path) -> None:
    arguments = ("--seed", "9", "--set", "ftl.gc.trigger.low=3", "--limit-requests", "2000", "--out", "a")
    assert floatgate(*RUN, *arguments).returncode == 0
    (here / "small.toml").unlink()
    assert floatgate("run", "a/run.json").returncode == 0
    assert _without_engine(here / "a-again") == _without_engine(here / "a")


def test_a_result_run_again_takes_changes(floatgate: Command, here: Path) -> None:
    assert floatgate(*RUN, "--out", "a", "--no-report").returncode == 0
    changed = ("--set", "ftl.gc.trigger.low=3", "--seed", "5", "--out", "b", "--no-report")
    assert floatgate("run", "a/run.json", *changed).returncode == 0
    assert floatgate(*RUN, *changed[:-3], "--out", "c", "--no-report").returncode == 0
    assert _document(here / "b")["host"] == _document(here / "c")["host"]
    assert _document(here / "b")["config_places"]["ftl.gc.trigger.low"]["place"] == "--set"


def test_a_result_whose_trace_changed_is_not_run_again(floatgate: Command, here: Path) -> None:
    assert floatgate(*RUN, "--out", "a", "--no-report").returncode == 0
    (here / "mixed.csv").write_text("".join(trace_lines(10)))
    assert "as when it was run" in one_line_error(floatgate("run", "a/run.json", "--out", "b"))


def test_repeat_is_the_same_runs_whatever_the_number_of_workers(floatgate: Command, here: Path) -> None:
    assert floatgate(*RUN, "--seed", "5", "--repeat", "3", "--out", "r").returncode == 0
    assert floatgate(*RUN, "--seed", "6", "--out", "single", "--no-report").returncode == 0
    assert _without_engine(here / "r" / "seed-6") == _without_engine(here / "single")
    repeated = json.loads((here / "r" / "repeat.json").read_text())
    assert repeated["seeds"] == [5, 6, 7]
    wafs = [_document(here / "r" / f"seed-{seed}")["waf"] for seed in (5, 6, 7)]
    mean = sum(wafs) / 3
    deviation = (sum((waf - mean) ** 2 for waf in wafs) / 2) ** 0.5
    assert repeated["metrics"]["waf"]["mean"] == pytest.approx(mean)
    # t(0.975, 2 degrees of freedom) = 4.3027
    assert repeated["metrics"]["waf"]["half_width"] == pytest.approx(4.3027 * deviation / 3**0.5, rel=1e-4)
    assert (here / "r" / "seed-5" / "report.html").exists()


def test_every_request_says_where_its_time_went(floatgate: Command, here: Path) -> None:
    assert floatgate(*RUN, "--requests", "--out", "o", "--no-report").returncode == 0
    table = pq.read_table(here / "o" / "requests.parquet")
    assert table.num_rows == 3000
    columns = table.to_pydict()
    stages = [
        name
        for name in table.column_names
        if name.endswith("_ns") and name not in ("arrive_ns", "complete_ns")
    ]
    assert len(stages) == 13
    for row in range(table.num_rows):
        latency = columns["complete_ns"][row] - columns["arrive_ns"][row]
        assert sum(columns[stage][row] for stage in stages) == latency
    reads = [
        columns["complete_ns"][r] - columns["arrive_ns"][r] for r in range(3000) if columns["op"][r] == 0
    ]
    assert sum(reads) / len(reads) == pytest.approx(
        _document(here / "o")["host"]["read"]["latency_ns"]["mean"]
    )


def test_rows_under_a_ramp_say_which_of_them_count(here: Path) -> None:
    job = "[{name}]\nrw=randrw\nbs=4k\nioengine=libaio\niodepth=4\nramp_time=2ms\nruntime=6ms\ntime_based\n"
    (here / "ramp.fio").write_text(job.format(name="a") + job.format(name="b"))
    run = fg.run(Path(__file__).parents[1] / "drives" / "tiny.toml", here / "ramp.fio", requests=True)
    rows = run.requests().to_pylist()
    counted = [row for row in rows if row["measured"]]
    assert 0 < len(counted) < len(rows)
    for op, host in ((0, run.host.read), (1, run.host.write)):
        latencies = [row["complete_ns"] - row["arrive_ns"] for row in counted if row["op"] == op]
        assert len(latencies) == host.requests
        # A level of the histogram is a thousandth wide.
        reported = (host.latency_ns.min, host.latency_ns.max)
        assert reported == pytest.approx((min(latencies), max(latencies)), rel=1e-3)
    for tag in (0, 1):  # each job's requests are numbered from 1, those of the ramp among them
        numbers = sorted(row["request"] for row in rows if row["tag"] == tag)
        assert numbers == list(range(1, len(numbers) + 1))


def test_the_timeline_holds_the_busy_time(floatgate: Command, here: Path) -> None:
    assert floatgate(*RUN, "--timeline", "--out", "o", "--no-report").returncode == 0
    document = _document(here / "o")
    end = document["started_ns"] + document["simulated_ns"]
    tracks = timelines.read(here / "o")
    for channel, share in enumerate(document["utilisation"]["per_channel"]):
        assert timelines.busy(tracks[f"channel {channel}"], end) / end == pytest.approx(share, rel=0.01)
    for die, share in enumerate(document["utilisation"]["per_die"]):
        (name,) = (name for name in tracks if name.startswith(f"die {die} "))
        assert timelines.busy(tracks[name], end) / end == pytest.approx(share, rel=0.01)
    names = {one.name for track in tracks.values() for one in track}
    assert {"read (host)", "program (gc)", "erase (gc)", "data in", "data out"} <= names


def test_a_timeline_shows_what_is_asked_for(floatgate: Command, here: Path) -> None:
    for detail in ("all", "dies", "channels"):
        line = (*RUN, "--limit-requests", "200", "--timeline", "--timeline-detail", detail, "--out", detail)
        assert floatgate(*line, "--no-report").returncode == 0
    whole = timelines.read(here / "all")
    dies, channels = timelines.read(here / "dies"), timelines.read(here / "channels")
    assert whole == dies | channels
    assert {name.split()[0] for name in dies} == {"die"}
    assert {name.split()[0] for name in channels} == {"channel"}


def test_a_saved_state_is_the_state(floatgate: Command, here: Path) -> None:
    assert floatgate(*RUN, "--save-state", "state", "--out", "a", "--no-report").returncode == 0
    loading = ("run", "small.toml", "mixed.csv", "--check", "--load-state", "state", "--no-report")
    assert floatgate(*loading, "--out", "b").returncode == 0
    assert _document(here / "b")["host"]["submitted"] == _document(here / "a")["host"]["submitted"]
    assert _document(here / "b")["waf"] == pytest.approx(_document(here / "a")["waf"], rel=0.05)
    assert "small" in floatgate("state", "info", "state").stdout
    whole = (here / "state").read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:100] + b"\xff" + whole[101:], b"", b"\x00" * 100):
        (here / "state").write_bytes(damaged)
        assert "state: " in one_line_error(floatgate(*loading, "--out", "c"))
        assert "state: " in one_line_error(floatgate("state", "info", "state"))


def _spoil(change: Callable[[list[str]], None]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        lines = trace_lines(300)
        change(lines)
        (folder / "bad.csv").write_text("".join(lines))

    return spoil


def _truncated_gzip(folder: Path) -> None:
    packed = gzip.compress("".join(trace_lines(300)).encode())
    (folder / "bad.csv").write_bytes(packed[: len(packed) // 2])


def _binary(folder: Path) -> None:
    (folder / "bad.csv").write_bytes(random.Random(1).randbytes(10_000))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_spoil(lambda lines: lines.__setitem__(100, "one odd line\n")), "bad.csv:101:"),
        (
            _spoil(lambda lines: lines.__setitem__(100, lines[100].replace("made", "made,more"))),
            "bad.csv:101:",
        ),
        (_spoil(lambda lines: lines.__setitem__(100, "1" * 30 + lines[100])), "bad.csv:101:"),
        (
            _spoil(lambda lines: lines.__setitem__(100, lines[100].replace(",made", "9" * 5 + ",made"))),
            "bad.csv:10",
        ),
        (_spoil(lambda lines: lines.clear()), "bad.csv"),
        (_truncated_gzip, "bad.csv"),
        (_binary, "bad.csv"),
    ],
    ids=["odd", "fields", "overflow", "far", "empty", "truncated", "binary"],
)
def test_a_faulty_trace_is_one_line_and_no_result(
    floatgate: Command, here: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(here)
    assert said in one_line_error(floatgate("run", "small.toml", "bad.csv", "--out", "o"))
    assert not (here / "o").exists()
    assert list(here.glob(".*")) == []


def test_skipped_lines_are_counted(floatgate: Command, here: Path) -> None:
    _spoil(lambda lines: lines.__setitem__(100, "one odd line\n"))(here)
    result = floatgate("run", "small.toml", "bad.csv", "--skip-bad-lines", "--out", "o", "--no-report")
    assert result.returncode == 0
    assert "1 unreadable lines skipped" in result.stderr
    assert _document(here / "o")["workload"]["skipped_lines"] == 1
    assert _document(here / "o")["host"]["submitted"]["total"] == 299


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SMALL + "[geometry]\nchannels = 0\n", "geometry.channels = 0"),
        (SMALL + '[ftl.gc.victim]\nname = "gredy"\n', "greedy"),
        (SMALL + "[geometry]\nchanels = 4\n", "channels"),
        (SMALL.replace('"800MiB"', "838860800"), "ftl.user_capacity = 838860800"),
        (SMALL + "[geometry\n", "small.toml:"),
        (SMALL.replace('base = "slc"', 'base = "scl"'), "scl"),
        (SMALL.replace("800MiB", "1024MiB"), "small"),
    ],
    ids=["zero", "policy", "key", "unit", "syntax", "base", "full"],
)
def test_a_faulty_drive_is_one_line_and_no_result(
    floatgate: Command, here: Path, text: str, said: str
) -> None:
    (here / "small.toml").write_text(text)
    assert said in one_line_error(floatgate("run", "small.toml", "mixed.csv", "--out", "o"))
    assert not (here / "o").exists()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("ftl.gc.victim.name=gredy", "greedy"),
        ("ftl.gc.victm.name=greedy", "victim"),
        ("nand.t_r=25", "nand.t_r = 25"),
        ("nonsense", "KEY=VALUE"),
    ],
)
def test_a_faulty_override_is_one_line(floatgate: Command, here: Path, option: str, said: str) -> None:
    assert said in one_line_error(floatgate(*RUN, "--set", option, "--out", "o"))


def test_addresses_beyond_the_drive(floatgate: Command, here: Path) -> None:
    """They are laid side by side, which is said before the run and in its result."""
    line = f"128166372000000000,made,0,Write,{CAPACITY},4096,0\n"
    (here / "far.csv").write_text(line)
    done = floatgate("run", "small.toml", "far.csv", "--out", "o", "--no-report")
    assert done.returncode == 0
    assert "note       its addresses reach" in done.stderr
    notes = json.loads((here / "o" / "run.json").read_text())["workload"]["notes"]
    assert notes["addresses"] == "compact"
    assert "--compact" in notes["reading"]
    for option in ("--wrap", "--scale", "--compact"):
        again = floatgate("run", "small.toml", "far.csv", option, "--force", "--no-report")
        assert again.returncode == 0
        assert "note" not in again.stderr


def test_a_late_request_is_put_in_its_place(floatgate: Command, here: Path) -> None:
    lines = trace_lines(300)
    lines.insert(250, lines.pop(200))
    (here / "late.csv").write_text("".join(lines))
    done = floatgate("run", "small.toml", "late.csv", "--requests", "--out", "o")
    assert "put in order of time: 1 of 300 requests were late, by at most 50 requests" in done.stderr
    assert "1 of 300 requests were late" in (here / "o" / "report.html").read_text()
    table = pq.read_table(here / "o" / "requests.parquet").sort_by("request").to_pydict()
    assert table["request"] == list(range(1, 301))
    assert table["offset"] == [int(line.split(",")[4]) for line in lines], "joined by the line"
    assert table["arrive_ns"][250] < table["arrive_ns"][249]


def test_any_table_and_the_lines_of_its_requests(floatgate: Command, here: Path) -> None:
    rows = "".join(f"{i // 2} {'RW'[i % 2]} {(i * 37 % 50) * 8} 8\n" for i in range(100))
    (here / "mine.txt").write_text("When What Where Many\n" + rows)
    (here / "columns.txt").write_text(
        "# as the recorder wrote them\ntime:ms op\noffset:sectors size:sectors\n"
    )
    for columns in ("time:ms op offset:sectors size:sectors", "columns.txt", "@columns.txt"):
        done = floatgate(
            "run", "small.toml", "mine.txt", "--columns", columns, "--requests", "--out", "o", "--force"
        )
        assert done.returncode == 0, done.stderr
        table = pq.read_table(here / "o" / "requests.parquet").sort_by("request").to_pydict()
        assert table["request"] == list(range(2, 102)), "the header is line 1"
        assert [offset // 4096 for offset in table["offset"]] == [i * 37 % 50 for i in range(100)]
    # A run that is repeated needs the description no more.
    (here / "columns.txt").unlink()
    assert floatgate("run", "o/run.json", "--no-report").returncode == 0
    wrong = floatgate("run", "small.toml", "mine.txt", "--columns", "tme:ms op offset:sectors size:sectors")
    assert 'did you mean "time"?' in one_line_error(wrong)
    assert "no such file" in one_line_error(
        floatgate("run", "small.toml", "mine.txt", "--columns", "@no.txt")
    )
    assert "expected one of round, offset" in one_line_error(
        floatgate("trace", "info", "mine.txt", "--align", "up")
    )


def test_a_disk_that_takes_no_more(here: Path) -> None:
    """A file-size limit stands in for a full disk: the write fails in the middle of the files."""
    command = [sys.executable, "-m", "floatgate", *RUN, "--out", "o"]
    limit = 1 << 16

    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    result = subprocess.run(
        command, cwd=here, preexec_fn=set_limit, capture_output=True, text=True, timeout=120, check=False
    )
    assert re.match(r"o(/\S+)?: cannot be written: file too large", one_line_error(result))
    assert not (here / "o").exists()
    assert list(here.glob(".*")) == []


def test_the_python_face(here: Path) -> None:
    trigger = fg.policy("ftl.gc.trigger", "watermark", low=3)
    run = fg.run(
        "small.toml",
        "mixed.csv",
        seed=7,
        precondition="instant",
        policies=[trigger],
        set={"host.link.queue_depth": 16},
    )
    assert run.document.config["ftl.gc.trigger.low"] == 3
    assert run.waf is not None
    assert run.waf == run.document.waf
    assert run.latency.read.p99 == run.host.read.latency_ns.p99
    assert run.flash.programs.gc + run.flash.programs.host <= run.flash.programs.total
    assert run.series().column_names[:2] == ["time_ns", "width_ns"]
    histogram = run.latency_histogram().to_pydict()
    assert sum(histogram["requests"]) == 3000
    report = run.report(here / "x.html")
    assert report.stat().st_size > 1 << 20
    with pytest.raises(AttributeError, match="cannot assign to field 'waf'"):
        run.document.waf = 1  # type: ignore[misc]
    with pytest.raises(AttributeError, match=r"no Latencies.raed \(did you mean read"):
        _ = run.latency.raed  # type: ignore[attr-defined]
    again = fg.Run.open(run.folder)
    assert again.document.to_dict() == run.document.to_dict()
    assert "small" in repr(run)
    assert "write amplification" in run._repr_html_()


def test_the_python_face_refuses_what_it_does_not_know(here: Path) -> None:
    with pytest.raises(TypeError, match=r"no option 'sede' \(did you mean seed\?\)"):
        fg.run("small.toml", "mixed.csv", sede=7)  # type: ignore[call-arg]
    with pytest.raises(fg.InputError, match=r"small\.tml"):
        fg.run("small.tml", "mixed.csv")
    with pytest.raises(fg.InputError, match="unknown key"):
        fg.run("small.toml", "mixed.csv", set={"ftl.opratio": 0.1})
