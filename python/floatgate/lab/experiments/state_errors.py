"""Errors by state and by page type."""

from floatgate.lab import errors, figures
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table, lacks_states, listed
from floatgate.report.plot import Axis
from floatgate.values import quantities as q

BLOCKS = 3
SHARES = (0.0, 0.5, 1.0, 1.5, 2.0)  # of the rated cycles


def run(bench: Bench) -> Result:
    """Wear with pseudo-random data, write pseudo-random data, and count errors by state and by page type."""
    cycles = [round(share * (bench.identity.rated.pe_cycles or 10_000)) for share in SHARES]
    collected = _collect(bench, cycles)
    names = bench.identity.states
    by_state = {name: [one.rate(place) for one in collected] for place, name in enumerate(names)}
    pages = page_names(bench.identity.bits)
    by_page = {name: [one.bit_rate(digit) for one in collected] for digit, name in enumerate(pages)}
    last = {name: rates[-1] for name, rates in by_state.items()}
    measured = cycles[: len(collected)]
    rows = tuple(
        (name, *(f"{rate:.2e}" for rate in rates)) for name, rates in (*by_state.items(), *by_page.items())
    )
    x = figures.cycles_axis()
    return Result(
        f"After {q.count(measured[-1])} cycles the share of wrong cells, state by state, is "
        f"{listed({name: f'{rate:.2g}' for name, rate in last.items()})}; that of wrong bits, "
        f"{listed({name: f'{rates[-1]:.2g}' for name, rates in by_page.items()})}.",
        {"cycles": measured, "cell_error_rate": by_state, "bit_error_rate": by_page},
        (Table(("error rate", *(f"{cycle:,} cycles" for cycle in measured)), rows),),
        {
            "state-errors": figures.lines(
                {name: (measured, rates) for name, rates in by_state.items()},
                x,
                Axis("share of a state's cells that are wrong", zero=True, format="power"),
                colours=figures.states(names),
            ),
            "page-errors": figures.lines(
                {name: (measured, rates) for name, rates in by_page.items()},
                x,
                Axis("share of a page type's bits that are wrong", zero=True, format="power"),
            ),
        },
    )


def page_names(bits: int) -> list[str]:
    """Return the page types in the order in which they are programmed, in the poster's words for two bits."""
    if bits == 2:
        return ["MSB (first) page", "LSB (second) page"]
    return [f"page {digit + 1} of {bits}" for digit in range(bits)]


def _collect(bench: Bench, cycles: list[int]) -> list[errors.CellErrors]:
    chip, blocks = bench.sample(BLOCKS, "")
    found: list[errors.CellErrors] = []
    done = 0
    for point in bench.through(cycles):
        total = errors.none(bench.identity)
        for block in list(blocks):
            if point > done:
                chip.cycle(block, point - done, pattern="random", pages="all")
            collected = errors.collect(chip, bench.identity, block, seed=point)
            if collected is None:
                blocks.remove(block)
            else:
                total += collected
        if not blocks:
            break
        done = point + 1
        found.append(total)
    return found


EXPERIMENT = Experiment(
    "state-errors",
    "Errors by state and page type",
    "Which states, and which page of a wordline, have most errors?",
    "Wang 2014 (poster), figure 3; by the state read, which figure 2 does not show",
    run,
    lacks_states,
)
