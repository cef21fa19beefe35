"""Lives of blocks by the voltages of the data that they are cycled with."""

from floatgate.lab.bench import CELSIUS, Bench
from floatgate.lab.compare import endurance
from floatgate.lab.experiment import Experiment, Result, lacks_states

RANDOM, LOW, HIGH = "random data", "low-voltage data", "high-voltage data"


def run(bench: Bench) -> Result:
    """Wear with pseudo-random data, with the lower half of the states, the higher half, and each state."""
    states = bench.identity.states
    half = len(states) // 2
    halves = {RANDOM: "random", LOW: mix(states[:half]), HIGH: mix(states[half:])}
    patterns = halves | {state: f"state:{state}" for state in states}
    return endurance(
        bench, "state-life", {name: (pattern, "all", CELSIUS) for name, pattern in patterns.items()}
    )


def mix(states: tuple[str, ...]) -> str:
    """Return the pattern of cells that hold each of these states alike often; there are a power of two."""
    return "mix:" + ",".join(f"{state}={1 / len(states)}" for state in states)


EXPERIMENT = Experiment(
    "state-life",
    "Lives with data of low and of high voltages",
    "Do blocks live longer with data that lower threshold voltages represent?",
    "Wang 2014 (poster), system implications (not measured there)",
    run,
    lacks_states,
)
