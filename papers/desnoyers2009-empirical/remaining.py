"""Remaining life from latency: asked of blocks, chips and temperatures that nothing was learned from."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from floatgate.lab import Bench
from floatgate.lab.experiments.prediction import CELSIUS, OTHER_CHIPS, compare, run, told
from floatgate.lab.scores import Score
from floatgate.lab.simulated import SimulatedSource
from floatgate.reproduce import Case, Concluded, Finding, Found, Line, changes

from . import noise

BLOCKS = 60  # half to learn from
SEED = 1
SHARES = {True: (0.0, 0.25, 0.5, 0.75, 1.0), False: (0.0, 0.5, 1.0)}  # of the variance; full form or quick
JITTER_US = {True: (0.25, 1.0, 4.0, 16.0, 64.0, 256.0), False: (1.0, 16.0, 256.0)}
AT = {f", at {celsius:g} C": celsius for celsius in CELSIUS}
ERRORS = ("latency", "counter", "survival")
ENDS = ("latency_ci95", "counter_ci95", "survival_ci95", "over_counter_ci95", "over_survival_ci95")
CHIPS, TEMPERATURES = "prediction-chips", "prediction-temperatures"


def bench(chip: str, settings: tuple[str, ...]) -> Bench:
    """Return a bench with the chip and its noise; a change that must break the claim has the last word."""
    return Bench(SimulatedSource(chip, SEED, (*settings, *changes.now().chip_settings)), BLOCKS)


def of_device(device: str, chip: str) -> Finding:
    """Judge the other blocks of the chip; what else was asked goes into `concluded`."""
    scores: dict[str, Score] = _scores(chip, noise.settings(chip), changes.now().chip_settings)
    return Finding(
        _told(scores[""]),
        holds=scores[""].nearer == "latency",
        measure=scores[""].latency / min(scores[""].counter, scores[""].survival),
        lines=_points(device, scores[""]),
        data={key: value for where, one in scores.items() for key, value in _flat(where, one).items()},
    )


@lru_cache
def _scores(chip: str, settings: tuple[str, ...], _changed: tuple[str, ...]) -> dict[str, Score]:
    found = run(bench(chip, settings)).numbers["scores"]
    return {where: _score(one) for where, one in found.items()}


def concluded(found: Found) -> Iterable[Concluded]:
    """Judge the other chips, and show other temperatures."""
    for (exhibit, device), finding in found.items():
        if exhibit != "prediction":
            continue
        others = _unflat(OTHER_CHIPS, finding.data)
        yield (
            Case(CHIPS, device),
            Finding(
                _told(others),
                holds=others.nearer == "latency",
                measure=others.latency / min(others.counter, others.survival),
                lines=_points(device, others),
            ),
        )
        at = {celsius: _unflat(where, finding.data) for where, celsius in AT.items()}
        at[25.0] = _unflat("", finding.data)
        rising = sorted(at)
        ratios = tuple(at[celsius].latency / at[celsius].counter for celsius in rising)
        told_at = "; ".join(f"{celsius:g} C: {_told(at[celsius])}" for celsius in rising if celsius != 25.0)
        yield Case(TEMPERATURES, device), Finding(told_at, lines=(Line(device, tuple(rising), ratios),))


def of_more_blocks(chip: str) -> Finding:
    """Judge four times as many blocks of the chip: the interval is half as wide."""
    source = SimulatedSource(chip, SEED, (*noise.settings(chip), *changes.now().chip_settings))
    return Finding(_told(compare(Bench(source, 4 * BLOCKS).lives())))


def over_noise(chip: str, full: bool) -> Finding:
    """Sweep how much of the variance between lives lies in the cycles."""
    shares = SHARES[full]
    return _swept(shares, [noise.settings(chip, share) for share in shares], chip)


def over_jitter(chip: str, full: bool) -> Finding:
    """Sweep the jitter of the rig's clock, us."""
    jitters = JITTER_US[full]
    return _swept(jitters, [noise.settings(chip, jitter_us=jitter) for jitter in jitters], chip)


def _swept(places: tuple[float, ...], settings: list[tuple[str, ...]], chip: str) -> Finding:
    scores = [compare(bench(chip, one).lives()) for one in settings]
    said = "; ".join(f"{place:g}: {_told(one)}" for place, one in zip(places, scores, strict=True))
    lines = (
        Line("latency", places, tuple(one.latency for one in scores)),
        Line("erase counter", places, tuple(one.counter for one in scores)),
        Line("survival", places, tuple(one.survival for one in scores)),
    )
    return Finding(said, lines=lines)


def _told(one: Score) -> str:
    nearer = {"latency": "latency nearer", "cycles": "cycles nearer", "neither": "neither nearer"}
    return f"{told(one)}: {nearer[one.nearer]}"


def _points(device: str, one: Score) -> tuple[Line, ...]:
    return (
        Line("latency", (device,), (one.latency,), "points"),
        Line("erase counter", (device,), (one.counter,), "points"),
        Line("survival", (device,), (one.survival,), "points"),
    )


def _flat(where: str, one: Score) -> dict[str, float]:
    """A score as numbers under names."""
    flat = {f"{where}|{key}": float(getattr(one, key)) for key in ("blocks", *ERRORS)}
    for key in ENDS:
        low, high = getattr(one, key)
        flat |= {f"{where}|{key}|low": low, f"{where}|{key}|high": high}
    return flat


def _unflat(where: str, flat: Mapping[str, float]) -> Score:
    errors = {key: flat[f"{where}|{key}"] for key in ERRORS}
    ends = {key: (flat[f"{where}|{key}|low"], flat[f"{where}|{key}|high"]) for key in ENDS}
    return Score(blocks=int(flat[f"{where}|blocks"]), **errors, **ends)


def _score(found: Mapping[str, object]) -> Score:
    return Score(**{key: value for key, value in found.items() if key in Score.__dataclass_fields__})
