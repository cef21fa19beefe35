"""Remaining life, told from program and erase times."""

from statistics import fmean

from floatgate import quantities as q
from floatgate.lab import figures
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.lab.prediction import EraseCounter, ErrorAt, LatencyEstimator, errors
from floatgate.report import palette
from floatgate.report.plot import Figure, axis, layout

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
FEWEST = 8  # blocks: half to learn from, half to be asked about


def lacks(bench: Bench) -> str | None:
    """Say why there is too little to learn from."""
    if bench.blocks < FEWEST:
        return f"needs {FEWEST} blocks, half to learn from and half to predict: got --blocks {bench.blocks}"
    return None


def run(bench: Bench) -> Result:
    """Learn from every other block; predict the others, and the blocks of another sample of the part."""
    lives = bench.lives()
    train, test = lives[::2], lives[1::2]
    latency, counter = LatencyEstimator.train(train), EraseCounter.train(train)
    found = {
        "latency": errors(latency, test, SHARES),
        "erase counter": errors(counter, test, SHARES),
    }
    another = bench.source.another()
    if another is not None:
        others = Bench(another, bench.blocks, stopped=bench.stopped).lives()
        found["latency, another sample"] = errors(latency, others, SHARES)
        found["erase counter, another sample"] = errors(counter, others, SHARES)
    mean = {name: fmean(one.mean for one in of) for name, of in found.items()}
    rows = tuple(
        (f"{100 * share:g} % of its life", *(q.percent(of[index].mean) for of in found.values()))
        for index, share in enumerate(SHARES)
    )
    elsewhere = (
        f" For another sample of the part: {q.percent(mean['latency, another sample'])} against "
        f"{q.percent(mean['erase counter, another sample'])}."
        if another is not None
        else ""
    )
    return Result(
        f"Learnt from {len(train)} blocks and asked about {len(test)} others, latency is off by "
        f"{q.percent(mean['latency'])} of a life on average, an erase counter that knows the mean endurance "
        f"by {q.percent(mean['erase counter'])}.{elsewhere}",
        {
            "trained_on": [life.block for life in train],
            "tested_on": [life.block for life in test],
            "mean_error": mean,
            "errors": {
                name: [
                    {"share": one.share, "mean": one.mean, "median": one.median, "worst": one.worst}
                    for one in of
                ]
                for name, of in found.items()
            },
        },
        (Table(("mean error at", *found), rows),),
        {
            "prediction": _errors_figure(found),
            "prediction-scatter": _scatter(bench, latency, counter),
        },
    )


def _errors_figure(found: dict[str, list[ErrorAt]]) -> Figure:
    colours = {
        "latency": figures.SERIES[0],
        "erase counter": figures.SERIES[7],
        "latency, another sample": figures.SERIES[5],
        "erase counter, another sample": "#b9bdc4",
    }
    return figures.lines(
        {name: ([one.share for one in of], [one.mean for one in of]) for name, of in found.items()},
        axis("share of the block's life at which it is asked") | {"tickformat": ".0%", "range": [0, 1]},
        axis("mean error, in lives") | {"tickformat": ".0%", "rangemode": "tozero"},
        colours=colours,
    )


def _scatter(bench: Bench, latency: LatencyEstimator, counter: EraseCounter) -> Figure:
    """Predicted against true remaining life of the test blocks at half their lives."""
    test = bench.lives()[1::2]
    data = []
    most = 0.0
    for name, predictor, colour in (
        ("latency", latency, figures.SERIES[0]),
        ("erase counter", counter, figures.SERIES[7]),
    ):
        cycles = [max(1, life.cycles // 2) for life in test]
        true = [life.cycles - cycle for life, cycle in zip(test, cycles, strict=True)]
        said = [predictor.remaining(life, cycle) for life, cycle in zip(test, cycles, strict=True)]
        most = max(most, *true, *said)
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": true,
                "y": said,
                "marker": {
                    "color": colour,
                    "size": 8,
                    "symbol": "circle" if name == "latency" else "circle-open",
                },
                "customdata": [life.block for life in test],
                "hovertemplate": f"block %{{customdata}}: {name} %{{y:.3s}}, true %{{x:.3s}}<extra></extra>",
            }
        )
    line = {"type": "line", "x0": 0, "y0": 0, "x1": most, "y1": most}
    made = layout(
        340,
        xaxis=figures.cycles_axis("true remaining cycles at half the life") | {"rangemode": "tozero"},
        yaxis=figures.cycles_axis("predicted remaining cycles") | {"rangemode": "tozero"},
        shapes=[line | {"line": {"color": palette.INK, "width": 1, "dash": "dot"}}],
    )
    return {"data": data, "layout": made}


EXPERIMENT = Experiment(
    "prediction",
    "Remaining life from latency",
    "How well do program and erase times tell the remaining life, compared with counting erases?",
    "Desnoyers 2009, section 4",
    run,
    lacks,
)
