"""MQSim's two files: what they become, what is said, what is refused."""

import json
import math
import re
import shlex
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from conftest import Command, one_line_error
from floatgate import _core, run
from floatgate.errors import InputError
from floatgate.files import shipped
from floatgate.inputs import mqsim
from floatgate.inputs.mqsim import lines
from floatgate.inputs.plan import Plan
from floatgate.options import TraceOptions
from floatgate.runs.session import command
from mqsim_files import flow, write_drive, write_workload

ROOT = Path(__file__).parents[2]


def plan(drive: str, workload: str, scenario: int | None = None) -> Plan:
    return mqsim.plan_of(drive, workload, (), {}, TraceOptions(), scenario)


def keys(drive: str) -> dict[str, object]:
    """The assignments of a drive, by key."""
    made = mqsim.read_drive(Path(drive)).assignments("WRITE_CACHE", 1)
    return {key: json.loads(value) for key, value in (one.split("=", 1) for one in made)}


def test_units_are_converted(tmp_path: Path) -> None:
    found = keys(write_drive(tmp_path, PCIe_Lane_Bandwidth="2.0", Page_Read_Latency_MSB=90_000))
    assert found["nand.t_r"] == ["75000ns", "90000ns"]
    assert found["nand.t_prog"] == "750000ns"
    assert found["bus.interface.rate"] == "333333334B/s", "3 ns a transfer, as MQSim truncates 1000/333"
    assert found["host.link.rate"] == f"{round(8e9 * 128 / 156)}B/s"
    assert found["ftl.buffer.size"] == "1048576B"


def test_the_logical_space_is_that_of_mqsim_to_the_page(tmp_path: Path) -> None:
    drive = write_drive(tmp_path, Overprovisioning_Ratio="0.327")
    done = run(drive, write_workload(tmp_path, (flow("synthetic"),)))
    sectors = int(64 * 32 * 16 * (1 - 0.327)) * 16  # truncated in each of 16 planes
    assert done.document["capacity_bytes"] == -(-sectors // 16) * 8192


def test_a_field_left_out_has_mqsims_own_value(tmp_path: Path) -> None:
    drive = mqsim.read_drive(Path(write_drive(tmp_path)))
    assert drive["GC_Exec_Threshold"] == 0.05
    assert drive["Queue_Fetch_Size"] == 512


def test_flows_share_the_logical_space(tmp_path: Path) -> None:
    drive = write_drive(tmp_path)
    made = plan(drive, write_workload(tmp_path, (flow("synthetic"), flow("synthetic", Seed=8))))
    first, second = json.loads(made.workload.text or "")
    share = int(64 * 32 * 16 * (1 - 0.25) / 2.0) * 16
    assert first["region"] == {"first": 0, "last": int((share - 1) * 0.5)}
    assert second["region"]["first"] == -(-share // 16) * 16
    assert (first["seed"], second["seed"]) == (7, 8)


@pytest.mark.parametrize("flows", [1, 2, 3])
@pytest.mark.parametrize(
    "changes",
    [
        ("nand.blocks_per_plane=128",),
        ("nand.blocks_per_plane=56",),
        ("geometry.channels=3",),
        ("ftl.op_ratio=0.5", "nand.pages_per_block=16"),
    ],
)
def test_flows_share_the_drive_that_runs(tmp_path: Path, changes: tuple[str, ...], flows: int) -> None:
    drive = write_drive(tmp_path)
    described = tuple(flow("synthetic", Working_Set_Percentage=100) for _ in range(flows))
    made = mqsim.plan_of(drive, write_workload(tmp_path, described), changes, {}, TraceOptions(), None)
    done = run(drive, write_workload(tmp_path, described), set=dict(one.split("=") for one in changes))
    sectors = done.document["capacity_bytes"] // 512
    regions = [one["region"] for one in json.loads(made.workload.text or "")]
    share = sectors // flows // 16 * 16  # whole pages
    assert regions == [{"first": share * at, "last": share * (at + 1) - 1} for at in range(flows)]
    assert sectors != plan_sectors(drive)


def plan_sectors(drive: str) -> int:
    """The sectors of the drive as its file has it."""
    return mqsim.read_drive(Path(drive)).logical_pages(1) * 16


def test_what_leaves_the_size_alone_leaves_the_flows_alone(tmp_path: Path) -> None:
    drive = write_drive(tmp_path, Overprovisioning_Ratio="0.327")
    workload = write_workload(tmp_path, (flow("synthetic"), flow("synthetic")))
    plain, changed = (
        mqsim.plan_of(drive, workload, overrides, {}, TraceOptions(), None).workload.text
        for overrides in ((), ("nand.t_r=50us",))
    )
    assert plain == changed


def test_a_repetition_on_a_drive_of_another_size_is_refused(tmp_path: Path, floatgate: Command) -> None:
    drive, workload = write_drive(tmp_path), write_workload(tmp_path, (flow("synthetic"),))
    out = tmp_path / "out"
    first = floatgate("run", drive, workload, "--out", str(out), "--no-report")
    assert first.returncode == 0, first.stderr
    again = ("run", str(out / "run.json"), "--no-report", "--out")
    other = floatgate(*again, str(tmp_path / "a"), "--set", "nand.blocks_per_plane=128")
    assert "on which MQSim's flows are laid out" in one_line_error(other)
    same = floatgate(*again, str(tmp_path / "b"), "--set", "nand.t_r=50us")
    assert same.returncode == 0, same.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5 0 0 16 0\n20  0 64 8 1\n30 0 0 8 1\n", ":2: MQSim takes the trace for ended here"),
        ("5 0 0 16 0\n20 0 64 8 1\n 30 0 0 8 1\n", ":3: MQSim takes the trace for ended here"),
        (" 5 0 0 16 0\n20 0 64 8 1\n", ":1: MQSim takes the trace for ended here"),
        ("5 0 0 16 0\n20\t0 64 8 1\n", ":2: MQSim takes the trace for ended here"),
        ("5 0 0 16 0\r\n\r\n20 0 64 8 1\r\n", ":2: MQSim takes the trace for ended here"),
        ("5 0 0 16 0\n20 0 64 8 0 \n30 0 0 8 1\n", ":2: MQSim takes this write for a read"),
        ("5 0 0 16 0\n20 0 64 8 1\n\n", None),
        ("5 0 0 16 0\r\n20 0 64 8 1\r\n", None),
        ("5 0 0 16 0\n20 0 64 8 1 \n30 0 0 8 1", None),
    ],
)
def test_where_mqsim_reads_a_trace_otherwise_is_said(tmp_path: Path, text: str, said: str | None) -> None:
    (tmp_path / "some.trace").write_bytes(text.encode())
    workload = write_workload(tmp_path, (flow("trace"),))
    notes = plan(write_drive(tmp_path), workload).workload.notes
    assert (f"some.trace{said}" in " ".join(notes)) if said else not notes
    done = run(write_drive(tmp_path), workload)
    made = len([line for line in text.split("\n") if line.strip()])
    assert done.document["host"]["completed"]["total"] == made, "all of them are made"


@pytest.mark.parametrize("shift", range(5))
def test_an_odd_line_is_found_wherever_the_file_is_cut(tmp_path: Path, shift: int) -> None:
    line = b"5 0 0 16 0\n"
    before = lines.CHUNK // len(line)
    for odd, at in ((b"6  0 0 16 0\n", 1), (b"\n6 0 0 16 0\n", 1), (b"6 0 0 16 0 \n", 1)):
        path = tmp_path / "some.trace"
        path.write_bytes(b"1" * (shift * 3) + line * (before - 1) + odd + line * 3)
        said = lines.read_otherwise(path)
        assert said is not None
        assert said.startswith(f"{path}:{before - 1 + at}:")


def test_a_trace_is_replayed_with_its_addresses_wrapped(tmp_path: Path) -> None:
    (tmp_path / "some.trace").write_text("5 9 0 16 0\n2000000 3 99999999 8 1\n3000000 7 32 16 1\n")
    workload = write_workload(tmp_path, (flow("trace"),))
    done = run(write_drive(tmp_path), workload, requests=True, check=True)
    rows = done.requests().to_pylist()
    last = int(64 * 32 * 16 * 0.75) * 16 - 1
    assert [row["offset"] // 512 for row in rows] == [0, 99999999 % last, 32]


def test_a_trace_is_replayed_as_often_as_asked(tmp_path: Path) -> None:
    (tmp_path / "some.trace").write_text("5 0 0 16 0\n2000000 0 64 8 1\n")
    workload = write_workload(tmp_path, (flow("trace", Relay_Count=3),))
    assert run(write_drive(tmp_path), workload).document["host"]["completed"]["total"] == 6


def test_a_percentage_of_a_trace_is_made(tmp_path: Path) -> None:
    (tmp_path / "some.trace").write_text("".join(f"{i * 1000} 0 {i * 16} 16 1\n" for i in range(10)))
    workload = write_workload(tmp_path, (flow("trace", Percentage_To_Be_Executed=50),))
    assert run(write_drive(tmp_path), workload).document["host"]["completed"]["total"] == 5


def test_preconditioning_is_that_of_the_flows(tmp_path: Path) -> None:
    workload = write_workload(tmp_path, (flow("synthetic"),))
    assert plan(write_drive(tmp_path), workload).options.precondition == "none"
    made = plan(write_drive(tmp_path, Enabled_Preconditioning="true"), workload).options
    assert (made.precondition, made.precondition_fill) == ("instant", 0.7)


def test_what_mqsim_does_not_read_is_said(tmp_path: Path) -> None:
    drive = write_drive(tmp_path, Preferred_suspend_erase_time_for_read=5)
    notes = plan(drive, write_workload(tmp_path, (flow("synthetic", Intensity=5),))).workload.notes
    assert [note.split()[0] for note in notes] == ["Preferred_suspend_erase_time_for_read", "Intensity"]


def test_a_scenario_is_chosen(tmp_path: Path, floatgate: Command) -> None:
    drive = write_drive(tmp_path)
    workload = write_workload(
        tmp_path, (flow("synthetic"),), (flow("synthetic", Total_Requests_To_Generate=50),)
    )
    with pytest.raises(InputError, match="2 scenarios: expected --scenario 1 to 2"):
        plan(drive, workload)
    done = floatgate("run", drive, workload, "--scenario", "2", "--out", str(tmp_path / "out"), "--no-report")
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    assert document["host"]["completed"]["total"] == 50


def test_a_run_says_all_that_repeats_it(tmp_path: Path, floatgate: Command) -> None:
    drive, workload = write_drive(tmp_path), write_workload(tmp_path, (flow("synthetic"),))
    first, again = tmp_path / "first", tmp_path / "again"
    floatgate("run", drive, workload, "--out", str(first), "--no-report")
    Path(drive).unlink()
    Path(workload).unlink()
    done = floatgate("run", str(first / "run.json"), "--out", str(again), "--no-report")
    assert done.returncode == 0, done.stderr
    one, two = (json.loads((folder / "run.json").read_text()) for folder in (first, again))
    assert one["host"] == two["host"]
    assert one["config"] == two["config"]


def test_the_command_named_by_a_fault_repeats_the_run(tmp_path: Path, floatgate: Command) -> None:
    drive = write_drive(tmp_path, Enabled_Preconditioning="true")
    workload = write_workload(tmp_path, (flow("synthetic"),), (flow("synthetic", Read_Percentage=0),))
    job = tmp_path / "j.fio"
    job.write_text("[j]\nrw=write\nsize=${MUCH}\n")
    for asked, scenario in ((workload, 2), (str(job), None)):
        changes, options = ("ftl.wear.name=none",), {"seed": 5}
        variables = {} if scenario else {"MUCH": "1m"}
        made = mqsim.plan_of(drive, asked, changes, options, TraceOptions(), scenario, variables)
        words = [drive, asked, "--set", changes[0], "--seed", "5"]
        words += ["--scenario", str(scenario)] if scenario else ["--env", "MUCH=1m"]
        documents = []
        for name, run_words in (("first", ["run", *words]), ("again", shlex.split(command(made))[1:])):
            out = tmp_path / f"{name}-{scenario}"
            done = floatgate(*run_words, "--out", str(out), "--no-report")
            assert done.returncode == 0, done.stderr
            documents.append(json.loads((out / "run.json").read_text()))
        assert documents[0]["host"] == documents[1]["host"], command(made)
        assert documents[0]["config"] == documents[1]["config"], command(made)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"CMT_Capacty": 5},
            "<CMT_Capacty> in <Device_Parameter_Set>: expected a field (did you mean <CMT_Capacity>?)",
        ),
        ({"Queue_Fetch_Size": "many"}, "<Queue_Fetch_Size> many: expected a whole number from 1 to 65535"),
        ({"HostInterface_Type": "SATA"}, "<HostInterface_Type> SATA: expected NVME"),
        ({"Address_Mapping": "HYBRID"}, "<Address_Mapping> HYBRID: expected PAGE_LEVEL"),
        ({"Transaction_Scheduling_Policy": "FLIN"}, "expected OUT_OF_ORDER or PRIORITY_OUT_OF_ORDER"),
        ({"Caching_Mechanism": "SIMPLE"}, "<Caching_Mechanism> SIMPLE: expected ADVANCED"),
        ({"Enabled_Preconditioning": "yes"}, "<Enabled_Preconditioning> yes: expected true or false"),
        ({"Channel_Transfer_Rate": 2000}, "expected a whole number from 1 to 1000"),
    ],
)
def test_a_wrong_field_of_the_drive_is_one_line(
    tmp_path: Path, floatgate: Command, changes: dict[str, object], words: str
) -> None:
    drive = write_drive(tmp_path, **changes)
    workload = write_workload(tmp_path, (flow("synthetic"),))
    done = floatgate("run", drive, workload, "--out", str(tmp_path / "out"))
    assert words in one_line_error(done)
    assert f"{drive}:" in done.stderr


@pytest.mark.parametrize(
    ("flows", "words"),
    [
        ((flow("synthetic", Seed=None),), "has no <Seed>: expected a whole number"),
        ((flow("synthetic", Chip_IDs="0"),), "<Chip_IDs> 0: expected all of 0 to 1"),
        ((flow("trace"),), "<File_Path> some.trace: expected a trace"),
        (
            (flow("synthetic", Total_Requests_To_Generate=0),),
            "<Stop_Time> 0 without Total_Requests_To_Generate",
        ),
        (
            (flow("synthetic"), flow("synthetic", Priority_Class="LOW")),
            "<Priority_Class> differs from the first flow's: expected one class",
        ),
        (
            (flow("synthetic", Synthetic_Generator_Type="BANDWIDTH", Bandwidth=100),),
            "<Bandwidth> 100: expected at least 4096",
        ),
        ((), "0 flows: expected 1 to 8"),
    ],
)
def test_a_wrong_field_of_the_workload_is_one_line(
    tmp_path: Path, floatgate: Command, flows: tuple[str, ...], words: str
) -> None:
    done = floatgate(
        "run", write_drive(tmp_path), write_workload(tmp_path, flows), "--out", str(tmp_path / "out")
    )
    assert words in one_line_error(done)


def test_a_faulty_line_of_a_trace_is_named(tmp_path: Path, floatgate: Command) -> None:
    (tmp_path / "some.trace").write_text("5 0 0 16 0\n4 0 64 8 1\n")
    workload = write_workload(tmp_path, (flow("trace"),))
    done = floatgate("run", write_drive(tmp_path), workload, "--out", str(tmp_path / "out"))
    assert "some.trace:2: a request at 4 after one at 5: expected times in order" in one_line_error(done)


def test_the_workload_needs_its_own_drive(tmp_path: Path, floatgate: Command) -> None:
    workload = write_workload(tmp_path, (flow("synthetic"),))
    done = floatgate("run", "tlc", workload, "--out", str(tmp_path / "out"))
    assert "expected its ssdconfig.xml before it" in one_line_error(done)


def test_flows_have_no_variables(tmp_path: Path, floatgate: Command) -> None:
    workload = write_workload(tmp_path, (flow("synthetic"),))
    done = floatgate("run", write_drive(tmp_path), workload, "--env", "A=1", "--out", str(tmp_path / "out"))
    assert "--env A: " in one_line_error(done)
    assert "expected a fio job with this option" in one_line_error(done)


# ---- what the keys do, by hand --------------------------------------------------------------------------

COMMAND = (
    41 + 11
)  # doorbell, submission entry; completion entry: 28 bytes of packet each over 4 GB/s, rounded up
READ_COMMAND, PROGRAM_COMMAND, T_R = 290, 361, 75_000
BYTE = 3  # ns on a channel


def link(size: int) -> int:
    """Nanoseconds that data take to or from the host: 128 of 156 bytes of each packet."""
    return math.ceil(size / round(4e9 * 128 / 156) * 1e9)


def requests(folder: Path, lines: str, *, set: dict[str, object] | None = None, **fields: object) -> Any:  # noqa: A002
    """Run a trace of MQSim's; give the rows of its requests and the document."""
    (folder / "some.trace").write_text(lines)
    workload = write_workload(folder, (flow("trace"),))
    done = run(write_drive(folder, **fields), workload, requests=True, check=True, set=set)
    rows = sorted(done.requests().to_pylist(), key=lambda row: row["arrive_ns"])
    return [row["complete_ns"] - row["arrive_ns"] for row in rows], done.document


def test_a_miss_of_the_map_costs_a_read_of_one_sector(tmp_path: Path) -> None:
    latencies, document = requests(tmp_path, "1000 0 0 8 1\n9000000 0 0 8 1\n")
    lookup = READ_COMMAND + T_R + 512 * BYTE
    read = READ_COMMAND + T_R + 4096 * BYTE
    hit = COMMAND + read + link(4096)
    assert latencies == [hit + lookup, hit]
    assert document["flash"]["reads"]["map"] == 1


def test_an_ideal_map_is_not_read(tmp_path: Path) -> None:
    latencies, _ = requests(tmp_path, "1000 0 0 8 1\n", Ideal_Mapping_Table="true")
    assert latencies == [COMMAND + READ_COMMAND + T_R + 4096 * BYTE + link(4096)]


def test_only_the_sectors_asked_for_cross_a_channel(tmp_path: Path) -> None:
    latencies, _ = requests(tmp_path, "1000 0 3 1 1\n", Ideal_Mapping_Table="true")
    assert latencies == [COMMAND + READ_COMMAND + T_R + 512 * BYTE + link(512)]


@pytest.mark.parametrize(("page", "shares"), [(4, True), (8, True), (2, False)])
def test_dies_of_a_chip_take_turns(tmp_path: Path, page: int, shares: bool) -> None:
    """Pages 0, 4 (the other die) and 8 (the other plane) are on one chip, page 2 on the channel's next."""
    lines = f"1000 0 0 8 1\n1000 0 {16 * page} 8 1\n"
    latencies, _ = requests(tmp_path, lines, Ideal_Mapping_Table="true")
    alone = COMMAND + READ_COMMAND + T_R + 4096 * BYTE + link(4096)
    behind = READ_COMMAND + T_R + 4096 * BYTE if shares else 4096 * BYTE
    assert sorted(latencies) == [alone, alone + behind]


def test_commands_wait_behind_data(tmp_path: Path) -> None:
    """A second chip's command cannot be sent while the first's data take the channel."""
    sent = 1000 + COMMAND + READ_COMMAND + T_R
    lines = f"1000 0 0 16 1\n{sent} 0 32 8 1\n"
    latencies, _ = requests(tmp_path, lines, Ideal_Mapping_Table="true")
    waits = 8192 * BYTE - COMMAND
    assert latencies[1] == COMMAND + waits + READ_COMMAND + T_R + 4096 * BYTE + link(4096)


def test_the_cache_takes_what_its_dram_takes(tmp_path: Path) -> None:
    drive: dict[str, Any] = {"Data_Cache_DRAM_Data_Rate": 100, "Data_Cache_DRAM_Data_Busrt_Size": 1}
    latencies, _ = requests(tmp_path, "1000 0 0 16 0\n1000 0 16 16 0\n", **drive)
    once = COMMAND + link(8192) + 40_986
    assert latencies[0] == once
    assert once + 40_000 < latencies[1] < once + 41_000, "one access after the other"


def test_what_is_written_again_stays_in_the_cache(tmp_path: Path) -> None:
    lines = "1000 0 160 16 0\n2000 0 0 16 0\n5000000 0 0 16 0\n9000000 0 0 8 1\n900000000 0 320 16 1\n"
    _, document = requests(tmp_path, lines)
    assert document["flash"]["programs"]["host"] == 2
    assert document["ftl"]["buffer"]["units_read_from_buffer"] == 1


def test_a_partial_write_reads_only_what_was_written(tmp_path: Path) -> None:
    """Sectors 0-3, then 4-7 of a page: the second program needs the first four; 8-15 belong to no flow."""
    apart = "1000 0 160 4 0\n5000000 0 0 4 0\n2000000000 0 4 4 0\n4000000000 0 320 8 1\n"
    _, document = requests(tmp_path, apart)
    assert document["flash"]["reads"]["read_modify_write"] == 1
    again = "1000 0 160 4 0\n5000000 0 0 4 0\n2000000000 0 0 4 0\n4000000000 0 320 8 1\n"
    _, document = requests(tmp_path, again)
    assert document["flash"]["reads"]["read_modify_write"] == 0


def test_writes_wait_while_a_page_of_each_plane_is_on_its_way(tmp_path: Path) -> None:
    """16 planes: 16 pages may be on their way; the 17th waits for a program."""
    lines = "".join(f"1000 0 {16 * page} 16 0\n" for page in range(24))
    latencies, _ = requests(tmp_path, lines, Ideal_Mapping_Table="true")
    assert sum(latency < 750_000 for latency in latencies) == 16


def test_the_order_of_classes_is_checked(tmp_path: Path, floatgate: Command) -> None:
    done = floatgate(
        "run",
        write_drive(tmp_path),
        write_workload(tmp_path, (flow("synthetic"),)),
        "--set",
        'controller.scheduler.order=["erase"]',
        "--out",
        str(tmp_path / "out"),
    )
    assert "expected each once: host-read, internal-read" in one_line_error(done)


def test_the_drive_file_differs_from_the_mapping_where_the_document_says(tmp_path: Path) -> None:
    spec = spec_from_file_location("files", ROOT / "papers" / "tavakkol2018-mqsim" / "files.py")
    assert spec is not None
    assert spec.loader is not None
    files = module_from_spec(spec)
    spec.loader.exec_module(files)
    made = mqsim.read_drive(files.write_drive(tmp_path, 2048, {})).assignments("WRITE_CACHE", 1)

    def resolved(overrides: list[str]) -> dict[str, Any]:
        described = json.loads(_core.explain_drive("mqsim-default", overrides, shipped.folders()))
        return {entry["key"]: entry["value"] for entry in described["entries"]}

    file, mapping = resolved([]), resolved(list(made))
    differ = {key for key in file | mapping if file.get(key) != mapping.get(key)}
    page = (ROOT / "docs" / "reference" / "mqsim.md").read_text()
    section = page.split("## Differences from `mqsim-default`")[1].split("## ")[0]
    assert differ == set(re.findall(r"`([a-z]+(?:\.[a-z_]+)+)`", section))
