"""Uses a served drive until it is killed, and says whether it kept its promises; needs libnbd.

`nbd_checker.py URI STATE SEED COUNT` reads each unit twice and compares it with what STATE says it may hold,
then writes, trims and flushes at random. It says `used` after COUNT answers and goes on until the server is
gone; STATE then says what each unit may hold: its last durable version or one that was sent later; if it was
trimmed, anything that it ever held, or nothing.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import nbd  # type: ignore[import-not-found]

UNIT = 4096
DEPTH = 16
ZEROES = bytes(UNIT)


class Unit:
    """What a unit may hold, and what the host was told."""

    def __init__(self, durable: int = 0, free: bool = False) -> None:
        self.durable = durable  # every later version that was sent is as good; 0: nothing was written
        self.sent = durable
        self.answered = durable
        self.free = free  # trimmed since


class Checker:
    """A host of one connection with several requests in flight, never two on one unit."""

    def __init__(self, uri: str, state: Path, seed: int) -> None:
        self.state = state
        self.random = Random(seed)
        self.nbd = nbd.NBD()
        self.nbd.connect_uri(uri)
        self.count = self.nbd.get_size() // UNIT
        self.units: list[Unit] = [Unit() for _ in range(self.count)]
        self.zeroed: set[tuple[int, int]] = set()  # units and versions that are zeroes
        self.versions = 0
        if state.exists():
            kept = json.loads(state.read_text())
            self.units = [Unit(*unit) for unit in kept["units"]]
            self.zeroed = {(unit, version) for unit, version in kept["zeroed"]}
            self.versions = kept["versions"]
        self.under_way: dict[int, tuple[int | None, Callable[[], None]]] = {}
        self.buffers: dict[int, Any] = {}

    def content(self, unit: int, version: int) -> bytes:
        """What a version of a unit looks like."""
        if version == 0 or (unit, version) in self.zeroed:
            return ZEROES
        return (f"unit {unit:8} version {version:8} ".encode() * UNIT)[:UNIT]

    def check(self) -> None:
        """Read every unit twice: what it holds must be allowed, and the same both times."""
        for number, unit in enumerate(self.units):
            first, second = (bytes(self.nbd.pread(UNIT, number * UNIT)) for _ in range(2))
            assert first == second, f"unit {number} is not the same when it is read again"
            found = self.version_of(number, first)
            if found is None or (found < unit.durable and not unit.free) or found > self.versions:
                held = "garbage" if found is None else f"version {found}"
                raise AssertionError(f"unit {number} holds {held}, and version {unit.durable} was durable")
            self.units[number] = Unit(found)

    def version_of(self, number: int, data: bytes) -> int | None:
        """Which of its versions a unit holds; the newest that is zeroes where it is zeroes."""
        if data == ZEROES:
            zeroed = [version for unit, version in self.zeroed if unit == number]
            return max([0, *zeroed])
        try:
            version = int(data[22:30])
        except ValueError:
            return None
        return version if data == self.content(number, version) else None

    def use(self, answers: int) -> None:
        """Send requests until the server is gone."""
        done = 0
        while True:
            while len(self.under_way) < DEPTH:
                self.send()
            self.nbd.poll(-1)
            for cookie in [one for one in self.under_way if self.nbd.aio_command_completed(one)]:
                _, answered = self.under_way.pop(cookie)
                answered()
                self.buffers.pop(cookie, None)
                done += 1
                if done == answers:
                    say("used")

    def send(self) -> None:
        """Send a request of a kind drawn at random."""
        kind = self.random.random()
        if kind < 0.05:
            self.flush()
            return
        busy = {unit for unit, _ in self.under_way.values()}
        number = self.random.randrange(self.count)
        if number in busy:
            return
        if kind < 0.1:
            self.trim(number)
        elif kind < 0.3:
            self.read(number)
        else:
            self.write(number, zeroes=kind < 0.35, durable=self.random.random() < 0.1)

    def write(self, number: int, *, zeroes: bool, durable: bool) -> None:
        """Write a new version of a unit."""
        self.versions += 1
        version, unit = self.versions, self.units[number]
        unit.sent = version
        flags = nbd.CMD_FLAG_FUA if durable else 0
        if zeroes:
            self.zeroed.add((number, version))
            cookie = self.nbd.aio_zero(UNIT, number * UNIT, flags=flags)
        else:
            buffer = nbd.Buffer.from_bytearray(bytearray(self.content(number, version)))
            cookie = self.nbd.aio_pwrite(buffer, number * UNIT, flags=flags)
            self.buffers[cookie] = buffer

        def answered() -> None:
            unit.answered = version
            if durable:
                unit.durable, unit.free = version, False

        self.under_way[cookie] = (number, answered)

    def trim(self, number: int) -> None:
        """Trim a unit: from now on it may hold anything that it ever held."""
        self.units[number].free = True
        cookie = self.nbd.aio_trim(UNIT, number * UNIT)
        self.under_way[cookie] = (number, lambda: None)

    def read(self, number: int) -> None:
        """Read a unit: it holds what was answered last."""
        unit = self.units[number]
        buffer = nbd.Buffer(UNIT)
        cookie = self.nbd.aio_pread(buffer, number * UNIT)
        self.buffers[cookie] = buffer

        def answered() -> None:
            found = self.version_of(number, bytes(buffer.to_bytearray()))
            newest = found == max(unit.answered, unit.durable)
            assert newest or unit.free, f"unit {number} is read as {found}, and {unit.answered} was written"

        self.under_way[cookie] = (number, answered)

    def flush(self) -> None:
        """Make durable what was answered before."""
        covered = [(unit, unit.answered) for unit in self.units if unit.answered > unit.durable]
        cookie = self.nbd.aio_flush()

        def answered() -> None:
            for unit, version in covered:
                if version > unit.durable:
                    unit.durable = version

        self.under_way[cookie] = (None, answered)

    def keep(self) -> None:
        """Write down what each unit may hold."""
        units = [(unit.durable, unit.free) for unit in self.units]
        kept = {"units": units, "zeroed": sorted(self.zeroed), "versions": self.versions}
        self.state.write_text(json.dumps(kept))


def say(word: str) -> None:
    """Tell the parent process."""
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def main() -> None:
    """Check, then use the drive until it is gone."""
    uri, state, seed, answers = sys.argv[1:]
    checker = Checker(uri, Path(state), int(seed))
    checker.check()
    try:
        checker.use(int(answers))
    except nbd.Error:
        checker.keep()
    say("gone")


if __name__ == "__main__":
    main()
