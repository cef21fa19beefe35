"""A database and a file system on a served drive whose server is killed; and what those see who watch it.

Each test is skipped, and says why, where a program that it needs is missing.
"""

import json
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from random import Random
from threading import Event
from typing import Any
from urllib.request import urlopen

import pytest

import floatgate as fg
import nbd_guest
from conftest import one_line_error
from floatgate import _core
from floatgate.serve.metrics import _buckets
from floatgate.shell.watching import view
from test_serve import PATIENCE_S, ROOT, TINY, call, fio, needs, served, served_by

A_MOMENT = Event()  # never set: between two looks for a sign
DASHBOARD = ROOT / "examples" / "serve" / "grafana.json"


@contextmanager
def mounted(file: Path, uri: str) -> Iterator[Path]:
    """A served drive as a file, by nbdfuse; skips where nothing can be mounted."""
    file.touch()
    with subprocess.Popen(
        ["nbdfuse", str(file), uri], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as one:
        try:
            end = time.monotonic() + PATIENCE_S
            while not file.stat().st_size:
                if one.poll() is not None or time.monotonic() > end:
                    assert one.stderr is not None
                    pytest.skip(f"nbdfuse cannot mount here: {one.stderr.read().strip()}")
                A_MOMENT.wait(0.02)
            yield file
        finally:
            subprocess.run(["fusermount3", "-u", "-z", str(file)], capture_output=True)
            one.kill()


def _make_database(path: Path, size: int) -> None:
    """A database of just that size, most of it free: on a drive a file can neither grow nor shrink."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma page_size=4096")
    connection.execute("create table rows (number integer primary key, text text not null)")
    connection.execute("create table filler (bytes blob)")
    connection.execute("begin")
    while True:
        missing = size // 4096 - connection.execute("pragma page_count").fetchone()[0]
        if missing <= 0:
            break
        # A page of a chain holds 4092 bytes, so that most of what is missing is one blob.
        connection.execute("insert into filler values (zeroblob(?))", (max(3000, (missing - 4) * 4092),))
    connection.execute("commit")
    connection.execute("delete from filler")
    connection.close()
    assert path.stat().st_size == size


def _rows(path: Path) -> set[int]:
    """The rows of a database that is whole."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        rows = connection.execute("select number, text from rows").fetchall()
    finally:
        connection.close()
    assert all(text == f"row {number} " * 40 for number, text in rows)
    return {number for number, _ in rows}


@needs("nbdfuse", "fusermount3", "nbdcopy", "nbdinfo")
def test_what_a_database_committed_is_there_after_the_server_was_killed(tmp_path: Path) -> None:
    """The database lies on the drive, its journal beside where that is mounted."""
    committed: set[int] = set()
    random = Random(5)
    for cut in range(4):
        with served_by(tmp_path) as (server, uri):
            if cut == 0:
                size = int(call("nbdinfo", "--size", uri)) // 4096 * 4096
                _make_database(tmp_path / "new", size)
                call("nbdcopy", "--flush", str(tmp_path / "new"), uri)
            with mounted(tmp_path / "drive.db", uri) as database:
                found = _rows(database)
                assert committed <= found, f"cut {cut}: {sorted(committed - found)[:9]} were committed"
                words = [sys.executable, str(ROOT / "tests" / "python" / "nbd_sqlite.py"), str(database)]
                with subprocess.Popen(
                    [*words, str(max(found, default=-1) + 1)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                ) as host:
                    assert host.stdout is not None
                    for _ in range(random.randrange(10, 60)):
                        committed.add(int(host.stdout.readline()))
                    server.kill()
                    committed |= {int(line) for line in host.stdout}
                    host.kill()
    assert len(committed) > 40


@pytest.mark.skipif(nbd_guest.missing() is not None, reason=str(nbd_guest.missing()))
def test_a_file_system_is_whole_after_the_server_was_killed(tmp_path: Path) -> None:
    """ext4 in a small guest: e2fsck finds nothing after the journal, and what was fsynced is there."""
    guest, random = nbd_guest.Guest(), Random(3)
    for cut in range(4):
        with served_by(tmp_path, "--set", "nand.blocks_per_plane=512") as (server, uri):
            if cut == 0:
                nbd_guest.make(tmp_path, uri)
            guest.work(tmp_path, uri, random, server.kill)
    assert guest.boots == 4
    assert guest.next >= 3


@needs("fio")
def test_what_was_recorded_is_replayed(tmp_path: Path) -> None:
    with served(tmp_path, "--record", "trace") as uri:
        fio(uri, tmp_path, "--rw=randrw", "--bs=4k", "--size=1m", "--iodepth=4", "--fsync=16")
        fio(uri, tmp_path, "--rw=trim", "--bs=64k", "--size=512k")
    first = json.loads((tmp_path / "out" / "run.json").read_text())
    fg.run(TINY, tmp_path / "trace", layout=False, out=tmp_path / "again")
    again = json.loads((tmp_path / "again" / "run.json").read_text())
    assert again["workload"]["format"] == "blkparse"
    assert again["host"]["submitted"] == first["host"]["submitted"]
    for kind in ("read", "write", "flush", "trim"):
        assert first["host"]["submitted"][kind] > 0
    # The same drive, the same requests at the same times.
    assert again["host"]["write"]["latency_ns"]["mean"] == first["host"]["write"]["latency_ns"]["mean"]
    assert again["flash"]["units_programmed"] == first["flash"]["units_programmed"]


def test_a_trace_that_cannot_be_made_is_refused_before_anything_is(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("ten years of work")
    for record, said in (
        ("there", "exists: expected a new file, or --force"),
        ("no/trace", "no such folder"),
        ("d.img", "is the image"),
    ):
        with pytest.raises(fg.InputError, match=said):
            fg.serve(TINY, image=tmp_path / "d.img", record=tmp_path / record, stop_after=0)
    assert (tmp_path / "there").read_text() == "ten years of work"
    assert not (tmp_path / "d.img").exists()


def _told(server: "subprocess.Popen[str]", name: str) -> str:
    """What the server says under a name."""
    assert server.stderr is not None
    for line in server.stderr:
        if line.split()[0] == name:
            return line.split()[1]
    raise AssertionError(f"no {name}")


def _metrics(url: str) -> dict[str, float]:
    with urlopen(url, timeout=PATIENCE_S) as answer:
        lines = answer.read().decode().splitlines()
    return {name: float(value) for name, _, value in (one.rpartition(" ") for one in lines if one[0] != "#")}


@needs("fio")
def test_prometheus_learns_what_a_drive_does(tmp_path: Path) -> None:
    pytest.importorskip("prometheus_client")
    with served_by(tmp_path, "--metrics", "0") as (server, uri):
        url = _told(server, "metrics")
        assert url.startswith("http://127.0.0.1:")
        fio(
            uri,
            tmp_path,
            "--rw=randwrite",
            "--bs=4k",
            "--size=6m",
            "--iodepth=8",
            "--loops=3",
            "--end_fsync=1",
        )
        end = time.monotonic() + PATIENCE_S
        while (found := _metrics(url))['floatgate_requests_total{op="write"}'] < 4608:
            assert time.monotonic() < end, found
            A_MOMENT.wait(0.1)
    assert found['floatgate_request_bytes_total{op="write"}'] == 3 * (6 << 20)
    assert found['floatgate_request_latency_seconds_bucket{le="+Inf",op="write"}'] == 4608
    assert found["floatgate_units_written_total"] == 4608
    assert found["floatgate_bytes_written_total"] == 3 * (6 << 20)
    programmed = sum(value for name, value in found.items() if name.startswith("floatgate_bytes_programmed"))
    assert found["floatgate_write_amplification"] == pytest.approx(programmed / (3 * (6 << 20)))
    assert found['floatgate_units_programmed_total{origin="gc"}'] > 0
    assert found["floatgate_write_amplification"] > 1
    assert found['floatgate_blocks_erased_total{origin="gc"}'] > 0
    assert found['floatgate_pe_cycles{block="most"}'] >= 1
    assert found['floatgate_buffer_units{state="size"}'] == 32
    assert sum(value for name, value in found.items() if name.startswith("floatgate_superblocks{")) == 128
    assert found["process_resident_memory_bytes"] > 0


def test_the_dashboard_asks_for_metrics_that_there_are(tmp_path: Path) -> None:
    pytest.importorskip("prometheus_client")
    with served_by(tmp_path, "--metrics", "0", "--pace", "1") as (server, _):
        url = _told(server, "metrics")
        with urlopen(url, timeout=PATIENCE_S) as answer:
            told = answer.read().decode()
    there = set(re.findall(r"^# TYPE (\w+) ", told, re.MULTILINE))
    labels = {
        name: set(re.findall(r'(\w+)="', rest))
        for name, rest in re.findall(r"^(\w+)\{(.*)\}", told, re.MULTILINE)
    }
    dashboard = json.loads(DASHBOARD.read_text())
    asked = set()
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            for name, of in re.findall(r"((?:floatgate|process)_\w+)\{([^}]*)\}", target["expr"]):
                asked.add(name)
                bare = re.sub(r"_(bucket|total)$", "", name)
                assert bare in there or name in there, f"{panel['title']}: {name}"
                assert set(re.findall(r"(\w+)=", of)) <= {"instance", *labels.get(name, ())}
            for label in re.findall(r"by \(([^)]*)\)", target["expr"]):
                known = set().union(
                    *(labels.get(name, set()) for name in re.findall(r"floatgate_\w+", target["expr"]))
                )
                # Errors are there once there was one.
                assert set(re.split(r", ?", label)) <= known | {"error"}, panel["title"]
    own = {name for name in there if name.startswith("floatgate_")}
    shown = {re.sub(r"_(bucket|total)$", "", name) for name in asked}
    assert {re.sub(r"_total$", "", name) for name in own} <= shown, "every metric is on the dashboard"


def test_a_port_in_use_is_said_in_one_line_and_makes_no_image(tmp_path: Path) -> None:
    pytest.importorskip("prometheus_client")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(fg.InputError, match=f"--metrics {port}: .*: expected a free port"):
            fg.serve(TINY, image=tmp_path / "d.img", metrics=port, stop_after=0)
    assert not (tmp_path / "d.img").exists()


def test_buckets_add_up() -> None:
    counts = [1, 2, 3, 4, 5, 6]
    found = _buckets({"counts": counts}, [1024, 1280, 1536, 1792, 2048])
    assert found == [("1.024e-06", 1), ("2.048e-06", 15), ("+Inf", 21)]


def _progress(tmp_path: Path) -> dict[str, Any]:
    """What a server says before the first request."""
    options = {"image": str(tmp_path / "d.img"), "socket": str(tmp_path / "s"), "port": None}
    options |= {"address": "", "pace": "1", "record": None}
    server = _core.Server(TINY, [], [], "{}", json.dumps(options))
    progress: dict[str, Any] = json.loads(server.progress())
    return progress


def test_the_view_shows_what_was_done_since_it_was_drawn_last(tmp_path: Path) -> None:
    from rich.console import Console

    before = _progress(tmp_path)
    now: dict[str, Any] = json.loads(json.dumps(before))
    now["done"]["write"]["requests"] += 3000
    now["done"]["write"]["bytes"] += 12_288_000
    now["done"]["write"]["latency"]["counts"][8] += 2990
    now["done"]["write"]["latency"]["counts"][20] += 10
    # Of each unit of 4 KiB a half.
    now["drive"] |= {"units_written": 3000, "bytes_written": 3000 * 2048, "buffer_units_used": 16}
    now["drive"]["pe_cycles"] = [1, 2.5, 9]
    now["drive"]["units_programmed"]["host"] += 3000
    now["drive"]["units_programmed"]["gc"] += 1500
    now["drive"]["ages"]["superblocks"] = [3, 0, 0, 0, 1]
    now["lateness"] = {"p50_ns": 5000, "p99_ns": 200_000, "max_ns": 10**6, "is_kept": False}
    console = Console(file=StringIO(), width=100)
    console.print(view(before, now, 2.0))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    for words in (
        r"IOPS +0 +1\.50k +0 +0",
        r"throughput +0 B/s +6\.14 MB/s",
        r"latency p50 +- +4\.10 us",
        r"write amplification +3\.00 now, 3\.00 since the start",
        r"wear +1 to 9 cycles, mean 2\.50",
        r"16 of 32 units",
        r"lateness +p50 5\.00 us, p99 200 us, max 1\.00 ms: the pace is not kept",
    ):
        assert re.search(words, shown), f"{words}\n{shown}"


@needs("script")
def test_a_terminal_gets_the_view_and_a_file_does_not(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "floatgate", "serve", TINY, "--image", "d.img", "--no-report"]
    words += ["--stop-after", "1.5", "--force", "--out", "out"]
    seen = call("script", "-qec", " ".join(words), str(tmp_path / "typescript"), cwd=tmp_path)
    assert "write amplification" in seen
    assert "lateness" in seen
    hidden = call(
        "script", "-qec", " ".join([*words, "--no-watch"]), str(tmp_path / "typescript"), cwd=tmp_path
    )
    assert "lateness" not in hidden
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0
    assert "lateness" not in done.stdout + done.stderr


def _one_line(folder: Path, *words: str, drive: str = TINY) -> str:
    """What the command says about what it refuses."""
    command = [sys.executable, "-m", "floatgate", "serve", drive, "--image", "d.img", "--socket", "other"]
    done = subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S)
    return one_line_error(done)


def test_what_is_no_image_of_this_drive_is_said_in_one_line(tmp_path: Path) -> None:
    image = tmp_path / "d.img"
    with served(tmp_path):
        assert "the image is in use" in _one_line(tmp_path)
    whole = image.read_bytes()
    assert "the image is of another drive" in _one_line(tmp_path, "--set", "nand.blocks_per_plane=128")
    assert "the image is of another drive" in _one_line(tmp_path, drive="sata-tlc")
    for bytes_, said in (
        (b"", "not an image of a drive"),
        (b"#!/bin/sh\n" * 2000, "not an image of a drive"),
        (whole[:8] + b"\x09" + whole[9:], "an image of version 9: expected version"),
        (whole[:70] + b"!" + whole[71:], "the checksum of its header does not fit"),
        (whole[:4000], "the image ends in its header"),
        (whole[: len(whole) // 2], "the image is cut off"),
    ):
        image.write_bytes(bytes_)
        assert said in _one_line(tmp_path)
        assert image.read_bytes() == bytes_


@needs("unshare", "mount", "nbdcopy", "qemu-io")
def test_a_drive_on_a_full_disk_is_found_again_after_its_server_was_killed(tmp_path: Path) -> None:
    mount = "mount -t tmpfs -o size=2m none full"
    (tmp_path / "full").mkdir()
    if subprocess.run(["unshare", "-Urm", "sh", "-c", mount], cwd=tmp_path, capture_output=True).returncode:
        pytest.skip("no file system of a given size can be mounted here")
    serve = f"{sys.executable} -m floatgate serve {TINY} --image full/d.img --socket s --pace max --no-report"
    # The file system is there for as long as the shell.
    script = f"{mount} && {serve} --out one; test -e dead && exec {serve} --check --out two"
    (tmp_path / "in").write_bytes(Random(1).randbytes(4 << 20))
    with subprocess.Popen(
        ["unshare", "-Urm", "sh", "-c", script], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as shell:
        uri = _told(shell, "serving")
        process = int(_told(shell, "process"))
        call("qemu-io", "-f", "raw", "-c", "write -P 7 5M 256k", "-c", "flush", uri)
        copied = subprocess.run(
            ["nbdcopy", "--flush", "in", uri], cwd=tmp_path, capture_output=True, text=True
        )
        assert "No space left" in copied.stderr
        (tmp_path / "dead").touch()
        subprocess.run(["kill", "-9", str(process)], check=True)
        assert _told(shell, "serving") == uri
        process = int(_told(shell, "process"))
        call("qemu-io", "-r", "-f", "raw", "-c", "read -P 7 5M 256k", uri)
        subprocess.run(["kill", "-INT", str(process)], check=True)
        shell.communicate(timeout=PATIENCE_S)
    power = json.loads((tmp_path / "two" / "run.json").read_text())["power"]
    assert power["cuts"][0]["units_found"] >= 64


@needs("fio", "nbdkit")
def test_a_proxy_with_tls_may_stand_before_it(tmp_path: Path) -> None:
    """As `docs/how-to/serve.md` says."""
    keys = tmp_path / "keys.psk"
    if shutil.which("psktool") is None:
        pytest.skip("psktool (gnutls-bin) not installed")
    call("psktool", "-u", "alice", "-p", str(keys))
    with served(tmp_path):
        words = [
            "nbdkit",
            "-f",
            "-U",
            "tls.sock",
            "--tls=require",
            f"--tls-psk={keys}",
            "nbd",
            "socket=d.img.sock",
        ]
        with subprocess.Popen(words, cwd=tmp_path) as proxy:
            try:
                end = time.monotonic() + PATIENCE_S
                while not (tmp_path / "tls.sock").exists():
                    assert proxy.poll() is None
                    assert time.monotonic() < end
                    A_MOMENT.wait(0.02)
                path = tmp_path / "tls.sock"
                uri = f"nbds+unix://alice@/?socket={path}&tls-psk-file={keys}"
                assert int(call("nbdinfo", "--size", uri)) > 0
                plain = subprocess.run(
                    ["nbdinfo", "--size", f"nbd+unix:///?socket={path}"], capture_output=True
                )
                assert plain.returncode != 0
            finally:
                proxy.send_signal(signal.SIGTERM)
