"""Endurance of blocks that are erased and never programmed."""

from statistics import fmean

from floatgate.lab.bench import Bench
from floatgate.lab.compare import USUAL, endurance
from floatgate.lab.experiment import Experiment, Result
from floatgate.values import quantities as q


def run(bench: Bench) -> Result:
    """Erase without programming, and compare endurance and the last erase times."""
    compared = endurance(
        bench, "erase-only", {"program and erase": USUAL, "erase only": (USUAL[0], "none", USUAL[2])}
    )
    last = {
        name: fmean(life.steps("erase")[-1][1] for life in bench.lives(*how))
        for name, how in (("program and erase", USUAL), ("erase only", (USUAL[0], "none", USUAL[2])))
    }
    says = (
        f"{compared.says} The last erases took {q.duration(last['erase only'])}, with programs between them "
        f"{q.duration(last['program and erase'])}."
    )
    return Result(says, compared.numbers | {"last_erase_ns": last}, compared.tables, compared.figures)


EXPERIMENT = Experiment(
    "erase-only",
    "Erases without programs",
    "Does a block that is only erased wear, and its erase time rise, as if it were written?",
    "Desnoyers 2009, section 3.4",
    run,
)
