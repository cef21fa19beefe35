"""The parameters fitted without one class; those fitted to all stand in drives/ and chips/. See fit.py."""

from collections.abc import Mapping
from typing import Any

# Without a class, what only that class determines goes back to the data sheet: t_prog of 200 and 800 us.
LEFT_OUT: Mapping[str, Mapping[str, float]] = {
    "slc-write": {"drain_mb_per_s": 568, "slc_t_prog_us": 200, "mlc_t_prog_us": 840, "mlc_first": 0.7},
    "slc-read": {"drain_mb_per_s": 528, "slc_t_prog_us": 210, "mlc_t_prog_us": 840, "mlc_first": 0.7},
    "mlc-write": {"drain_mb_per_s": 568, "slc_t_prog_us": 210, "mlc_t_prog_us": 800, "mlc_first": 1.0},
    "mlc-read": {"drain_mb_per_s": 696, "slc_t_prog_us": 210, "mlc_t_prog_us": 840, "mlc_first": 0.7},
}


def changes(parameters: Mapping[str, float], kind: str) -> dict[str, Any]:
    """Return the keys that give a drive of this class these parameters.

    `mlc_first` is the first page type's program time over the mean of both.
    """
    drain = {"ecc.drain": f"{parameters['drain_mb_per_s'] * 1e3:.0f}kB/s"}
    mean_us = parameters[f"{kind[:3]}_t_prog_us"]
    if kind.startswith("slc"):
        return drain | {"nand.t_prog": f"{mean_us * 1e3:.0f}ns"}
    first = parameters["mlc_first"]
    types = ", ".join(f'"{mean_us * share * 1e3:.0f}ns"' for share in (first, 2 - first))
    return drain | {"nand.t_prog": f"[{types}]"}
