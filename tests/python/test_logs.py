"""Log pages of a run, at the offsets of their specifications, and as the real nvme-cli prints them."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg
from conftest import in_process
from floatgate.results.logs import names, pages

HERE = Path(__file__).parent
TINY = HERE.parent / "drives" / "tiny.toml"
NVME, COMPILER = shutil.which("nvme"), shutil.which("cc") or shutil.which("gcc")
# Small writes at random beside large ones in order, mixed by two handles of four.
JOB = """[global]
bs=4k
norandommap
[hot]
rw=randwrite
size=30%
io_size=5m
[cold]
rw=randrw
bs=16k
offset=30%
size=69%
io_size=3m
"""
KEYS: dict[str, Any] = {
    "nand.blocks_per_plane": 128,
    "nand.pe_cycles_rated": 100,
    "ftl.streams.name": "fdp",
    "ftl.streams.handles": 3,
    "ftl.streams.isolation": ["initially", "persistently", "initially"],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[fg.Run, Path]:
    """A run and the folder of its logs."""
    folder = tmp_path_factory.mktemp("logs")
    (folder / "job.fio").write_text(JOB, encoding="utf-8")
    logs = folder / "logs"
    done = fg.run(TINY, folder / "job.fio", set=KEYS, place="job", precondition="workload", logs=logs)
    return done, logs


def number(content: bytes, offset: int, size: int) -> int:
    """Return the number that lies there, its least byte first."""
    return int.from_bytes(content[offset : offset + size], "little")


def test_every_page_is_there(run: tuple[fg.Run, Path]) -> None:
    assert sorted(path.name for path in run[1].iterdir()) == sorted(names())
    without = fg.run(TINY, "fio --rw=write --bs=4k --size=8k --name=a")
    assert [page.name for page in pages(without.document.to_dict())] == ["02h-smart", "c0h-ocp"]


def test_the_health_log_lies_as_nvme_has_it(run: tuple[fg.Run, Path]) -> None:
    document, page = run[0].document, (run[1] / "02h-smart.bin").read_bytes()
    assert len(page) == 512
    host = document.host
    expected = {
        (0, 1): 0,
        (3, 1): 100,  # available spare
        (4, 1): 10,
        (5, 1): int(document.wear.pe_cycles_mean),  # percent of 100 cycles
        (32, 16): -(-host.read.bytes // 512_000),
        (48, 16): -(-host.write.bytes // 512_000),
        (64, 16): host.read.requests,
        (80, 16): host.write.requests,
        (112, 16): 1,  # power cycles
        (144, 16): 0,
        (160, 16): 0,
    }
    assert {at: number(page, *at) for at in expected} == expected
    assert host.read.requests > 0


def test_the_extended_log_lies_as_ocp_has_it(run: tuple[fg.Run, Path]) -> None:
    document, page = run[0].document, (run[1] / "c0h-ocp.bin").read_bytes()
    assert len(page) == 512
    flash, wear = document.flash, document.wear
    assert document.waf_bytes is not None
    expected = {
        (0, 16): document.waf_bytes.programmed,
        (16, 16): flash.reads.total * 4096,
        (32, 6): wear.bad_blocks,
        (38, 2): 100,
        (88, 4): wear.pe_cycles_max,
        (92, 4): wear.pe_cycles_min,
        (103, 1): 2,  # of the specification
        (128, 2): 100,  # capacitors
        (176, 16): int(100 * 2 * 128 * 16 * 4096 / (run[0].waf or 0)),
        (494, 2): 3,
        (496, 16): 0xAFD514C97C6F4F9CA4F2BFEA2810AFC5,
    }
    assert {at: number(page, *at) for at in expected} == expected
    assert flash.reads.total > 0


def test_the_logs_of_placement_lie_as_nvme_has_them(run: tuple[fg.Run, Path]) -> None:
    streams = run[0].ftl.streams
    assert streams is not None
    content = {path.name[:3]: path.read_bytes() for path in run[1].glob("*.bin")}
    configs = content["20h"]
    expected = {(0, 2): 0, (4, 4): len(configs), (16, 2): len(configs) - 16, (18, 1): 0x80, (20, 4): 1}
    expected |= {(24, 2): 3, (26, 2): 2, (28, 4): 1, (32, 8): streams.reclaim_unit_bytes}
    expected |= {(80, 1): 1, (84, 1): 2, (88, 1): 1}  # initially, persistently, initially isolated
    assert {at: number(configs, *at) for at in expected} == expected
    assert len(configs) % 8 == 0
    assert [number(content["21h"], *at) for at in ((0, 2), (8, 1), (16, 1), (24, 1))] == [3, 1, 1, 1]
    statistics = [streams.host_bytes_written, streams.media_bytes_written, streams.media_bytes_erased]
    assert [number(content["22h"], at, 16) for at in (0, 16, 32)] == statistics
    assert len(content["22h"]) == 64
    events = content["23h"]
    count = number(events, 0, 4)
    assert len(events) == 64 * (1 + count)
    implicit = streams.events.implicitly_modified
    assert 0 < count == min(63, streams.events.media_reallocated + implicit)
    types = [number(events, 64 + 64 * n, 1) for n in range(count)]
    assert types == sorted(types)
    assert set(types) <= {0x80, 0x81}
    first = [number(events, 64 + at, size) for at, size in ((0, 1), (1, 1), (2, 2), (34, 2))]
    handle = next(n for n, one in enumerate(streams.handles) if one.collections)
    assert first == [0x80, 1, handle, handle]


def test_groups_and_namespaces_stand_in_the_logs(tmp_path: Path) -> None:
    lines = ["[one]", "filename=a", "rw=randwrite", "bs=4k", "io_size=1m", "ioengine=io_uring_cmd"]
    lines += ["dataplacement=fdp", "plids=1,3", "[two]", "filename=b", "rw=write", "bs=4k", "io_size=256k"]
    (tmp_path / "job.fio").write_text("\n".join(lines) + "\n", encoding="utf-8")
    keys = KEYS | {
        "ftl.streams.groups": 2,
        "ftl.streams.unit_time_limit": "10s",
        "ftl.buffer.power_loss_protection": False,
        "host.namespaces.names": ["a", "b"],
        "host.namespaces.a.share": 0.5,
        "host.namespaces.a.handles": [1, 2],
    }
    done = fg.run(TINY, tmp_path / "job.fio", set=keys)
    streams = done.ftl.streams
    assert streams is not None
    # The job names handle 1 and handle 2 in group 1; the other namespace has handle 0, to any group.
    assert [one.bytes_written > 0 for one in streams.handles] == [True, True, True]
    assert streams.groups[1].valid_bytes > 2 * streams.groups[0].valid_bytes > 0
    assert [(one.name, one.handles, one.groups) for one in streams.namespaces] == [
        ("a", (1, 2), (0, 1)),
        ("b", (0,), (0, 1)),
    ]
    found = {page.name: page.content for page in pages(done.document.to_dict())}
    configs = found["20h-fdp-configs"]
    # One bit of an identifier is its group; the buffer is volatile; two groups and namespaces; ten seconds.
    expected = {(18, 1): 0x91, (20, 4): 2, (24, 2): 3, (26, 2): 5, (28, 4): 2, (40, 4): 10}
    assert {at: number(configs, *at) for at in expected} == expected
    assert [number(found["21h-fdp-usage"], 8 + 8 * n, 1) for n in range(3)] == [2, 1, 1]


def test_a_counter_that_is_full_stays_so(run: tuple[fg.Run, Path]) -> None:
    document = json.loads((run[0].folder / "run.json").read_text())
    document["wear"] |= {"pe_cycles_max": 1 << 40, "read_only": True}
    found = {page.name: page.content for page in pages(document)}
    assert number(found["c0h-ocp"], 88, 4) == (1 << 32) - 1
    assert found["02h-smart"][0] == 8  # media are read-only


@pytest.mark.skipif(NVME is None or COMPILER is None, reason="needs nvme-cli and a C compiler")
def test_nvme_cli_prints_what_the_run_has(run: tuple[fg.Run, Path], tmp_path: Path) -> None:
    assert NVME is not None
    assert COMPILER is not None
    library = tmp_path / "answers.so"
    source = HERE / "nvme_answers.c"
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(library), "NVME_LOGS": str(run[1])}

    def printed(*words: str) -> Any:
        asked = [NVME, *words, "-o", "json"]
        done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def ours(name: str) -> Any:
        return json.loads((run[1] / f"{name}.json").read_text())

    def same(theirs: Any, mine: Any) -> bool:
        """Numbers of 128 bits are texts in some versions, and names begin with capitals."""
        if isinstance(theirs, dict):
            theirs, mine = ({key.lower(): one for key, one in of.items()} for of in (theirs, mine))
            return theirs.keys() == mine.keys() and all(same(theirs[key], mine[key]) for key in theirs)
        if isinstance(theirs, list):
            return len(theirs) == len(mine) and all(map(same, theirs, mine))
        return str(theirs) == str(mine)

    assert same(printed("smart-log", "/dev/null"), ours("02h-smart"))
    group = ("/dev/null", "--endgrp-id=1")
    for command, name in (
        ("configs", "20h-fdp-configs"),
        ("usage", "21h-fdp-usage"),
        ("stats", "22h-fdp-stats"),
        ("events", "23h-fdp-events"),
    ):
        assert same(printed("fdp", command, *group), ours(name)), command
    # The names of OCP's fields are others in each version.
    theirs, mine = printed("ocp", "smart-add-log", "/dev/null"), ours("c0h-ocp")
    written = theirs.get("Physical media units written", theirs.get("physical_media_units_written"))
    assert written == mine["physical_media_units_written"]
    wear = {
        "Max User data erase counts": "max_user_data_erase_count",
        "Endurance estimate": "endurance_estimate",
    }
    assert all(same(theirs.get(old, mine[new]), mine[new]) for old, new in wear.items())
    assert theirs.get("Log page GUID", theirs.get("log_page_guid")) == mine["log_page_guid"]


def test_a_twin_reads_the_counters_of_a_run(run: tuple[fg.Run, Path], tmp_path: Path) -> None:
    from floatgate.twin.recorded import read_folder

    done, logs = run
    host = done.host.write
    job = {"jobname": "a", "job options": {"rw": "write", "bs": "4k", "iodepth": "1"}}
    job["write"] = {"io_bytes": host.bytes, "total_ios": host.requests, "iops": 1.0, "clat_ns": {"mean": 1.0}}
    (tmp_path / "a.json").write_text(json.dumps({"jobs": [job]}))
    shutil.copy(logs / "c0h-ocp.json", tmp_path / "a.after.json")
    before = json.loads((logs / "c0h-ocp.json").read_text())
    before["physical_media_units_written"] = {"hi": 0, "lo": 0}
    (tmp_path / "a.before.json").write_text(json.dumps(before))
    (found,) = [row for row in read_folder(tmp_path).rows if row.what == "write_amplification"]
    assert found.value == pytest.approx(done.waf)


def test_logs_of_several_seeds_are_refused(tmp_path: Path) -> None:
    ended = in_process(
        *("run", str(TINY), "fio --rw=write --bs=4k --size=8k --name=a"),
        *("--repeat", "2", "--logs", str(tmp_path / "l"), "--out", str(tmp_path / "o")),
    )
    assert ended.code == 2
    assert "one drive's logs cannot stand for several seeds" in ended.err
