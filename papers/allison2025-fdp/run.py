"""CacheLib's small and large objects on a drive with and without placement handles."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from floatgate.reproduce import Case, Concluded, Finding, Found, simulate
from floatgate.results.confidence import confidence_interval

DRIVE = Path(__file__).with_name("drive.toml")
UNITS, BUCKET = 310, 4096  # reclaim units; bytes of a small object's bucket, a page and a mapping unit
# The two fitted numbers: what small objects are of the host's bytes, and the spare space of the drive.
SHARE, SPARE = 0.65, 0.175
PAGES = {False: 128, True: 768}  # of a reclaim unit
SEEDS = {False: (1,), True: (1, 2, 3)}
WARM, MEASURED = 12, 6  # overwrites of the drive before and while measuring
RATE = 20_000_000  # bytes/s that the host writes
HANDLES = 8  # of the drive
ONE = 1  # of the drive with one
LARGE = "write"  # how large objects are written: region after region
CROWDED = {"SOC 90 %": 0.90, "SOC 96 %": 0.96}
SCALES = (96, 192, 384, 1536)  # pages of a reclaim unit

WITHOUT: dict[str, Any] = {"ftl.streams.name": "separate"}


def fdp(isolation: str = "initially", handles: int | None = None) -> dict[str, Any]:
    """Return the keys of a drive with handles."""
    handles = HANDLES if handles is None else handles
    return {"ftl.streams.name": "fdp", "ftl.streams.handles": handles, "ftl.streams.isolation": isolation}


def cases(full: bool) -> Iterable[Case]:
    """Quick: shorter reclaim units and one seed."""
    for used, soc, tenants in ((1.0, 0.04, 1), (0.5, 0.04, 1), (1.0, 0.04, 2), (1.0, 0.64, 1)):
        row = "two tenants" if tenants > 1 else f"{100 * used:.0f} % used, SOC {100 * soc:.0f} %"
        for name, keys in (("without", WITHOUT), ("with FDP", fdp())):
            parameters = {"used": used, "soc": soc, "tenants": tenants, "set": keys}
            if (row, name) != ("100 % used, SOC 64 %", "without"):
                yield Case("dlwa", f"{row}, {name}", parameters, cost=soc + used)
    yield Case("crowded", "SOC 64 %, without", {"soc": 0.64, "set": WITHOUT})
    for name, soc in CROWDED.items():
        yield Case("gain", name, {"soc": soc})
    yield Case("handles", "one handle is the drive without", {"set": fdp(handles=ONE), "than": WITHOUT})
    for soc in (0.04, 0.64):
        name = f"initially and persistently isolated, SOC {100 * soc:.0f} %"
        yield Case("handles", name, {"soc": soc, "set": fdp("persistently"), "than": fdp()})
    more = {"soc": 0.64, "set": fdp("persistently"), "than": fdp(), "more": HANDLES - 1}
    yield Case("causes", "an open superblock more for each handle's moved data", more)
    if full:
        for pages in SCALES:
            yield Case(
                "scale", f"{pages} pages a unit", {"pages": pages, "set": WITHOUT}, x=pages, series="without"
            )


def run(case: Case, full: bool) -> Finding:
    """Simulate one case."""
    parameters = dict(case.parameters)
    if case.exhibit in ("dlwa", "scale"):
        found = confidence_interval([_dlwa(parameters, seed, full) for seed in SEEDS[full]])
        return Finding(found.mean, ci95=found.half_width)
    if case.exhibit == "crowded":
        dlwa = _dlwa(parameters, 1, full)
        return Finding(f"{dlwa:.2f} > 3", holds=dlwa > 3, measure=dlwa)
    than, keys = parameters.pop("than", WITHOUT), parameters.pop("set", fdp())
    more = parameters.pop("more", 0)
    one, other = (
        _dlwa({**parameters, "set": keys, "more": more}, 1, full),
        _dlwa({**parameters, "set": than}, 1, full),
    )
    ratio = one / other
    if case.exhibit == "gain":
        return Finding(f"{one:.2f} with, {other:.2f} without: {ratio:.3f}", holds=ratio > 0.9, measure=ratio)
    if case.exhibit == "causes":
        return Finding(f"{one:.3f} and {other:.3f}: {ratio:.4f}", measure=ratio)
    return Finding(f"{one:.3f} and {other:.3f}: {ratio:.4f}", holds=abs(ratio - 1) < 0.01, measure=ratio)


def conclude(_found: Found) -> Iterable[Concluded]:
    """Nothing follows from several cases together."""
    return ()


def _dlwa(parameters: dict[str, Any], seed: int, full: bool) -> float:
    """Return bytes written to the media over bytes written by the host."""
    pages = parameters.get("pages") or PAGES[full]
    capacity = int(UNITS * pages * BUCKET / (1 + SPARE))
    tenants, soc = parameters.get("tenants", 1), parameters.get("soc", 0.04)
    placed = parameters["set"] != WITHOUT and parameters["set"]["ftl.streams.handles"] != ONE
    done = simulate(
        DRIVE,
        job(int(capacity * parameters.get("used", 1.0)), capacity, soc, tenants),
        seed=seed,
        set={
            "nand.pages_per_block": pages,
            "nand.blocks_per_plane": UNITS + parameters.get("more", 0),
            "ftl.user_capacity": f"{capacity >> 12 << 2}KiB",
            **parameters["set"],
        },
        layout=False,
        **({"place": "job"} if placed else {}),
    )
    assert done.waf is not None
    return done.waf


def job(cache: int, capacity: int, soc: float, tenants: int) -> str:
    """Return the fio jobs of caches that are side by side, each with its small and its large objects."""

    def microseconds(overwrites: float) -> int:
        return int(overwrites * capacity / RATE * 1e6)

    lines = ["[global]", "ioengine=libaio", "iodepth=2", "norandommap", "filename=cache", "time_based"]
    lines += [f"ramp_time={microseconds(WARM)}us", f"runtime={microseconds(MEASURED)}us"]
    room = int(cache / tenants * 0.999) // BUCKET * BUCKET
    for tenant in range(tenants):
        small = int(room * soc) // BUCKET * BUCKET
        large = (room - small) // (REGION) * REGION
        begin = tenant * room
        share = int(RATE * SHARE / tenants), int(RATE * (1 - SHARE) / tenants)
        lines += [
            f"[small{tenant}]",
            "rw=randwrite",
            "bs=4k",
            f"offset={begin}",
            f"size={small}",
            f"rate={share[0]}",
        ]
        lines += [f"[large{tenant}]", f"rw={LARGE}", f"bs={REGION}", f"offset={begin + small}"]
        lines += [f"size={large}", f"rate={share[1]}"]
    return "\n".join(lines) + "\n"


REGION = 128 << 10  # bytes that large objects are written in
