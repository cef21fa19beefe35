"""Tables of a chip's program and erase times by wear, measured on its cells, for whole drives to use.

Blocks are worn with pseudo-random data on all pages; at each wear the program times of every page and the
erase time are read off. A table holds the mean over the wordlines, for each page type, and over the blocks
that live to its end; a wear at which most have failed ends it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from floatgate.errors import InputError
from floatgate.lab.chip import Chip, Entry, Identity
from floatgate.lab.patterns import random_page

BLOCKS = 4
SHARES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0)  # of the rated cycles


@dataclass(frozen=True)
class Row:
    """Times at a wear, ns."""

    pe_cycles: int
    t_prog: tuple[float, ...]  # one for each page type
    t_bers: float
    blocks: int  # how many it is the mean of


def derive(chip: Chip, progress: Callable[[float], None] = lambda _fraction: None) -> list[Row]:
    """Return a row for each wear that most blocks reach. Raises InputError for chips without rated cycles."""
    identity = chip.identify()
    rated = identity.rated.pe_cycles
    if rated is None:
        raise InputError(
            f"chip {identity.name}: pe_cycles_rated: missing: the wear of the rows follows from it"
        )
    wears = sorted({round(share * rated) for share in SHARES})
    measured: dict[int, list[tuple[list[float], float]]] = {block: [] for block in range(BLOCKS)}
    reached: list[int] = []
    for index, wear in enumerate(wears):
        done = reached[-1] + 1 if reached else 0
        logs = {block: _wear_to(chip, block, done, wear) for block in measured}
        alive = {block: log for block, log in logs.items() if log is not None}
        if len(alive) <= BLOCKS // 2:
            break
        measured = {block: [*measured[block], _measure(identity, log)] for block, log in alive.items()}
        reached.append(wear)
        progress((index + 1) / len(wears))
    return [_row(wear, [rows[index] for rows in measured.values()]) for index, wear in enumerate(reached)]


def _row(wear: int, measured: list[tuple[list[float], float]]) -> Row:
    t_prog = tuple(fmean(times) for times in zip(*(times for times, _ in measured), strict=True))
    return Row(wear, t_prog, fmean(erase for _, erase in measured), len(measured))


def _wear_to(chip: Chip, block: int, done: int, wear: int) -> list[Entry] | None:
    """Wear a block on to `wear` cycles, then log one cycle more; None when it failed on the way."""
    if wear > done and _failed(chip.cycle(block, wear - done, pattern="random", pages="all")):
        return None
    # The rig logs what changed; the times of this one cycle are read off by programming page after page.
    log = list(_one_cycle(chip, block, wear + 1))
    return None if _failed(log) else log


def _one_cycle(chip: Chip, block: int, cycle: int) -> Iterator[Entry]:
    identity = chip.identify()
    for page in range(identity.pages_per_block):
        answer = chip.program(block, page, random_page(identity, block, page, cycle))
        yield Entry(block, page, "program", cycle, answer.busy_ns, None, answer.status)
    answer = chip.erase(block)
    yield Entry(block, None, "erase", cycle, answer.busy_ns, None, answer.status)


def _failed(log: list[Entry]) -> bool:
    return any(entry.status != "ok" for entry in log)


def _measure(identity: Identity, log: list[Entry]) -> tuple[list[float], float]:
    """Return the mean program time of each page type and the erase time of one cycle, ns."""
    by_type: list[list[int]] = [[] for _ in range(identity.bits)]
    for entry in log:
        if entry.page is not None:
            by_type[identity.page_bits[entry.page]].append(entry.busy_ns)
    return [fmean(times) for times in by_type], float(log[-1].busy_ns)


def tables(rows: list[Row], provenance: str) -> str:
    """Return the rows as the `[tables]` of a chip file."""
    wear = ", ".join(str(row.pe_cycles) for row in rows)
    t_prog = ", ".join(f'"{time:.0f}ns"' for row in rows for time in row.t_prog)
    t_bers = ", ".join(f'"{row.t_bers:.0f}ns"' for row in rows)
    return (
        "\n[tables]\n"
        f"pe_cycles = [{wear}]  # derived: {provenance}\n"
        f"t_prog = [{t_prog}]  # derived: {provenance}\n"
        f"t_bers = [{t_bers}]  # derived: {provenance}\n"
    )


def worn_file(source: Path, rows: list[Row], provenance: str) -> str:
    """Return the text of the chip file `source` with these tables in the place of its own, if it had any."""
    text = source.read_text(encoding="utf-8")
    before, found, _after = text.partition("\n[tables]\n")
    if found and "\n[" in _after:
        raise InputError(f"{source}: tables: expected as the last table of the file")
    return before.rstrip("\n") + "\n" + tables(rows, provenance)
