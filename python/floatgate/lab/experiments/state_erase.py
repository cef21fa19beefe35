"""Mean erase time of blocks, over all cycles and over the first."""

from collections.abc import Sequence

from floatgate.lab import figures
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table, lacks_states, listed
from floatgate.lab.lives import Life, summary
from floatgate.report.plot import Figure
from floatgate.values import quantities as q

POINTS = 160
EARLY = 0.1  # of the rated cycles: what the poster calls small P/E cycles


def run(bench: Bench) -> Result:
    """Wear blocks with each state, and average their erase times as long as all of them live."""
    lives = {state: bench.lives(f"state:{state}", "all") for state in bench.identity.states}
    lives = {state: _usual(of) for state, of in lives.items()}
    ends = {state: min(life.cycles for life in of) for state, of in lives.items()}
    early = max(2, round(EARLY * (bench.identity.rated.pe_cycles or 10_000)))
    over_life = {state: _mean_times(of, ends[state]) for state, of in lives.items()}
    first = {state: _mean_times(of, min(early, ends[state])) for state, of in lives.items()}
    rows = tuple(
        (
            state,
            *(
                q.duration(_mean(lives[state], round(share * ends[state]) or 1))
                for share in (0.0, 0.1, 0.5, 1.0)
            ),
            f"{ends[state]:,}",
        )
        for state in lives
    )
    colours = figures.states(bench.identity.states)

    def drawn(series: dict[str, tuple[list[int], list[float]]], title: str) -> Figure:
        return figures.lines(
            {state: (cycles, [ns / 1e6 for ns in times]) for state, (cycles, times) in series.items()},
            figures.cycles_axis(title),
            figures.time_axis("mean erase time", "ms"),
            colours=colours,
            markers=False,
            steps=True,
        )

    rise = {state: times[-1] / times[0] for state, (_, times) in over_life.items()}
    return Result(
        f"The mean erase time rises to {listed({state: q.ratio(one) for state, one in rise.items()})} times "
        f"its "
        "first until the first block fails (early failures left out). "
        f"The first {early:,} cycles are shown on their own.",
        {
            "rise": rise,
            "until_cycle": ends,
            "over_life": {state: _plain(of) for state, of in over_life.items()},
            "early": {state: _plain(of) for state, of in first.items()},
        },
        (Table(("worn with", "first", "at 10 %", "at 50 %", "last", "first failure"), rows),),
        {
            "state-erase": drawn(over_life, "program/erase cycles"),
            "state-erase-early": drawn(first, f"the first {early:,} program/erase cycles"),
        },
    )


def _usual(lives: Sequence[Life]) -> tuple[Life, ...]:
    """Leave out blocks that failed early: they would end the average of all."""
    half = summary(lives).median / 2
    return tuple(life for life in lives if life.cycles >= half)


def _plain(series: tuple[list[int], list[float]]) -> dict[str, list[float]]:
    cycles, times = series
    return {"cycles": list(cycles), "mean_ns": times}


def _mean(lives: Sequence[Life], cycle: int) -> float:
    return sum(life.busy_ns("erase", cycle) for life in lives) / len(lives)


def _mean_times(lives: Sequence[Life], until: int) -> tuple[list[int], list[float]]:
    """Mean erase times at every cycle in which one changes, or at as many as can be seen."""
    changes = {cycle for life in lives for cycle, _ in life.steps("erase") if cycle <= until} | {1, until}
    cycles = sorted(changes)
    if len(cycles) > POINTS:
        cycles = sorted({cycles[round(i * (len(cycles) - 1) / POINTS)] for i in range(POINTS + 1)})
    return cycles, [_mean(lives, cycle) for cycle in cycles]


EXPERIMENT = Experiment(
    "state-erase",
    "Erase time over life by state",
    "How does the mean erase time of blocks rise over all cycles, and in the first of them?",
    "Wang 2014 (poster), figures 6 and 7",
    run,
    lacks_states,
)
