"""Program time by state."""

from statistics import fmean

from floatgate.lab import figures, state_times
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table, lacks_states, listed
from floatgate.values import quantities as q

BLOCKS = 2
SHARES = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0)  # of the rated cycles


def run(bench: Bench) -> Result:
    """Program whole wordlines to one state, on fresh blocks and on worn ones."""
    cycles, times = cell_page_times(bench)
    first = {state: of[0] for state, of in times.items()}
    fastest = bench.identity.states[0]
    ratios = {state: time / first[fastest] for state, time in first.items()}
    saved = {state: 1 - first[fastest] / time for state, time in first.items()}
    rows = tuple(
        (state, *(q.duration(time) for time in of), q.ratio(ratios[state]), q.percent(saved[state]))
        for state, of in times.items()
    )
    slower = {state: q.ratio(ratio) for state, ratio in ratios.items() if state != fastest}
    later = {state: q.ratio(of[-1] / of[0]) for state, of in times.items()}
    return Result(
        f"On fresh blocks, programming a cell page to {fastest} takes {q.duration(first[fastest])}; the "
        f"others "
        f"take {listed(slower)} times as long. After {q.count(cycles[-1])} cycles they take {listed(later)} "
        "times their first time.",
        {"cycles": cycles, "time_ns": times, "ratio_to_fastest": ratios, "share_saved": saved},
        (
            Table(
                ("cell page to", *(f"{cycle:,} cycles" for cycle in cycles), "ratio, fresh", "time saved"),
                rows,
            ),
        ),
        {
            "state-program": figures.lines(
                {state: (cycles, [time / 1e3 for time in of]) for state, of in times.items()},
                figures.cycles_axis(),
                figures.time_axis("time to program a cell page", "us"),
                colours=figures.states(bench.identity.states),
            )
        },
    )


def cell_page_times(bench: Bench) -> tuple[list[int], dict[str, list[float]]]:
    """Return the cycles, and for each state the mean time of all pages of a wordline together, in ns."""
    identity = bench.identity
    wanted = [round(share * (identity.rated.pe_cycles or 10_000)) for share in SHARES]
    chip, blocks = bench.sample(BLOCKS, "")
    times: dict[str, list[float]] = {state: [] for state in identity.states}
    done = 0
    for index, point in enumerate(bench.through(wanted)):
        for block in blocks:
            if point > done:
                chip.cycle(block, point - done, pattern="random", pages="all")
        for state in identity.states:
            found = [state_times.page_times(chip, identity, block, state) for block in blocks]
            if any(one is None for one in found):
                return wanted[:index], {name: of[:index] for name, of in times.items()}
            times[state].append(fmean(sum(state_times.by_page_type(identity, one or ())) for one in found))
        done = point + len(identity.states)
    return wanted, times


EXPERIMENT = Experiment(
    "state-program",
    "Program time by state",
    "Does programming a cell page to a lower threshold voltage take less time, and how does wear change it?",
    "Wang 2014 (poster), figure 4",
    run,
    lacks_states,
)
