"""Times of the chip when data stays a while between program and erase."""

from statistics import fmean

from floatgate.lab import errors, figures, patterns
from floatgate.lab.bench import Bench
from floatgate.lab.chip import Chip
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.lab.simulated import SimulatedSource
from floatgate.values import quantities as q

DWELLS_S = {"none": 0.0, "1 hour": 3600.0, "1 day": 86_400.0, "30 days": 2_592_000.0}
SHARES = (0.0, 0.3, 0.7)  # of the shortest life, at which the dwell is tried
TIMES = 8


def run(bench: Bench) -> Result:
    """At several points of a life, let time pass between program and erase, and compare the times."""
    shortest = min(life.cycles for life in bench.lives())
    times: dict[str, dict[str, list[float]]] = {}
    for name, seconds in bench.through(DWELLS_S.items()):
        chip, (block,) = bench.sample(1, name.replace(" ", "-"))
        done = 0
        found: dict[str, list[float]] = {"program": [], "erase": []}
        for share in SHARES:
            ahead = round(share * shortest) - done
            if ahead > 0:
                chip.cycle(block, ahead)
                done += ahead
            program, erase = _cycles(bench, chip, block, seconds)
            done += TIMES
            found["program"].append(program)
            found["erase"].append(erase)
        times[name] = found
    base = times["none"]
    change = {
        name: max(
            abs(value / before - 1)
            for operation in base
            for value, before in zip(found[operation], base[operation], strict=True)
        )
        for name, found in times.items()
    }
    rows = tuple(
        (f"{operation}, {name}", *(q.duration(value) for value in found[operation]))
        for operation in ("program", "erase")
        for name, found in times.items()
    )
    drawn = {
        name: {operation: fmean(values) / 1e6 for operation, values in found.items()}
        for name, found in times.items()
    }
    return Result(
        f"With up to 30 days between program and erase, program and erase times changed by "
        f"{q.percent(max(change.values()))} at most. A life ends where these pulses run out: their times are "
        "what was looked at, not lives. The paper had no time to measure either.",
        {"largest_change": change, "times_ns": times, "at_share_of_shortest_life": list(SHARES)},
        (
            Table(
                ("time, dwell", *(f"at {100 * share:.0f} % of the shortest life" for share in SHARES)), rows
            ),
        ),
        {
            "dwell": figures.bars(
                drawn, figures.time_axis("mean time", "ms"), colours=figures.OPERATIONS, height=260
            )
        },
    )


def _cycles(bench: Bench, chip: Chip, block: int, seconds: float) -> tuple[float, float]:
    """Return mean times of a wordline's programs and of the erase, over cycles with a dwell between."""
    programs, erases = [], []
    identity = bench.identity
    highest = identity.states[-1]
    pages = errors.written_pages(identity, 1)
    data = {page: patterns.page_of_state(identity, page, highest) for page in pages}
    for _ in range(TIMES):
        programs.append(sum(chip.program(block, page, written).busy_ns for page, written in data.items()))
        chip.let_time_pass(seconds)
        erases.append(chip.erase(block).busy_ns)
    return fmean(programs), fmean(erases)


def lacks_recovery(bench: Bench) -> str | None:
    """Say why a simulated chip has no answer: what it would give is an assumption, not a finding."""
    if not isinstance(bench.source, SimulatedSource):
        return None
    return (
        f"{bench.identity.name} is simulated, and the recovery of its oxide between program and erase is not "
        "modelled: time there changes neither pulses nor endurance, as it may in a real chip"
    )


EXPERIMENT = Experiment(
    "dwell",
    "Time between program and erase",
    "Does the time that data stays change the times of the chip?",
    "Desnoyers 2009, section 3.4 (not measured there)",
    run,
    lacks_recovery,
)
