"""Does a fit give back what was measured, say when it does not, and refuse a log with gaps?"""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median

import numpy as np
import pytest

import floatgate as fg
from conftest import Command, one_line_error
from floatgate._core import nanoseconds
from floatgate.errors import InputError
from floatgate.lab import characterize, errors
from floatgate.lab.experiments import chosen
from floatgate.lab.fit import Fit, fit_logs, stream, write
from floatgate.lab.simulated import SimulatedSource

SLC, MLC = "hy27us08121a", "poster-mlc"
HEAD = "block,page,operation,cycle,latency_us,status,error_bits,bits_read\n"


def logs_of(chip: str, experiment: str, blocks: int, folder: Path) -> Path:
    characterize(SimulatedSource(chip), chosen([experiment]), blocks, folder)
    return folder / "logs"


@pytest.fixture(scope="module")
def worn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return logs_of(SLC, "all-pages", 16, tmp_path_factory.mktemp("rig") / "slc") / "lives-zeros-all-25C.csv"


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return logs_of(MLC, "state-errors", 1, tmp_path_factory.mktemp("rig") / "mlc") / "state-errors.csv"


@pytest.fixture(scope="module")
def fitted(worn: Path) -> Fit:
    return fit_logs([worn])


def truth(wear: int) -> tuple[float, float]:
    """Mean program and erase time of blocks that are not in the log, after `wear` cycles like its own, ns."""
    chip = SimulatedSource(SLC).cells()
    programs, erases = [], []
    for block in range(1, 9):
        last = {entry.page: entry for entry in chip.cycle(block, wear + 1, pages="all")}
        if all(entry.status == "ok" for entry in last.values()):
            erases.append(last.pop(None).busy_ns)
            programs += [entry.busy_ns for entry in last.values()]
    return fmean(programs), fmean(erases)


def test_a_fit_recovers_the_tables_of_the_chip(fitted: Fit) -> None:
    """Within one pulse of what other blocks take: the page model counts whole ones."""
    done = fitted
    cells = tomllib.loads((Path(__file__).parents[2] / "chips" / f"{SLC}.toml").read_text())["cells"]
    pulse_ns = {
        part: sum(nanoseconds(cells[part][key]) for key in ("t_pulse", "t_verify"))
        for part in ("program", "erase")
    }
    program, erase = done.times["program", 0], done.times["erase", 0]
    for fit, part in ((program, "program"), (erase, "erase")):
        assert fit.pulse is not None
        assert fit.pulse.ns == pytest.approx(pulse_ns[part], rel=1e-9)
        assert fit.good
        assert len(fit.fitted.candidates) > 3
    last = done.rows[-1].pe_cycles
    assert last > 1_000_000
    for wear in (0, 1000, 30_000, 100_000, 300_000, 1_000_000, last):
        row = next(row for row in reversed(done.rows) if row.pe_cycles <= wear)
        for found, true, part in zip(
            (row.t_prog_ns[0], row.t_bers_ns), truth(wear), ("program", "erase"), strict=True
        ):
            assert abs(found - true) <= pulse_ns[part], (wear, part, found, true)


def test_lives_of_blocks_follow_their_distribution(fitted: Fit) -> None:
    done = fitted
    assert done.endurance is not None
    assert done.endurance.good
    low, high = done.endurance.intervals["0.5"]
    cycles = median(life.cycles for life in done.gathered.lives)
    assert low < cycles < high
    assert done.endurance.chosen.quantile(0.5) == pytest.approx(cycles, rel=0.15)


def test_error_rates_between_those_that_were_measured(wrong: Path) -> None:
    """The same blocks at other wear, within the factor of 1.6 for which a fit calls itself good."""
    done = fit_logs([wrong])
    chip = SimulatedSource(MLC).cells()
    identity = chip.identify()
    blocks = [life.block for life in done.gathered.lives]
    worn = 0
    for wear in (6000, 9000):
        found = []
        for block in blocks:
            chip.cycle(block, wear - worn, pattern="random", pages="all")
            found.append(errors.collect(chip, identity, block, seed=wear))
        worn = wear + 1
        for kind, fit in done.rates.items():
            assert fit.goodness.good
            measured = fmean(one.bit_rate(kind) for one in found if one)
            assert 1 / 1.6 < float(fit.law.at(wear)) / measured < 1.6, (wear, kind, measured)


def rig(
    path: Path,
    program_us: Callable[[int], float] = lambda cycle: 300 - 25 * (cycle > 60),
    blocks: int = 6,
    cycles: int = 100,
    wrong_bits: Callable[[int], int] = lambda cycle: cycle,
    lives: Callable[[int], int] | None = None,
    change: Callable[[list[str]], None] = lambda _lines: None,
    head: str = "",
) -> Path:
    """Write a log of every cycle; `lives` says in which cycle a block's erase fails."""
    lines = []
    for block in range(blocks):
        end = lives(block) if lives else cycles + 1
        for cycle in range(1, min(cycles, end) + 1):
            for page in range(2):
                lines.append(f"{block},{page},program,{cycle},{program_us(cycle):g},pass,,")
                lines.append(f"{block},{page},read,{cycle},25,pass,{wrong_bits(cycle)},100000")
            status = "fail" if cycle == end else "pass"
            lines.append(f"{block},,erase,{cycle},2000,{status},,")
    change(lines)
    path.write_text(head + HEAD + "\n".join(lines) + "\n")
    return path


def test_a_rigs_own_columns_and_units(tmp_path: Path) -> None:
    done = fit_logs([rig(tmp_path / "rig.csv")])
    assert done.part is None
    assert done.gathered.entries == 6 * 100 * 5
    program = done.times["program", 0]
    assert program.pulse is not None
    assert program.pulse.ns == pytest.approx(25_000)
    assert [row.t_prog_ns[0] for row in (done.rows[0], done.rows[-1])] == [300_000, 275_000]
    assert done.rates[0].law.at(50.0) == pytest.approx(51 / 100_000, rel=0.1)


def _set(place: int, old: str, new: str) -> Callable[[list[str]], None]:
    def change(lines: list[str]) -> None:
        assert old in lines[place], lines[place]
        lines[place] = lines[place].replace(old, new, 1)

    return change


def _drop(*places: int) -> Callable[[list[str]], None]:
    def change(lines: list[str]) -> None:
        for place in sorted(places, reverse=True):
            del lines[place]

    return change


# A cycle has five lines: program 0, read 0, program 1, read 1, erase. Entry n of the log is line n + 2.
REFUSED = {
    "a cycle is missing": (_drop(*range(50, 55)), 52, "cycle 12: a gap: expected cycle 11"),
    "an erase is missing": (_drop(54), 56, "cycle 11 was not erased: expected its erase first"),
    "a program is missing": (
        _drop(50, 51),
        52,
        "page 1, program, cycle 11: a gap: a page is skipped: expected page 0",
    ),
    "cycles run backwards": (_set(54, "erase,11", "erase,10"), 56, "cycles run backwards: expected 11"),
    "programmed twice": (_set(52, "0,1,program", "0,0,program"), 54, "a program without an erase before it"),
    "the log begins late": (_drop(*range(5)), 2, "a gap: expected its log to begin with cycle 1"),
    "life after death": (_set(54, "pass", "fail"), 57, "its erase failed in cycle 11: expected no more"),
    "errors of an unwritten page": (_set(51, "0,0,read", "0,1,read"), 53, "has not programmed"),
    "a word for a number": (_set(54, "2000", "2 ms"), 56, "latency_us = 2 ms: expected a number, 0 or more"),
    "no such operation": (
        _set(50, "program", "write"),
        52,
        "operation = write: expected one of read, program, erase",
    ),
    "no such status": (_set(50, "pass", "good"), 52, "status = good: expected one of"),
    "an erase of a page": (
        _set(54, "0,,erase", "0,3,erase"),
        56,
        "page = 3: expected a page, and none for an erase",
    ),
    "more errors than bits": (
        _set(51, ",11,100000", ",11,10"),
        53,
        "error_bits = 11: expected no more than bits_read",
    ),
    "a field is missing": (_set(51, ",100000", ""), 53, "7 fields: expected 8"),
    "an empty line": (
        _set(51, "0,0,read,11,25,pass,11,100000", ""),
        53,
        "operation = nothing: expected one of",
    ),
    "cycle 0": (_set(0, "program,1,", "program,0,"), 2, "cycle = 0: expected 1 to"),
    "an endless time": (_set(4, "2000", "2e30"), 6, "latency_us = 2e30: expected less than twelve days"),
    "too many blocks": (_set(4, "0,,", "99999999999,,"), 6, "block = 99999999999: expected less than"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_corrupted_log_is_refused_with_its_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change, line, says = REFUSED[name]
    path = rig(tmp_path / "rig.csv", change=change)
    for batch_bytes in (stream.BATCH_BYTES, 700):  # a gap may lie between two batches
        monkeypatch.setattr(stream, "BATCH_BYTES", batch_bytes)
        with pytest.raises(InputError) as refused:
            fit_logs([path])
        assert str(refused.value).startswith(f"{path}:{line}: "), refused.value
        assert says in str(refused.value)


def test_time_may_not_run_backwards(tmp_path: Path) -> None:
    path = tmp_path / "rig.csv"
    path.write_text(
        "time_ms,block,page,operation,cycle,latency_ns,status\n"
        "0,0,0,program,1,1,pass\n5,0,,erase,1,1,pass\n4.9,0,0,program,2,1,pass\n"
    )
    with pytest.raises(InputError, match=r"rig.csv:4: .*time runs backwards"):
        fit_logs([path])


def test_cycles_may_be_left_out_where_that_is_declared(tmp_path: Path) -> None:
    def tenth(lines: list[str]) -> None:
        lines[:] = [line for line in lines if int(line.split(",")[3]) % 10 == 0]

    path = rig(tmp_path / "rig.csv", change=tenth)
    with pytest.raises(InputError, match="begin with cycle 1"):
        fit_logs([path])
    assert fit_logs([path], sampled="10").gathered.entries == 6 * 10 * 5
    declared = rig(tmp_path / "declared.csv", change=tenth, head="# sampled: 10\n")
    assert fit_logs([declared]).gathered.entries == 6 * 10 * 5

    def hole(lines: list[str]) -> None:
        tenth(lines)
        del lines[5:10]

    with pytest.raises(InputError, match=r"hole.csv:7: .*cycle 30: a gap: expected cycle 20"):
        fit_logs([rig(tmp_path / "hole.csv", change=hole)], sampled="10")
    with pytest.raises(InputError, match=r"--sampled: sampled: sometimes: expected every, changes"):
        fit_logs([path], sampled="sometimes")


def test_our_own_logs_declare_their_cycles_and_miss_none(worn: Path, tmp_path: Path) -> None:
    lines = worn.read_text().splitlines()
    assert "# sampled: changes 1-2-5" in lines[:6]
    gone = next(place for place, line in enumerate(lines) if line.startswith("0,,erase,5000,"))
    path = tmp_path / "torn.csv"
    path.write_text("\n".join(lines[:gone] + lines[gone + 1 :]) + "\n")
    with pytest.raises(InputError, match=r"a gap: expected the erase of cycle 5000 before it"):
        fit_logs([path])


def test_a_fit_says_when_data_do_not_follow_it(tmp_path: Path) -> None:
    """Times that rise and fall, errors that come and go, lives of two kinds: no law here describes them."""
    path = rig(
        tmp_path / "rig.csv",
        program_us=lambda cycle: 300 + 100 * np.sin(cycle / 3.0),
        wrong_bits=lambda cycle: 400 if 20 < cycle < 30 else 2,
        blocks=30,
        lives=lambda block: 5 + block // 6 if block < 20 else 90 + block // 8,
    )
    done = fit_logs([path])
    program = done.times["program", 0]
    assert not program.good
    assert (program.fitted.goodness.r2 or 0.0) < 0.5
    assert not done.rates[0].goodness.good
    assert done.endurance is not None
    assert not done.endurance.good
    assert done.poor == ["program time", "errors", "endurance"]
    assert any("POOR" in line for line in done.lines())
    assert done.times["erase", 0].good


def test_times_that_jump_between_two_levels_are_not_explained_by_a_pulse(tmp_path: Path) -> None:
    def jumps(cycle: int) -> float:
        return 300.0 if cycle.bit_length() % 2 else 275.0

    program = fit_logs([rig(tmp_path / "rig.csv", program_us=jumps)]).times["program", 0]
    assert program.pulse is not None
    assert not program.good


def test_the_same_logs_give_the_same_bytes(fitted: Fit, worn: Path, wrong: Path, tmp_path: Path) -> None:
    write(fitted, tmp_path / "a")
    write(fit_logs([worn]), tmp_path / "b")
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == [".floatgate.json", "fit.json", f"{SLC}-fitted.toml", "report.html", "tables.toml"]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    with pytest.raises(InputError, match=r"chip: poster-mlc: expected hy27us08121a"):
        fit_logs([worn, wrong])
    with pytest.raises(InputError, match="the same bytes as"):
        fit_logs([worn, worn])


def test_a_drive_takes_the_fitted_chip(fitted: Fit, tmp_path: Path) -> None:
    write(fitted, tmp_path / "fit")
    job = tmp_path / "job.fio"
    job.write_text("[job]\nrw=write\nbs=512\niodepth=1\nio_size=64k\n")
    latency = []
    for pe_cycles in (0, 3_000_000):
        changes = {
            "chip": str(tmp_path / "fit" / f"{SLC}-fitted.toml"),
            "nand.pe_cycles": pe_cycles,
            "bus.interface.name": "plain",
            "bus.interface.rate": "20MB/s",
            "ftl.mapping_unit": "512B",
            "ftl.op_ratio": 0.2,
            "ftl.buffer.write_back": False,
        }
        done = fg.run("slc", job, set=changes, check=True)
        latency.append(done.document["host"]["write"]["latency_ns"]["p50"])
    assert latency[1] < 0.9 * latency[0]


def test_the_command(floatgate: Command, worn: Path, tmp_path: Path) -> None:
    done = floatgate("fit", str(worn), "--out", "fit")
    assert done.returncode == 0, done.stderr
    assert "program time" in done.stdout
    assert "R2" in done.stdout
    assert "Kolmogorov-Smirnov" in done.stdout
    document = json.loads((tmp_path / "fit" / "fit.json").read_text())
    assert document["chip"] == SLC
    assert document["logs"][0]["entries"] > 1000
    assert "sha256" in (tmp_path / "fit" / "tables.toml").read_text()
    assert "holds a run already" in one_line_error(floatgate("fit", str(worn), "--out", "fit"))
    assert "no log given" in one_line_error(floatgate("fit"))
    torn = rig(tmp_path / "torn.csv", change=_drop(54))
    assert one_line_error(floatgate("fit", str(torn))).startswith(
        f"{torn}:56: block 0, page 0, program, cycle 12"
    )
