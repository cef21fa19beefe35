"""Reading a result of any format: what changed from one format to the next, in one table.

The format is `schema` in `run.json`; results of before it had a number are of format 1. An older result is
brought to the present format by the table below, where keys were only renamed or moved; then it is compared
with the schema.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from floatgate._generated import results
from floatgate.errors import InputError, one_line
from floatgate.results import folder
from floatgate.values.section import Section

Document = dict[str, Any]


@dataclass(frozen=True)
class Format:
    """A format of results, and what made it from the one before."""

    number: int
    change: str
    moved: tuple[tuple[str, str], ...] = ()  # old path, new path
    then: Callable[[Document], None] = lambda _document: None  # what is more than a move


def _sections(old: str, new: str, keys: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"{old}.{key}", f"{new}.{key}") for key in keys.split())


def _complete(document: Document) -> None:
    """Fill in what format 2 always has and format 1 left out where it was empty."""
    document["ftl"].setdefault("slc_cache", None)
    for kind in ("read", "write", "trim", "flush"):
        _latencies(document["host"][kind])
    for kind in ("trim", "flush"):
        del document["host"][kind]["interval"]  # null always
    for job in document["jobs"]:
        for kind in ("read", "write", "trim"):
            _latencies(job.setdefault(kind, None))
    document["workload"].setdefault("jobs", [])
    if document["waf_parts"] is not None:
        missing = dict.fromkeys(document["flash"]["units_programmed"].keys() - {"total"})
        document["waf_parts"] = missing | document["waf_parts"]
    document["precondition"] = dict.fromkeys(_PRECONDITION) | document["precondition"]
    _complete_invocation(document)


def _complete_invocation(document: Document) -> None:
    empty: Document = {"options": {}, "file_bytes": None, "text": None, "variables": {}, "notes": []}
    made = document["invocation"]
    made["workload"] = empty | made["workload"]


_PRECONDITION = ("kind", "copies", "filled_units", "units_written", "waf_by_window", "steady", "rule")
_LATENCIES = ("mean", "min", "p50", "p90", "p95", "p99", "p999", "p9999", "max", "stddev")


def _latencies(side: Document | None) -> None:
    if side is not None:
        side["latency_ns"] = side["latency_ns"] or dict.fromkeys(_LATENCIES)


def _without_policies(document: Document) -> None:
    document["invocation"].setdefault("policies", [])


def _without_untrimmed(document: Document) -> None:
    """Results of formats before 5 do not count what trims left."""
    document["host"]["trim"] |= {"requests_without_unit": None, "bytes_outside_units": None}


def _without_cuts(document: Document) -> None:
    document.setdefault("power", None)
    document.setdefault("fault", None)
    for cut in (document["power"] or {}).get("cuts", []):
        cut.setdefault("units_forgotten_on_dead_dies", 0)


class _Untold(ValueError):
    """What a key of an older result cannot be brought to: the key, and why."""


# Bytes in flight when a ramp ended, or of requests that failed, are at most this share of a window's.
_AT_THE_EDGES = 0.01
_SETTLED = 0.03  # as the core has it


def _in_bytes(document: Document) -> None:
    """Bring write amplification from mapping units to bytes: both are in a result.

    A window that begins with the run, and whose writes all succeeded, has the bytes of exactly its units. In
    another one they differ by the requests in flight at its edges: where that is all they may differ by, its
    writes were of whole units. Otherwise the bytes of its units are not in the result.
    """
    units, unit = document["ftl"]["buffer"]["units_written"], document["flash"]["mapping_unit_bytes"]
    parts = document["waf_parts"]
    if parts is not None:
        parts.pop("read_modify_write", None)  # nothing was ever programmed for it
        parts["fill_up"] = None
    document["waf_bytes"] = None
    if not units or document["waf"] is None:
        return
    written, by_units = document["host"]["write"]["bytes"], units * unit
    if written != by_units and (document["started_ns"] or document["host"]["failed"]["write"]):
        if abs(by_units / max(written, 1) - 1) > _AT_THE_EDGES:
            raise _Untold("waf", "mapping units over mapping units, in a window whose bytes are not told")
        written = by_units
    factor = by_units / written
    programmed = document["flash"]["units_programmed"]
    coalesced = document["ftl"]["buffer"]["units_coalesced"]
    # What came into the buffer and neither left it nor was overwritten there.
    held_share = abs(units - coalesced - programmed["host"]) / units
    document["waf_bytes"] = {
        "host_written": written,
        "programmed": programmed["total"] * unit,
        "filled_up": 0 if factor == 1 else None,
        "held_before": None,
        "held": None,
        "held_share": held_share,
        "settled": held_share <= _SETTLED,
    }
    if factor == 1:
        return
    document["waf"] *= factor
    document["waf_parts"] = None  # which of the host's units' bytes were its own is not in it
    long_run = document["waf_long_run"]
    for key in ("value", "low", "high"):
        long_run[key] = None if long_run[key] is None else long_run[key] * factor
    long_run["overwrites"] /= factor


def _without_warm_up(document: Document) -> None:
    document["precondition"].setdefault("warm_up", None)
    short = (document["waf_long_run"] or {}).get("too_short")
    if short:
        short.setdefault("reason", "drifting" if short["drifting"] else "victims")


def _without_steady_states(document: Document) -> None:
    document["workload"].setdefault("steady_states", [])


def _in_format_5(document: Document) -> None:
    _in_bytes(document)
    _without_untrimmed(document)
    _without_warm_up(document)
    _without_steady_states(document)


_MAP = ("ram_bytes", "hits", "misses", "hit_ratio")

FORMATS = (
    Format(1, "the results of before formats were numbered"),
    Format(
        2,
        "sections have the names of the configuration's: gc, buffer, slc_cache, parity and upkeep moved to "
        "ftl; regulation became ecc, ftl.write_cost, ftl.regulator, ftl.refresh, ftl.scrub; reading became "
        "ftl.read_merge and ftl.read_ahead; the map's counts are in ftl.mapping, failures in wear; all keys "
        "are always there, null where there is nothing to say",
        (
            *_sections("gc", "ftl.gc", "victims valid_units_per_victim candidates_at_choice_mean"),
            *_sections("gc", "ftl.gc", "free_at_choice_mean"),
            ("gc.wear_relocations", "ftl.wear.relocations"),
            ("gc.superblocks_traded", "ftl.program_order.superblocks_traded"),
            *_sections("gc", "wear", "program_failures erase_failures superblocks_lost"),
            *(
                (f"ftl.map_{key}", f"ftl.mapping.{key}")
                for key in ("ram_bytes", "hits", "misses", "hit_ratio")
            ),
            ("ftl.merges", "ftl.mapping.merges"),
            ("buffer", "ftl.buffer"),
            ("reading.reads_joined", "ftl.read_merge.reads_joined"),
            ("reading.units_fetched", "ftl.read_ahead.units_fetched"),
            ("reading.units_read_ahead", "ftl.read_ahead.units_read"),
            ("reading.units_read_ahead_used", "ftl.read_ahead.units_used"),
            ("reading.units_read_ahead_wasted", "ftl.read_ahead.units_wasted"),
            ("slc_cache", "ftl.slc_cache"),
            ("parity", "ftl.parity"),
            ("upkeep", "ftl.upkeep"),
            ("regulation.scrub", "ftl.scrub"),
            *_sections("regulation", "ftl.write_cost", "steps_uv voltages retention_ns units_by_step"),
            *_sections("regulation", "ftl.write_cost", "writes_refined"),
            *_sections("regulation", "ftl.regulator", "rewrites_asked rewrites_dropped bits_per_unit"),
            *_sections("regulation", "ftl.regulator", "overhead_bytes"),
            *_sections("regulation", "ftl.refresh", "superblocks_refreshed"),
            *_sections("regulation", "ecc", "references reads_by_references read_retries reads_retried"),
            *_sections("regulation", "ecc", "requests_by_retries pages_uncorrectable"),
        ),
        _complete,
    ),
    Format(3, "invocation.policies has the policies in Python that the drive asked", (), _without_policies),
    Format(4, "power says what became of a drive whose power failed", (), _without_cuts),
    Format(
        5,
        "write amplification is of bytes, not of mapping units: waf, waf_parts and waf_long_run; waf_bytes "
        "has the bytes; host.trim counts what its requests did not forget; precondition.warm_up says what "
        "ran before the measured window, waf_long_run.too_short.reason what a run lacks, "
        "workload.steady_states what became of the steadystate of fio jobs",
        (),
        _in_format_5,
    ),
)
NEWEST = FORMATS[-1].number


def read(path: Path) -> results.RunResult:
    """Return the result in the file `path`, of any format, as the classes of the present one.

    Raises InputError, in one line with the key or the format, when it is none.
    """
    return _read(path)[0]


def read_document(path: Path) -> Document:
    """As `read`, as plain dictionaries."""
    return _read(path)[1]


def _read(path: Path) -> tuple[results.RunResult, Document]:
    document = folder.read_json(path)
    written = _format_of(document, path)
    try:
        return _checked(current(document, path), path), document
    except InputError as error:
        if written == NEWEST:
            raise
        since = "; ".join(newer.change for newer in FORMATS[written:])
        raise InputError(
            f"{error} in a result of format {written}, written by Floatgate {_writer(document)} (run it "
            f"again; since then: {since})"
        ) from None


@dataclass(frozen=True, slots=True, repr=False)
class Repeatable(Section):
    """The part of a result that says how to run it again: the same in every format."""

    drive: str
    config: Mapping[str, Any]
    config_places: Mapping[str, results.Place]
    invocation: results.Invocation


REPEATABLE = [field.name for field in fields(Repeatable)]


def read_repeatable(path: Path) -> Document:
    """Return a result whose run can be repeated, of any format.

    Raises InputError with what is not right.
    """
    document = folder.read_json(path)
    _format_of(document, path)
    with suppress(AttributeError, KeyError, TypeError):
        _complete_invocation(document)
        _without_policies(document)
    _built(Repeatable, {key: document[key] for key in REPEATABLE if key in document}, path)
    return document


def _format_of(document: Document, path: Path) -> int:
    """The format of a result, which must be known."""
    number = document.get("schema", 1)
    if type(number) is int and 1 <= number <= NEWEST:
        return number
    raise InputError(
        f"{path}: schema {one_line(json.dumps(number))[:40]}: written by Floatgate {_writer(document)}: "
        f"expected a result of format 1 to {NEWEST}"
    )


def _writer(document: Document) -> str:
    return one_line(str(document.get("version")))[:40]


def current(document: Document, path: Path) -> Document:
    """Bring a document to the present format. Raises InputError where that cannot be done."""
    format_ = _format_of(document, path)
    for newer in FORMATS[format_:]:
        try:
            for old, new in newer.moved:
                _move(document, old.split("."), new.split("."))
            for section in {old.split(".")[0] for old, _ in newer.moved} - {"ftl", "wear"}:
                _drop_emptied(document, section)
            newer.then(document)
        except _Untold as untold:
            raise _refusal(path, *untold.args) from None
        except (AttributeError, KeyError, TypeError) as error:
            raise _refusal(path, str(error), "missing or of another kind") from None
        document["schema"] = newer.number
    return document


def _move(document: Document, old: list[str], new: list[str]) -> None:
    """Move a value. Where its section is null, so is the new one."""
    owner: Any = document
    for part in old[:-1]:
        owner = owner[part]
        if owner is None:
            _into(document, new if _is_table(document, new[:-1]) else new[:-1], None)
            return
    if old[-1] in owner:
        _into(document, new, owner.pop(old[-1]))


def _is_table(document: Any, path: list[str]) -> bool:
    for part in path:
        document = document.get(part)
        if not isinstance(document, dict):
            return False
    return True


def _into(document: Document, path: list[str], value: Any) -> None:
    for part in path[:-1]:
        document = document.setdefault(part, {})
    document.setdefault(path[-1], value)


def _drop_emptied(document: Document, section: str) -> None:
    if not document.get(section, True):
        del document[section]


@cache
def _adapter(part: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(part)


def _built(part: Any, document: Document, path: Path) -> Any:
    """Build a class from a document, of which every key must be what the schema says."""
    from pydantic import ValidationError

    try:
        return _adapter(part).validate_json(json.dumps(document))
    except ValidationError as error:
        first = error.errors()[0]
        raise _refusal(path, ".".join(map(str, first["loc"])), first["msg"].lower()) from None


def _checked(document: Document, path: Path) -> results.RunResult:
    found: results.RunResult = _built(results.RunResult, document, path)
    for key, reason in _contradictions(found):
        raise _refusal(path, key, reason)
    return found


def _refusal(path: Path, key: str, reason: str) -> InputError:
    return InputError(f"{path}: {one_line(key)[:200]}: {one_line(reason)}: expected a result of Floatgate's")


def _contradictions(of: results.RunResult) -> "list[tuple[str, str]]":
    """What no run writes, though each value for itself could be right: figures rest on it."""
    dies = of.utilisation.per_die_by_origin
    energy, retries = of.energy_j, of.ecc and of.ecc.requests_by_retries
    rules = [
        (
            len({len(values) for values in (dies.host, dies.gc, dies.wear, dies.other)}) == 1,
            "utilisation.per_die_by_origin",
            "different numbers of dies",
        ),
        (
            energy.total is None or None not in (energy.controller, energy.bus, energy.nand_by_kind.read),
            "energy_j",
            "a total without its parts",
        ),
        (of.wear_map.columns > 0, "wear_map.columns", "no column"),
        (of.config.keys() <= of.config_places.keys(), "config_places", "not every key of config"),
    ]
    if retries:
        each = [count > 0 for count in retries.requests] == [
            mean is not None for mean in retries.latency_ns_mean
        ]
        share = bool(retries.share) == (sum(retries.requests[1:]) > 0) and bool(retries.requests)
        rules.append((each and share, "ecc.requests_by_retries", "share, counts and means contradict"))
    return [(key, reason) for right, key, reason in rules if not right]
