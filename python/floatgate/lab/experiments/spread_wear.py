"""The same number of cycles, spread over all blocks or spent on one block after the other."""

from collections.abc import Iterable, Sequence

from floatgate.lab import figures
from floatgate.lab.bench import Bench, StoppedError
from floatgate.lab.chip import Operation
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.lab.lives import Life
from floatgate.report.plot import Axis
from floatgate.values import quantities as q

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)  # of all cycles that the blocks have
SHOWN = 0.5
WAYS = ("spread over all blocks", "one block after the other, until it fails")
Used = Sequence[tuple[Life, int]]  # blocks, and the cycles that each was used for


def run(bench: Bench) -> Result:
    """Spend the cycles of measured lives in both ways, and compare the times."""
    lives = [life for life in bench.lives() if life.cycles]
    if not lives:
        raise StoppedError
    total = sum(life.cycles for life in lives)
    spent = {share: (_spread(lives, share * total), _in_turn(lives, share * total)) for share in SHARES}
    means = {
        operation: {
            way: [_mean(spent[share][at], operation) for share in SHARES] for at, way in enumerate(WAYS)
        }
        for operation in ("program", "erase")
    }
    longest = max(life.extremes_ns("erase")[1] for life in lives)
    slow = {way: _slow_share(spent[SHOWN][at], longest) for at, way in enumerate(WAYS)}
    middle = SHARES.index(SHOWN)
    program, erase = (
        means[kind][WAYS[1]][middle] / means[kind][WAYS[0]][middle] for kind in ("program", "erase")
    )
    rows = tuple(
        (
            way,
            q.duration(means["program"][way][middle]),
            q.duration(means["erase"][way][middle]),
            q.percent(slow[way]),
        )
        for way in WAYS
    )
    return Result(
        f"With half of the cycles that {len(lives)} blocks have, using one block after the other until it "
        f"fails takes {q.ratio(program)} times the program time and {q.ratio(erase)} times the erase time of "
        f"spreading them; {q.percent(slow[WAYS[1]])} of the erases are as long as the longest, which takes "
        f"{q.duration(longest)}, against {q.percent(slow[WAYS[0]])}.",
        {
            "share_of_cycles": list(SHARES),
            "mean_ns": means,
            "share_of_longest_erases": slow,
            "longest_erase_ns": longest,
            "until_failure_over_spread": {"program": program, "erase": erase},
        },
        (Table(("wear", "mean program", "mean erase", "erases as long as the longest"), rows),),
        {
            f"spread-wear-{kind}": figures.lines(
                {way: (SHARES, [ns / scale for ns in of]) for way, of in means[kind].items()},
                Axis("share of all cycles used", format="percent"),
                figures.time_axis(f"mean {kind} time", unit),
            )
            for kind, unit, scale in (("program", "us", 1e3), ("erase", "ms", 1e6))
        },
    )


def _spread(lives: Sequence[Life], cycles: float) -> Used:
    """All blocks alike, but for blocks that fail before: the others share what is left."""
    left, used = cycles, []
    for place, life in enumerate(sorted(lives, key=lambda one: one.cycles)):
        mine = min(life.cycles, int(left / (len(lives) - place)))
        left -= mine
        used.append((life, mine))
    return [(life, mine) for life, mine in used if mine]


def _in_turn(lives: Iterable[Life], cycles: float) -> Used:
    left, used = int(cycles), []
    for life in lives:
        if left:
            used.append((life, min(life.cycles, left)))
            left -= used[-1][1]
    return used


def _pieces(life: Life, operation: Operation, cycles: int) -> list[tuple[int, int]]:
    """Cycles and busy time of each stretch of a life up to `cycles`, in which that time held."""
    steps = [(cycle, busy) for cycle, busy in life.steps(operation) if cycle <= cycles]
    ends = [cycle for cycle, _ in steps[1:]] + [cycles + 1]
    return [(end - max(start, 1), busy) for (start, busy), end in zip(steps, ends, strict=True)]


def _mean(used: Used, operation: Operation) -> float:
    pieces = [piece for life, cycles in used for piece in _pieces(life, operation, cycles)]
    return sum(count * busy for count, busy in pieces) / sum(count for count, _ in pieces)


def _slow_share(used: Used, from_ns: float) -> float:
    """The share of erases that take so long."""
    pieces = [piece for life, cycles in used for piece in _pieces(life, "erase", cycles)]
    return sum(count for count, busy in pieces if busy >= from_ns) / sum(count for count, _ in pieces)


EXPERIMENT = Experiment(
    "spread-wear",
    "Wear spread, or spent block by block",
    "Is a block's life better shared with all blocks, or used up before the next one is begun?",
    "Desnoyers 2009, section 4 (proposed there, not measured)",
    run,
)
