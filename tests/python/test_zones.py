"""Zoned drives as a user meets them: fio's words, traces, what a result says, and what is refused."""

from pathlib import Path

import pytest

import floatgate as fg
from floatgate.errors import InputError

ZONED = {
    "nand.blocks_per_plane": 32,
    "ftl.user_capacity": "512MiB",
    "ftl.mapping.name": "zoned-all",
    "ftl.mapping.max_open": 4,
    "ftl.buffer.power_loss_protection": True,
}
JOB = "fio --name=a --filename=/dev/nvme0n1 --zonemode=zbd --bs=64k"


def test_a_job_writes_reads_and_resets_zones() -> None:
    run = fg.run("slc", f"{JOB} --rw=randwrite --io_size=64m --zone_reset_threshold=0.01 "
                 "--zone_reset_frequency=0.02", set=ZONED, check=True)  # fmt: skip
    zones = run.ftl.zones
    assert zones is not None
    assert run.host.manage is not None
    assert zones.reset == run.host.manage.requests > 5
    assert run.host.errors is None
    assert run.host.failed.total == 0
    assert sum(zones.states.to_dict().values()) == zones.count
    read = fg.run("slc", f"{JOB} --rw=randread --number_ios=200", set=ZONED)
    assert read.host.read.requests == 200


def test_errors_of_zones_are_data(tmp_path: Path) -> None:
    trace = tmp_path / "zones.txt"
    trace.write_text(
        "write 0 8\nappend 0 8\nwrite 3 8\nfinish 0 0\nwrite 16 8\nclose 0 0\nreset 0 0\nread 0 8\n"
    )
    run = fg.run(
        "slc",
        trace,
        trace_format="table",
        columns="time=none op offset:4KiB size:4KiB",
        as_fast_as_possible=True,
        depth=1,
        layout=False,  # what is read would be there before
        set=ZONED,
        check=True,
    )
    assert run.host.errors == {
        "invalid_zone_state_transition": 1,
        "zone_invalid_write": 1,
        "zone_is_full": 1,
    }
    zones = run.ftl.zones
    assert zones is not None
    assert zones.finish_amplification is not None
    assert zones.finish_amplification == pytest.approx(zones.capacity_bytes / (16 * 4096))


def test_a_state_keeps_zones_and_what_waits_for_them(tmp_path: Path) -> None:
    state = tmp_path / "zones.state"
    with fg.Drive("slc", set=ZONED) as drive:
        drive.submit(0, "write", 0, 12 << 10)
        drive.save(state)
    said = fg.state.info(state)["zones"]
    assert (said["closed"], said["full"]) == (1, 0)
    assert said["units_written"] == 3
    assert 0 < said["units_in_buffer"] <= 3
    job = f"{JOB} --rw=write --number_ios=20"
    run = fg.run("slc", job, set=ZONED, load_state=state, save_state=tmp_path / "again", check=True)
    assert run.host.failed.total == 0
    assert fg.state.info(tmp_path / "again")["zones"] == said


def test_the_power_of_a_zoned_drive_fails() -> None:
    more = {"power.cut.at": ["1ms", "4ms"], "power.off": "0ns"}
    run = fg.run("slc", f"{JOB} --rw=write --iodepth=4 --number_ios=900", set=ZONED | more, check=True)
    cuts = run.document["power"]["cuts"]
    assert [cut["units_lost_in_buffer"] for cut in cuts] == [0, 0]
    assert all(cut["pages_read"] > 0 and cut["ready_ns"] for cut in cuts)
    # What was lost with a cut fails, and the job goes on.
    lost = sum(cut["requests_lost"] for cut in cuts)
    assert run.host.failed.total == lost > 0
    assert run.host.write.requests == 900 - lost


@pytest.mark.parametrize(
    ("workload", "settings", "said"),
    [
        (f"{JOB} --rw=write", {}, "this drive has no zones"),
        ("fio --name=a --rw=randwrite", ZONED, "zonemode=zbd: a zone takes writes at its pointer alone"),
        (
            f"{JOB} --rw=write",
            {**ZONED, "power.cut.at": ["1ms"], "power.hold_up": "1ms"},
            "and no power.hold_up",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(workload: str, settings: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        fg.run("slc", workload, set=settings)
    assert "\n" not in str(refused.value)


def test_a_drive_without_zones_says_nothing_of_them() -> None:
    run = fg.run("slc", "fio --name=a --rw=write --number_ios=50")
    assert run.ftl.zones is None
    assert run.host.manage is None
    assert run.host.errors is None
    assert "manage" not in run.document["host"]
    assert "zones" not in run.document["ftl"]


def test_a_trace_goes_to_zones_and_to_blocks_beside_them(tmp_path: Path) -> None:
    trace = tmp_path / "both.txt"
    to_blocks = ["log write 4 2", "log trim 4 1", "log read 5 1"]
    to_zones = ["data append 0 8", "data write 8 8", "data read 3 8", "data reset 0 0"]
    order = (to_blocks[:1], to_zones[:2], to_blocks[1:], to_zones[2:])
    trace.write_text("".join(f"{line}\n" for lines in order for line in lines))
    both = {
        "ftl.user_capacity": "400MiB",
        "host.namespaces.names": ["log", "data"],
        "host.namespaces.log.size": "16MiB",
        "host.namespaces.data.command_set": "zns",
    }
    run = fg.run(
        "slc",
        trace,
        trace_format="table",
        columns="time=none volume op offset:4KiB size:4KiB",
        as_fast_as_possible=True,
        depth=1,
        layout=False,
        set=ZONED | both,
        check=True,
    )
    log, data = run.host.namespaces
    assert (log.command_set, data.command_set) == ("nvm", "zns")
    assert [one.write.requests for one in (log, data)] == [1, 2]
    assert [one.read.requests for one in (log, data)] == [1, 1]
    assert log.trim.requests == 1
    assert run.host.errors is None
    assert run.host.failed.total == 0
    assert run.ftl.zones is not None
    assert run.ftl.zones.reset == 1
