"""The page around the figures: headline, findings in words, tables, footnotes."""

import json
from collections.abc import Iterator
from typing import Any

from floatgate.report import palette, power, retries, sampled, tail, words
from floatgate.report.figures import all_figures, energy_by_part
from floatgate.report.html import Card, render
from floatgate.report.said import Said, Strong, said
from floatgate.report.source import Source
from floatgate.results import amplification
from floatgate.results.drive_state import nothing_met, state_words
from floatgate.results.headline import FLASH, KINDS, NOT_SETTLED, at
from floatgate.values import quantities as q


def page(source: Source) -> str:
    """Return the whole HTML text, with its style, script and data inside."""
    document = source.document
    figures = all_figures(source)
    return render(
        "run.html",
        figures=figures,
        drive=document["drive"],
        workload=_short(document),
        what=f"{document['title']}; {document['workload']['format']} {document['workload']['name']}",
        facts=_facts(document),
        notices=list(_notices(document)),
        cards=list(_cards(document)),
        sections=list(_sections(source, set(figures))),
        counts=list(_counts(document)),
        config=_config(document),
        entries=len(document["config"]),
        definitions=words.DEFINITIONS,
        tables=_tables(source),
        made_by=document["version"],
    )


def _tables(source: Source) -> str:
    """The tables that the page is made from."""
    first, last = "latency.parquet", "series.parquet"
    return f"{first}, {last} and requests.parquet" if source.tails else f"{first} and {last}"


def _short(document: dict[str, Any]) -> str:
    """The workload's name without its folders."""
    return str(document["workload"]["name"]).rsplit("/", 1)[-1]


def _facts(document: dict[str, Any]) -> list[str]:
    """The line below the title."""
    parts = [f"seed {document['seed']}", f"{q.duration(document['simulated_ns'])} simulated"]
    requests = sum((document["host"].get(kind) or {}).get("requests") or 0 for kind in palette.KINDS)
    parts.append(f"{requests:,} requests measured")
    if document.get("loop"):
        parts.append(f"{document['loop']['passes']} passes of the workload")
    if document["started_ns"]:
        parts.append(f"{q.duration(document['started_ns'])} of ramp-up cut")
    parts.append(state_words(document))
    skipped = document["workload"].get("skipped_lines")
    if skipped:
        parts.append(f"{skipped:,} unreadable lines skipped")
    return parts


def _notices(document: dict[str, Any]) -> Iterator[Said]:
    """What a reader must know before the numbers."""
    notes = document["workload"].get("notes") or {}
    unread = nothing_met(document)
    if unread:
        yield f"{unread}."
    if notes.get("synthetic"):
        yield f"{notes['synthetic']}."
    if notes.get("reading"):
        yield f"The trace: {notes['reading']}."
    if document.get("interrupted"):
        fraction = at(document, "interrupted_at.workload_fraction")
        share = f" after {q.percent(fraction)} of the workload" if fraction is not None else ""
        yield f"This run was interrupted{share}; the numbers cover what was done until then."
    for remark in document.get("remarks") or []:
        yield said("{} {} {}.", remark["text"], Strong("Advice:"), remark["advice"])


def _cards(document: dict[str, Any]) -> Iterator[Card]:
    """The headline band: a card for each kind of request, and one for the drive."""
    for kind in ("read", "write"):
        side = document["host"].get(kind)
        if side and side["requests"]:
            rows = [(f"p{name}", q.duration(at(side, f"latency_ns.{key}"))) for name, key in _SHOWN]
            rows.append(("IOPS, 95 %", _between(at(side, "interval.iops"))))
            bandwidth = q.bandwidth(side["bandwidth_bytes_per_s"])
            yield Card(kind, kind, q.count(side["iops"]), "IOPS", bandwidth, rows)
    rows = [
        ("in the long run", amplification.long_run(document)),
        ("dies busy", q.percent(at(document, "utilisation.die"))),
        ("channels busy", q.percent(at(document, "utilisation.channel"))),
        ("mean wear", f"{q.ratio(at(document, 'wear.pe_cycles_mean'))} P/E"),
    ]
    if not document.get("waf_long_run"):
        del rows[0]
    settled = amplification.settled(document)
    value = q.ratio(document["waf"]) if settled else NOT_SETTLED
    below = "bytes programmed per byte written" if settled else amplification.unsettled(document)
    yield Card("drive", "drive", value, "write amplification", below, rows)


def _between(interval: list[float] | None) -> str:
    return f"{q.count(interval[0])} to {q.count(interval[1])}" if interval else "too short to say"


_SHOWN = (("50", "p50"), ("99", "p99"), ("99.9", "p999"))


def _sections(source: Source, drawn: set[str]) -> Iterator[tuple[str, Said, list[str], str]]:
    """Title, words, figures and how these stand, of each part for which there is a figure.

    Of flash that did nothing there is a sentence and no figure.
    """
    document = source.document
    plans: tuple[tuple[str, Said, tuple[str, ...]], ...] = (
        ("Latency", _latency_words(source), ("latency",)),
        ("Sampled", sampled.in_words(document), ("sampled",)),
        ("Over time", _over_time_words(source), ("over-time", "slc-cache")),
        ("Where the time goes", [*_stage_words(document), *tail.in_words(source.tails)], ("stages", "tail")),
        ("Write amplification", _amplification_words(document), ("amplification",)),
        ("Read retries", retries.in_words(document), ("retries",)),
        ("Unreadable pages", _unreadable_words(document), ("unreadable",)),
        ("Power cuts", power.in_words(document), ("power",)),
        ("Utilisation", _utilisation_words(document), ("channels", "dies")),
        ("Energy", _energy_words(document), ("energy",)),
        ("Wear", _wear_words(document), ("wear",)),
    )
    for title, text, names in plans:
        present = [name for name in names if name in drawn]
        if present or (names in _ALWAYS and text):
            yield title, text, present, "beside" if names == ("channels", "dies") == tuple(present) else ""


#: Figures whose absence means that there was nothing to draw.
_ALWAYS = (("channels", "dies"), ("wear",))


def _latency_words(source: Source) -> str:
    counts = [
        f"{sum(count for _, count in pairs):,} {kind}s" for kind, pairs in source.histograms.items() if pairs
    ]
    return (
        f"From arrival to completion, over {_listed(counts)}. First the share of requests within a time, "
        "then the tail: the share that took longer."
    )


_CACHE_WORDS = " Then what the SLC cache's superblocks hold; no line where no request was completed."


def _over_time_words(source: Source) -> str:
    starts, widths = source.series.get("time_ns"), source.series.get("width_ns")
    if not starts or not widths:
        return ""
    return (
        f"In {len(starts):,} intervals of {q.duration(widths[0])}; above, requests completed per "
        "second, below, the mean (line) and the 99th percentile (dotted) of their latency."
        + (_CACHE_WORDS if source.series.get("slc_cache_bytes") else "")
    )


def _stage_words(document: dict[str, Any]) -> Said:
    """Say what takes most of a read's and a write's time."""
    pieces: list[str | Strong] = []
    for kind in ("read", "write"):
        stages = {k: v for k, v in (at(document, f"stages.{kind}") or {}).items() if v}
        if not stages:
            continue
        total = sum(stages.values())
        name, most = max(stages.items(), key=lambda item: item[1])
        waiting = sum(ns for stage, ns in stages.items() if stage in words.WAITING)
        pieces += said(
            "A {} takes {} on average; the largest part is {} with {}, and {} is waiting behind other flash "
            "work. ",
            kind,
            q.duration(total),
            Strong(words.stage(name)),
            q.percent(most / total),
            q.percent(waiting / total),
        )
    return pieces


def _amplification_words(document: dict[str, Any]) -> Said:
    shares = amplification.parts(document)
    if not shares:
        return ""
    extra = {origin: share for origin, share in shares.items() if origin != "host"}
    pieces = said(
        "For each byte that the host wrote, the drive programmed {} to the flash",
        Strong(q.ratio(document["waf"])),
    )
    if not extra:
        return [*pieces, ", all of it for the host."]
    parts = [f"{q.ratio(shares.get('host', 0.0))} for the host"]
    parts += [f"{q.ratio(share)} by {words.origin(origin)}" for origin, share in extra.items()]
    if document.get("waf_long_run"):
        parts[-1] += f". In the long run: {amplification.long_run(document)}"
    return [*pieces, f": {_listed(parts)}. The dotted line is the host's own byte."]


def _unreadable_words(document: dict[str, Any]) -> Said:
    """Say what became of pages that their code could not correct."""
    found, parity = document.get("unreadable"), at(document, "ftl.parity")
    if not found:
        return ""
    rebuilt, lost = (sum(found[key].values()) for key in ("reads_rebuilt", "reads_lost"))
    pieces = said("The code could not correct {} reads", f"{rebuilt + lost:,}")
    if parity:
        pieces += said(
            "; from stripes of {} data units and a parity unit, which takes {} of the flash, {} were found "
            "again",
            parity["stripe"],
            Strong(q.percent(parity["share_of_flash"])),
            f"{rebuilt:,}",
        )
    else:
        pieces += [", and the drive has no parity over dies"]
    unread = found["units_lost"]
    moved = f" {unread:,} mapping units were moved unread and are marked as lost." if unread else ""
    return [*pieces, f"; lost: {lost:,}.{moved}"]


def _utilisation_words(document: dict[str, Any]) -> str:
    channel, die = at(document, "utilisation.channel"), at(document, "utilisation.die")
    if channel is None or die is None:
        return ""
    if not channel and not die:
        return "No channel and no die was busy: the flash had nothing to do in the measured time."
    busier = "dies" if die > channel else "channels"
    return (
        f"Channels were busy {q.percent(channel)} of the time, dies {q.percent(die)}: of the two, "
        f"the {busier} are nearer to their limit. Dotted: the mean."
    )


def _energy_words(document: dict[str, Any]) -> Said:
    parts = energy_by_part(document)
    if not parts:
        return ""
    total = sum(parts.values())
    name, most = max(parts.items(), key=lambda item: item[1])
    return said(
        "{} for each byte that the host read or wrote, {} in all. The largest part is {} with {}, without "
        "DRAM and host link.",
        Strong(q.energy(total)),
        q.energy(at(document, "energy_j.total")),
        words.energy(name),
        q.percent(most / total),
    )


def _wear_words(document: dict[str, Any]) -> str:
    wear = document["wear"]
    if not wear.get("pe_cycles_max"):
        return "No block of the drive was ever erased."
    low, mean, high = (q.ratio(wear.get(f"pe_cycles_{name}")) for name in ("min", "mean", "max"))
    return (
        f"P/E cycles of the blocks: {low} at least, {mean} on average, {high} at most. "
        "Each cell is the mean of neighbouring blocks of a die."
    )


def _listed(parts: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else "no requests"


_Grid = tuple[list[str], list[list[str]]]  # head and rows


def _counts(document: dict[str, Any]) -> Iterator[_Grid]:
    """The counts behind the figures: host requests by kind, flash pages by origin."""
    sides = document["host"]
    host = [
        [kind]
        + [f"{sides[counted].get(kind, 0):,}" for counted in ("submitted", "completed", "failed")]
        + [f"{at(sides, f'{kind}.bytes') or 0:,}"]
        + [
            q.duration(at(sides, f"{kind}.latency_ns.{key}"))
            for key in ("mean", "p50", "p90", "p99", "p999", "max")
        ]
        for kind in KINDS
        if sides["submitted"].get(kind)
    ]
    names = ["host", "submitted", "completed", "failed", "bytes", "mean", "p50", "p90", "p99", "p99.9", "max"]
    flash = {kind: document["flash"][kind] for kind in FLASH}
    used = [o for o in flash["programs"] if any(counts.get(o) for counts in flash.values())]
    origins = used or ["total"]
    pages = [[kind, *(f"{counts.get(o) or 0:,}" for o in origins)] for kind, counts in flash.items()]
    origin_names = [words.origin(origin) for origin in origins]
    yield names, host
    if len(document["jobs"]) > 1:
        yield _jobs(document)
    yield ["flash pages", *origin_names], pages
    inside = _inside(document)
    if inside:
        yield ["inside the drive", ""], inside


def _jobs(document: dict[str, Any]) -> _Grid:
    """A row for each job or volume."""
    rows = [
        [
            f"{job['name']} {kind}",
            f"{job[kind]['requests']:,}",
            q.count(job[kind]["iops"]),
            q.bandwidth(job[kind]["bandwidth_bytes_per_s"]),
            *(
                q.duration(at(job[kind], f"latency_ns.{key}"))
                for key in ("mean", "p50", "p99", "p999", "max")
            ),
        ]
        for job in document["jobs"]
        for kind in KINDS[:3]
        if job[kind]
    ]
    return ["job or volume", "requests", "IOPS", "bandwidth", "mean", "p50", "p99", "p99.9", "max"], rows


def _inside(document: dict[str, Any]) -> list[list[str]]:
    """What garbage collection, the write buffer and the reads counted, by the names in run.json."""
    return [
        [f"{part}.{key}", q.three(value) if isinstance(value, float) else f"{value:,}"]
        for part in ("ftl.gc", "ftl.buffer", "ftl.read_merge", "ftl.read_ahead")
        for key, value in (at(document, part) or {}).items()
        if value
    ]


def _config(document: dict[str, Any]) -> list[tuple[str, list[dict[str, str]]]]:
    """The resolved configuration, grouped by the first part of the key; "" for keys of one part."""
    groups: list[tuple[str, list[dict[str, str]]]] = []
    order = list(dict.fromkeys(key.split(".")[0] for key in document["config"]))
    for key, value in sorted(
        document["config"].items(), key=lambda entry: order.index(entry[0].split(".")[0])
    ):
        place = document["config_places"][key]
        first = key.split(".")[0]
        group = "" if first == key else first
        if not groups or (group and groups[-1][0] != group):
            groups.append((group, []))
        entry = {"key": key, "value": _value(value)}
        groups[-1][1].append(entry | {"source": place["source"] or "", "place": place["place"]})
    return groups


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
