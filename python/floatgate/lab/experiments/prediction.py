"""Remaining life, told from program and erase times."""

from statistics import fmean

from floatgate import quantities as q
from floatgate.lab import figures
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.lab.prediction import EraseCounter, ErrorAt, LatencyEstimator, errors
from floatgate.report import palette
from floatgate.report.plot import Axis, Figure, Line, Mark, Points, chart

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
LATENCY, COUNTER = "latency", "erase counter"
COLD = 5.0
FEWEST = 8  # blocks: half to learn from, half to be asked about


def lacks(bench: Bench) -> str | None:
    """Say why there is too little to learn from."""
    if bench.blocks < FEWEST:
        return f"needs {FEWEST} blocks, half to learn from and half to predict: got --blocks {bench.blocks}"
    return None


def run(bench: Bench) -> Result:
    """Learn from every other block; predict the others, the same in the cold, and another sample."""
    lives = bench.lives()
    train, test = lives[::2], lives[1::2]
    latency, counter = LatencyEstimator.train(train), EraseCounter.train(train)
    asked = {"": test, ", at 5 C": bench.lives(celsius=COLD)[1::2]}
    another = bench.source.another()
    if another is not None:
        asked[", another sample"] = Bench(another, bench.blocks, stopped=bench.stopped).lives()
    found = {
        name + where: errors(predictor, of, SHARES)
        for where, of in asked.items()
        for name, predictor in ((LATENCY, latency), (COUNTER, counter))
    }
    typical = {name: fmean(one.median for one in of) for name, of in found.items()}
    compared = "; ".join(
        f"{q.percent(typical[LATENCY + where])} against {q.percent(typical[COUNTER + where])}{where}"
        for where in asked
    )
    return Result(
        f"Learnt from {len(train)} blocks, latency against an erase counter that knows their mean endurance. "
        f"Median error, in lives of the block, over the {len(test)} other blocks: {compared}. A simulated "
        f"block "
        "wears by one law and nothing else: silicon will be less regular.",
        {
            "trained_on": [life.block for life in train],
            "tested_on": [life.block for life in test],
            "median_error": typical,
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
            "prediction-scatter": _scatter(bench, latency, counter),
        },
    )


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
        LATENCY + ", another sample": figures.SERIES[5],
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


def _scatter(bench: Bench, latency: LatencyEstimator, counter: EraseCounter) -> Figure:
    """Predicted against true remaining life of the test blocks at half their lives."""
    test = bench.lives()[1::2]
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
