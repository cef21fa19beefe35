"""Content coded towards lower states, by inverting sectors: what it gains, and what it costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from floatgate.lab import errors, figures, patterns, polarity
from floatgate.lab.bench import CELSIUS, Bench
from floatgate.lab.chip import Chip
from floatgate.lab.experiment import Experiment, Result, Table, lacks_states, listed
from floatgate.lab.lives import summary
from floatgate.lab.polarity import CONTENTS, Wordline
from floatgate.report.plot import Axis, Figure
from floatgate.values import quantities as q

BLOCKS = 2  # whose times and errors are taken
AGE_S = 30 * 86_400.0  # of the content when its errors are counted
SECTORS = (16, 64, 512)  # bytes: a finer grain finds more to invert, and needs more tags
WAYS = ("plain", "coded", "coded, low spare")  # the last: check bits are kept elsewhere


@dataclass(frozen=True)
class Found:
    """What one way to store a kind of content does to a chip."""

    mix: tuple[float, ...]  # share of the cells of each state
    inverted: float  # share of the sectors
    program_ns: float  # mean over the pages of fresh blocks
    cycles: float  # mean endurance, all pages written with it each time
    errors: float  # wrong cells of a million: the content itself, after AGE_S, at the rated cycles
    errors_after: float  # the same of pseudo-random data at once, on blocks worn with the content


def run(bench: Bench) -> Result:
    """Write each kind of content as it is and coded: mix of states, program time, errors, endurance."""
    asked = [(content, way) for content in CONTENTS for way in WAYS]
    found = {key: _measure(bench, *key) for key in bench.through(asked)}
    faster = {
        way: {c: _gain(found[c, way].program_ns, found[c, "plain"].program_ns) for c in CONTENTS}
        for way in WAYS[1:]
    }
    lives = {c: found[c, "coded"].cycles / found[c, "plain"].cycles - 1 for c in CONTENTS}
    heights = {sector: {c: _height(bench, c, sector) for c in CONTENTS} for sector in SECTORS}
    changes = (*faster.values(), lives)
    said = [listed({c: f"{100 * gain:+.1f} %" for c, gain in of.items()}) for of in changes]
    tags = 100 * polarity.tag_share(polarity.SECTOR)
    return Result(
        f"Stored inverted where that keeps cells lower, content programs faster by {said[0]}: the highest "
        f"cell of a page, check bits included, decides. With spare areas kept low it would be {said[1]}. "
        f"Blocks last {said[2]} more cycles, yet those worn with cells that stay erased have other errors "
        f"afterwards. Tags take {tags:.3f} % of the data's bits.",
        {
            "mix": {c: {way: list(found[c, way].mix) for way in WAYS} for c in CONTENTS},
            "inverted": {c: found[c, "coded"].inverted for c in CONTENTS},
            "program_ns": {c: {way: found[c, way].program_ns for way in WAYS} for c in CONTENTS},
            "speed_gain": faster,
            "mean_cycles": {c: {way: found[c, way].cycles for way in WAYS} for c in CONTENTS},
            "cycles_gain": lives,
            "errors_per_million_cells": {c: {way: found[c, way].errors for way in WAYS} for c in CONTENTS},
            "errors_after_per_million_cells": {
                c: {way: found[c, way].errors_after for way in WAYS} for c in CONTENTS
            },
            "tag_share": {str(sector): polarity.tag_share(sector) for sector in SECTORS},
            "mean_place_saved": {
                str(sector): {c: before - after for c, (before, after) in of.items()}
                for sector, of in heights.items()
            },
        },
        (_by_content(bench, found), _by_sector(heights)),
        _figures(bench, found),
    )


def _gain(time: float, before: float) -> float:
    return before / time - 1


def _by_content(bench: Bench, found: dict[tuple[str, str], Found]) -> Table:
    head = (
        "content",
        *bench.identity.states,
        "inverted",
        "program",
        "endurance",
        "errors",
        "random data after",
    )
    rows = tuple(
        (
            " ".join(key),
            *(q.percent(share) for share in one.mix),
            q.NOTHING if key[1] == "plain" else q.percent(one.inverted),
            q.duration(one.program_ns),
            q.count(one.cycles),
            q.three(one.errors),
            q.three(one.errors_after),
        )
        for key, one in found.items()
    )
    return Table(head, rows)


def _by_sector(heights: dict[int, dict[str, tuple[float, float]]]) -> Table:
    rows = tuple(
        (
            f"{sector} B",
            f"{100 * polarity.tag_share(sector):.3f} %",
            *(f"{before:.3f} to {after:.3f}" for before, after in of.values()),
        )
        for sector, of in heights.items()
    )
    return Table(("sector", "tags", *(f"mean place of a state, {content}" for content in CONTENTS)), rows)


def _figures(bench: Bench, found: dict[tuple[str, str], Found]) -> dict[str, Figure]:
    states = bench.identity.states
    return {
        "polarity-mix": figures.bars(
            {
                " ".join(key): dict(zip(states, (100 * s for s in one.mix), strict=True))
                for key, one in found.items()
            },
            Axis("share of the cells, %", zero=True),
            colours=figures.states(states),
        ),
        "polarity-speed": figures.bars(
            {c: {way: found[c, way].program_ns / 1e3 for way in WAYS} for c in CONTENTS},
            figures.time_axis("mean program time", "us"),
        ),
    }


def _measure(bench: Bench, content: str, way: str) -> Found:
    identity = bench.identity
    lines = [_wordline(bench, content, way, line) for line in range(_wordlines(bench))]
    counts = _counts(bench, lines)
    total = int(counts.sum())
    mix = _mix(identity.states, [int(n) for n in counts])
    lives = bench.lives(mix, "all", CELSIUS)
    chip, blocks = bench.sample(BLOCKS, f"{content}-{way}-times")
    written = _pages(bench, lines)
    program_ns = fmean(
        chip.program(block, p, data).busy_ns for block in blocks for p, data in written.items()
    )
    chip, blocks = bench.sample(BLOCKS, f"{content}-{way}-errors")
    worn = [block for block in blocks if _worn(bench, chip, block, mix)]
    own = [one for block in worn if (one := _own_errors(bench, chip, block, written)) is not None]
    after = [one for block in worn if (one := errors.collect(chip, identity, block, 1)) is not None]
    return Found(
        tuple(float(n) / total for n in counts),
        sum(line.inverted for line in lines) / max(1, sum(line.sectors for line in lines)),
        program_ns,
        summary(lives).mean,
        errors.mean_per_million(own) or 0.0,
        errors.mean_per_million(after) or 0.0,
    )


def _mix(states: Sequence[str], counts: Sequence[int]) -> str:
    """Return shares that add up to 100 %: what rounding leaves goes to the most frequent state."""
    parts = [round(10_000 * n / sum(counts)) for n in counts]
    parts[parts.index(max(parts))] += 10_000 - sum(parts)
    return "mix:" + ",".join(f"{state}={part / 100:.2f}%" for state, part in zip(states, parts, strict=True))


def _wordlines(bench: Bench) -> int:
    """How many are written: so many that the pages to be compared are there, in the part's order."""
    pages = errors.written_pages(bench.identity, errors.WORDLINES)
    return 1 + max(bench.identity.wordlines[page] for page in pages)


def _wordline(bench: Bench, content: str, way: str, line: int, sector: int = polarity.SECTOR) -> Wordline:
    made = polarity.plain(bench.identity, content, (7, line))
    if way == "plain":
        return made
    return polarity.coded(bench.identity, made, sector, low_spare=way != "coded")


def _pages(bench: Bench, lines: Sequence[Wordline]) -> errors.Written:
    identity = bench.identity
    pages = errors.written_pages(identity, min(errors.WORDLINES, len(lines)))
    return {page: lines[identity.wordlines[page]].pages[identity.page_bits[page]] for page in pages}


def _counts(bench: Bench, lines: Sequence[Wordline]) -> "np.ndarray":
    """Cells of each state, of the data alone: what spare areas hold is the same in both ways."""
    identity = bench.identity
    cells = 8 * identity.page_bytes
    states = [patterns.states_of(identity, list(line.pages))[:cells] for line in lines]
    return np.bincount(np.concatenate(states), minlength=len(identity.states))


def _height(bench: Bench, content: str, sector: int) -> tuple[float, float]:
    """Mean place by voltage of a cell's state, as it is and coded with such sectors."""
    both = []
    for way in WAYS[:2]:
        counts = _counts(bench, [_wordline(bench, content, way, line, sector) for line in range(4)])
        both.append(float((counts * np.arange(len(counts))).sum() / counts.sum()))
    return both[0], both[1]


def _worn(bench: Bench, chip: Chip, block: int, mix: str) -> bool:
    """Wear a block with the content to its rated cycles; False when it fails on the way."""
    chip.cycle(block, bench.identity.rated.pe_cycles or 10_000, pattern=mix, pages="all")
    return chip.status() == "ok"


def _own_errors(bench: Bench, chip: Chip, block: int, written: errors.Written) -> errors.CellErrors | None:
    for page, data in written.items():
        if chip.program(block, page, data).status != "ok":
            return None
    chip.let_time_pass(AGE_S)
    found = errors.compare(chip, bench.identity, block, written)
    return found if chip.erase(block).status == "ok" else None


EXPERIMENT = Experiment(
    "polarity",
    "Content coded towards lower states",
    "How much does storing sectors inverted, if that lowers their cells, improve time, errors and endurance?",
    "Wang 2014 (poster), system implications (not measured there)",
    run,
    lacks_states,
)
