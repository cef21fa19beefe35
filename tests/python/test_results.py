"""What `run.json` says is what its schema describes, all of it, and nothing else; the classes follow."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

import floatgate as fg
import type_checkers
from floatgate._generated import results
from floatgate.errors import InputError
from floatgate.generate import from_definitions
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import resolve
from floatgate.options import Options
from floatgate.results import description, versions
from floatgate.runs.execute import Listeners, run_to_folder
from test_zones import ZONED

TINY = Path(__file__).parents[1] / "drives" / "tiny.toml"
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("file", from_definitions.FILES)
def test_what_is_generated_is_up_to_date(file: str) -> None:
    """Made anew by `python -m floatgate.generate`."""
    written = (Path(from_definitions.__file__).parents[1] / file).read_text(encoding="utf-8")
    assert from_definitions.formatted(file) == written


# ---- everything that is described occurs, and everything that occurs is described --------------------

MIXED = (
    "[mixed]\nrw=randrw\nbs=4k\nsize=2m\niodepth=8\nloops=8\nfsync=64\n"
    "[trims]\nrw=randtrim\nbs=64k\nsize=1m\n"
)
READS = "[reads]\nrw=randread\nbs=4k\nsize=1m\niodepth=4\nloops=2\n"
SAMPLED = "[s]\nrw=randrw\nrwmixread=30\nbs=4k\nsize=100%\nnorandommap=1\nio_size=120m\niodepth=4\n"
SEQUENCE = "[sequence]\nrw=read\nbs=4k\nsize=2m\nloops=2\n"
WRITES = "[writes]\nrw=randwrite\nbs=4k\nsize=2m\niodepth=8\nloops=6\n"
SMALL = {"nand.blocks_per_plane": 24, "ftl.user_capacity": "13GB"}
CODE = {"ecc.code.name": "ldpc"}
ROOMY = {"nand.blocks_per_plane": 40, "ftl.user_capacity": "10GB"}
CACHE = {"nand.blocks_per_plane": 80, "ftl.user_capacity": "10GB", "ftl.slc_cache.name": "static"}
OLD = {"ftl.reading.age": "1d", "ftl.reading.data_age": "364d", "nand.pe_cycles": 2000}

VICTIM = Path(fg.__file__).parent / "own" / "skeletons" / "victim.py"

# What is null in short runs: parts of write amplification that need a failure, worn flash or days of time.
RARE = {f"waf_parts.{part}" for part in ("rebuild", "refresh", "rescue", "rewrite", "scrub", "wear")} | {
    "waf_parts.read_ahead",
    "waf_parts.fold",
    "ftl.upkeep.late_ns_mean",
    "invocation.workload.file_bytes",
    "sample.keeps_up",  # test_sampling.py
}

# By name: drive, job, settings, options.
RUNS: dict[str, tuple[str | Path, str, dict[str, Any], dict[str, Any]]] = {
    "mixed": (TINY, MIXED, {}, {"precondition": "instant", "check": True, "loop": "until=waf:5%,max=12"}),
    "own state": (TINY, MIXED, {}, {"precondition": "workload"}),
    "fresh": ("mlc", READS, {"nand.blocks_per_plane": 32, "ftl.user_capacity": "6GB"}, {"layout": False}),
    "cache": ("tlc", MIXED, CACHE, {}),
    "blocks on zones": (
        TINY,
        "[s]\nrw=randwrite\nbs=4k\nsize=100%\nnumber_ios=4000\niodepth=4\n",
        {
            "ftl.mapping.name": "zoned-all",
            "ftl.op_ratio": 0.02,
            "ftl.buffer.power_loss_protection": True,
            "host.translation.name": "log",
            "host.translation.op_ratio": 0.5,
        },
        {"precondition": "fill"},
    ),
    "sampled": (TINY, SAMPLED, {}, {"precondition": "steady", "sample": "waf:20%,iops:20%,mean:20%,p99:50%"}),
    "parity": ("tlc", WRITES, ROOMY | {"ftl.parity.name": "rain"}, {"precondition": "fill"}),
    "regulated": ("tlc", MIXED, SMALL | CODE | {"ftl.regulator.name": "agcr"}, {"precondition": "fill"}),
    "old data": ("tlc", READS, SMALL | CODE | OLD, {"precondition": "fill"}),
    "refreshed": (
        "tlc",
        READS,
        SMALL | CODE | {"ftl.refresh.age": "10h", "ftl.scrub.period": "8h"},
        {"precondition": "fill"},
    ),
    "snapshots": (TINY, WRITES, {"ftl.snapshots.every": "20ms", "ftl.snapshots.rollback_at": ["70ms"]}, {}),
    "placement": (
        TINY,
        WRITES,
        {
            "ftl.streams.name": "fdp",
            "ftl.streams.handles": 2,
            "ftl.streams.unit_time_limit": "1s",
            "host.place.name": "job",
        },
        {"precondition": "fill"},
    ),
    "map on flash": (TINY, WRITES, {"ftl.mapping.name": "dftl"}, {}),
    "map in spare areas": (TINY, WRITES, {"ftl.mapping.name": "birrell"}, {}),
    "map of blocks": (TINY, WRITES, {"ftl.mapping.name": "fast"}, {}),
    "read ahead": (
        TINY,
        SEQUENCE,
        {"ftl.read_ahead.name": "sequential", "ftl.read_merge.name": "same-page"},
        {},
    ),
    "a steady state": (
        TINY,
        "[j]\nrw=randread\nsize=1m\ntime_based\nruntime=9\nrate_iops=100\nss=iops:10%\nss_dur=2\n",
        {},
        {},
    ),
    "parts of units": (TINY, "[parts]\nrw=randwrite\nbs=1k\nsize=1m\niodepth=8\n", {}, {"check": True}),
    "policy in Python": (TINY, WRITES, {"ftl.gc.victim.name": f"{VICTIM}:Rested"}, {}),
    "a die that fails": (TINY, WRITES, {"fault.die": 0, "fault.after": 300}, {"check": True}),
    "power cuts": (TINY, WRITES, {"power.cut.drawn": 3, "power.cut.within": 500}, {"check": True}),
    "mqsim": ("mqsim-default", READS, {}, {"limit_requests": 300}),
    "namespaces": (
        TINY,
        "[x]\nfilename=log\nrw=randrw\nsize=256k\n[y]\nfilename=data\nrw=trim\nbs=64k\nsize=256k\n",
        {"host.namespaces.names": ["log", "data"], "host.namespaces.log.share": 0.25},
        {"check": True},
    ),
}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Runs of many drives and features, and one that was interrupted."""
    found = {}
    for name, (drive, job, settings, options) in RUNS.items():
        folder = tmp_path_factory.mktemp("run")
        (folder / "job.fio").write_text(job)
        run = fg.run(drive, folder / "job.fio", set=settings, out=folder / "o", **options)
        found[name] = json.loads((run.folder / "run.json").read_text())
    folder = tmp_path_factory.mktemp("run")
    (folder / "zones.txt").write_text("write 0 8\nwrite 3 8\nfinish 0 0\nreset 0 0\nclose 0 0\n")
    zones = fg.run(
        "slc",
        folder / "zones.txt",
        trace_format="table",
        columns="time=none op offset:4KiB size:4KiB",
        as_fast_as_possible=True,
        depth=1,
        set=ZONED,
        out=folder / "o",
    )
    found["zones"] = json.loads((zones.folder / "run.json").read_text())
    folder = tmp_path_factory.mktemp("run")
    plan = Plan(str(TINY), resolve("random-write"), (), Options(limit_requests=10**7))
    asked = iter((False, True))
    stop = Listeners(stopped=lambda: next(asked, True))
    run_to_folder(plan, folder / "o", report=False, listeners=stop)
    found["interrupted"] = json.loads((folder / "o" / "run.json").read_text())
    return found


def _leaves(value: Any, of: Any, path: str = "") -> Iterator[str]:
    """Paths of the values in a document that are not null, as `generate_results.leaves` names them."""
    if value is None:
        return
    of = _resolved(of)
    if "properties" in of:
        for key, inner in value.items():
            yield from _leaves(inner, of["properties"][key], f"{path}.{key}".lstrip("."))
    elif of.get("type") == "array" and "$ref" in of["items"]:
        for item in value:
            yield from _leaves(item, of["items"], f"{path}.[]")
    elif of.get("type") == "object" and _resolved(of["additionalProperties"]).get("properties"):
        for item in value.values():
            yield from _leaves(item, of["additionalProperties"], f"{path}.*")
    else:
        yield path


def _resolved(of: Any) -> Any:
    if "anyOf" in of and "$ref" in of["anyOf"][0]:
        of = of["anyOf"][0]
    return SCHEMA["$defs"][of["$ref"].rpartition("/")[2]] if "$ref" in of else of


SCHEMA = description.schema()


def test_every_result_is_what_the_schema_says(documents: dict[str, dict[str, Any]]) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    for name, document in documents.items():
        assert [error.message for error in validator.iter_errors(document)] == [], name


def test_an_undescribed_key_is_found(documents: dict[str, dict[str, Any]]) -> None:
    document = json.loads(json.dumps(documents["fresh"]))
    document["ftl"]["gc"]["undescribed"] = 1
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


def test_every_described_key_occurs(documents: dict[str, dict[str, Any]]) -> None:
    """Each has a value, and not only null, in one of the runs at least."""
    described = {path for path, *_ in description.leaves(SCHEMA)}
    seen = {path for document in documents.values() for path in _leaves(document, SCHEMA)}
    assert seen <= described
    assert described - seen <= RARE


def test_every_value_has_a_unit_and_a_sentence() -> None:
    units = set()
    for path, _, unit, sentence in description.leaves(SCHEMA):
        assert unit, path
        assert re.fullmatch(r"[A-Z0-9`].{3,}[.]", sentence), (path, sentence)
        units.add(unit)
    assert {"ns", "bytes", "mapping units", "ratio", "J"} <= units


# ---- formats -----------------------------------------------------------------------------------------

FORMAT_1 = Path(__file__).parent / "data" / "format1.json"


def _changed(folder: Path, **changes: Any) -> Path:
    (folder / "run.json").write_text(json.dumps(json.loads(FORMAT_1.read_text()) | changes))
    return folder / "run.json"


def test_a_result_of_the_first_format_is_read_as_one_of_today(tmp_path: Path) -> None:
    was = json.loads(FORMAT_1.read_text())
    run = fg.Run.open(_changed(tmp_path))
    assert run.document.schema == versions.NEWEST
    assert run.ftl.gc.victims == was["gc"]["victims"] > 0
    assert run.ftl.regulator is not None
    assert run.ftl.regulator.rewrites_asked == was["regulation"]["rewrites_asked"]
    assert run.document.ecc is not None
    assert list(run.document.ecc.references) == was["regulation"]["references"]
    assert run.ftl.read_merge.reads_joined == was["reading"]["reads_joined"]
    assert run.document.wear.program_failures == was["gc"]["program_failures"]


def _of_units(requests: int, **changes: Any) -> dict[str, Any]:
    """A result of format 1: 20,000 units of 4 KiB written, in requests of so many bytes altogether."""
    was = json.loads(FORMAT_1.read_text())
    was["host"]["write"]["bytes"] = requests
    was["flash"]["units_programmed"] |= {"host": 20_000, "total": 33_728}
    was["waf"] = 33_728 / 20_000
    was["waf_long_run"] |= {"value": 2.0, "low": 1.5, "high": 2.5, "overwrites": 0.5}
    return {key: was[key] for key in ("host", "flash", "waf", "waf_long_run")} | changes


def test_write_amplification_of_units_becomes_one_of_bytes(tmp_path: Path) -> None:
    whole = fg.Run.open(_changed(tmp_path, **_of_units(20_000 * 4096)))
    assert whole.waf == 33_728 / 20_000
    assert whole.document.waf_bytes is not None
    assert whole.document.waf_bytes.filled_up == 0
    assert whole.document.waf_bytes.settled
    parts = fg.Run.open(_changed(tmp_path, **_of_units(20_000 * 1024)))
    assert parts.waf == pytest.approx(4 * 33_728 / 20_000)
    assert parts.document.waf_bytes is not None
    assert parts.document.waf_bytes.programmed == 33_728 * 4096
    assert parts.document.waf_bytes.host_written == 20_000 * 1024
    assert parts.document.waf_long_run is not None
    assert (parts.document.waf_long_run.value, parts.document.waf_long_run.high) == (8.0, 10.0)
    assert parts.document.waf_long_run.overwrites == 0.125


def test_write_amplification_that_cannot_become_one_of_bytes_is_refused(tmp_path: Path) -> None:
    """Of a window after a ramp the requests are not those whose units were counted."""
    edges = fg.Run.open(_changed(tmp_path, **_of_units(20_000 * 4096 - 8 * 4096, started_ns=10**9)))
    assert edges.waf == 33_728 / 20_000, "whole units, but for requests in flight when the ramp ended"
    with pytest.raises(InputError, match=r"waf: mapping units over mapping units.*format 1.*of bytes"):
        fg.Run.open(_changed(tmp_path, **_of_units(20_000 * 1024, started_ns=10**9)))


def test_a_result_of_units_that_left_much_in_the_buffer_is_not_settled(tmp_path: Path) -> None:
    run = fg.Run.open(_changed(tmp_path))
    assert run.document.waf_bytes is not None
    assert (run.document.waf_bytes.settled, run.document.waf_bytes.held_share) == (False, 1 - 0.5928)


def test_a_drive_without_a_code_has_no_costs_in_either_format(tmp_path: Path) -> None:
    run = fg.Run.open(_changed(tmp_path, regulation=None))
    parts = (run.document.ecc, run.ftl.write_cost, run.ftl.scrub, run.ftl.regulator, run.ftl.refresh)
    assert all(part is None for part in parts)


def test_a_result_that_cannot_be_brought_to_today_says_what_changed(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        fg.Run.open(_changed(tmp_path, gc=None))
    said = str(refused.value)
    assert "format 1, written by Floatgate 0.1.0" in said
    assert "regulation became ecc" in said
    assert "\n" not in said


@pytest.mark.parametrize("number", [0, versions.NEWEST + 1, "2", None, True, 1.5])
def test_a_format_that_is_not_known_is_refused(number: Any, tmp_path: Path) -> None:
    expected = rf"schema .*: written by Floatgate 0.1.0: expected a result of format 1 to {versions.NEWEST}"
    with pytest.raises(InputError, match=expected):
        fg.Run.open(_changed(tmp_path, schema=number))


def test_each_format_has_its_number_and_what_it_changed(documents: dict[str, dict[str, Any]]) -> None:
    assert [one.number for one in versions.FORMATS] == list(range(1, versions.NEWEST + 1))
    assert all(one.change for one in versions.FORMATS)
    assert {document["schema"] for document in documents.values()} == {versions.NEWEST}


def test_what_a_format_moved_is_where_the_table_says() -> None:
    """A key that moves again without a new format would leave the table behind."""
    tables = {row[0] for row in description._below("", SCHEMA, SCHEMA["$defs"], None)}
    for one in versions.FORMATS:
        assert [new for _, new in one.moved if new not in tables] == []


# ---- the classes -------------------------------------------------------------------------------------


def test_the_classes_are_what_the_file_says(documents: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    for name, document in documents.items():
        (tmp_path / "run.json").write_text(json.dumps(document))
        assert fg.Run.open(tmp_path).document.to_dict() == document, name


def test_names_complete_and_explain_themselves(documents: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps(documents["mixed"]))
    run = fg.Run.open(tmp_path)
    assert {"victims", "free_at_choice_mean"} <= set(dir(run.ftl.gc))
    assert " ".join(str(results.Gc.__doc__).split()) == (
        "Results on garbage collection in the measured window. Means are over the victims that it chose; "
        "null without victims."
    )
    with pytest.raises(AttributeError, match=r"no Latency.p98 \(did you mean p99\?\)"):
        _ = run.latency.read.p98  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="cannot assign"):
        run.ftl.gc.victims = 1  # type: ignore[misc]
    with pytest.raises(KeyError):
        _ = run.document["gc"]


TYPED = """import floatgate as fg

run = fg.Run.open("x")
x: str = run.latency.write.p99
y: int | None = run.host.read.latency_ns.p99
z: int = run.ftl.gc.victims
run.ftl.gc.victim
run.ftl.gc.victims = 3
"""


def test_a_type_checker_knows_each_number(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(TYPED)
    told = type_checkers.errors(tmp_path, "typed.py")
    found = [found for line in told for found in re.findall(r"typed.py:(\d+): error: .*\[([a-z-]+)\]", line)]
    assert found == [("4", "assignment"), ("7", "attr-defined"), ("8", "misc")], told


def test_the_command_prints_the_schema(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "floatgate", "schema"]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert json.loads(printed) == SCHEMA
    for expected in (0, 2):  # a file that is there is not replaced
        done = subprocess.run([*words, "--out", "s.json"], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == expected, done.stderr
    assert (tmp_path / "s.json").read_text() == printed
