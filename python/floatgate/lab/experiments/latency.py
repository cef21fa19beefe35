"""Read, program and erase time, compared with the data sheet."""

from statistics import fmean

from floatgate.lab import figures, patterns
from floatgate.lab.bench import Bench
from floatgate.lab.chip import Operation
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.lab.lives import Life
from floatgate.values import quantities as q

FIRST = 10_000  # operations on a block over which the mean is taken
READ_PAGES = 32
OF_LIFE = ("worst", "mean", "best")


def run(bench: Bench) -> Result:
    """Read all page types; take program and erase times from whole lives, of all page types.

    The typical program time of a data sheet is the mean of a wordline's pages.
    """
    lives, rated = lives_of_all_page_types(bench), bench.identity.rated
    reads = read_times(bench)
    measured: dict[str, dict[str, float]] = {
        "read": {"worst": max(reads), "mean": fmean(reads), "best": min(reads)}
    }
    worn: tuple[Operation, ...] = ("program", "erase")
    for kind in worn:
        pages = lives[0].pages(kind)[: bench.identity.bits]  # those of the first wordline
        ends = [life.extremes_ns(kind, page) for life in lives for page in pages]
        means = [life.mean_ns(kind, FIRST, page) for life in lives for page in pages]
        measured[kind] = {
            "worst": max(worst for _, worst in ends),
            "mean": fmean(means),
            "best": min(best for best, _ in ends),
        }
    specified = {"read": rated.t_r_max_ns, "program": rated.t_prog_typ_ns, "erase": rated.t_bers_typ_ns}
    rows = tuple(
        (operation, q.duration(specified[operation]), *(q.duration(found[name]) for name in found))
        for operation, found in measured.items()
    )
    drawn = {}
    for operation, found in measured.items():
        unit = "ms" if operation == "erase" else "us"
        values: dict[str, float | None] = {"specified": specified[operation]}
        values |= (
            {"measured": found["mean"]}
            if operation == "read"
            else dict(zip(OF_LIFE, found.values(), strict=True))
        )
        groups = {
            name: {operation: value / figures.UNITS[unit]}
            for name, value in values.items()
            if value is not None
        }
        drawn[f"latency-{operation}"] = figures.bars(
            groups, figures.time_axis(f"{operation} time", unit), colours=figures.OPERATIONS, height=260
        )
    return Result(
        _says(measured, specified),
        {"measured_ns": measured, "specified_ns": specified},
        (Table(("operation", "specified", "worst", f"mean of the first {FIRST:,}", "best"), rows),),
        drawn,
    )


def lives_of_all_page_types(bench: Bench) -> tuple[Life, ...]:
    """Return the lives of the endurance test, or of one that writes all pages where they differ."""
    return bench.lives() if bench.identity.bits == 1 else bench.lives("random", "all")


def read_times(bench: Bench) -> list[int]:
    """Return the times of reads of every page type of a fresh block."""
    chip, (block,) = bench.sample(1, "reads")
    pages = range(min(READ_PAGES, bench.identity.pages_per_block))
    for page in pages:
        chip.program(block, page, patterns.random_page(bench.identity, block, page))
    return [chip.read(block, page).busy_ns for page in pages]


def _says(measured: dict[str, dict[str, float]], specified: dict[str, int | None]) -> str:
    parts = []
    for operation, found in measured.items():
        limit, mean = specified[operation], found["mean"]
        if limit is None:
            parts.append(f"{operation} {q.duration(mean)} (not specified)")
        else:
            parts.append(f"{operation} {q.duration(mean)}, {q.percent(mean / limit)} of the specified time")
    return f"Mean of the first {FIRST:,} operations: {'; '.join(parts)}."


EXPERIMENT = Experiment(
    "latency",
    "Read, program and erase time against specification",
    "How long do operations take, first, on average and last, and what does the data sheet say?",
    "Desnoyers 2009, section 3.3, figures 7, 8 and 9",
    run,
)
