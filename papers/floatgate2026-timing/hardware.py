"""What a drive's parts can do, from its resolved configuration alone: sums of times, and rates of parts.

Written from the meaning of the configuration keys, not from the simulator: it is what the simulator is held
against. Times in ns, sizes in bytes, rates in bytes per second.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

NS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
BYTES |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
RATES = {f"{unit}/s": scale for unit, scale in BYTES.items()} | {"MT/s": 10**6}
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
        # A page row is what one array read gives, a program unit what one program takes.
        self.row_units = units_per_page * planes
        self.program_rows = self.bits if config["nand.program"] == "one-shot" else 1
        self.program_units = self.row_units * self.program_rows
        self._pages_per_program = planes * self.program_rows
        spare = self._bytes("nand.oob_size") // units_per_page
        self._on_bus = self.unit + (spare if config["bus.transfer_oob"] else 0)
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
    def row_bytes(self) -> int:
        """Data of one page row."""
        return self.row_units * self.unit

    def _burst(self, units: int) -> int:
        return ceil(Fraction(units * self._on_bus * 10**9, self._rate("bus.rate")))

    def _command(self, kind: str, times: int = 1) -> int:
        return self._ns("bus.cycle") * int(self._config[f"bus.cycles_{kind}"]) * times

    def link(self, count: int) -> int:
        """`count` bytes over the host link."""
        return ceil(Fraction(count * 10**9, self._rate("host.rate")))

    @property
    def t_command(self) -> int:
        """Protocol and firmware, for one command alone."""
        return max(self._ns("host.t_command"), self._ns("host.t_command_service"))

    @property
    def data_in(self) -> int:
        """Commands, addresses and data of one program on the channel."""
        return self._command("program", self._pages_per_program) + self._burst(self.program_units)

    def read_ns(self, page_type: int, units: int = 1) -> int:
        """A read of `units` units of one page row on an idle drive, from arrival to completion."""
        array = self._command("read") + self.t_r[page_type] + self._burst(units)
        return self.t_command + array + self._ns("ecc.t_decode") + self.link(units * self.unit)

    def program_ns(self, page_type: int) -> int:
        """A write of one program unit on an idle drive, acknowledged when the flash has it."""
        return self.t_command + self.link(self.program_bytes) + self.data_in + self.t_prog[page_type]

    def buffered_ns(self, units: int) -> int:
        """A write on an idle drive, acknowledged when the buffer has it."""
        return self.t_command + self.link(units * self.unit)

    def read_rates(self) -> dict[str, float]:
        """Reads of whole page rows, by the part that would be the bottleneck."""
        out, command = self._burst(self.row_units), self._command("read")
        t_r = sum(self.t_r) / self.bits
        die = max(command + t_r, out) if self._config["controller.cache_read"] else command + t_r + out
        return {
            "link": float(self._rate("host.rate")),
            "channels": self.channels * self.row_bytes * 1e9 / (command + out),
            "dies": self.dies * self.row_bytes * 1e9 / die,
        }

    def program_rates(self) -> dict[str, float]:
        """Programs of a fresh drive, by the part that would be the bottleneck."""
        t_prog = sum(self.t_prog) / len(self.t_prog)
        die = max(t_prog, self.data_in) if self._config["controller.cache_program"] else t_prog + self.data_in
        return {
            "link": float(self._rate("host.rate")),
            "channels": self.channels * self.program_bytes * 1e9 / self.data_in,
            "dies": self.dies * self.program_bytes * 1e9 / die,
        }
