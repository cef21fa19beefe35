"""`floatgate.characterize` and `floatgate.experiments`: a chip on the bench."""

from os import PathLike
from typing import Unpack

from floatgate._generated.keywords import CharacterizeKeywords
from floatgate.lab import run as lab
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment
from floatgate.lab.experiments import chosen, every
from floatgate.lab.run import Characterized
from floatgate.lab.simulated import SimulatedSource
from floatgate.options.lab import CharacterizeOptions
from floatgate.options.taking import offered, take
from floatgate.runs.session import interruptible
from floatgate.values.arguments import named

BLOCKS = 30  # worn to failure in each endurance test, where nothing else is asked for


@offered(CharacterizeOptions)
def characterize(chip: str | PathLike[str], **options: Unpack[CharacterizeKeywords]) -> Characterized:
    """Measure `chip` as a test rig would: endurance, times over life, errors, threshold voltages.

    What is found has an outcome for each experiment, in the order of `floatgate.experiments`: a sentence,
    numbers and figures, or why there is none; `document()` holds all numbers. Ctrl-C keeps the measurements
    made so far: `interrupted` is then true. With `out`, report.html, characterize.json and the rig's logs
    are written to that folder.

    Raises InputError for an unknown chip or experiment, or more blocks than the chip has.
    """
    asked = take(CharacterizeOptions, options, chip=chip)
    wanted = chosen(list(asked.experiment))
    source = source_of(asked)
    blocks = BLOCKS if asked.blocks is None else asked.blocks
    with interruptible() as stopped:
        if asked.out is None:
            bench = Bench(source, blocks, stopped=stopped)
            return lab.ask(bench, wanted, asked.workers, asked.scheduler)
        return lab.characterize(
            source,
            wanted,
            blocks,
            asked.out,
            force=asked.force,
            workers=asked.workers,
            scheduler=asked.scheduler,
            stopped=stopped,
        )


def source_of(asked: CharacterizeOptions) -> SimulatedSource:
    """Return the samples of the chip that was asked for."""
    seed = 1 if asked.seed is None else asked.seed
    return SimulatedSource(str(asked.chip), seed, model=asked.model or "cells")


@named
def experiments() -> list[Experiment]:
    """Return the experiments of `characterize`, each with its question and the paper that it is from."""
    return every()
