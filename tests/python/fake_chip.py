"""A small chip behind the laboratory's protocol, with no physics in it: what it answers can be foreseen.

It proves that every object with the protocol can be put on the bench; with `renewable=False` it is worn for
good, as real silicon is.
"""

import random
from dataclasses import dataclass, field

import numpy as np

from floatgate.errors import InputError
from floatgate.lab import patterns
from floatgate.lab.chip import (
    Answer,
    Entry,
    Identity,
    PageRead,
    Pages,
    Rated,
    Staircase,
    Status,
    VoltagePlan,
)

STATES = {
    1: ("1", "0"),
    2: ("11", "10", "00", "01"),
    3: ("111", "011", "001", "000", "010", "110", "100", "101"),
}
MOST_ERASE_PULSES = 5
T_SETUP, T_PULSE, T_ERASE_PULSE, T_READ = 20_000, 20_000, 400_000, 24_000


def identity(bits: int, blocks: int, rated: int | None) -> Identity:
    wordlines = 8
    return Identity(
        name=f"fake-{bits}bit",
        title="A chip that is none",
        maker="Nobody",
        device_id=bytes.fromhex("2cf1"),
        cell={1: "slc", 2: "mlc", 3: "tlc"}[bits],
        page_bytes=256,
        oob_bytes=16,
        pages_per_block=wordlines * bits,
        blocks=blocks,
        planes=1,
        states=STATES[bits],
        wordlines=tuple(page // bits for page in range(wordlines * bits)),
        page_bits=tuple(page % bits for page in range(wordlines * bits)),
        rated=Rated(25_000, 250_000, 2_000_000, rated),
    )


@dataclass
class _Block:
    wear: float = 0.0
    cycles: int = 0
    bad: bool = False
    pages: dict[int, bytes] = field(default_factory=dict)
    logged: dict[str, tuple[int, Status]] = field(default_factory=dict)


class FakeChip:
    """Blocks last about 400 cycles; block 3 is marked bad by the factory, block 0 fails early."""

    def __init__(self, bits: int = 1, seed: int = 1, blocks: int = 64, rated: int | None = 100) -> None:
        self._identity = identity(bits, blocks, rated)
        self._seed = seed
        self._blocks = [_Block() for _ in range(blocks)]
        spread = random.Random(seed)
        self._weak = [spread.uniform(0.7, 1.4) for _ in range(blocks)]
        self._weak[0] = 6.0
        self._celsius, self._now_ns = 25.0, 0
        self._last: Answer = Answer("ok", 0)
        self._made: dict[tuple[str, int], bytes] = {}  # pages of each pattern: the same in every cycle

    def identify(self) -> Identity:
        return self._identity

    def _block(self, block: int) -> _Block:
        if not 0 <= block < self._identity.blocks:
            raise InputError(f"block {block}: no such block: expected 0 to {self._identity.blocks - 1}")
        return self._blocks[block]

    def _end(self, status: Status, busy_ns: int) -> Answer:
        self._last = Answer(status, busy_ns)
        self._now_ns += busy_ns
        return self._last

    def _damage(self, block: int) -> float:
        cold = 2.0 if self._celsius < 10 else 1.0
        return float((self._blocks[block].wear * self._weak[block] * cold / 400) ** 0.62)

    def _program_pulses(self, block: int, place: int) -> int:
        base = 10 + 2 * place
        return max(2, base - int(6 * self._damage(block)))

    def read(self, block: int, page: int) -> PageRead:
        one = self._block(block)
        data = one.pages.get(page, b"\xff" * self._identity.whole_page_bytes)
        if block == 3 and not one.pages:
            data = b"\x00" * self._identity.whole_page_bytes
        rng = np.random.Generator(np.random.PCG64([self._seed, block, page, one.cycles]))
        wrong = rng.random(len(data) * 8) < 2e-4 * (1 + one.wear / 50) * bool(one.pages)
        flipped = np.packbits(np.unpackbits(np.frombuffer(data, dtype=np.uint8)) ^ wrong).tobytes()
        self._end("ok", T_READ)
        return PageRead("ok", T_READ, flipped)

    def program(self, block: int, page: int, data: bytes) -> Answer:
        one = self._block(block)
        if len(data) != self._identity.whole_page_bytes:
            raise InputError(f"{len(data)} bytes: expected {self._identity.whole_page_bytes}")
        if one.bad:
            return self._end("protected", 1_000)
        if page != len(one.pages):
            return self._end("fail", T_SETUP)
        one.pages[page] = data
        place = 0 if data == b"\xff" * len(data) else 1 + self._identity.page_bits[page]
        return self._end("ok", T_SETUP + T_PULSE * self._program_pulses(block, place))

    def erase(self, block: int) -> Answer:
        one = self._block(block)
        if one.bad:
            return self._end("protected", 1_000)
        one.wear += 1.0 + 0.5 * (len(one.pages) > 1)
        one.cycles += 1
        one.pages.clear()
        pulses = 1 + int(4 * self._damage(block))
        if pulses > MOST_ERASE_PULSES:
            one.bad = True
            return self._end("fail", T_ERASE_PULSE * MOST_ERASE_PULSES)
        return self._end("ok", T_ERASE_PULSE * pulses)

    def cycle(
        self, block: int, cycles: int, *, pattern: str = "zeros", pages: Pages = "first"
    ) -> list[Entry]:
        patterns.check_pattern(pattern, self._identity)
        one, found = self._block(block), []
        for _ in range(cycles):
            number = one.cycles + 1
            many = {"first": 1, "all": self._identity.pages_per_block, "none": 0}[pages]
            for page in range(many):
                answer = self.program(block, page, self._data(pattern, page))
                if page == 0:
                    found += self._changed(
                        one, Entry(block, 0, "program", number, answer.busy_ns, None, answer.status)
                    )
            answer = self.erase(block)
            found += self._changed(
                one, Entry(block, None, "erase", number, answer.busy_ns, None, answer.status)
            )
            if answer.status != "ok":
                break
        return found

    def _changed(self, one: _Block, entry: Entry) -> list[Entry]:
        now = (entry.busy_ns, entry.status)
        if one.logged.get(entry.operation) == now:
            return []
        one.logged[entry.operation] = now
        return [entry]

    def _data(self, pattern: str, page: int) -> bytes:
        made = self._made.get((pattern, page))
        if made is None:
            made = self._made[pattern, page] = self._make(pattern, page)
        return made

    def _make(self, pattern: str, page: int) -> bytes:
        if pattern.startswith("state:"):
            return patterns.page_of_state(self._identity, page, pattern.removeprefix("state:"))
        if pattern == "random" or pattern.startswith("mix:"):
            return patterns.random_page(self._identity, page)  # this chip does not mind which states
        return {"zeros": b"\x00", "ones": b"\xff", "checkered": b"\x55"}[
            pattern
        ] * self._identity.whole_page_bytes

    def status(self) -> Status:
        return self._last.status

    def busy_time(self) -> int:
        return self._last.busy_ns

    def set_temperature(self, celsius: float) -> None:
        self._celsius = celsius

    def temperature(self) -> float:
        return self._celsius

    def let_time_pass(self, seconds: float) -> None:
        self._now_ns += round(seconds * 1e9)

    def now_ns(self) -> int:
        return self._now_ns


class ProbedChip(FakeChip):
    """The same with a needle in its cells."""

    _step = 0.3

    def voltage_plans(self) -> tuple[str, ...]:
        return ("normal", "narrow")

    def use_voltage_plan(self, name: str) -> VoltagePlan:
        self._step = {"normal": 0.3, "narrow": 0.15}[name]
        many = len(self._identity.states)
        verify = (None, *(0.8 * place for place in range(1, many)))
        references = tuple(0.8 * place - 0.2 for place in range(1, many))
        return VoltagePlan(self._identity.states, verify, references, -1.0, self._step, -0.5)

    def threshold_voltages(self, block: int, wordline: int) -> np.ndarray:
        one = self._block(block)
        blank = b"\xff" * self._identity.whole_page_bytes
        held = [one.pages.get(page, blank) for page in self._identity.pages_of(wordline)]
        meant = patterns.states_of(self._identity, held)
        rng = np.random.Generator(np.random.PCG64([self._seed, block, wordline]))
        noise = rng.normal(0, 0.03, len(meant))
        return np.where(
            meant == 0,
            -1.0 + rng.normal(0, 0.2, len(meant)),
            0.8 * meant + rng.uniform(0, self._step, len(meant)) + noise,
        )

    def staircases(self, block: int, wordline: int, cells: int) -> list[Staircase]:
        found = []
        for cell in range(cells):
            place = cell % len(self._identity.states)
            volts, stop = [-1.0 - 0.01 * cell], 0
            for pulse in range(1, 12):
                if place and volts[-1] < 0.8 * place:
                    volts.append(volts[-1] + self._step)
                    stop = pulse
                else:
                    volts.append(volts[-1])
            found.append(Staircase(self._identity.states[place], tuple(volts), stop))
        return found


@dataclass
class FakeSource:
    bits: int = 1
    seed: int | None = 1
    renewable: bool = True
    probed: bool = True
    blocks: int = 64
    rated: int | None = 100
    _kept: FakeChip | None = None

    def open(self) -> FakeChip:
        make = ProbedChip if self.probed else FakeChip
        if self.renewable:
            return make(self.bits, self.seed or 1, self.blocks, self.rated)
        if self._kept is None:
            self._kept = make(self.bits, self.seed or 1, self.blocks, self.rated)
        return self._kept

    def another(self) -> "FakeSource | None":
        if not self.renewable:
            return None
        return FakeSource(self.bits, (self.seed or 1) + 1, True, self.probed, self.blocks, self.rated)
