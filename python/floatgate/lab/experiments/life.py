"""Program and erase time over the life of a block."""

from floatgate.lab import figures
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.lab.lives import Life
from floatgate.values import quantities as q

ENDS = ("program", "erase")


def representative(lives: tuple[Life, ...]) -> Life:
    """Return the life of median length."""
    return sorted(lives, key=lambda life: (life.cycles, life.block))[len(lives) // 2]


def run(bench: Bench) -> Result:
    """Follow both times from the first cycle to the last."""
    lives = bench.lives()
    shown = representative(lives)
    numbers: dict[str, object] = {"block": shown.block, "cycles": shown.cycles}
    rows, said = [], []
    for operation in ENDS:
        steps = shown.steps(operation)  # type: ignore[arg-type]
        first, last = steps[0][1], steps[-1][1]
        factor = max(first, last) / min(first, last)
        said.append(
            f"{operation} time {'fell' if last < first else 'rose'} from {q.duration(first)} to "
            f"{q.duration(last)}, a factor of {q.ratio(factor)}, in {len(steps) - 1} steps"
        )
        numbers[f"{operation}_steps"] = [{"cycle": cycle, "busy_ns": busy} for cycle, busy in steps]
        numbers[f"{operation}_factor"] = factor
        rows += [
            (f"{operation} from cycle {cycle:,}", q.duration(busy), q.percent(cycle / max(shown.cycles, 1)))
            for cycle, busy in steps
        ]
    says = (
        f"Block {shown.block}, of median life ({shown.cycles:,} cycles): {said[0]}; {said[1]}. "
        "The chip counts whole pulses, so times change in whole pulses, too."
    )
    return Result(
        says,
        numbers,
        (Table((f"block {shown.block}", "busy", "of its life"), tuple(rows)),),
        {
            "life": figures.over_life(lives, shown),
            "life-log": figures.over_life(lives, shown, log=True),
        },
    )


EXPERIMENT = Experiment(
    "life",
    "Program and erase time over life",
    "How do program and erase time change as a block wears?",
    "Desnoyers 2009, section 3.2, figure 6",
    run,
)
