"""The page model as a chip file: the part it was derived from as its base, and the tables."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from floatgate import _core
from floatgate.lab.derive.lives import BLOCKS as LIVED, Endurance
from floatgate.lab.derive.rates import AGES_S, READS, Rates
from floatgate.lab.derive.states import States
from floatgate.lab.derive.times import Row
from floatgate.lab.derive.voltages import BLOCKS as COMPARED, Voltages
from floatgate.lab.rising import Rising, rising
from floatgate.values.toml_list import listed


@dataclass(frozen=True)
class PageModel:
    """Everything that was derived."""

    t_r_ns: tuple[int, ...]
    steps: tuple[float, ...]
    rows: list[Row]
    rates: Rates
    endurance: Endurance
    states: States
    voltages: tuple[Voltages, ...] = ()


def chip_file(model: PageModel, base: str, title: str, one_shot: bool, provenance: str) -> str:
    """Return the text of a chip file over the chip `base`; `provenance` says what was run on what."""
    lines = [
        f"# The page model of {base}. Made by `{provenance}`; not to be edited.",
        f'base = "{base}"',
        f'title = "{title}, with tables from its cells"',
        *_list("t_r", _ns(model.t_r_ns), "read times of the cell model"),
        "",
        "[tables]",
        f"laws = {_core.cell_laws()}  # derived: number of the laws of cells",
        *_list("pe_cycles", (str(row.pe_cycles) for row in model.rows), "wear of the rows"),
        *_list("steps", map(_number, model.steps), "program steps over the plan's"),
        *_list("t_prog", _ns(_program_times(model, one_shot)), "mean over wordlines and the blocks alive"),
        *_list("t_bers", _ns(row.t_bers for row in model.rows), "mean over the blocks alive"),
        "",
        *_errors("tables.errors", model.rates),
        "",
        *_endurance(model.endurance),
        "",
        *_states(model.states, one_shot),
        *_voltages(model.voltages, one_shot),
    ]
    return "\n".join(lines) + "\n"


def _program_times(model: PageModel, one_shot: bool) -> Iterator[float]:
    for step in range(len(model.steps)):
        for row in model.rows:
            yield from _of_types(row.t_prog[step], one_shot)


def _of_types(times: tuple[float, ...], one_shot: bool) -> tuple[float, ...]:
    """A wordline written at once has one time: that of its last page, the others only wait."""
    return times[-1:] if one_shot else times


def _errors(table: str, rates: Rates) -> list[str]:
    usual = [at for wear in rates.pe_cycles for at in rates.rates[1.0, wear]]
    sampled = (
        f"{rates.cells} cells or more at each point; tails by formula, or along a normal one below 100 cells"
    )
    by_age = (len(rates.pe_cycles), len(AGES_S))
    on_grid = [at for step in rates.steps for wear in rates.pe_cycles for at in rates.rates[step, wear]]
    after = [at for wear in rates.pe_cycles for at in rates.after_reads[wear]]
    return [
        f"[{table}]",
        *_list("steps", map(_number, rates.steps), "program steps over the plan's"),
        *_list("pe_cycles", map(str, rates.pe_cycles), "wear of the grid"),
        *_list("ages", (f'"{age:.0f}s"' for age in AGES_S), "since writing, at the reference temperature"),
        *_list("reads", map(str, READS), "reads of the block"),
        *_rates("rate", rising([at.usual for at in on_grid], *by_age), sampled),
        *_rates("rate_best", rising([at.best for at in on_grid], *by_age), sampled),
        *_list(
            "shift", (_volts(at.shift_v) for at in usual), "how far below the plan's the best references lie"
        ),
        *_soft(rates),
        *_rates("rate_reads", rising([at.usual for at in after], len(rates.pe_cycles), len(READS)), sampled),
        f"activation_ev = {rates.activation_ev}  # derived: as the chip's cells age in 90 days at 40 degrees",
        f"reference_celsius = {rates.reference_celsius}  # derived: as the chip's cells",
    ]


def _soft(rates: Rates) -> Iterator[str]:
    """List what soft reads tell, where that was looked at."""
    for number, soft_bits in enumerate((2, 3)):
        if rates.soft:
            at = [told[number] for wear in rates.pe_cycles for told in rates.soft[wear]]
            source = f"of Gaussian noise whose {soft_bits} soft bits, placed by information, fail as often"
            yield from _rates(f"rate_soft_{soft_bits}", rising(at, len(rates.pe_cycles), len(AGES_S)), source)


def _rates(key: str, table: Rising, source: str) -> list[str]:
    return _list(key, (_rate(rate) for at in table.rates for rate in at), source + table.says())


def _endurance(lived: Endurance) -> list[str]:
    return [
        "[tables.endurance]",
        *_list("cycles", map(str, lived.cycles), f"{LIVED} blocks cycled with random data until they failed"),
        *_list("celsius", (_number(celsius) for celsius, _ in lived.by_celsius), "where others were cycled"),
        *_list("mean", (f"{mean:.0f}.0" for _, mean in lived.by_celsius), "their mean cycles to failure"),
    ]


def _states(found: States, one_shot: bool) -> list[str]:
    times = (time for row in found.rows for time in _of_types(row.t_prog, one_shot))
    return [
        "[tables.states]",
        *_list("patterns", (f'"{row.pattern}"' for row in found.rows), "what all cells hold"),
        *_list("t_prog", _ns(times), "new blocks"),
        *_list("stress", (f"{row.stress:.4f}" for row in found.rows), "lives with random data over its own"),
        *_list("misread", (_rate(row.misread) for row in found.rows), "usual references"),
        f"pe_cycles = {found.pe_cycles}  # derived: wear at which cells were misread, the rated one",
        f'age = "{found.age_s:.0f}s"  # derived: time since writing at the reference temperature',
        f"erase_only = {found.erase_only:.4f}  # derived: lives with random data over lives of erases alone",
    ]


def _voltages(sets: tuple[Voltages, ...], one_shot: bool) -> list[str]:
    if not sets:
        return []
    lines = [
        "",
        "[tables.voltages]",
        *_list("sets", (f'"{one.name}"' for one in sets), "sets beside the chip's usual one"),
    ]
    for one in sets:
        times = (time for row in one.t_prog for time in _of_types(row, one_shot))
        stress = f"{COMPARED} blocks' lives with the usual set over lives with it"
        lines += [
            "",
            f"[tables.voltages.{one.name}]",
            *_list("t_prog", _ns(times), "for each wear of the rows, as t_prog of the usual set"),
            f"stress = {one.stress:.4f}  # derived: {stress}",
            "",
            *_errors(f"tables.voltages.{one.name}.errors", one.rates),
        ]
    return lines


def _ns(values: Iterable[float]) -> Iterator[str]:
    return (f'"{value:.0f}ns"' for value in values)


def _number(value: float) -> str:
    return repr(float(value))


def _volts(value: float) -> str:
    return f'"{1e3 * value:.0f}mV"'


def _rate(value: float) -> str:
    return f"{value:.3e}" if value > 0 else "0.0"


def _list(key: str, values: Iterable[str], source: str) -> list[str]:
    return listed(key, values, f"derived: {source}")
