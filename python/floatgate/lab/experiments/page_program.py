"""Program time of each page of a block."""

from floatgate.lab import figures, state_times
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table, lacks_states
from floatgate.lab.experiments.state_errors import page_names
from floatgate.report.plot import Axis
from floatgate.values import quantities as q


def run(bench: Bench) -> Result:
    """Program the wordlines of a block to each state, and take the time of every page."""
    identity = bench.identity
    chip, (block,) = bench.sample(1, "")
    times = {}
    for state in bench.through(identity.states):
        found = state_times.page_times(chip, identity, block, state)
        if found is not None:
            times[state] = found
    means = {state: state_times.by_page_type(identity, of) for state, of in times.items()}
    names = page_names(identity.bits)
    rows = tuple((state, *(q.duration(mean) for mean in of)) for state, of in means.items())
    return Result(
        _says(names, means),
        {
            "mean_ns": {state: dict(zip(names, of, strict=True)) for state, of in means.items()},
            "pages_ns": times,
        },
        (Table(("all cells to", *names), rows),),
        {
            "page-program": figures.lines(
                {state: (list(range(len(of))), [time / 1e3 for time in of]) for state, of in times.items()},
                Axis("page of the block"),
                figures.time_axis("program time", "us"),
                colours=figures.states(identity.states),
            ),
            "page-types": figures.bars(
                {
                    name: {state: of[digit] / 1e3 for state, of in means.items()}
                    for digit, name in enumerate(names)
                },
                figures.time_axis("mean program time", "us"),
                colours=figures.states(identity.states),
            ),
        },
    )


def _says(names: list[str], means: dict[str, list[float]]) -> str:
    ranges = [
        f"{name} {q.duration(min(of[digit] for of in means.values()))} to "
        f"{q.duration(max(of[digit] for of in means.values()))}"
        for digit, name in ((0, names[0]), (-1, names[-1]))
    ]
    told = f"Program time by the state that cells get: {'; '.join(ranges)}."
    if not any(of[0] for of in means.values()):
        return told + " Pages wait for the last of their wordline, which programs all of them at once."
    return told + (
        " The first page does not know the other digits yet: states that begin with the same digit should "
        "take the same time in it."
    )


EXPERIMENT = Experiment(
    "page-program",
    "Program time of the pages of a block",
    "How long does each page of a block take, by its type and by the state that its cells get?",
    "Wang 2014 (poster), figure 5",
    run,
    lacks_states,
)
