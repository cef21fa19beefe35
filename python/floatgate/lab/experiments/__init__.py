"""The experiments. Each is a file here and a line below; listing, command line, report and tests follow."""

from importlib import import_module

from floatgate.errors import InputError, nearest
from floatgate.lab.experiment import Experiment

_FILES = (
    "endurance",
    "life",
    "pulse_response",
    "spread_wear",
    "latency",
    "read_order",
    "write_order",
    "page_order",
    "all_pages",
    "erase_only",
    "patterns",
    "temperature",
    "dwell",
    "prediction",
    "state_wear",
    "state_life",
    "state_errors",
    "state_program",
    "page_program",
    "state_erase",
    "retention",
    "acceleration",
    "voltage_plans",
    "polarity",
    "voltages",
    "ispp",
)


def every() -> list[Experiment]:
    """Return all experiments, in the order in which the report shows them."""
    return [import_module(f"{__name__}.{file}").EXPERIMENT for file in _FILES]


def chosen(names: list[str]) -> list[Experiment]:
    """Return the experiments called `names`, all when none is named.

    Raises InputError for an unknown name, with the nearest known one.
    """
    known = {experiment.name: experiment for experiment in every()}
    for name in names:
        if name not in known:
            hint = nearest(name, known, "floatgate characterize --list names them", cutoff=0.4)
            raise InputError(f"{name}: no such experiment: expected one of {', '.join(known)} ({hint})")
    return [experiment for name, experiment in known.items() if not names or name in names]
