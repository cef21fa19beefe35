"""Eight chips on the bench, asked what the paper asked them."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from math import log
from pathlib import Path
from statistics import quantiles
from typing import Any

from floatgate.lab import Bench
from floatgate.lab.experiments import chosen
from floatgate.lab.simulated import SimulatedSource
from floatgate.reproduce import Case, Concluded, Finding, Found, Line, changes, published

from . import judge, remaining, reuse
from .devices import DEVICES, HEATED, QUICK, QUICK_PREDICTION, UNDECIDED

BLOCKS = 30  # worn in each endurance test
SEED = 1
FEW = 0.05  # of all blocks may be outliers
SIGNIFICANT = 5  # per cent by which programs have sped up
OF_EVERY_DEVICE = (
    "figure4",
    "figure5",
    "figure6",
    "figure7",
    "figure8",
    "figure9",
    "early",
    "reads",
    "writes",
    "all-pages",
    "patterns",
    "erase-only",
    "spreading",
)
OPERATIONS = {"figure7": "read", "figure8": "program", "figure9": "erase"}
EXPECTED = published(Path(__file__).parent)
REUSED = {"uniform writes": None, "nine tenths to a fifth of the space": "0.9/0.2"}
SHOWN = {"worst": "worst", "mean": "mean of the first 10 000", "best": "best"}


def cases(full: bool) -> Iterable[Case]:
    for device in DEVICES if full else QUICK:
        for exhibit in OF_EVERY_DEVICE:
            yield Case(exhibit, device, {"device": device})
        if full or device in QUICK_PREDICTION:
            yield Case("prediction", device, {"device": device}, cost=4)
    yield Case("causes", f"{UNDECIDED}, four times as many blocks", {"device": UNDECIDED}, cost=8)
    for name, hot in REUSED.items():
        yield Case("drive-reuse", name, {"device": UNDECIDED, "hot": hot}, cost=2)
    yield Case("heat", HEATED, {"device": HEATED}, cost=3)
    yield Case("cold", HEATED, {"device": HEATED}, cost=3)
    for exhibit in ("prediction-noise", "prediction-rig"):
        yield Case(exhibit, HEATED, {"device": HEATED}, cost=3)


def run(case: Case, full: bool) -> Finding:
    device = case.parameters["device"]

    def numbers(experiment: str) -> dict[str, Any]:
        return ask(device, BLOCKS, experiment)

    match case.exhibit:
        case "figure4":
            return replace(
                judge.response(numbers("pulse-response")), lines=_responses(numbers("pulse-response"))
            )
        case "figure5":
            found = numbers("endurance")
            cycles = tuple(float(one) for one in found["cycles"].values())
            cloud = Line(device, (device,) * len(cycles), cycles, "points")
            return Finding(found["mean_cycles"], lines=(cloud,))
        case "figure6":
            return replace(judge.over_life(numbers("life")), lines=_traces(device, numbers("life")))
        case "figure7" | "figure8" | "figure9":
            return _against_specification(case.exhibit, device, numbers("latency"))
        case "early":
            return judge.first_writes(numbers("life"))
        case "reads":
            return judge.reads(numbers("read-order"))
        case "writes":
            return judge.writes(numbers("write-order"), numbers("page-order"))
        case "all-pages":
            return judge.all_pages(numbers("all-pages"))
        case "patterns":
            return judge.patterns(numbers("patterns"))
        case "erase-only":
            return judge.erase_only(numbers("erase-only"))
        case "heat":
            return judge.heat(numbers("temperature"))
        case "cold":
            return judge.cold(numbers("temperature"))
        case "prediction":
            return remaining.of_device(device, DEVICES[device])
        case "causes":
            return remaining.of_more_blocks(DEVICES[device])
        case "prediction-noise":
            return remaining.over_noise(DEVICES[device], full)
        case "prediction-rig":
            return remaining.over_jitter(DEVICES[device], full)
        case "spreading":
            return judge.spreading(numbers("spread-wear"))
        case "drive-reuse":
            return reuse.over_spreading(case.parameters["hot"])
    raise ValueError(f"no such exhibit: {case.exhibit}")


@lru_cache
def bench(device: str, blocks: int) -> Bench:
    """Return the bench with a device: what was measured on it is measured once in each process."""
    return Bench(SimulatedSource(DEVICES[device], SEED, changes.now().chip_settings), blocks)


@lru_cache
def ask(device: str, blocks: int, experiment: str) -> dict[str, Any]:
    """Return the numbers that an experiment of the laboratory found."""
    (asked,) = chosen([experiment])
    return asked.run(bench(device, blocks)).numbers


def _responses(found: dict[str, Any]) -> tuple[Line, ...]:
    """The threshold after each of the first pulses, fresh and aged."""
    return tuple(
        Line(f"{share:.0%} of its life", tuple(range(1, len(at["program_v"]) + 1)), tuple(at["program_v"]))
        for share, at in zip(found["share_of_life"], found["at"], strict=True)
    )


def _traces(device: str, life: dict[str, Any]) -> tuple[Line, ...]:
    """Program and erase time over one life, relative to those of its first cycle."""
    lines = []
    for kind in ("program", "erase"):
        steps = life[f"{kind}_steps"]
        cycles = (*(step["cycle"] for step in steps), life["cycles"])
        times = [step["busy_ns"] / steps[0]["busy_ns"] for step in steps]
        lines.append(Line(device, cycles, (*times, times[-1]), "steps"))
    return tuple(lines)


def _against_specification(exhibit: str, device: str, latency: dict[str, Any]) -> Finding:
    """The mean beside the data sheet, where one was found; worst, mean and best drawn with it."""
    specified, operation = EXPECTED[exhibit, device], OPERATIONS[exhibit]
    found = judge.times(latency, operation)
    lines = []
    if specified:
        lines.append(Line("specified", (device,), (float(specified),), "points"))
    else:
        found = replace(found, holds=None)
    measured = latency["measured_ns"][operation]
    shown = {"mean": "measured"} if operation == "read" else SHOWN
    lines += [Line(name, (device,), (measured[key] / 1e3,), "points") for key, name in shown.items()]
    return replace(found, lines=tuple(lines))


def conclude(found: Found) -> Iterable[Concluded]:
    yield Case("outliers", "low outliers"), _outliers(found)
    yield Case("figure6", "largest change"), _largest_change(found)
    yield Case("early", "some device"), _first_writes(found)
    yield from remaining.concluded(found)


def _first_writes(found: Found) -> Finding:
    saved = {
        device: float(str(finding.simulated).split("%")[0])
        for (exhibit, device), finding in found.items()
        if exhibit == "early"
    }
    device = max(saved, key=lambda name: saved[name])
    return Finding(f"{saved[device]:.1f} % faster ({device})", holds=saved[device] >= SIGNIFICANT)


def _outliers(found: Found) -> Finding:
    """Count blocks below Tukey's lower fence of their device, on the logarithmic axis of the figure."""
    blocks, low = 0, 0
    for (exhibit, _), finding in found.items():
        for line in finding.lines if exhibit == "figure5" else ():
            logs = [log(cycles) for cycles in line.y]
            first, _, third = quantiles(logs, n=4)
            blocks += len(logs)
            low += sum(one < first - 1.5 * (third - first) for one in logs)
    return Finding(f"{low} of {blocks} blocks", holds=0 < low <= FEW * blocks)


def _largest_change(found: Found) -> Finding:
    factors = {
        device: max(max(line.y) / min(line.y) for line in finding.lines)
        for (exhibit, device), finding in found.items()
        if exhibit == "figure6"
    }
    device = max(factors, key=lambda name: factors[name])
    return Finding(f"{factors[device]:.3g} times ({device})", holds=factors[device] >= 3)
