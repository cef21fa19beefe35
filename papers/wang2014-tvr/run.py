"""The poster's MLC part on the bench, by state and with reduced voltages; a drive of it: `response.py`."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any

from floatgate.lab import Bench
from floatgate.lab.experiments import chosen
from floatgate.lab.experiments.state_life import HIGH, LOW
from floatgate.lab.simulated import SimulatedSource
from floatgate.reproduce import Case, Concluded, Finding, Found, Line, changes

from . import hints, overwritten, response

CHIP = "poster-mlc"
SEED = 1
BLOCKS = {False: 6, True: 30}
MSB, LSB = "MSB (first) page", "LSB (second) page"
MUCH_FASTER = 2  # LSB pages take at least so many times as long as MSB pages
ALMOST = 0.05  # times of MSB pages that differ by less are "almost the same"
NOISE = 0.01  # of a mean over a few wordlines, whose slowest cells are drawn anew each time
RETENTION_FREE = "retention_free"
ERASE_ONLY = "erase only"
FIGURE_8 = ("all states", "distance of the states", "width of the states")
LIVES = {"low-voltage data over random": (LOW, True), "high-voltage data over random": (HIGH, False)}
PRICE = {"at once": "data at once", "1 day": "data of a day"}


DRIVE_HALF = ("service", "response-real", "response-synthetic", "worn", "pieces", "causes")


def cases(full: bool) -> Iterable[Case]:
    for state in ("10", "00", "01"):
        yield Case("program", f"{state} over 11", {"state": state})
    for name in ("MSB against LSB", "11 and 10 in the MSB page", "00 and 01 in the MSB page"):
        yield Case("pages", name)
    yield Case("wear", "program time")
    yield Case("erase", "erase time", cost=3)
    yield Case("erase", "small cycles", cost=3)
    yield Case("errors", "order of states", cost=2)
    for name in ("worn 10 < 00 < 01", "worn 11 worst"):
        yield Case("figure2", name, cost=4)
    for name in LIVES:
        yield Case("life", name, cost=4)
    yield Case("page-errors", "both pages", cost=2)
    for name in ("worn with 11", "erased without programming"):
        yield Case("least-reliable", name, cost=4)
    for name in ("program speed", "P/E cycles"):
        yield Case("tvr", name, cost=4)
    for name in FIGURE_8:
        yield Case("figure8", name, cost=2)
    for age in ("at once", "1 day"):
        yield Case("price", PRICE[age], {"age": age}, cost=4)
    yield from response.cases(full)
    yield from hints.cases(full)
    yield from overwritten.cases(full)


def run(case: Case, full: bool) -> Finding:
    if case.exhibit == "overwritten":
        return overwritten.run(case.parameters["trace"])
    if case.name == overwritten.BY_LENGTH:
        return overwritten.by_length()
    if case.exhibit in DRIVE_HALF:
        return response.run(case, full)
    blocks = BLOCKS[full]
    match case.exhibit:
        case "program":
            ratios = ask("state-program", blocks)["ratio_to_fastest"]
            return Finding(ratios[case.parameters["state"]])
        case "pages":
            return _pages(case.name, ask("page-program", blocks))
        case "wear":
            return _wear(ask("state-program", blocks))
        case "erase":
            return _erase(case.name, ask("state-erase", blocks))
        case "errors":
            return _errors(ask("state-errors", blocks))
        case "page-errors":
            return _page_errors(ask("state-errors", blocks))
        case "figure2":
            return _figure2(case.name, ask("state-wear", blocks))
        case "life":
            return _life(LIVES[case.name], ask("state-life", blocks)["ratio"])
        case "least-reliable":
            return _least_reliable(case.name, ask("state-wear", blocks))
        case "tvr":
            gains = ask("voltage-plans", blocks)
            kind = "speed_gain" if case.name == "program speed" else "cycles_gain"
            return Finding(gains[kind][RETENTION_FREE])
        case "figure8":
            return _distributions(case.name, ask("voltages", blocks))
        case "price":
            return _price(case.parameters["age"], ask("voltage-plans", blocks)["errors_per_million_cells"])
        case "polarity":
            return hints.polarity(case.name, ask("polarity", blocks))
        case "program-order":
            return hints.program_order(case.parameters, full)
    raise ValueError(f"no such exhibit: {case.exhibit}")


def conclude(found: Found) -> Iterable[Concluded]:
    yield from response.conclude(found)


@lru_cache
def bench(blocks: int) -> Bench:
    return Bench(SimulatedSource(CHIP, SEED, changes.now().chip_settings), blocks)


@lru_cache
def ask(experiment: str, blocks: int) -> dict[str, Any]:
    """Return the numbers that an experiment of the laboratory found; once in each process."""
    (asked,) = chosen([experiment])
    return asked.run(bench(blocks)).numbers


def _pages(name: str, found: dict[str, Any]) -> Finding:
    mean = found["mean_ns"]
    lines = tuple(
        Line(state, tuple(range(len(times))), tuple(time / 1e3 for time in times), "points")
        for state, times in found["pages_ns"].items()
    )
    if name == "MSB against LSB":
        slowest = max(of[MSB] for of in mean.values())
        # The LSB page of 11 moves no cell, and takes no longer than an empty program.
        fastest = min(of[LSB] for state, of in mean.items() if state != "11")
        return Finding(
            f"MSB {slowest / 1e3:.0f} us at most, LSB {fastest / 1e3:.0f} us at least where cells move",
            holds=fastest >= MUCH_FASTER * slowest,
            lines=lines,
        )
    one, other = ("11", "10") if name.startswith("11") else ("00", "01")
    ratio = mean[other][MSB] / mean[one][MSB]
    return Finding(
        f"{mean[one][MSB] / 1e3:.1f} and {mean[other][MSB] / 1e3:.1f} us", holds=abs(ratio - 1) <= ALMOST
    )


def _wear(found: dict[str, Any]) -> Finding:
    cycles = tuple(found["cycles"])
    lines = tuple(
        Line(state, cycles, tuple(time / 1e3 for time in times)) for state, times in found["time_ns"].items()
    )
    falls = all(
        later <= before * (1 + NOISE)
        for times in found["time_ns"].values()
        for before, later in pairwise(times)
    ) and all(times[-1] < times[0] for state, times in found["time_ns"].items() if state != "11")
    change = {state: times[-1] / times[0] for state, times in found["time_ns"].items()}
    shown = ", ".join(f"{state} {ratio:.2f}" for state, ratio in change.items())
    return Finding(
        f"after {cycles[-1]} cycles, times the first: {shown}",
        holds=falls and min(change.values()) < 1,
        lines=lines,
    )


def _erase(name: str, found: dict[str, Any]) -> Finding:
    over_life = found["over_life"]
    if name == "erase time":
        lines = tuple(
            Line(state, tuple(of["cycles"]), tuple(ns / 1e6 for ns in of["mean_ns"]), "steps")
            for state, of in over_life.items()
        )
        rises = all(later >= before for of in over_life.values() for before, later in pairwise(of["mean_ns"]))
        shown = ", ".join(f"{state} {factor:.2f}" for state, factor in found["rise"].items())
        return Finding(
            f"rises by {shown} times", holds=rises and min(found["rise"].values()) > 1, lines=lines
        )
    early = found["early"]["11"]
    return Finding(
        f"{early['mean_ns'][0] / 1e6:.3f} ms first, {early['mean_ns'][-1] / 1e6:.3f} ms after "
        f"{early['cycles'][-1]} cycles"
    )


def _errors(found: dict[str, Any]) -> Finding:
    cycles = tuple(found["cycles"])
    rates = found["cell_error_rate"]
    lines = tuple(Line(state, cycles, tuple(of)) for state, of in rates.items())
    last = {state: of[-1] for state, of in rates.items()}
    programmed = [last[state] for state in ("10", "00", "01")]
    return Finding(
        ", ".join(f"{state} {rate:.2g}" for state, rate in last.items()),
        holds=all(before < later for before, later in pairwise(programmed)),
        lines=lines,
    )


def _page_errors(found: dict[str, Any]) -> Finding:
    cycles = tuple(found["cycles"])
    rates = found["bit_error_rate"]
    lines = tuple(Line(page, cycles, tuple(of)) for page, of in rates.items())
    shown = ", ".join(f"{page} {of[-1]:.2g}" for page, of in rates.items())
    return Finding(shown, lines=lines)


def _at_last(found: dict[str, Any]) -> tuple[int, dict[str, float]]:
    """Return the last place in the cycles that all kinds of wear reached, and the errors there."""
    errors = found["errors_per_million_cells"]
    places = range(len(found["cycles"]))
    at = max(place for place in places if all(of[place] is not None for of in errors.values()))
    return at, {worn: of[at] for worn, of in errors.items()}


def _figure2(name: str, found: dict[str, Any]) -> Finding:
    """Errors of pseudo-random data in blocks that were worn with one constant state each."""
    at, last = _at_last(found)
    states = [last[state] for state in ("10", "00", "01")]
    lines = tuple(
        Line(worn, tuple(found["cycles"][: at + 1]), tuple(of[: at + 1]))
        for worn, of in found["errors_per_million_cells"].items()
        if worn != ERASE_ONLY
    )
    shown = ", ".join(f"{worn} {rate:.5g}" for worn, rate in last.items() if worn != ERASE_ONLY)
    if name == "worn 11 worst":
        return Finding(f"{shown} of a million cells", holds=last["11"] > max(states))
    least_step = min(later / before for before, later in pairwise(states))
    return Finding(f"{shown} of a million cells", holds=least_step > 1, measure=least_step, lines=lines)


def _life(asked: tuple[str, bool], ratios: dict[str, float]) -> Finding:
    """Whether blocks live longer, or shorter, with these data than with random data."""
    kind, longer = asked
    ratio = ratios[kind]
    return Finding(
        f"{ratio:.3f} times as many cycles", holds=ratio > 1 if longer else ratio < 1, measure=ratio
    )


def _least_reliable(name: str, found: dict[str, Any]) -> Finding:
    cycles, errors = found["cycles"], found["errors_per_million_cells"]
    at, last = _at_last(found)
    asked = "11" if name == "worn with 11" else ERASE_ONLY
    programmed = {worn: rate for worn, rate in last.items() if worn not in ("11", ERASE_ONLY)}
    lines = (
        tuple(Line(worn, tuple(cycles[: at + 1]), tuple(of[: at + 1])) for worn, of in errors.items())
        if asked == "11"
        else ()
    )
    return Finding(
        f"{last[asked]:.3g} of a million cells; worn with others at most {max(programmed.values()):.3g}",
        holds=last[asked] > max(programmed.values()),
        lines=lines,
    )


def _distributions(name: str, found: dict[str, Any]) -> Finding:
    """The humps of figure 8 (a) and (b): where the programmed states of fresh cells are, and how wide."""
    usual, reduced = (found[f"{plan}, fresh"] for plan in ("normal", RETENTION_FREE))
    programmed = [state for state in usual if state != "11"]
    lines = tuple(
        Line(
            title,
            tuple(of[state]["mean_v"] for state in programmed),
            tuple(of[state]["standard_deviation_v"] for state in programmed),
            "points",
        )
        for title, of in (("normal", usual), ("retention free", reduced))
    )

    def means(of: dict[str, Any]) -> list[float]:
        return [of[state]["mean_v"] for state in programmed]

    def width(of: dict[str, Any]) -> float:
        return max(of[state]["standard_deviation_v"] for state in programmed)

    match name:
        case "all states":
            lower = [a - b for a, b in zip(means(usual), means(reduced), strict=True)]
            shown = ", ".join(f"{state} {less:.2f} V" for state, less in zip(programmed, lower, strict=True))
            return Finding(f"lower by {shown}", holds=min(lower) > 0, lines=lines)
        case "distance of the states":
            spans = [means(of)[-1] - means(of)[0] for of in (usual, reduced)]
            return Finding(f"{spans[0]:.2f} V and {spans[1]:.2f} V", holds=spans[1] < spans[0])
        case _:
            widths = [1e3 * width(of) for of in (usual, reduced)]
            return Finding(f"{widths[0]:.0f} mV and {widths[1]:.0f} mV")


def _price(age: str, errors: dict[str, dict[str, float]]) -> Finding:
    normal, reduced = errors["normal"][age], errors[RETENTION_FREE][age]
    lines = tuple(Line(plan, tuple(of), tuple(of.values())) for plan, of in errors.items())
    return Finding(
        f"{reduced:.0f} of a million cells wrong, {normal:.0f} with normal voltages",
        holds=reduced > normal,
        lines=lines if age == "at once" else (),
    )
