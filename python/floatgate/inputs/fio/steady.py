"""What became of a job's `steadystate`, in the words of fio's JSON and of its normal output."""

from collections.abc import Mapping
from typing import Any

_SHORT = ("", "k", "M", "G", "T", "P", "E")
_LONG = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


def as_json(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object `steadystate` of a job in fio's JSON."""
    rates, requests = state["bandwidth_bytes_per_s"], state["iops"]
    data: dict[str, Any] = {"bw_mean": _mean(rates), "iops_mean": _mean(requests)}
    if state["metric"] == "lat":
        data |= {"lat_mean": _mean(state["latency_ns"]), "lat_ns": state["latency_ns"]}
    return {
        "ss": state["asked"],
        "duration": state["duration_s"],
        "attained": int(state["attained"]),
        "criterion": _criterion(state, 6),
        "max_deviation": state["max_deviation"],
        "slope": state["slope"],
        "data": data | {"iops": requests, "bw": rates},
    }


def in_a_line(state: Mapping[str, Any], options: Mapping[str, str]) -> str:
    """Return what fio's normal output has behind `steadystate  :`, for a job with these `options`.

    The bandwidth in powers of the other base is exact, where fio only changes its unit.
    """
    figures = int(options.get("significant_figures", "4"))
    base = int(options.get("kb_base", "1024"))
    bits = options.get("unit_base", "0") in ("1", "b")
    rate = _mean(state["bandwidth_bytes_per_s"])
    kilo = rate // base

    def bandwidth(thousands: int, thousand: int) -> str:
        return short(thousands * (8 if bits else 1), figures, thousand, 1) + ("bit/s" if bits else "B/s")

    other = 1000 if base == 1024 else 1024
    words = [
        f"attained={'yes' if state['attained'] else 'no'}",
        f"bw={bandwidth(kilo, base)} ({bandwidth(rate // other, other)})",
        f"iops={short(_mean(state['iops']), figures, 1000)}",
    ]
    if state["metric"] == "lat":
        words.append(f"lat={short(_mean(state['latency_ns']), figures, 1000)}nsec")
    watched = "slope" if state["is_slope"] else "mean dev"
    return ", ".join([*words, f"{state['metric']} {watched}={_criterion(state, 3)}"])


def short(number: int, figures: int, thousand: int, power: int = 0) -> str:
    """Write a count of a thousand's `power` with at most so many figures, as fio does: `12.3k`, `4000Ki`."""
    rest = None
    while len(str(number)) > figures and power < len(_SHORT) - 1:
        number, rest = divmod(number, thousand)
        power += 1
    prefix = (_LONG if thousand == 1024 else _SHORT)[power]
    if rest is None:
        return f"{number}{prefix}"
    decimals = figures - len(str(number)) - 1
    if decimals < 1:
        return f"{number + (rest >= thousand // 2)}{prefix}"
    fraction = f"{rest / thousand:.{decimals}f}"
    return f"{number + int(fraction[0])}.{fraction[2:]}{prefix}"


def _mean(values: list[int]) -> int:
    return sum(values) // len(values)


def _criterion(state: Mapping[str, Any], decimals: int) -> str:
    found = float("nan") if state["criterion"] is None else state["criterion"]
    return f"{found:.{decimals}f}{'%' if state['in_percent'] else ''}"
