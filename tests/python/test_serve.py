"""A served drive, by programs that use it as they would a disk; without one of them its test is skipped."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg
from floatgate.results.remarks import remarks
from floatgate.shell.console import print_result

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "drives" / "tiny.toml")
PATIENCE_S = 120


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skip where a program is missing."""
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} not installed")


@contextmanager
def served_by(
    folder: Path, *words: str, drive: str = TINY, ends_by: int = signal.SIGINT
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve a drive from `folder`; give its server and its address. A signal ends it, as a user does."""
    command = [sys.executable, "-m", "floatgate", "serve", drive, "--image", "d.img", "--pace", "max"]
    command += ["--check", "--no-report", "--out", "out", "--force", *words]
    with subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stderr is not None
        said = one.stderr.readline()
        assert said.startswith("serving "), said + one.stderr.read()
        try:
            yield one, said.split()[1]
        finally:
            one.send_signal(ends_by)
            _, err = one.communicate(timeout=PATIENCE_S)
        # A test may have killed its server before.
        assert one.returncode in (0, -signal.SIGKILL), err


@contextmanager
def served(folder: Path, *words: str, ends_by: int = signal.SIGINT) -> Iterator[str]:
    """The same, with the tiny drive; give its address."""
    with served_by(folder, *words, ends_by=ends_by) as (server, address):
        yield address
    assert server.returncode == (-signal.SIGKILL if ends_by == signal.SIGKILL else 0)


def call(*words: str, cwd: Path | None = None) -> str:
    """Run a program to its end, which must be a good one."""
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def fio(address: str, folder: Path, *words: str) -> dict[str, Any]:
    """Run a job of fio's on a served drive; give what it says of it."""
    usual = ["--name=job", "--ioengine=nbd", f"--uri={address}", "--output-format=json", "--randrepeat=0"]
    out = call("fio", *usual, *words, cwd=folder)
    job: dict[str, Any] = json.loads(out[out.index("{") :])["jobs"][0]
    return job


@needs("fio")
@pytest.mark.parametrize(
    "words",
    [
        ("--bs=4k", "--iodepth=1", "--size=2m"),
        ("--bs=4k", "--iodepth=32", "--size=6m"),
        ("--bsrange=512-16k", "--blockalign=512", "--iodepth=16", "--size=5m", "--verify_backlog=64"),
    ],
    ids=["one at a time", "at once", "parts of units"],
)
def test_fio_finds_what_it_wrote(words: tuple[str, ...], tmp_path: Path) -> None:
    with served(tmp_path) as address:
        job = fio(address, tmp_path, "--rw=randwrite", "--verify=crc32c", "--loops=3", *words)
    assert job["error"] == 0
    assert job["read"]["total_ios"] > 0
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    assert document["host"]["submitted"]["write"] >= job["write"]["total_ios"]


@needs("nbdcopy")
def test_a_copy_is_there_again_after_the_server_was(tmp_path: Path) -> None:
    data = os.urandom(1 << 20)
    (tmp_path / "in").write_bytes(data)
    with served(tmp_path) as address:
        call("nbdcopy", str(tmp_path / "in"), address)
    with served(tmp_path, ends_by=signal.SIGTERM) as address:
        call("nbdcopy", address, str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes()[: len(data)] == data


@needs("fio")
def test_what_fio_wrote_is_there_after_the_server_was_killed(tmp_path: Path) -> None:
    job = ("--bs=4k", "--iodepth=1", "--size=2m", "--rw=randwrite", "--verify=crc32c", "--randseed=7")
    with served(tmp_path, ends_by=signal.SIGKILL) as address:
        fio(address, tmp_path, *job, "--do_verify=0", "--end_fsync=1")
    with served(tmp_path) as address:
        found = fio(address, tmp_path, *job, "--verify_only")
    assert found["error"] == 0
    power = json.loads((tmp_path / "out" / "run.json").read_text())["power"]
    assert power["cuts"][0]["units_found"] >= 512
    assert power["cuts"][0]["ready_ns"] > 0


@needs("qemu-img", "qemu-io")
def test_qemu_converts_and_compares(tmp_path: Path) -> None:
    disk = str(tmp_path / "disk.qcow2")
    with served(tmp_path) as address:
        about = json.loads(call("qemu-img", "info", "--output=json", address))
        call("qemu-img", "create", "-q", "-f", "qcow2", disk, str(about["virtual-size"]))
        call("qemu-io", "-f", "qcow2", "-c", "write -P 5 100k 1M", "-c", "write -P 7 3M 64k", disk)
        call("qemu-img", "convert", "-n", "-O", "raw", disk, address)
        assert "identical" in call("qemu-img", "compare", "-F", "raw", disk, address)
        extents = json.loads(call("qemu-img", "map", "--output=json", "-f", "raw", address))
        written = {
            at
            for one in extents
            if one["data"]
            for at in range(one["start"], one["start"] + one["length"], 4096)
        }
        assert {100 << 10, (1 << 20) + (96 << 10), 3 << 20, (3 << 20) + (60 << 10)} <= written
        checks = ("write -z 1M 5k", "read -P 0 1M 5k", "discard 3M 64k", "read -P 0 3M 64k", "flush")
        words = [word for check in checks for word in ("-c", check)]
        assert "failed" not in call("qemu-io", "-f", "raw", *words, address)


def test_a_function_serves_a_drive_and_returns_its_run(tmp_path: Path) -> None:
    run = fg.serve(TINY, image=tmp_path / "d.img", pace="max", stop_after=0.2)
    assert run.document["workload"]["format"] == "nbd"
    assert run.document["workload"]["notes"] == {"clients": "0", "pace": "max"}
    assert (tmp_path / "d.img").exists()


def test_a_thread_serves_until_its_time_is_over(tmp_path: Path) -> None:
    found: list[Any] = []
    work = threading.Thread(
        target=lambda: found.append(fg.serve(TINY, image=tmp_path / "d.img", port=0, stop_after=0))
    )
    work.start()
    work.join(PATIENCE_S)
    assert found


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pace": "fast"}, "--pace fast: expected max, or a number"),
        ({"pace": "0"}, "--pace 0: expected max, or a number"),
        ({"port": 1, "socket": "s"}, "--port 1: --socket is given, too: expected one of both"),
        ({"address": "0.0.0.0"}, "--address 0.0.0.0: expected together with --port"),
        ({"port": 0, "address": "no.such.address.invalid"}, "no.such.address.invalid:0: "),
        ({"set": {"ftl.mapping.name": "bast"}}, '--set: ftl.mapping.name = "bast": an image holds units'),
        (
            {"set": {"ftl.parity.name": "rain", "geometry.ways": 2, "ftl.op_ratio": 2.0}},
            '--set: ftl.parity.name = "rain": an image holds units',
        ),
        ({"set": {"ftl.snapshots.every": "1s"}}, '--set: ftl.snapshots.every = "1s": an image holds units'),
        ({"set": {"fault.die": 1, "fault.at": "1s"}}, "--set: fault.die = 1: an image holds units"),
        ({"set": {"ftl.trim": "deterministic"}}, "a served drive keeps no records of trims"),
        ({"image": "none/d.img"}, "--image none/d.img: no such folder"),
        ({"record": "d.img"}, "--record d.img: is the image"),
        ({"record": "./d.img.state"}, "--record d.img.state: is the drive's state"),
        ({"record": "d.img.sock"}, "--record d.img.sock: is the socket"),
        ({"socket": "d.img"}, "--socket d.img: is the image"),
        ({"socket": "d.img.state"}, "--socket d.img.state: is the drive's state"),
        ({"out": "."}, "d.img: lies in --out ."),
        ({"out": "o", "record": "o/trace"}, "--record o/trace: lies in --out o"),
        (
            {"set": {"power.cut.drawn": "1"}},
            "power.cut: a served drive loses its power when its server is killed",
        ),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(
    options: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given: dict[str, Any] = {"image": "d.img", "stop_after": 0, **options}
    with pytest.raises(fg.InputError) as error:
        fg.serve(TINY, **given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "d.img").exists()


def test_names_of_one_file_are_told_apart_by_no_link(tmp_path: Path) -> None:
    fg.serve(TINY, image=tmp_path / "d.img", pace="max", stop_after=0)
    (tmp_path / "soft").symlink_to("d.img")
    (tmp_path / "hard").hardlink_to(tmp_path / "d.img")
    for other in ("soft", "hard"):
        with pytest.raises(fg.InputError, match="is the image"):
            fg.serve(TINY, image=tmp_path / "d.img", record=tmp_path / other, force=True, stop_after=0)


def test_a_foreign_file_where_the_state_goes_stays(tmp_path: Path) -> None:
    state = tmp_path / "d.img.state"
    state.write_text("ten years of work")
    with pytest.raises(fg.InputError, match=r"d\.img\.state: exists, and no server of .*d\.img wrote it"):
        fg.serve(TINY, image=tmp_path / "d.img", stop_after=0)
    assert state.read_text() == "ten years of work"
    assert not (tmp_path / "d.img").exists()


def test_a_lost_state_is_told_and_the_drive_begins_as_after_a_cut(tmp_path: Path) -> None:
    with served(tmp_path):
        pass
    (tmp_path / "d.img.state").unlink()
    with served_by(tmp_path) as (one, _):
        assert one.stderr is not None
        said = [one.stderr.readline() for _ in range(2)]
    assert any(line.startswith("note ") and "d.img.state: it was lost" in line for line in said), said
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    assert len(document["power"]["cuts"]) == 1


def test_answers_later_than_the_pace_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fg.run(TINY, "random-write", limit_requests=20, out=tmp_path / "o")
    document = json.loads((tmp_path / "o" / "run.json").read_text())
    notes = {"lateness_us": "p50 5.0, p99 900.0, max 4000.0", "pace_kept": "no: choose a lower --pace (7 %)"}
    document["workload"]["notes"] = notes
    document["remarks"] = remarks(document)
    print_result(document)
    shown = capsys.readouterr().out
    assert "answers late by        p50 5.0, p99 900.0, max 4000.0 us" in shown
    assert "pace kept              no: choose a lower --pace (7 %)" in shown
    assert "note: Answers left later than the pace asks for" in shown
    notes["pace_kept"] = "yes"
    assert not [one for one in remarks(document | {"remarks": []}) if one["kind"] == "pace_not_kept"]


@needs("unshare", "mount", "nbdcopy")
def test_a_full_disk_below_is_told_and_the_drive_goes_on(tmp_path: Path) -> None:
    mount = "mount -t tmpfs -o size=2m none full"
    if subprocess.run(
        ["unshare", "-Urm", "sh", "-c", mount], cwd=_made(tmp_path), capture_output=True
    ).returncode:
        pytest.skip("no file system of a given size can be mounted here")
    command = f"{mount} && exec {sys.executable} -m floatgate serve {TINY} --image full/d.img --socket s"
    words = ["unshare", "-Urm", "sh", "-c", f"{command} --pace max --check --no-report --out out"]
    with subprocess.Popen(
        words, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stderr is not None
        address = one.stderr.readline().split()[1]
        (tmp_path / "in").write_bytes(os.urandom(6 << 20))
        try:
            copied = subprocess.run(
                ["nbdcopy", "--flush", str(tmp_path / "in"), address], capture_output=True, text=True
            )
            assert copied.returncode != 0
            assert "No space left" in copied.stderr
            call("nbdcopy", address, str(tmp_path / "back"))
        finally:
            one.send_signal(signal.SIGTERM)
            _, err = one.communicate(timeout=PATIENCE_S)
    assert one.returncode == 2
    assert "No space left" in err
    assert (tmp_path / "out" / "run.json").exists()


def _made(folder: Path) -> Path:
    (folder / "full").mkdir()
    return folder


def _python_with_libnbd() -> str | None:
    """The Python that libnbd's binding is installed for, if any."""
    for python in (sys.executable, "/usr/bin/python3"):
        if (
            shutil.which(python)
            and not subprocess.run([python, "-c", "import nbd"], capture_output=True).returncode
        ):
            return python
    return None


@pytest.mark.skipif(_python_with_libnbd() is None, reason="libnbd's binding for Python not installed")
def test_promises_are_kept_to_a_host_whose_drive_is_killed_again_and_again(tmp_path: Path) -> None:
    python, script = _python_with_libnbd(), ROOT / "tests" / "python" / "nbd_checker.py"
    for seed in range(4):
        words = [str(python), str(script), "", "state.json", str(seed), "1500"]
        with served(tmp_path, ends_by=signal.SIGKILL) as words[2]:
            host = subprocess.Popen(
                words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            assert host.stdout is not None
            said = host.stdout.readline()
        rest, complaint = host.communicate(timeout=PATIENCE_S)
        assert (said, rest, complaint) == ("used\n", "gone\n", ""), f"round {seed}"
