"""A stand-in for `floatgate._core` that keeps its contract and computes nothing.

It also does what the real core must not: break an invariant on request (seed 13), or run for ever (seed 99).
"""

import json
import math
import random
import time
from pathlib import Path
from typing import Any

# Tables are the real ones: a file that only a stand-in could read would show nothing.
from floatgate._core import (
    BrokenInvariant,
    InputError,
    Table,
    Writer,
    read_parquet,
    student_t,
    table_columns,
)

__all__ = ["BrokenInvariant", "InputError", "Table", "Writer", "read_parquet", "student_t", "table_columns"]


def version() -> str:
    return "0.0.0-fake"


def drives(folders: list[str]) -> str:
    return json.dumps([{"name": "fake-tlc", "title": "A drive that is none", "path": "drives/fake-tlc.toml"}])


def chips(folders: list[str]) -> str:
    return json.dumps([{"name": "fake-chip", "title": "A chip that is none", "path": "chips/fake-chip.toml"}])


def explain_drive(drive: str, overrides: list[str], folders: list[str]) -> str:
    if drive != "fake-tlc":
        raise InputError(f"{drive}: no such drive: expected one of fake-tlc (did you mean fake-tlc?)")
    return json.dumps({"name": drive, "title": "A drive", "capacity_bytes": 1 << 38, "entries": _config()})


def explain_chip(chip: str, folders: list[str]) -> str:
    return json.dumps({"name": chip, "title": "A chip", "entries": _config()})


def fio_jobs(workload: str) -> str:
    return json.dumps([{"name": "job", "clones": 1, "together": False, "options": {}}])


def policies() -> str:
    def card(seam: str, name: str, parameters: tuple[tuple[str, int], ...] = ()) -> dict[str, Any]:
        return {
            "seam": seam,
            "name": name,
            "question": "Which closed block does garbage collection reclaim next?",
            "rule": f"the rule of {name}",
            "paper": "Somebody 1999",
            "not_modelled": None,
            "parameters": [
                {
                    "key": key,
                    "default": default,
                    "required": False,
                    "help": f"the {key}",
                    "expected": "a whole number",
                }
                for key, default in parameters
            ],
        }

    return json.dumps(
        [
            card("ftl.gc.victim", "greedy"),
            card("ftl.gc.victim", "d-choices", (("d", 8),)),
            card("ftl.wear.static", "none"),
        ]
    )


def generators() -> str:
    return json.dumps([{"name": "uniform-writes", "title": "Random writes"}])


def size_bytes(text: str) -> int:
    return int(text.removesuffix("KiB")) * 1024


def volumes() -> str:
    return json.dumps({"synthetic": "SYNTHETIC", "volumes": [], "parameters": []})


def trace_formats() -> str:
    return json.dumps(
        [{"name": "msr", "title": "MSR Cambridge", "recognised": True, "example": "1,hm,1,Read,0,1,2"}]
    )


def trace_info(path: str, options: str) -> str:
    return json.dumps(
        {"path": path, "format": "msr", "requests": 10, "span_ns": 10**9, "footprint_bytes": 1 << 30}
    )


def state_info(path: str) -> str:
    return json.dumps({"path": path, "drive": "fake-tlc"})


def _config() -> list[dict[str, Any]]:
    keys = [
        ("geometry.channels", "8", "drives/fake-tlc.toml:4", "published data sheet, table 2"),
        ("geometry.ways", "4", "drives/fake-tlc.toml:5", "published data sheet, table 2"),
        ("nand.t_r", '"61us"', "chips/fake-chip.toml:12", "measured by others"),
        ("nand.t_prog", '"660us"', "chips/fake-chip.toml:13", "assumed"),
        ("ftl.op_ratio", "0.07", "--set", None),
        ("ftl.gc.victim.name", '"greedy"', "default", None),
    ]
    return [
        {"key": k, "value": v, "place": p, "source": s, "help": f"what {k} means", "expected": "such a value"}
        for k, v, p, s in keys
    ]


def nanoseconds(text: str) -> int:
    return 10**9


class Stopped(KeyboardInterrupt): ...


def ask_to_stop() -> None: ...


def end_at_once() -> None: ...


def forget_stop() -> None: ...


def policy_timeout(limit_ns: int) -> None:
    pass


class Session:
    def __init__(
        self, drive: str, overrides: list[str], folders: list[str], workload: str, options: str
    ) -> None:
        explain_drive(drive, overrides, folders)
        self.drive, self.workload, self.options = drive, json.loads(workload), json.loads(options)
        self.overrides = overrides
        self.total = 40 if self.options["seed"] != 99 else 10**9
        self.steps = 0
        self.interrupted = False

    def describe(self) -> str:
        return json.dumps({"drive": {"name": self.drive, "title": "A drive", "capacity_bytes": 1 << 38}})

    def advance(self, events: int) -> str:
        if self.options["seed"] == 14:
            raise RuntimeError("this was never thought of\x1b[31m")
        if self.options["seed"] == 13:
            raise BrokenInvariant("valid count of block 7 is 12, the map says 11")
        time.sleep(0.005)
        self.steps += 1
        return json.dumps(
            {
                "done": self.steps >= self.total,
                "phase": "run",
                "fraction": self.steps / self.total,
                "simulated_ns": self.steps * 250_000_000,
                "host_requests": self.steps * 5000,
                "page_operations": self.steps * 9000,
            }
        )

    def requests(self) -> Table:
        rows = range(100)
        return Table(
            [(name, "int64", "1", "") for name in ("arrive_ns", "latency_ns", "op")],
            {"arrive_ns": list(rows), "latency_ns": [0 for _ in rows], "op": [0 for _ in rows]},
        )

    def timeline(self) -> bytes:
        return f"piece {self.steps};".encode()

    def interrupt(self) -> None:
        self.interrupted = True

    def is_broken(self) -> bool:
        return False

    def result(self) -> str:
        found = _result(self)
        columns = {key: found.pop(key) for key in ("series", "histogram")}
        return json.dumps(completed(SCHEMA, found) | columns)


SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "run.schema.json").read_text(encoding="utf-8")
)


def completed(of: dict[str, Any], found: Any) -> Any:
    """A value with all keys that its schema has: missing keys are null, or nothing."""
    if "$ref" in of:
        of = SCHEMA["$defs"][of["$ref"].rpartition("/")[2]]
    if "anyOf" in of:
        return completed(of["anyOf"][0], found) if found is not None else None
    if "type" not in of:
        return found
    if "properties" in of:
        return {key: completed(value, (found or {}).get(key)) for key, value in of["properties"].items()}
    if of.get("type") == "array" and isinstance(found, list):
        return [completed(of["items"], item) for item in found]
    kinds: list[str] = of["type"] if isinstance(of["type"], list) else [of["type"]]
    if found is not None or "null" in kinds:
        return found
    if "enum" in of:
        return of["enum"][0]
    return {"string": "", "boolean": False, "array": [], "object": {}}.get(kinds[0], 0)


def part(name: str, **found: Any) -> Any:
    """A part of a result, whole: `part("Parity", stripe=7)`."""
    return completed({"$ref": f"#/$defs/{name}"}, found)


def _result(session: Session) -> dict[str, Any]:
    rng = random.Random(session.options["seed"])
    seconds = max(1, session.steps // 4)
    histogram = {op: _histogram(rng, centre) for op, centre in (("read", 95_000), ("write", 18_000))}
    stages = (
        "queue command buffer wait_host wait_gc wait_wear wait_other wait_die channel array transfer ecc link"
    )
    read_ns = [900, 1500, 0, 21_000, 64_000, 3000, 0, 800, 4200, 61_000, 13_000, 2500, 1100]
    write_ns = [600, 1500, 9000, 2000, 7000, 200, 0, 0, 0, 0, 0, 0, 1200]
    programs = {"host": 1_600_000, "gc": 2_450_000, "wear": 31_000, "rewrite": 0, "total": 4_081_000}
    return {
        "schema": 5,
        "version": version(),
        "seed": session.options["seed"],
        "drive": session.drive,
        "title": "A drive",
        "workload": {
            "name": session.workload.get("path") or session.workload["name"],
            "format": session.workload["kind"],
            "requests": 200_000,
            "skipped_lines": 0,
            "notes": {},
            "tags": [],
        },
        "config": {entry["key"]: entry["value"] for entry in _config()},
        "config_places": {e["key"]: {"place": e["place"], "source": e["source"]} for e in _config()},
        "precondition": {"kind": "none"},
        "simulated_ns": seconds * 10**9,
        "started_ns": 2 * 10**9,
        "host": {
            "read": _side(histogram["read"], seconds, 4096),
            "write": _side(histogram["write"], seconds, 4096),
            "trim": _side([], seconds, 0),
            "flush": _side([], seconds, 0),
            "submitted": _counts(histogram),
            "completed": _counts(histogram),
            "failed": _counts({}),
        },
        "flash": {
            "reads": {"host": 1_900_000, "gc": 2_450_000, "wear": 31_000, "rewrite": 0, "total": 4_381_000},
            "programs": programs,
            "units_programmed": {origin: 4 * pages for origin, pages in programs.items()},
            "page_bytes": 16384,
            "mapping_unit_bytes": 4096,
            "erases": {"host": 0, "gc": 10_500, "wear": 122, "rewrite": 0, "total": 10_622},
        },
        "waf": 2.55 + rng.gauss(0, 0.01),
        "energy_j": dict.fromkeys(("controller", "bus", "nand", "nand_by_kind", "total", "per_host_byte")),
        "wear": {"pe_cycles_min": 118, "pe_cycles_mean": 131.2, "pe_cycles_max": 149},
        "utilisation": {
            "channel": 0.31,
            "die": 0.78,
            "per_channel": [0.3 + 0.02 * rng.random() for _ in range(8)],
            "per_die": [0.75] * 32,
            "per_die_by_origin": {
                "host": [0.4] * 32,
                "gc": [0.3] * 32,
                "wear": [0.05] * 32,
                "other": [0.0] * 32,
            },
        },
        "stages": {
            "read": dict(zip(stages.split(), read_ns, strict=True)),
            "write": dict(zip(stages.split(), write_ns, strict=True)),
        },
        "jobs": [{"name": "job", "read": _side(histogram["read"], seconds, 4096)}],
        "ftl": {
            "gc": {"victims": 10_500, "valid_units_per_victim": 233.3},
            "buffer": {"units_written": 1_600_000, "units_coalesced": 12},
        },
        "wear_map": {
            "dies": 32,
            "columns": 64,
            "values": [[round(rng.gauss(131, 5)) for _ in range(64)] for _ in range(32)],
        },
        "series": _series(rng, seconds),
        "histogram": histogram,
        "interrupted": session.interrupted,
        "engine": {"wall_s": 0.5, "page_operations_per_s": 18_000.0 * session.steps},
    }


def _histogram(rng: random.Random, centre: int) -> list[list[int]]:
    counts: dict[int, int] = {}
    for _ in range(20_000):
        ns = int(
            rng.lognormvariate(math.log(centre), 0.25)
            + (rng.expovariate(1 / 600_000) if rng.random() < 0.08 else 0)
        )
        counts[ns // 500 * 500] = counts.get(ns // 500 * 500, 0) + 1
    return sorted([ns, n] for ns, n in counts.items())


def _counts(histogram: dict[str, list[list[int]]]) -> dict[str, int]:
    kinds = ("read", "write", "trim", "flush")
    counts = {kind: sum(count for _, count in histogram.get(kind, [])) for kind in kinds}
    return counts | {"total": sum(counts.values())}


def _side(histogram: list[list[int]], seconds: int, size: int) -> dict[str, Any]:
    n = sum(count for _, count in histogram)
    flat = [ns for ns, count in histogram for _ in range(count)]
    at = (lambda q: flat[min(n - 1, int(q * n))]) if n else (lambda q: None)
    return {
        "requests": n,
        "bytes": n * size,
        "iops": n / seconds,
        "bandwidth_bytes_per_s": n * size / seconds,
        "latency_ns": {
            "mean": sum(flat) / n if n else None,
            "p50": at(0.5),
            "p90": at(0.9),
            "p99": at(0.99),
            "p999": at(0.999),
            "max": at(1),
        },
    }


def _series(rng: random.Random, seconds: int) -> dict[str, list[float]]:
    rows = seconds * 10
    walk = [1.0]
    for _ in range(rows - 1):
        walk.append(max(0.3, walk[-1] + rng.gauss(0, 0.05) - 0.1 * (walk[-1] - 1)))
    series: dict[str, list[float]] = {
        "time_ns": [i * 10**8 for i in range(rows)],
        "width_ns": [10**8] * rows,
    }
    for op, iops, mean in (("read", 48_000, 130_000), ("write", 36_000, 21_000)):
        series[f"{op}_requests"] = [round(iops * w / 10) for w in walk]
        series[f"{op}_bytes"] = [round(iops * w / 10) * 4096 for w in walk]
        series[f"{op}_latency_ns_mean"] = [mean / w for w in walk]
        series[f"{op}_latency_ns_p99"] = [round(mean * 6 / w * (1 + 0.3 * rng.random())) for w in walk]
    return series
