"""Measure what clients that mean no good cost a served drive, and the other clients.

    python benches/serve_hostile.py [--drive sata-tlc] [--seconds 3] [--only TEXT] [--folder DIR]
                                    [--server COMMAND]

One client asks for what is costly and takes no answer; meanwhile another reads 4 KiB again and again. The
table has the memory that the server grew by; of the reads of the other client the longest, in time that the
server was on a processor meanwhile and in time on the clock, the longest before, and the medians before and
meanwhile; and how long after SIGINT the server let go of its clients. Needs no other program. `--server`
names another build.
"""

import argparse
import os
import shlex
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from serve import Server, served

READ, WRITE, FLUSH, TRIM, ZEROES, STATUS = 0, 1, 3, 4, 6, 7
MIB = 1 << 20
LONGEST = 4096 * MIB - MIB
FILLED = 256 * MIB
IDLE = 300  # more than are served at a time
PATIENCE_S = 60


def connected(address: str) -> socket.socket:
    """A connection of which nothing is asked."""
    one = socket.socket(socket.AF_UNIX)
    one.connect(address.split("socket=")[1])
    return one


class Client:
    """A client of few words."""

    def __init__(self, address: str, *, structured: bool = False) -> None:
        self.socket = connected(address)
        self.take(18)
        self.socket.sendall(struct.pack(">I", 3))
        if structured:
            self.option(8)
            context = b"base:allocation"
            asked = struct.pack(">III", 0, 1, len(context)) + context
            self.option(10, asked)
        self.send(struct.pack(">QII", 0x49484156454F5054, 1, 0))
        self.bytes = struct.unpack(">QH", self.take(10))[0]

    def option(self, number: int, data: bytes = b"") -> int:
        """Negotiate; return the kind of the first reply."""
        self.send(struct.pack(">QII", 0x49484156454F5054, number, len(data)) + data)
        return self.reply()

    def reply(self) -> int:
        """Return the kind of the next reply, until the last of an option."""
        kind = 0
        while kind not in (1, 1 << 31 | 1):
            _, _, kind, length = struct.unpack(">QIII", self.take(20))
            self.take(length)
        return kind

    def send(self, data: bytes) -> None:
        """Send all of it."""
        self.socket.sendall(data)

    def take(self, length: int) -> bytes:
        """Receive so many bytes."""
        data = bytearray()
        while len(data) < length:
            part = self.socket.recv(min(length - len(data), MIB))
            if not part:
                raise ConnectionError("the server has gone")
            data += part
        return bytes(data)

    def read(self, offset: int, length: int) -> bytes:
        """Read, and wait for it."""
        self.send(request(READ, offset, length))
        self.take(16)
        return self.take(length)


def request(command: int, offset: int, length: int) -> bytes:
    """A request without its data."""
    return struct.pack(">IHHQQI", 0x25609513, 0, command, 0, offset, length)


def many(command: int, length: int, data: bytes = b"") -> Callable[[Client], Iterator[bytes]]:
    """Requests over all of the drive, without end."""

    def asked(client: Client) -> Iterator[bytes]:
        at = 0
        while True:
            yield request(command, at, length) + data
            at = (at + length) % (client.bytes - length) // 4096 * 4096

    return asked


DEEDS: dict[str, tuple[bool, Callable[[Client], Iterator[bytes]]]] = {
    "reads of 32 MiB": (False, many(READ, 32 * MIB)),
    "reads of 4 KiB": (False, many(READ, 4096)),
    "writes of 32 MiB": (False, many(WRITE, 32 * MIB, bytes(32 * MIB))),
    "block status of 4 GiB": (True, many(STATUS, LONGEST)),
    "zeroes of 4 GiB": (False, many(ZEROES, LONGEST)),
    "trims of 4 GiB": (False, many(TRIM, LONGEST)),
    "flushes": (False, many(FLUSH, 0)),
    f"{IDLE} idle connections": (False, lambda _client: iter(())),
}


def memory(server: Server) -> int:
    """The largest memory that the server had, in bytes."""
    for line in Path(f"/proc/{server.process}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise AssertionError("a process has that line")


def processor_ns(server: Server) -> int:
    """The time that the server's threads were on a processor: other work on the machine changes it little."""
    tasks = Path(f"/proc/{server.process}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def waits(server: Server, client: Client, seconds: float) -> list[tuple[float, float]]:
    """How long each read of 4 KiB took, and how long the server was on a processor meanwhile, in seconds."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        used, began = processor_ns(server), time.monotonic()
        client.read(len(found) * 4096 % FILLED, 4096)
        found.append((time.monotonic() - began, (processor_ns(server) - used) / 1e9))
    return found


def measure(name: str, asked: argparse.Namespace, folder: Path) -> str:
    """A row of the table."""
    structured, deed = DEEDS[name]
    with served(asked.server, asked.drive, folder, "max") as server:
        try:
            good = prepared(server)
            quiet = waits(server, good, 1)
            before = memory(server)
            hostile = Client(server.address, structured=structured)
            idle = [connected(server.address) for _ in range(IDLE if "idle" in name else 0)]
            threading.Thread(target=flood, args=(hostile, deed(hostile)), daemon=True).start()
            found = waits(server, good, asked.seconds)
            grown = memory(server) - before
            used = processor_ns(server)
            if idle:
                time.sleep(1)
            rest = (processor_ns(server) - used) / 1e7
            began = time.monotonic()
            os.kill(server.process, signal.SIGINT)
            gone = ended(good, began)
        finally:
            threading.Thread(target=waiting_clients, args=(server,), daemon=True).start()
    more = f"; {rest:.1f} % of a processor at rest" if idle else ""
    most, busy = max(wait for wait, _ in found), max(used for _, used in found)
    return (
        f"| {name}{more} | {grown / MIB:,.0f} | {busy * 1e3:,.1f} | {most * 1e3:,.1f} |"
        f" {max(wait for wait, _ in quiet) * 1e3:,.1f} | {median(wait for wait, _ in quiet) * 1e6:,.0f} |"
        f" {median(wait for wait, _ in found) * 1e6:,.0f} | {gone:.2f} |"
    )


def waiting_clients(server: Server) -> None:
    """End a server that does not end by itself: what it has left to do would fill the disk."""
    time.sleep(PATIENCE_S)
    with suppress(ProcessLookupError):
        os.kill(server.process, signal.SIGKILL)


def prepared(server: Server) -> Client:
    """Write what is read later: every second unit of it, so that what is allocated has many runs."""
    client = Client(server.address)
    taking = threading.Thread(target=drain, args=(client,), daemon=True)
    taking.start()
    for at in range(0, FILLED, 8192):
        client.send(request(WRITE, at, 4096) + os.urandom(4096))
    other = Client(server.address)
    other.read(FILLED - 8192, 4096)
    return other


def ended(client: Client, began: float) -> float:
    """How long it took until the server let go of its clients."""
    try:
        while client.socket.recv(MIB):
            pass
    except OSError:
        pass
    return time.monotonic() - began


def drain(client: Client) -> None:
    """Take all answers until the server has gone."""
    try:
        while client.socket.recv(MIB):
            pass
    except OSError:
        return


def flood(client: Client, requests: Iterator[bytes]) -> None:
    """Ask, and take nothing, until the server has gone."""
    try:
        for one in requests:
            client.send(one)
    except OSError:
        return


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--drive", default="sata-tlc")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--only", default="", metavar="TEXT", help="deeds whose names have it")
    parser.add_argument("--folder", type=Path, help="where images are made")
    parser.add_argument("--server", default=f"{shlex.quote(sys.executable)} -m floatgate", metavar="COMMAND")
    asked = parser.parse_args()
    print(f"load of the last minute before: {os.getloadavg()[0]:.1f}\n")  # noqa: T201
    columns = "| one client asks for | memory grown, MiB | the other waits, processor ms | ms | before, ms |"
    print(f"{columns} median before, us | meanwhile, us | SIGINT, s |\n|---|---|---|---|---|---|---|---|")  # noqa: T201
    for name in DEEDS:
        if asked.only in name:
            with TemporaryDirectory(dir=asked.folder) as folder:
                print(measure(name, asked, Path(folder)), flush=True)  # noqa: T201
    print(f"\nload of the last minute after: {os.getloadavg()[0]:.1f}")  # noqa: T201


if __name__ == "__main__":
    main()
