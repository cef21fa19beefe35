"""Remaining life, told from program and erase times."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from floatgate.lab import figures
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.lab.levels import Levels
from floatgate.lab.lives import Life
from floatgate.lab.prediction import EraseCounter, ErrorAt, LatencyEstimator, errors
from floatgate.lab.scores import Score, score
from floatgate.report import palette
from floatgate.report.plot import Axis, Figure, Line, Mark, Points, chart
from floatgate.values import quantities as q

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
LATENCY, COUNTER = "latency", "erase counter"
CELSIUS = (5.0, 15.0, 80.0)  # beside room temperature, where they learn
CHIPS = 2  # of the part, beside the one they learn from
OTHER_CHIPS = ", other chips"
FEWEST = 8  # blocks: half to learn from, half to be asked about


def lacks(bench: Bench) -> str | None:
    """Say why there is too little to learn from."""
    if bench.blocks < FEWEST:
        return f"needs {FEWEST} blocks, half to learn from and half to predict: got --blocks {bench.blocks}"
    return None


def run(bench: Bench) -> Result:
    """Learn from every other block; ask about the others, at other temperatures, and on other chips."""
    lives = bench.lives()
    levels = Levels.learn(lives[::2])
    train = [levels.read(life) for life in lives[::2]]
    asked = {
        where: [levels.read(life) for life in of]
        for where, of in _unseen(bench, [one.block for one in train])
    }
    latency, counter = LatencyEstimator.train(train), EraseCounter.train(train)
    found = {
        name + where: errors(predictor, of, SHARES)
        for where, of in asked.items()
        for name, predictor in ((LATENCY, latency), (COUNTER, counter))
    }
    survival = latency.without_times()
    scores = {where: score(latency, counter, survival, of, SHARES) for where, of in asked.items()}
    compared = "; ".join(f"{told(one)}{where}" for where, one in scores.items())
    return Result(
        f"Learnt from {len(train)} blocks, latency against an erase counter that knows their mean endurance, "
        "and against one that knows how their lives are distributed (survival). "
        f"Typical error in lives of the block, with 95 % intervals, over {scores[''].blocks} blocks and more "
        f"that neither has seen: {compared}. A simulated block wears as regularly as its chip's file says "
        "(cells.wear.cycle_spread).",
        {
            "trained_on": [life.block for life in train],
            "tested_on": [life.block for life in asked[""]],
            "scores": {where: asdict(one) | {"nearer": one.nearer} for where, one in scores.items()},
            "errors": {
                name: [
                    {"share": one.share, "mean": one.mean, "median": one.median, "worst": one.worst}
                    for one in of
                ]
                for name, of in found.items()
            },
        },
        (_table("median error at", found, "median"), _table("worst error at", found, "worst")),
        {
            "prediction": _errors_figure(found),
            "prediction-scatter": _scatter(asked[""], latency, counter),
        },
    )


def _unseen(bench: Bench, learned: list[int]) -> Iterator[tuple[str, list[Life]]]:
    """Where the predictors are asked, and the lives there: none of a block that they learned from."""
    yield "", [life for life in bench.lives() if life.block not in learned]
    for celsius in CELSIUS:
        others = bench.lives(celsius=celsius)
        if bench.source.renewable:  # the same blocks once more
            others = tuple(life for life in others if life.block not in learned)
        yield f", at {celsius:g} C", list(others)
    chips: list[Life] = []
    source = bench.source.another()
    for _ in range(CHIPS):
        if source is not None:
            chips += Bench(source, bench.blocks, stopped=bench.stopped).lives()
            source = source.another()
    if chips:
        yield OTHER_CHIPS, chips


def compare(lives: Sequence[Life]) -> Score:
    """Learn from every other of the lives, and ask about the rest."""
    levels = Levels.learn(lives[::2])
    train, test = ([levels.read(life) for life in half] for half in (lives[::2], lives[1::2]))
    latency = LatencyEstimator.train(train)
    return score(latency, EraseCounter.train(train), latency.without_times(), test, SHARES)


def told(one: Score) -> str:
    """Return both errors with their intervals."""
    return (
        f"{q.percent(one.latency)} ({_interval(one.latency_ci95)}) against {q.percent(one.counter)} "
        f"({_interval(one.counter_ci95)}), {q.percent(one.survival)} by survival"
    )


def _interval(low_high: tuple[float, float]) -> str:
    return " to ".join(q.percent(end) for end in low_high)


def _table(head: str, found: dict[str, list[ErrorAt]], column: str) -> Table:
    rows = tuple(
        (f"{100 * share:g} % of its life", *(q.percent(getattr(of[index], column)) for of in found.values()))
        for index, share in enumerate(SHARES)
    )
    return Table((head, *found), rows)


def _errors_figure(found: dict[str, list[ErrorAt]]) -> Figure:
    colours = {
        LATENCY: figures.SERIES[0],
        COUNTER: "#6b7683",
        LATENCY + ", at 5 C": figures.SERIES[2],
        LATENCY + OTHER_CHIPS: figures.SERIES[5],
    }
    return figures.lines(
        {
            name: ([one.share for one in of], [one.median for one in of])
            for name, of in found.items()
            if name.startswith(LATENCY) or name == COUNTER
        },
        Axis("share of the block's life at which it is asked", format="percent", low=0, high=1),
        Axis("median error, in lives", format="percent", zero=True),
        colours=colours,
    )


def _scatter(test: Sequence[Life], latency: LatencyEstimator, counter: EraseCounter) -> Figure:
    """Predicted against true remaining life of the test blocks at half their lives."""
    marks: list[Mark] = []
    most = 0.0
    for name, predictor, colour in (
        ("latency", latency, figures.SERIES[0]),
        ("erase counter", counter, figures.SERIES[7]),
    ):
        cycles = [max(1, life.cycles // 2) for life in test]
        true = [life.cycles - cycle for life, cycle in zip(test, cycles, strict=True)]
        said = [predictor.remaining(life, cycle) for life, cycle in zip(test, cycles, strict=True)]
        most = max(most, *true, *said)
        tips = [
            f"block {life.block}: {name} {guess:,.0f}, true {left:,}"
            for life, guess, left in zip(test, said, true, strict=True)
        ]
        hollow = name != "latency"
        marks.append(Points(colour, true, said, 7, hollow=hollow, name=name, tips=tips))
    marks.append(Line(palette.INK, [0.0, most], [0.0, most], 1.1, "dot"))
    x = figures.cycles_axis("true remaining cycles at half the life", zero=True)
    return chart(340, x, figures.cycles_axis("predicted remaining cycles", zero=True), marks)


EXPERIMENT = Experiment(
    "prediction",
    "Remaining life from latency",
    "How well do program and erase times predict the remaining life, compared with counting erases?",
    "Desnoyers 2009, section 4",
    run,
    lacks,
)
