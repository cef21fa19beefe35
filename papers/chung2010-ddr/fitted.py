"""The fitted parameters, and those fitted without one class. `python -m` fit.py finds them anew."""

from collections.abc import Mapping
from typing import Any

# Without a class, what only that class determines goes back to the data sheet: t_prog of 200 and 800 us.
LEFT_OUT: Mapping[str, Mapping[str, float]] = {
    "slc-write": {"t_ready_ns": 2500, "drain_mb_per_s": 505, "slc_t_prog_us": 200, "mlc_t_prog_us": 816},
    "slc-read": {"t_ready_ns": 2500, "drain_mb_per_s": 505, "slc_t_prog_us": 219.5, "mlc_t_prog_us": 816},
    "mlc-write": {"t_ready_ns": 2500, "drain_mb_per_s": 505, "slc_t_prog_us": 219.5, "mlc_t_prog_us": 800},
    "mlc-read": {"t_ready_ns": 2500, "drain_mb_per_s": 505, "slc_t_prog_us": 219.5, "mlc_t_prog_us": 816},
}


def changes(parameters: Mapping[str, float], kind: str) -> dict[str, Any]:
    """Return the keys that give a drive of this class these parameters."""
    return {
        "controller.t_ready": f"{parameters['t_ready_ns']:.0f}ns",
        "ecc.drain": f"{parameters['drain_mb_per_s'] * 1e3:.0f}kB/s",
        "nand.t_prog": f"{parameters[f'{kind[:3]}_t_prog_us'] * 1e3:.0f}ns",
    }
