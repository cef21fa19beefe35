"""What a drive's parts can do, from its resolved configuration alone: sums of times, and rates of parts.

Written from the meaning of the configuration keys, not from the simulator: it is what the simulator is held
against. Times in ns, sizes in bytes, rates in bytes per second.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

FS = {"fs": 1, "ps": 10**3, "ns": 10**6, "us": 10**9}
NS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
BYTES |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
RATES = {f"{unit}/s": scale for unit, scale in BYTES.items()} | {"MT/s": 10**6}
# Interfaces with modes, from the ONFI tables: transfers of a byte per second, command cycle in ns.
ONFI = {
    ("nv-ddr", 5): (Fraction(200 * 10**6), Fraction(50)),
    ("nv-ddr2", 3): (Fraction(500 * 10**6, 3), Fraction(25)),
    ("nv-ddr3", 12): (Fraction(1200 * 10**6), Fraction(25)),
}
T_WB, T_RR, T_ADL, T_WHR = 100, 20, 400, 80  # ns, the same for all of these modes
BITS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}


def quantity(text: str, units: Mapping[str, int]) -> int:
    """`"16KiB"` as 16384."""
    number = text.rstrip("".join({letter for unit in units for letter in unit}))
    exact = Fraction(number) * units[text[len(number) :].strip()]
    assert exact.denominator == 1, f"{text} is not whole"
    return int(exact)


class Hardware:
    """A drive by the numbers of its configuration, `{"nand.page_size": "16KiB", ...}`."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config
        geometry = {key: int(config[f"geometry.{key}"]) for key in ("channels", "ways", "dies_per_way")}
        self.channels = geometry["channels"]
        self.dies = geometry["channels"] * geometry["ways"] * geometry["dies_per_way"]
        self.unit = self._bytes("ftl.mapping_unit")
        self.bits = BITS[config["nand.cell"]]
        page = self._bytes("nand.page_size")
        units_per_page = page // self.unit
        planes = int(config["nand.planes"]) if config["controller.multi_plane"] else 1
        blocks = planes * (int(config["nand.blocks_per_plane"]) * int(config["nand.planes"]) // planes)
        self.flash_bytes = self.dies * blocks * int(config["nand.pages_per_block"]) * page
        # A page row is what one array read gives, a program unit what one program takes.
        self.row_units = units_per_page * planes
        self.program_rows = self.bits if config["nand.program"] == "one-shot" else 1
        self.program_units = self.row_units * self.program_rows
        self._pages_per_program = planes * self.program_rows
        spare = self._bytes("nand.oob_size") // units_per_page
        self._on_bus = self.unit + (spare if config["bus.transfer_oob"] else 0)
        interface = config["bus.interface.name"]
        if interface == "plain":
            self._bus_rate = Fraction(self._rate("bus.interface.rate"))
            self._cycle = Fraction(quantity(config["bus.interface.cycle"], FS), FS["ns"])
            self._t_wb = self._t_rr = self._t_adl = self._t_whr = 0
        else:
            self._bus_rate, self._cycle = ONFI[interface, int(config["bus.interface.mode"])]
            self._t_wb, self._t_rr, self._t_adl, self._t_whr = T_WB, T_RR, T_ADL, T_WHR
        status = int(config["bus.cycles_status"])
        self.status = ceil(self._cycle * status) + self._t_whr if status else 0
        self.t_r = self._per_page_type("nand.t_r", self.bits)
        self.t_prog = self._per_page_type("nand.t_prog", self.bits // self.program_rows)

    def _ns(self, key: str) -> int:
        return quantity(self._config[key], NS)

    def _bytes(self, key: str) -> int:
        return quantity(self._config[key], BYTES)

    def _rate(self, key: str) -> int:
        return quantity(self._config[key], RATES)

    def _per_page_type(self, key: str, types: int) -> list[int]:
        value = self._config[key]
        texts: Sequence[str] = [value] if isinstance(value, str) else list(value)
        times = [quantity(text, NS) for text in texts]
        return times * types if len(times) == 1 else times

    @property
    def program_bytes(self) -> int:
        """Data of one program."""
        return self.program_units * self.unit

    @property
    def stripe_bytes(self) -> int:
        """Data of one program of every die."""
        return self.dies * self.program_bytes

    @property
    def row_bytes(self) -> int:
        """Data of one page row."""
        return self.row_units * self.unit

    def _burst(self, units: int) -> int:
        return ceil(Fraction(units * self._on_bus * 10**9) / self._bus_rate)

    def _out(self, units: int) -> int:
        return self._t_rr + self._burst(units)

    def _command(self, kind: str, times: int = 1) -> int:
        return ceil(self._cycle * int(self._config[f"bus.cycles_{kind}"]) * times) + self._t_wb

    def link(self, count: int) -> int:
        """`count` bytes over the host link."""
        return ceil(Fraction(count * 10**9, self._rate("host.link.rate")))

    @property
    def t_command(self) -> int:
        """Protocol and firmware, for one command alone."""
        return max(self._ns("host.t_command"), self._ns("host.t_command_service"))

    @property
    def data_in(self) -> int:
        """Commands, addresses and data of one program on the channel."""
        pages = self._pages_per_program
        return self._command("program", pages) + self._t_adl * pages + self._burst(self.program_units)

    def read_ns(self, page_type: int, units: int = 1) -> int:
        """A read of `units` units of one page row on an idle drive, from arrival to completion."""
        array = self._command("read") + self.t_r[page_type] + self._out(units)
        return self.t_command + array + self._ns("ecc.t_decode") + self.link(units * self.unit)

    def program_ns(self, page_type: int) -> int:
        """A write of one program unit on an idle drive, acknowledged when the flash has it."""
        return (
            self.t_command
            + self.link(self.program_bytes)
            + self.data_in
            + self.t_prog[page_type]
            + self.status
        )

    def buffered_ns(self, units: int) -> int:
        """A write on an idle drive, acknowledged when the buffer has it."""
        return self.t_command + self.link(units * self.unit)

    def stripe_ns(self, op: str) -> list[dict[str, float]]:
        """Time that a stripe, a program unit of every die, takes of each part alone.

        One entry for each kind of stripe. With page programs there is one kind for each page type, since the
        dies fill their wordlines in step; a one-shot program holds all page types.
        """
        kinds = range(self.bits // self.program_rows)
        return [self._read_stripe(kind) if op == "read" else self._program_stripe(kind) for kind in kinds]

    def _read_stripe(self, kind: int) -> dict[str, float]:
        command, out = self._command("read"), self._out(self.row_units)
        overlapped = self._config["controller.cache_read"]
        array = [
            max(command + t_r, out) if overlapped else command + t_r + out
            for t_r in self.t_r[kind * self.program_rows : (kind + 1) * self.program_rows]
        ]
        per_die = self.program_rows * (command + out)
        return self._parts(per_die, sum(array))

    def _program_stripe(self, kind: int) -> dict[str, float]:
        t_prog = self.t_prog[kind]
        overlapped = self._config["controller.cache_program"]
        alone = max(t_prog, self.data_in) if overlapped else t_prog + self.status + self.data_in
        return self._parts(self.data_in + self.status, alone)

    def _parts(self, channel_ns_per_die: int, die_ns: int) -> dict[str, float]:
        return {
            "link": self.stripe_bytes * 1e9 / self._rate("host.link.rate"),
            "channels": channel_ns_per_die * self.dies / self.channels,
            "dies": float(die_ns),
        }

    def rates(self, op: str) -> dict[str, float]:
        """Bytes per second that each part could carry if the others took no time."""
        kinds = self.stripe_ns(op)
        return {
            part: self.stripe_bytes * len(kinds) * 1e9 / sum(times[part] for times in kinds)
            for part in kinds[0]
        }

    def rate(self, op: str) -> float:
        """Bytes per second of the drive: each kind of stripe goes at the rate of its slowest part."""
        kinds = self.stripe_ns(op)
        return self.stripe_bytes * len(kinds) * 1e9 / sum(max(times.values()) for times in kinds)
