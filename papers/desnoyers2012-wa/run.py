"""Write amplification of the whole drive beside the closed forms."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from floatgate.reproduce import Case, Finding, simulate
from floatgate.results.confidence import confidence_interval

from . import formulas

DRIVE = Path(__file__).with_name("drive.toml")
UNIT_KIB = 4
# U by form and pages of a block; alpha U is whole for every alpha used here.
USER_BLOCKS = {False: {16: 3000, 64: 3000}, True: {16: 8000, 64: 3000}}
SPARE = 5  # blocks beside T: the open one, three that `ftl.gc.trigger.low` keeps free, and the last victim

ALPHAS = (1.07, 1.10, 1.25, 1.50)
SHARES = ((0.8, 0.2), (0.9, 0.1), (0.9, 0.05))

WARM, MEASURED = 3, 8  # overwrites of the drive before and while measuring
SEEDS = (1, 2, 3, 4, 5)


def cases(full: bool) -> Iterable[Case]:
    """Quick: alpha = 1.25 and blocks of 16 pages, where write amplification is low and cheap to measure."""
    for alpha in ALPHAS if full else (1.25,):
        yield _uniform("random", alpha, 16, {"name": "random"})
        for b in (16, 64) if full else (16,):
            yield _uniform("FIFO", alpha, b, {"name": "fifo"})
            yield _uniform("greedy", alpha, b, {"name": "greedy"})
            for d in (2, 5, 10):
                yield _uniform(f"d = {d}", alpha, b, {"name": "d-choices", "d": d})
    for alpha in (1.10, 1.25) if full else (1.25,):
        for r, f in SHARES if full else SHARES[:1]:
            yield _hot_cold(alpha, r, f)
    for victim in ("fifo", "greedy"):
        parameters = {"alpha": 1.10, "b": 16, "victim": {"name": victim}, "rw": "write"}
        yield Case("sequential", victim, parameters)
    for name in ORDERS:
        yield Case("order", name, cost=10.0)


def _uniform(policy: str, alpha: float, b: int, victim: dict[str, Any]) -> Case:
    parameters = {"alpha": alpha, "b": b, "victim": victim}
    cost = USER_BLOCKS[True][b] * b / 1e5 * closed_form(alpha, parameters)
    return Case(f"uniform-b{b}", f"{policy}, alpha = {alpha:.2f}", parameters, alpha, policy, cost)


def _hot_cold(alpha: float, r: float, f: float) -> Case:
    parameters = {"alpha": alpha, "b": 16, "victim": {"name": "fifo"}, "r": r, "f": f}
    series = f"{100 * r:.0f} % of writes to {100 * f:.0f} % of pages"
    cost = 3 * formulas.fifo_hot_cold(alpha, r, f)
    return Case("hot-cold", f"{series}, alpha = {alpha:.2f}", parameters, alpha, series, cost)


def closed_form(alpha: float, parameters: Mapping[str, Any]) -> float:
    """What theory says for this case at `alpha`."""
    b, victim = parameters["b"], parameters["victim"]
    if parameters.get("rw") == "write":
        return formulas.SEQUENTIAL
    if "r" in parameters:
        return formulas.fifo_hot_cold(alpha, parameters["r"], parameters["f"])
    match victim["name"]:
        case "random":
            return formulas.random_victim(alpha)
        case "fifo":
            return formulas.fifo(alpha)
        case "greedy":
            return formulas.greedy(alpha, b)
        case "d-choices":
            return formulas.d_choices(alpha, b, victim["d"])
    raise ValueError(f"no closed form for {victim}")


def run(case: Case, full: bool) -> Finding:
    """Simulate one case with several seeds.

    The runs' alpha is nearly, not quite, the case's: what they give is brought to it along the closed form.
    """
    if case.exhibit == "order":
        return ORDERS[case.name](full)
    seeds = SEEDS if case.exhibit != "sequential" else (1,)
    measured = [measure(case.parameters, seed, full) for seed in seeds]
    waf = confidence_interval([waf for waf, _ in measured])
    alpha = sum(alpha for _, alpha in measured) / len(measured)
    to_case = closed_form(case.parameters["alpha"], case.parameters) / closed_form(alpha, case.parameters)
    half = None if waf.half_width is None else waf.half_width * to_case
    return Finding(waf.mean * to_case, ci95=half)


def measure(parameters: Mapping[str, Any], seed: int, full: bool) -> tuple[float, float]:
    """Return write amplification in the long run, and the alpha it was measured at."""
    alpha, b = parameters["alpha"], parameters["b"]
    user = USER_BLOCKS[full][b]
    blocks = round(alpha * user) + SPARE
    configuration = {
        "nand.blocks_per_plane": blocks,
        "nand.pages_per_block": b,
        "ftl.user_capacity": f"{user * b * UNIT_KIB}KiB",
        **{f"ftl.gc.victim.{key}": value for key, value in parameters["victim"].items()},
        **parameters.get("set", {}),
    }
    sequential = parameters.get("rw") == "write"
    done = simulate(
        DRIVE,
        job(parameters, user * b, MEASURED),
        seed=seed,
        set=configuration,
        precondition="fill" if sequential else "steady",
    )
    programmed = done.document["flash"]["units_programmed"]
    # Of the candidates at a choice, one becomes the victim: the others are the blocks that hold data while
    # the open one fills.
    return programmed["total"] / programmed["host"], (
        done.document["ftl"]["gc"]["candidates_at_choice_mean"] - 1
    ) / user


def job(parameters: Mapping[str, Any], pages: int, overwrites: int) -> str:
    """Return the fio job: warm up, then overwrite the drive `overwrites` times."""
    lines = [
        "[overwrite]",
        f"rw={parameters.get('rw', 'randwrite')}",
        f"bs={UNIT_KIB}k",
        "ioengine=libaio",
        "iodepth=4",
        "norandommap=1",
        "time_based=1",
        f"ramp_time={WARM * pages * _us_per_write(parameters):.0f}us",
        f"runtime={overwrites * pages * _us_per_write(parameters):.0f}us",
    ]
    if "r" in parameters:
        r, f = 100 * parameters["r"], 100 * parameters["f"]
        lines.append(f"random_distribution=zoned:{r:.0f}/{f:.0f}:{100 - r:.0f}/{100 - f:.0f}")
    return "\n".join(lines) + "\n"


def _us_per_write(parameters: Mapping[str, Any]) -> float:
    """Simulated time that one host write takes with the times of drive.toml: A programs, A - 1 reads."""
    try:
        a = closed_form(parameters["alpha"], parameters)
    except ValueError:  # a policy without a closed form
        a = formulas.fifo(parameters["alpha"])
    return a * (10 + 4.3) + (a - 1) * (1 + 4.3) + a / parameters["b"] * 10


def _waf(parameters: Mapping[str, Any], full: bool) -> float:
    return measure(parameters, 1, full)[0]


def _windowed_greedy(full: bool) -> Finding:
    base = {"alpha": 1.10, "b": 16}
    waf = _waf({**base, "victim": {"name": "windowed-greedy"}}, full)
    low, high = formulas.greedy(1.10, 16), formulas.fifo(1.10)
    return Finding(f"greedy {low:.2f} < {waf:.2f} < FIFO {high:.2f}", holds=low < waf < high)


def _greedy_hot_cold(full: bool) -> Finding:
    waf = _waf({"alpha": 1.10, "b": 16, "victim": {"name": "greedy"}, "r": 0.9, "f": 0.1}, full)
    uniform = formulas.greedy(1.10, 16)
    return Finding(f"{waf:.2f} > {uniform:.2f}", holds=waf > uniform)


def _cost_benefit(full: bool) -> Finding:
    base = {"alpha": 1.25, "b": 64, "r": 0.9, "f": 0.1, "set": {"ftl.streams.name": "separate"}}
    greedy = _waf({**base, "victim": {"name": "greedy"}}, full)
    cost_benefit = _waf({**base, "victim": {"name": "cost-benefit"}}, full)
    return Finding(f"{cost_benefit:.2f} < {greedy:.2f}", holds=cost_benefit < greedy)


ORDERS = {
    "windowed greedy lies between greedy and FIFO": _windowed_greedy,
    "greedy on hot and cold data in one stream exceeds greedy on uniform data": _greedy_hot_cold,
    "cost-benefit with a stream for GC is below greedy on hot and cold data": _cost_benefit,
}
