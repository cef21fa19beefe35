"""Lives of the generic drives, and of drives of data centres made of the same flash."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import floatgate
from floatgate.reproduce import Case, Concluded, Finding, Found, changes, published

EXPECTED = published(Path(__file__).parent)
YEARS, DAYS = 5.0, 365.25
# JESD219's enterprise load: 80 % of accesses to 20 % of addresses. Nobody publishes the client's.
HOT = "0.8/0.2"
# A die, in blocks of few pages: a life counts drive writes, of which size is no part.
PAGES = (96, 192)  # quick form, full form
JUMP = (0.03, 0.02)  # of a life: more would multiply a window's uneven wear
DATA_CENTRE = {"ftl.buffer.power_loss_protection": True, "ftl.slc_cache.name": "none"}
# 8 TiB of flash sold as 7.68 or 6.4 TB.
READ_INTENSIVE, MIXED_USE = 0.145, 0.374

LIVES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "nvme-tlc": ("nvme-tlc", {}),
    "sata-tlc": ("sata-tlc", {}),
    "nvme-qlc": ("nvme-qlc", {}),
    "TLC, 7.68 TB of 8 TiB": ("nvme-tlc", {**DATA_CENTRE, "ftl.op_ratio": READ_INTENSIVE}),
    "TLC, 6.4 TB of 8 TiB": ("nvme-tlc", {**DATA_CENTRE, "ftl.op_ratio": MIXED_USE}),
    "QLC, 7.68 TB of 8 TiB": ("nvme-qlc", {**DATA_CENTRE, "ftl.op_ratio": READ_INTENSIVE}),
}
PARTS = ("geometry.channels", "geometry.ways", "geometry.dies_per_way")
CLIENT = ("nvme-tlc", "sata-tlc", "nvme-qlc")


def cases(full: bool) -> Iterable[Case]:  # noqa: ARG001 - the same lives in both forms
    for name in LIVES:
        yield Case("cycles", name, cost=4.0)


def run(case: Case, full: bool) -> Finding:
    """Age one drive to its end."""
    name, settings = LIVES[case.name]
    asked = {**replica(name, full), **settings, **changes.now().drive}
    life = floatgate.age(name, set=asked, hot=HOT, jump=JUMP[full], measure=0)
    last = life.rows[-1]
    data = {"drive_writes": last.drive_writes, "waf": life.waf, "unreadable": float(last.unreadable)}
    return Finding(last.pe_cycles_mean, data=data)


def replica(name: str, full: bool) -> dict[str, Any]:
    """Settings that leave a drive's shape, spare flash and share of SLC cache, and take its size away."""
    ratio, bytes_of_die = _flash(name)
    small = bytes_of_die * PAGES[full]
    settings: dict[str, Any] = {
        "geometry.channels": 1,
        "geometry.ways": 1,
        "geometry.dies_per_way": 1,
        "nand.pages_per_block": PAGES[full],
        "ftl.op_ratio": ratio,
    }
    card = floatgate.drive(name)
    whole = (1 + ratio) * (card.capacity_bytes or 0)
    for key in ("least", "most", "size"):
        found = next((entry for entry in card.entries if entry.key == f"ftl.slc_cache.{key}"), None)
        if found is not None and found.place != "default":
            settings[found.key] = f"{_bytes(found.value) * small / whole:.0f}B"
    return settings


@cache
def _flash(name: str) -> tuple[float, float]:
    """Physical over logical bytes less one, and bytes of a die for each page of its blocks."""
    card = floatgate.drive(name)
    planes, blocks = (float(card[f"nand.{key}"].value) for key in ("planes", "blocks_per_plane"))
    per_page = planes * blocks * _bytes(card["nand.page_size"].value)
    dies = 1.0
    for key in PARTS:
        dies *= float(card[key].value)
    whole = dies * per_page * float(card["nand.pages_per_block"].value)
    return round(whole / (card.capacity_bytes or 1) - 1, 4), per_page


def _bytes(text: str) -> float:
    """Read a size as a drive file has it."""
    units = {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "kB": 1e3, "MB": 1e6, "GB": 1e9, "B": 1.0}
    number = text.strip('"')
    unit = next(unit for unit in units if number.endswith(unit))
    return float(number.removesuffix(unit)) * units[unit]


def conclude(found: Found) -> Iterable[Concluded]:
    """Compare drive writes with what vendors of such drives promise."""
    lives = {name: finding for (exhibit, name), finding in found.items() if exhibit == "cycles"}
    for exhibit, name in EXPECTED:
        life = lives.get(name.split(": ", maxsplit=1)[0])
        if life is None or (exhibit == "cycles" and name in lives):
            continue
        writes, waf = life.data["drive_writes"], life.data["waf"]
        value = {
            "client": writes,
            "data-centre": writes / (YEARS * DAYS),
            "cycles": life.simulated,
            "sequential": writes * waf / (YEARS * DAYS),
            "amplification": waf,
        }[exhibit]
        yield Case(exhibit, name), Finding(value)
