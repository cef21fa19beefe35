"""Drives drawn by a seed, measured by the jobs of `floatgate twin jobs`, and fitted from another drive.

    python benches/hidden_drives.py 11 12 13

prints a row for each parameter: the drawn value, the fitted one with its 95 % interval, and the deviation.
A fit takes two to six minutes.
"""

import random
import sys
from math import exp, log

from floatgate.twin.built import shape
from floatgate.twin.evaluate import Simulator
from floatgate.twin.measured import measure
from floatgate.twin.parameters import PARAMETERS, read_base
from floatgate.twin.stages import fit
from floatgate.twin.write import shown
from floatgate.workers import crew

BASE = "tlc"
#: What is drawn: evenly in the logarithm between two ends, or one of several.
RANGES = {
    "read_time": (25e-6, 100e-6),
    "program_time": (300e-6, 2e-3),
    "channel_rate": (300e6, 2e9),
    "command_time": (4e-6, 15e-6),
    "command_service": (0.3e-6, 2e-6),
    "link_rate": (1e9, 7e9),
    "spare": (0.08, 0.35),
    "buffer": (2 << 20, 32 << 20),
}
CHANNELS, WAYS, UNITS = (1, 2, 4, 8), (1, 2, 4), (4096, 8192, 16384)
CAPACITY, LEAST_OF_A_DIE, MOST = (1.5e9, 3.5e9), 2.2e8, 4.2e9
DIES_MOST = 16
OTHER_SEED = 77  # of the runs that measure, so that fits do not see the same numbers


def drawn(seed: int) -> tuple[dict[str, float], float]:
    """Return the parameters of a hidden drive, and its capacity."""
    source = random.Random(seed)
    values = {name: exp(source.uniform(log(low), log(high))) for name, (low, high) in RANGES.items()}
    channels = source.choice(CHANNELS)
    ways = source.choice([ways for ways in WAYS if channels * ways <= DIES_MOST])
    values |= {"channels": channels, "dies": channels * ways, "unit": source.choice(UNITS)}
    capacity = exp(source.uniform(*map(log, CAPACITY)))
    return values, min(MOST, max(capacity, LEAST_OF_A_DIE * values["dies"]))


def say(line: str) -> None:
    """Print a line as soon as it is known."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Fit the drives of the seeds that are given."""
    base = read_base(BASE)
    for seed in map(int, sys.argv[1:]):
        truth, capacity = drawn(seed)
        with crew() as workers:
            simulator = Simulator(base, shape(base, truth, capacity).capacity, workers)
            measured = measure(simulator, OTHER_SEED, lambda _stage, _runs: None, truth)
            twin = fit(measured, simulator, lambda _stage, _runs: None)
        say(f"seed {seed}: {simulator.capacity / 1e9:.2f} GB, {len(measured.rows)} rows, {twin.runs} runs")
        for name in PARAMETERS:
            if name not in truth:
                continue
            found = twin.found.get(name)
            if found is None:
                say(f"  {name:16} {shown(name, truth[name]):>10}  undetermined")
                continue
            low, high = (None if end is None else shown(name, end) for end in (found.low, found.high))
            off = found.value / truth[name] - 1
            interval = f"{low or 'less'} to {high or 'more'}" if low or high else ""
            told = f"{shown(name, truth[name]):>10} {shown(name, found.value):>10} {off:+7.1%}  {interval}"
            say(f"  {name:16} {told}")


if __name__ == "__main__":
    main()
