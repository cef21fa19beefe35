"""What is claimed of each experiment's numbers. Thresholds are the paper's words, made sharp."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from floatgate.reproduce import Finding

Numbers = Mapping[str, Any]
SAME = 0.02  # means that differ by less are "no difference"
IMPROVED = 0.05  # "improved write performance", "high" erase latencies: by as much at least
SIMILAR = (0.8, 1.25)  # "similar endurance"
FEW_HUNDRED = 1_000  # writes by which programs may have sped up


def over_life(numbers: Numbers) -> Finding:
    program, erase = ([step["busy_ns"] for step in numbers[f"{kind}_steps"]] for kind in ("program", "erase"))
    falls = all(later < before for before, later in pairwise(program))
    rises = all(later > before for before, later in pairwise(erase))
    return Finding(
        f"program falls {numbers['program_factor']:.3g} times in {len(program) - 1} steps, "
        f"erase rises {numbers['erase_factor']:.3g} times in {len(erase) - 1}",
        holds=falls and rises and len(program) > 1 and len(erase) > 1,
    )


def response(numbers: Numbers) -> Finding:
    first = [at["program_v"][0] for at in numbers["at"]]
    erases = [at["erase_ns"] for at in numbers["at"]]
    return Finding(
        f"first pulse {first[-1] - first[0]:+.2f} V, erases {erases[-1] / erases[0]:.3g} times as long",
        holds=all(later > before for before, later in pairwise(first)) and erases[-1] > erases[0],
    )


def spreading(numbers: Numbers) -> Finding:
    program, erase = (numbers["until_failure_over_spread"][kind] for kind in ("program", "erase"))
    return Finding(
        f"block by block: programs {program:.3g} times, erases {erase:.3g} times as long",
        holds=program <= 1 - IMPROVED and erase >= 1 + IMPROVED,
    )


def times(numbers: Numbers, operation: str) -> Finding:
    """The mean time, in us; its best and worst cases must lie on either side of it."""
    found = numbers["measured_ns"][operation]
    in_order = found["best"] <= found["mean"] <= found["worst"]
    changes = found["best"] < found["worst"] or operation == "read"
    return Finding(found["mean"] / 1e3, holds=in_order and changes)


def first_writes(life: Numbers) -> Finding:
    steps = life["program_steps"]
    slowest_first = steps[0]["busy_ns"] == max(step["busy_ns"] for step in steps)
    early = [step for step in steps if step["cycle"] <= FEW_HUNDRED]
    saved = 1 - early[-1]["busy_ns"] / steps[0]["busy_ns"]
    return Finding(f"{saved:.1%} faster by write {FEW_HUNDRED:,}", holds=slowest_first)


def reads(numbers: Numbers) -> Finding:
    return Finding(f"means differ by {numbers['spread']:.2%}", holds=numbers["spread"] <= SAME)


def writes(order: Numbers, pages: Numbers) -> Finding:
    enforced = "enforced" if pages["enforced"] else "not enforced"
    return Finding(
        f"in turns {order['difference']:+.2%}; page order {enforced}",
        holds=abs(order["difference"]) <= SAME and pages["enforced"],
    )


def all_pages(numbers: Numbers) -> Finding:
    ratio = numbers["ratio"]["all pages"]
    return Finding(f"endurance {ratio:.3g} times", holds=0.5 <= ratio < 1)


def patterns(numbers: Numbers) -> Finding:
    ratios = {name: ratio for name, ratio in numbers["ratio"].items() if name != "zeros"}
    shown = ", ".join(f"{name} {ratio:.3g} times" for name, ratio in ratios.items())
    return Finding(shown, holds=all(SIMILAR[0] <= ratio <= SIMILAR[1] for ratio in ratios.values()))


def erase_only(numbers: Numbers) -> Finding:
    ratio = numbers["ratio"]["erase only"]
    last = numbers["last_erase_ns"]
    rise = last["erase only"] / last["program and erase"]
    return Finding(
        f"endurance {ratio:.3g} times, last erases {rise:.3g} times as long",
        holds=SIMILAR[0] <= ratio <= SIMILAR[1] and SIMILAR[0] <= rise <= SIMILAR[1],
    )


def heat(numbers: Numbers) -> Finding:
    ratio = numbers["ratio"]["80 C"]
    return Finding(f"endurance {ratio:.3g} times", holds=abs(ratio - 1) <= SAME)


def cold(numbers: Numbers) -> Finding:
    return Finding(numbers["ratio"]["5 C"])
