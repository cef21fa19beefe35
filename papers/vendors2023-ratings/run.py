"""Lives of the generic drives, and of drives of data centres made of the same flash."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import floatgate
from floatgate.reproduce import Case, Concluded, Finding, Found, changes, published

EXPECTED = published(Path(__file__).parent)
YEARS, DAYS = 5.0, 365.25
# JESD219's enterprise load: 80 % of accesses to 20 % of addresses. The client's load is not published.
HOT = "0.8/0.2"
# A die, in blocks of few pages: a life counts drive writes, of which size is no part.
PAGES = (96, 192)  # quick form, full form
JUMP = (0.03, 0.02)  # of a life: more would multiply a window's uneven wear
DATA_CENTRE = {"ftl.buffer.power_loss_protection": True, "ftl.slc_cache.name": "none"}
# 8 TiB of flash sold as 7.68 or 6.4 TB.
READ_INTENSIVE, MIXED_USE = 0.145, 0.374
# The rated SATA drives have 1 TB, of 1 TiB of flash; the generic one is 480 GB of 512 GiB.
WHOLE_TERABYTE = 2**40 / 1e12 - 1

LIVES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "nvme-tlc": ("nvme-tlc", {}),
    "sata-tlc": ("sata-tlc", {"ftl.op_ratio": WHOLE_TERABYTE}),
    "nvme-qlc": ("nvme-qlc", {}),
    "TLC, 7.68 TB of 8 TiB": ("nvme-tlc", {**DATA_CENTRE, "ftl.op_ratio": READ_INTENSIVE}),
    "TLC, 6.4 TB of 8 TiB": ("nvme-tlc", {**DATA_CENTRE, "ftl.op_ratio": MIXED_USE}),
    "QLC, 7.68 TB of 8 TiB": ("nvme-qlc", {**DATA_CENTRE, "ftl.op_ratio": READ_INTENSIVE}),
}
# A code that corrects so many times fewer errors ends a life as layers that err so many times as often: with
# the best references after a year, the worst layer of the TLC at 9,000 cycles, that of the QLC at 3,000.
LIMITS = (6.0e-3, 1.19e-2, 1.36e-2)  # nand-4k-889 on a page of TLC, at 1e-11 (docs/explanation/decoding.md)
WORST = {"nvme-tlc": 1.6, "sata-tlc": 1.6, "nvme-qlc": 1.4}


def weaker(drive: str) -> list[float]:
    """Return what the code corrects, less by as much as a drive's worst layers err more."""
    return [limit / WORST[drive] for limit in LIMITS]


class Change(NamedTuple):
    """What a life is changed by to see a miss go, and the rating that is then compared."""

    life: str
    settings: Mapping[str, Any]
    rating: tuple[str, str]


OTHERS: Mapping[str, Change] = {
    "sata-tlc, 480 GB of 512 GiB": Change(
        "sata-tlc", {"ftl.op_ratio": READ_INTENSIVE}, ("client", "sata-tlc: Samsung 870 EVO")
    ),
    "sata-tlc, all layers the worst": Change(
        "sata-tlc", {"ecc.code.limits": weaker("sata-tlc")}, ("client", "sata-tlc: Crucial MX500")
    ),
}
PARTS = ("geometry.channels", "geometry.ways", "geometry.dies_per_way")
CLIENT = ("nvme-tlc", "sata-tlc", "nvme-qlc")


def cases(full: bool) -> Iterable[Case]:  # noqa: ARG001 - the same lives in both forms
    for name in LIVES:
        yield Case("cycles", name, cost=4.0)
        yield Case("worst-layers", name, cost=4.0)
    for name in OTHERS:
        yield Case("causes", name, cost=4.0)


def run(case: Case, full: bool) -> Finding:
    """Age one drive to its end."""
    if case.exhibit == "causes":
        change = OTHERS[case.name]
        found = _aged(change.life, change.settings, full)
        value, rating = _compared(change.rating[0], found), float(EXPECTED[change.rating])
        return Finding(f"{value:.3g} drive writes ({rating:.3g})", measure=value / rating - 1)
    if case.exhibit == "worst-layers":
        found = _aged(case.name, {"ecc.code.limits": weaker(LIVES[case.name][0])}, full)
        rating = next((key for key in EXPECTED if _life(key[1]) == case.name and EXPECTED[key]), None)
        off = None if rating is None else _compared(rating[0], found) / float(EXPECTED[rating]) - 1
        writes, waf = found.data["drive_writes"], found.data["waf"]
        text = f"{found.simulated:.0f} cycles, {writes:.0f} drive writes, write amplification {waf:.3g}"
        return Finding(text, measure=off, data={**found.data, "cycles": float(found.simulated)})
    return _aged(case.name, {}, full)


def _aged(of: str, changed: Mapping[str, Any], full: bool) -> Finding:
    name, settings = LIVES[of]
    settings = {**settings, **changed}
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
        life = lives.get(_life(name))
        if life is None or (exhibit == "cycles" and name in lives):
            continue
        value = _compared(exhibit, life)
        yield Case(exhibit, name), Finding(value)
        ended = found.get(("worst-layers", _life(name)))
        if ended is not None:
            worst, rated = _compared(exhibit, ended), float(EXPECTED[exhibit, name])
            text = f"{value / rated:.2f} of the rating; {worst / rated:.2f} if all layers were the worst"
            yield Case("lines", f"{exhibit}, {name}"), Finding(text)


def _life(line: str) -> str:
    return line.split(": ", maxsplit=1)[0]


def _compared(exhibit: str, life: Finding) -> float:
    """What a rating of an exhibit is compared with."""
    writes, waf = life.data["drive_writes"], life.data["waf"]
    cycles = life.data.get("cycles", life.simulated)
    return {
        "client": writes,
        "data-centre": writes / (YEARS * DAYS),
        "cycles": float(cycles),
        "sequential": writes * waf / (YEARS * DAYS),
        "amplification": waf,
    }[exhibit]
