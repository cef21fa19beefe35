"""The comparison with other simulators, without any of them: configurations, results, wrong input."""

import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

import floatgate as fg
from floatgate.inputs import mqsim
from peers import flashsim, kept, mqsim as mqsim_peer, ours, simplessd, table
from peers.__main__ import PEERS, main
from peers.cases import CASES, LARGE, OURS, SMALL, Case, Drive, Job, Outcome
from peers.measure import Failed, Line, Run, Spread, line

BY_NAME = {case.name: case for case in CASES}
READ, WRITE = BY_NAME["read-small"], BY_NAME["write"]


def job(case: Case, folder: Path, requests: int = 1_000) -> Job:
    return Job(case, requests, folder, folder)


@pytest.mark.parametrize("case", [case for case in CASES if case.drive], ids=lambda case: case.name)
def test_both_files_of_mqsim_are_what_floatgate_reads_of_it(case: Case, tmp_path: Path) -> None:
    mqsim_peer.command("MQSim", job(case, tmp_path))
    assert case.drive is not None
    drive = mqsim.read_drive(tmp_path / "ssdconfig.xml")
    assert drive["Block_No_Per_Plane"] == case.drive.blocks
    assert drive["Page_No_Per_Block"] == case.drive.pages_per_block
    assert drive["Enabled_Preconditioning"] is False
    flow = ElementTree.parse(tmp_path / "workload.xml").getroot().find(".//IO_Flow_Parameter_Set_Synthetic")
    assert flow is not None
    assert flow.findtext("Total_Requests_To_Generate") == "1000"
    assert flow.findtext("Read_Percentage") == ("100" if case.reads else "0")


@pytest.mark.parametrize("drive", [LARGE, SMALL], ids=lambda drive: drive.title)
def test_the_drive_has_as_many_pages_in_all_simulators(drive: Drive, tmp_path: Path) -> None:
    path = tmp_path / "drive.toml"
    path.write_text(ours.drive_text(drive))
    told, flash = simplessd.device(drive, READ)["pal"], flashsim.configuration(drive)
    pages = [told[key] for key in ("Channel", "Package", "Block", "Page")]
    assert pages == [flash[key] for key in ("SSD_SIZE", "PACKAGE_SIZE", "PLANE_SIZE", "BLOCK_SIZE")]
    assert pages == [8, 4, drive.blocks, drive.pages_per_block]
    capacity = fg.drive(str(path)).capacity_bytes
    assert capacity is not None
    assert abs(capacity / 4096 - drive.pages) <= 1


def test_simplessd_is_told_in_picoseconds_and_filled_before_it_is_read() -> None:
    told = simplessd.device(SMALL, READ)
    assert told["pal"]["LSBRead"] == 25_000_000
    assert told["ftl"]["FillRatio"] == 1.0
    assert simplessd.device(SMALL, WRITE)["ftl"]["FillRatio"] == 0.0
    assert simplessd.text({"a": {"b": 1}, "c": {"d": ""}}) == "[a]\nb = 1\n[c]\nd = \n"


def test_flashsim_is_told_in_microseconds_and_its_driver_how_much_to_fill(tmp_path: Path) -> None:
    words = flashsim.command("flashsim", job(READ, tmp_path))
    assert words == ["flashsim", "read", str(SMALL.pages), str(SMALL.pages), "1000", "32"]
    assert flashsim.command("flashsim", job(WRITE, tmp_path))[3] == "0"
    lines = (tmp_path / "ssd.conf").read_text().splitlines()
    assert "PAGE_READ_DELAY 25" in lines
    assert "BUS_DATA_DELAY 8.192" in lines
    assert all(re.fullmatch(r"[A-Z_]+ [0-9.]+", one) for one in lines), "what its reader understands"


def test_the_result_of_mqsim_is_read(tmp_path: Path) -> None:
    (tmp_path / "workload_scenario_1.xml").write_text(
        "<a><Request_Count>999</Request_Count><Device_Response_Time>76</Device_Response_Time>"
        '<x.FTL Issued_Flash_Read_CMD="5" Issued_Flash_Interleaved_Read_CMD="2" Issued_Flash_Program_CMD="30"'
        ' Issued_Flash_Erase_CMD="1" Issued_Flash_Suspend_Erase_CMD="400"'
        ' Issued_Flash_Read_CMD_For_Mapping="4" CMT_Hits="7"/></a>'
    )
    assert mqsim_peer.read("", job(READ, tmp_path)) == Outcome(999, 38, 76.0)


def test_what_simplessd_printed_is_read(tmp_path: Path) -> None:
    said = (
        "pal.read.count  \t12.000000 \tTotal\npal.program.count\t3.000000\tTotal\n"
        "pal.erase.count\t1.000000\tTotal\npal.read.time.mem\t9.0\n\x1b[2K   \rI/O (bytes): 4096 (1 B/s)\n"
        "I/O (counts): 11 (Read: 11, Write: 0)\n"
        "Latency (ns): min=1.5, max=9.0, avg=2500.000000, stdev=3\n"
    )
    assert simplessd.read(said, job(READ, tmp_path)) == Outcome(11, 16, 2.5)


def test_what_our_driver_of_flashsim_printed_is_read(tmp_path: Path) -> None:
    said = "Using DFTL.\nfloatgate 1000 15704 50.284 990 10 2\n"
    assert flashsim.read(said, job(READ, tmp_path)) == Outcome(1000, 1002, 50.284)


@pytest.mark.parametrize("peer", [simplessd, flashsim], ids=["simplessd", "flashsim"])
def test_a_program_that_prints_something_else_is_no_result(peer: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="print"):
        peer.read("Segmentation fault\n", job(READ, tmp_path))


def a_run(cpu_s: float, requests: int, pages: int) -> Run:
    return Run(cpu_s, Outcome(requests, pages, 50.0))


def test_what_both_runs_share_is_subtracted() -> None:
    made = line(READ, OURS, [[a_run(1.0, 100, 100), a_run(1.0 + took, 1_100, 2_100)] for took in (1, 2, 4)])
    assert made.cpu_s == Spread(2.0, 1.0, 4.0)
    assert made.requests_per_s == Spread(500.0, 250.0, 1_000.0)
    assert made.pages_per_s == Spread(1_000.0, 500.0, 2_000.0)
    assert made.pages_per_request == 2.0


def test_of_a_whole_job_nothing_is_subtracted() -> None:
    made = line(BY_NAME["long"], OURS, [[a_run(2.0, 100, 100)]])
    assert made.requests_per_s.middle == 50.0


def test_a_longer_run_that_took_less_time_is_no_measurement() -> None:
    with pytest.raises(Failed, match="read-small: the longer run"):
        line(READ, OURS, [[a_run(2.0, 100, 100), a_run(1.0, 200, 200)]])


def lines(case: Case, requests_per_s: float, pages_per_s: float, mean_us: float) -> list[Line]:
    def one(name: str, requests: float, pages: float, mean: float) -> Line:
        cpu, spreads = Spread.of([1.0]), (Spread.of([requests]), Spread.of([pages]))
        return Line(case, name, 1, cpu, *spreads, pages_per_request=2.0, mean_us=mean)

    return [one(OURS, 100.0, 1_000.0, 50.0), one("mqsim", requests_per_s, pages_per_s, mean_us)]


def test_reads_are_compared_by_requests_and_writes_by_page_operations() -> None:
    assert "5 times as fast" in table.markdown(lines(READ, 20.0, 100.0, 50.0))
    assert "10 times as fast" in table.markdown(lines(WRITE, 20.0, 100.0, 50.0))


def test_results_that_differ_are_pointed_out() -> None:
    assert "mean response +20%" in table.markdown(lines(READ, 20.0, 100.0, 60.0))
    assert "mean response +" not in table.markdown(lines(READ, 20.0, 100.0, 51.0))


def test_what_was_kept_is_read_back_together(tmp_path: Path) -> None:
    both = {"one": lines(WRITE, 20.0, 100.0, 60.0), "two": lines(READ, 30.0, 50.0, 70.0)}
    for name, made in both.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "raw.csv").write_text(table.csv(made))
    assert kept.read([tmp_path / name for name in both]) == [*both["two"], *both["one"]]


def test_the_first_page_has_room_for_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "index.md").read_text()
    made = table.into_docs(page, lines(READ, 20.0, 100.0, 60.0))
    assert "| random 4 KiB read, depth 32, 2 GiB | 100 requests | 5 |" in made
    assert made.count(table.MARKS[0]) == made.count(table.MARKS[1]) == 1
    assert made.endswith(page[page.index(table.MARKS[1]) :])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], f"PEERS: nothing named: expected NAME=/path for some of {', '.join(PEERS)}"),
        (["mqsm=/bin/sh"], f"PEERS: 'mqsm': expected one of {', '.join(PEERS)}; did you mean mqsim?"),
        (["mqsim=/no/such"], "PEERS: mqsim=/no/such: expected a program, found nothing"),
        (["mqsim=/"], "PEERS: mqsim=/: expected a program, found a folder"),
        (["mqsim"], "PEERS: 'mqsim': expected mqsim=/path/to/its/program"),
        (["mqsim=/bin/sh", "--rounds", "0"], "--rounds: 0: expected 1 or more"),
        (["mqsim=/bin/sh", "--save", ".."], "--save: ..: expected a new name, as runs are never edited"),
    ],
)
def test_a_wrong_word_is_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr() == ("", said + "\n")


def test_a_run_that_was_not_kept_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--kept", "2020-01-01"]) == 2
    assert capsys.readouterr().err.startswith("--kept: '2020-01-01': expected one of ")


def test_a_case_that_does_not_exist_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mqsim=/bin/sh", "--only", "reed"]) == 2
    assert capsys.readouterr().err.endswith("did you mean read?\n")


def test_a_file_that_may_not_be_executed_is_no_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "MQSim").write_text("")
    assert main([f"mqsim={tmp_path}/MQSim"]) == 2
    assert capsys.readouterr().err.endswith("found a file that may not be executed\n")
