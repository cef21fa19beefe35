"""A run as a drive's own accounts: NVMe's health log, OCP's, and those of flexible data placement.

Each page is written as NVMe 2.1 and OCP 2.0 lay it out, and as JSON in the form of nvme-cli 3.0. Counters
begin with the measured part of the run. What a run does not know stays 0: temperatures without a model of
errors, the minutes that the controller was busy, free blocks, utilisation, unaligned requests, all of PCIe.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from floatgate.results.headline import at

SMART, OCP = "02h-smart", "c0h-ocp"
CONFIGS, USAGE, STATISTICS, EVENTS = "20h-fdp-configs", "21h-fdp-usage", "22h-fdp-stats", "23h-fdp-events"
GUID = 0xAFD514C97C6F4F9CA4F2BFEA2810AFC5  # of OCP's log
EVENTS_MOST = 63  # in the log
# Types of events, and the counts of a result that those of the host are.
NOT_FULL, TOO_OLD, RESET, INVALID, REALLOCATED, IMPLICIT = 0x00, 0x01, 0x02, 0x03, 0x80, 0x81
COUNTED = {
    NOT_FULL: "not_fully_written",
    TOO_OLD: "time_limit_exceeded",
    RESET: "reset_modified",
    INVALID: "invalid_identifier",
}
UNUSED, OF_THE_HOST, OF_THE_CONTROLLER = 0, 1, 2  # attributes of a handle


class Field(NamedTuple):
    """A field of a page: where it lies, and its value."""

    key: str  # in JSON; nothing where nvme-cli shows none
    offset: int
    bytes: int
    value: int


class Page(NamedTuple):
    """A log page in both forms."""

    name: str
    content: bytes
    shown: Mapping[str, Any]


def pages(document: Mapping[str, Any]) -> Iterator[Page]:
    """Give the log pages of a run: those of placement where its drive has handles."""
    yield _page(SMART, 512, _smart(document))
    yield _ocp_page(_ocp(document))
    streams = document["ftl"].get("streams")
    if streams:
        yield _configs(streams, document["config"])
        yield _usage(streams, document["config"])
        stats = ("hbmw", "host_bytes_written"), ("mbmw", "media_bytes_written"), ("mbe", "media_bytes_erased")
        yield _page(
            STATISTICS, 64, [Field(key, 16 * n, 16, streams[of]) for n, (key, of) in enumerate(stats)]
        )
        yield _events(streams)


def write(document: Mapping[str, Any], folder: Path) -> None:
    """Write the pages into a folder that is there."""
    for page in pages(document):
        (folder / f"{page.name}.bin").write_bytes(page.content)
        (folder / f"{page.name}.json").write_text(json.dumps(page.shown, indent=2) + "\n", encoding="utf-8")


def names() -> list[str]:
    """Return the names of all files that are written."""
    every = (SMART, OCP, CONFIGS, USAGE, STATISTICS, EVENTS)
    return [f"{name}.{form}" for name in every for form in ("bin", "json")]


def _laid(size: int, fields: list[Field]) -> bytes:
    content = bytearray(size)
    for one in fields:
        most = (1 << (8 * one.bytes)) - 1  # a counter that is full stays so
        content[one.offset : one.offset + one.bytes] = min(one.value, most).to_bytes(one.bytes, "little")
    return bytes(content)


def _page(name: str, size: int, fields: list[Field]) -> Page:
    return Page(name, _laid(size, fields), {one.key: one.value for one in fields if one.key})


def _cuts(document: Mapping[str, Any]) -> int:
    return len(at(document, "power.cuts") or ())


def _lost(document: Mapping[str, Any]) -> int:
    return int(sum(document["unreadable"]["reads_lost"].values()))


def _cycles(document: Mapping[str, Any]) -> int:
    """Return the chip's rating; 0 where it has none."""
    return int(document["config"].get("nand.pe_cycles_rated") or 0)


def _smart(document: Mapping[str, Any]) -> list[Field]:
    host, wear = document["host"], document["wear"]
    rated, celsius = _cycles(document), document["config"].get("nand.errors.celsius")
    used = min(int(100 * wear["pe_cycles_mean"] / rated), 255) if rated else 0

    def thousands(kind: str) -> int:
        return -(-int(host[kind]["bytes"]) // 512_000)

    return [
        Field("critical_warning", 0, 1, 8 if wear["read_only"] else 0),
        Field("temperature", 1, 2, round(celsius + 273.15) if isinstance(celsius, int | float) else 0),
        Field("avail_spare", 3, 1, 0 if wear["read_only"] else 100),
        Field("spare_thresh", 4, 1, 10),
        Field("percent_used", 5, 1, used),
        Field("endurance_grp_critical_warning_summary", 6, 1, 0),
        Field("data_units_read", 32, 16, thousands("read")),
        Field("data_units_written", 48, 16, thousands("write")),
        Field("host_read_commands", 64, 16, host["completed"]["read"]),
        Field("host_write_commands", 80, 16, host["completed"]["write"]),
        Field("controller_busy_time", 96, 16, 0),
        Field("power_cycles", 112, 16, 1 + _cuts(document)),
        Field("power_on_hours", 128, 16, document["simulated_ns"] // 3_600_000_000_000),
        Field("unsafe_shutdowns", 144, 16, _cuts(document)),
        Field("media_errors", 160, 16, _lost(document)),
        Field("num_err_log_entries", 176, 16, host["failed"]["total"]),
        Field("warning_temp_time", 192, 4, 0),
        Field("critical_comp_time", 196, 4, 0),
        *(
            Field(f"thm_temp{level}_{what}", 216 + 8 * (what == "total_time") + 4 * (level - 1), 4, 0)
            for what in ("trans_count", "total_time")
            for level in (1, 2)
        ),
    ]


def _ocp(document: Mapping[str, Any]) -> list[Field]:
    wear, flash, cuts = document["wear"], document["flash"], _cuts(document)
    shape, waf = document["wear_map"], document["waf"]
    blocks = shape["dies"] * shape["columns"] * shape["blocks_per_column"]
    total = blocks * document["config"]["nand.pages_per_block"] * flash["page_bytes"]
    protected = document["config"].get("ftl.buffer.power_loss_protection") is True
    return [
        Field("physical_media_units_written", 0, 16, document["waf_bytes"]["programmed"]),
        Field("physical_media_units_read", 16, 16, flash["reads"]["total"] * flash["page_bytes"]),
        Field("bad_user_nand_blocks_raw", 32, 6, wear["bad_blocks"]),
        Field("bad_user_nand_blocks_normalized", 38, 2, 0 if wear["read_only"] else 100),
        Field("bad_system_nand_blocks_raw", 40, 6, 0),
        Field("bad_system_nand_blocks_normalized", 46, 2, 100),
        Field("xor_recovery_count", 48, 8, sum(document["unreadable"]["reads_rebuilt"].values())),
        Field("uncorrectable_read_errors", 56, 8, _lost(document)),
        Field("soft_ecc_error_count", 64, 8, _retried(document)),
        Field("end_to_end_detected_errors", 72, 4, 0),
        Field("end_to_end_corrected_errors", 76, 4, 0),
        Field("system_data_percent_used", 80, 1, 0),
        Field("refresh_count", 81, 7, flash["erases"]["refresh"]),
        Field("max_user_data_erase_count", 88, 4, wear["pe_cycles_max"] or 0),
        Field("min_user_data_erase_count", 92, 4, wear["pe_cycles_min"] or 0),
        Field("thermal_throttling_events", 96, 1, 0),
        Field("current_throttling_status", 97, 1, 0),
        Field("errata_version_field", 98, 1, 0),
        Field("point_version_field", 99, 2, 0),
        Field("minor_version_field", 101, 2, 0),
        Field("major_version_field", 103, 1, 2),
        Field("pcie_correctable_errors", 104, 8, 0),
        Field("incomplete_shutdowns", 112, 4, cuts),
        Field("percent_free_blocks", 120, 1, 0),
        Field("capacitor_health", 128, 2, 100 if protected else 0xFFFF),  # all ones: there are none
        Field("nvme_base_errata_version", 130, 1, 0),
        Field("unaligned_io", 136, 8, 0),
        Field("security_version_number", 144, 8, 0),
        Field("nuse_namespace_utilization", 152, 8, 0),
        Field("plp_start_count", 160, 16, cuts if protected else 0),
        Field("endurance_estimate", 176, 16, int(_cycles(document) * total / waf) if waf else 0),
        Field("pcie_link_retraining_count", 192, 8, 0),
        Field("power_state_change_count", 200, 8, 0),
        Field("log_page_version", 494, 2, 3),
        Field("log_page_guid", 496, 16, GUID),
    ]


def _retried(document: Mapping[str, Any]) -> int:
    """Return the reads of the flash that took more than one attempt."""
    return sum((at(document, "ecc.reads_retried") or {}).values())


def _ocp_page(fields: list[Field]) -> Page:
    """Return OCP's page: its JSON has the media units in halves, and the identifier as text."""
    name, content, shown = _page(OCP, 512, fields)
    units = {key: value for key, value in shown.items() if key.startswith("physical_media_units")}
    halves = {key: {"hi": value >> 64, "lo": value & ((1 << 64) - 1)} for key, value in units.items()}
    return Page(name, content, {**shown, **halves, "log_page_guid": f"{GUID:#x}"})


def _configs(streams: Mapping[str, Any], settings: Mapping[str, Any]) -> Page:
    """Return the one configuration that there is."""
    handles, groups = streams["handles"], len(streams["groups"])
    kinds = [1 if handle["isolation"] == "initially" else 2 for handle in handles]
    size = (64 + 4 * len(kinds) + 7) // 8 * 8
    cached = settings.get("ftl.buffer.write_back") is not False
    volatile = cached and settings.get("ftl.buffer.power_loss_protection") is False
    config = [
        # It is valid; whether the buffer is volatile; bits of an identifier that are its reclaim group.
        Field("fdpa", 2, 1, 0x80 | 0x10 * volatile | (groups - 1).bit_length()),
        Field("vss", 3, 1, 0),
        Field("nrg", 4, 4, groups),
        Field("nruh", 8, 2, len(kinds)),
        Field("nnss", 12, 4, len(streams["namespaces"])),
        Field("runs", 16, 8, streams["reclaim_unit_bytes"]),
        Field("erutl", 24, 4, (streams["unit_time_limit_ns"] or 0) // 1_000_000_000),
    ]
    more = [Field("", 0, 2, size), Field("", 10, 2, len(kinds) * groups - 1)]
    descriptor = _laid(
        size, [*config, *more, *(Field("", 64 + 4 * n, 1, one) for n, one in enumerate(kinds))]
    )
    header = _laid(16, [Field("", 4, 4, 16 + size)])  # the number of configurations counts from zero
    # nvme-cli shows the handles of a configuration by no key of their own.
    shown = {one.key: one.value for one in config}
    return Page(CONFIGS, header + descriptor, {"n": 0, "configs": [shown]})


def _usage(streams: Mapping[str, Any], settings: Mapping[str, Any]) -> Page:
    """Return who chose each handle: a namespace's list, the drive for one without, or none."""
    used = [UNUSED] * len(streams["handles"])
    for one in streams["namespaces"]:
        listed = not one["name"] or settings.get(f"host.namespaces.{one['name']}.handles") is not None
        for handle in one["handles"]:
            used[handle] = OF_THE_HOST if listed else used[handle] or OF_THE_CONTROLLER
    fields = [Field("", 0, 2, len(used)), *(Field("", 8 + 8 * n, 1, by) for n, by in enumerate(used))]
    shown = {"nruh": len(used), "ruhus": [{"ruha": by} for by in used]}
    return Page(USAGE, _laid(8 + 8 * len(used), fields), shown)


def _events(streams: Mapping[str, Any]) -> Page:
    """Return the log of events: a run knows how many there were, and of which handle superblocks were."""
    counted = streams["events"]
    # Else handles are not numbered as identifiers are.
    plain = len(streams["groups"]) == 1 and not any(one["name"] for one in streams["namespaces"])
    found: list[tuple[int, int | None]] = []
    for kind, key in COUNTED.items():
        found += [(kind, None)] * min(counted[key], EVENTS_MOST)
    for number, handle in enumerate(streams["handles"]):
        found += [(REALLOCATED, number)] * min(handle["collections"], EVENTS_MOST)
    found += [(REALLOCATED, None)] * min(streams["shared_collections"], EVENTS_MOST)
    found += [(IMPLICIT, None)] * min(counted["implicitly_modified"], EVENTS_MOST)
    found = found[:EVENTS_MOST]
    content, shown = _laid(64, [Field("", 0, 4, len(found))]), []
    for kind, handle in found:
        known = plain and handle is not None
        fields = [
            Field("Type", 0, 1, kind),
            Field("fdpef", 1, 1, int(known)),  # the identifier is valid
            Field("pid", 2, 2, (handle or 0) if known else 0),
            Field("timestamp", 4, 8, 0),
            Field("NSID", 12, 4, 0),
        ]
        more = [Field("nlbam", 18, 2, 0)] if kind == REALLOCATED else []
        content += _laid(64, [*fields, *more, Field("", 34, 2, handle or 0)])
        shown.append({one.key: one.value for one in (*fields, *more)})
    return Page(EVENTS, content, {"n": len(found), "events": shown})
