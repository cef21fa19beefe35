"""The synthetic volumes there are, and what may be set about one."""

from collections.abc import Sequence
from typing import Any

from floatgate.errors import InputError, nearest
from floatgate.inputs.workload import VOLUME_PREFIX
from floatgate.values import quantities as q

COLUMNS = ("server", "requests", "reads", "mean size", "distinct addresses")
HINT = (
    "* assumed. `floatgate trace volumes NAME` has the source of every number and what may be set;"
    " a workload is volume:NAME,KEY=VALUE,..."
)
_SHOWN = (
    ("requests", "requests", lambda value: f"{value:,.0f}"),
    ("reads", "reads", q.percent),
    ("mean_bytes", "mean size", q.size),
    ("distinct", "distinct addresses", lambda value: f"{value:,.0f}"),
)


def named(volumes: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the volume called `name`, with or without `volume:`; raise InputError when there is none."""
    bare = name.removeprefix(VOLUME_PREFIX)
    found = next((volume for volume in volumes if volume["name"] == bare), None)
    if found is None:
        known = [volume["name"] for volume in volumes]
        hint = nearest(bare, known, f"one of {', '.join(known)}")
        raise InputError(f"{name}: no such volume: expected a synthetic volume ({hint})")
    return found


def rows(volumes: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return a row for each volume; a number that is assumed has a mark."""
    return [
        (
            VOLUME_PREFIX + volume["name"],
            volume["server"],
            *(shown(volume[key]["value"]) + _mark(volume[key]) for key, _, shown in _SHOWN),
        )
        for volume in volumes
    ]


def _mark(known: dict[str, Any]) -> str:
    return " *" if known["source"].startswith("assumed") else "  "


def explained(volume: dict[str, Any], parameters: Sequence[dict[str, str]]) -> list[str]:
    """Return lines: each number with its source, then each parameter with what it means and its default."""
    lines = [f"{VOLUME_PREFIX}{volume['name']}, {volume['server']}", ""]
    lines += [
        f"{title:<20} {shown(volume[key]['value']):>12}  {volume[key]['source']}"
        for key, title, shown in _SHOWN
    ]
    lines += ["", "What may be set, after a comma each:"]
    for parameter in parameters:
        lines.append(f"{parameter['name']:<21} {parameter['help']}")
        lines.append(f"{'':<21} {parameter['expected']}; without it: {parameter['default']}")
    return lines
