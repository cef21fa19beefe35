"""The page around the figures: headline, findings in words, tables, footnotes."""

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from floatgate import amplification
from floatgate import quantities as q
from floatgate.headline import FLASH, KINDS, at
from floatgate.report import palette, words
from floatgate.report.figures import all_figures, energy_by_part
from floatgate.report.parts import embedded, grid, plotly_script
from floatgate.report.source import Source
from floatgate.state import nothing_met, state_words

_HERE = Path(__file__).parent


def page(source: Source) -> str:
    """Return the whole HTML text, with its style, script and data inside."""
    document = source.document
    figures = all_figures(source)
    return Template((_HERE / "page.html").read_text(encoding="utf-8")).substitute(
        title=escape(f"{document['drive']}: {_short(document)}"),
        drive=escape(document["drive"]),
        workload=escape(_short(document)),
        what=escape(f"{document['title']}; {document['workload']['format']} {document['workload']['name']}"),
        facts=_facts(document),
        notice=_notice(document),
        cards=_cards(document),
        sections="\n".join(_sections(source, set(figures))),
        summary=_summary(document),
        config=_config(document),
        definitions=_definitions(),
        version=escape(document["version"]),
        style=(_HERE / "style.css").read_text(encoding="utf-8"),
        plotly=plotly_script(),
        figures=embedded(figures),
        script=(_HERE / "draw.js").read_text(encoding="utf-8"),
    )


def _short(document: dict[str, Any]) -> str:
    """The workload's name without its folders."""
    return str(document["workload"]["name"]).rsplit("/", 1)[-1]


def _facts(document: dict[str, Any]) -> str:
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
    return " &middot; ".join(escape(part) for part in parts)


def _notice(document: dict[str, Any]) -> str:
    """What a reader must know before the numbers."""
    notes = document["workload"].get("notes") or {}
    synthetic, reading = notes.get("synthetic"), notes.get("reading")
    read = f'<p class="notice">The trace: {escape(reading)}.</p>' if reading else ""
    made_up = f'<p class="notice">{escape(synthetic)}.</p>' if synthetic else ""
    unread = nothing_met(document)
    unread = f'<p class="notice">{escape(unread)}.</p>' if unread else ""
    remarks = "".join(map(_remark, document.get("remarks") or []))
    return unread + made_up + read + _interrupted(document) + remarks


def _remark(remark: dict[str, str]) -> str:
    return f'<p class="notice">{escape(remark["text"])} <b>Advice:</b> {escape(remark["advice"])}.</p>'


def _interrupted(document: dict[str, Any]) -> str:
    if not document.get("interrupted"):
        return ""
    fraction = at(document, "interrupted_at.workload_fraction")
    share = f" after {q.percent(fraction)} of the workload" if fraction is not None else ""
    return (
        f'<p class="notice">This run was interrupted{share}; the numbers cover what was done until then.</p>'
    )


def _cards(document: dict[str, Any]) -> str:
    """The headline band: a card for each kind of request, and one for the drive."""
    cards = []
    for kind in ("read", "write"):
        side = document["host"].get(kind)
        if side and side["requests"]:
            rows = [(f"p{name}", q.duration(at(side, f"latency_ns.{key}"))) for name, key in _SHOWN]
            value, unit = q.count(side["iops"]), "IOPS"
            rows.append(("IOPS, 95 %", _between(at(side, "interval.iops"))))
            cards.append(_card(kind, value, unit, q.bandwidth(side["bandwidth_bytes_per_s"]), rows))
    rows = [
        ("in the long run", amplification.long_run(document)),
        ("dies busy", q.percent(at(document, "utilisation.die"))),
        ("channels busy", q.percent(at(document, "utilisation.channel"))),
        ("mean wear", f"{q.ratio(at(document, 'wear.pe_cycles_mean'))} P/E"),
    ]
    if not document.get("waf_long_run"):
        del rows[0]
    below = "flash programs per host write"
    cards.append(_card("drive", q.ratio(document["waf"]), "write amplification", below, rows))
    return "\n".join(cards)


def _between(interval: list[float] | None) -> str:
    return f"{q.count(interval[0])} to {q.count(interval[1])}" if interval else "too short to say"


_SHOWN = (("50", "p50"), ("99", "p99"), ("99.9", "p999"))


def _card(kind: str, value: str, unit: str, below: str, rows: list[tuple[str, str]]) -> str:
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(shown)}</dd></div>" for name, shown in rows)
    return (
        f'<article class="card {kind}"><h2>{kind}</h2>'
        f'<p class="big">{escape(value)} <span>{escape(unit)}</span></p>'
        f'<p class="below">{escape(below)}</p><dl>{items}</dl></article>'
    )


def _sections(source: Source, drawn: set[str]) -> Iterator[str]:
    document = source.document
    plans: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("Latency", _latency_words(source), ("latency",)),
        ("Over time", _over_time_words(source), ("over-time", "slc-cache")),
        ("Where the time goes", _stage_words(document), ("stages",)),
        ("Write amplification", _amplification_words(document), ("amplification", "origins-over-time")),
        ("Unreadable pages", _unreadable_words(document), ("unreadable",)),
        ("Utilisation", _utilisation_words(document), ("channels", "dies")),
        ("Energy", _energy_words(document), ("energy",)),
        ("Wear", _wear_words(document), ("wear",)),
    )
    for title, text, names in plans:
        present = [name for name in names if name in drawn]
        if present:
            figures = "".join(f'<div class="figure" id="{name}"></div>' for name in present)
            beside = " beside" if names == ("channels", "dies") and len(present) == 2 else ""
            yield (
                f'<section><h2>{title}</h2><p class="says">{text}</p>'
                f'<div class="figures{beside}">{figures}</div></section>'
            )


def _latency_words(source: Source) -> str:
    counts = [
        f"{sum(count for _, count in pairs):,} {kind}s" for kind, pairs in source.histograms.items() if pairs
    ]
    return (
        f"From arrival to completion, over {_listed(counts)}. Left: the share of requests within a time. "
        "Right: the tail, the share that took longer."
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


def _stage_words(document: dict[str, Any]) -> str:
    """Say what takes most of a read's and a write's time."""
    said = []
    for kind in ("read", "write"):
        stages = {k: v for k, v in (at(document, f"stages.{kind}") or {}).items() if v}
        if not stages:
            continue
        total = sum(stages.values())
        name, most = max(stages.items(), key=lambda item: item[1])
        waiting = sum(ns for stage, ns in stages.items() if stage in words.WAITING)
        said.append(
            f"A {kind} takes {q.duration(total)} on average; the largest part is "
            f"<b>{escape(words.stage(name))}</b> with {q.percent(most / total)}, "
            f"and {q.percent(waiting / total)} is waiting behind other flash work."
        )
    return " ".join(said)


def _amplification_words(document: dict[str, Any]) -> str:
    shares = amplification.parts(document)
    if not shares:
        return ""
    extra = {origin: share for origin, share in shares.items() if origin != "host"}
    text = (
        f"For each mapping unit that the host wrote, the drive programmed <b>{q.ratio(document['waf'])}</b>"
    )
    if not extra:
        return f"{text}, all of it for the host."
    parts = [f"{q.ratio(shares.get('host', 0.0))} for the host"]
    parts += [f"{q.ratio(share)} by {words.origin(origin)}" for origin, share in extra.items()]
    if document.get("waf_long_run"):
        parts[-1] += f". In the long run: {amplification.long_run(document)}"
    return f"{text}: {_listed(parts)}. The dotted line is the host's own unit."


def _unreadable_words(document: dict[str, Any]) -> str:
    """Say what became of pages that their code could not correct."""
    found, parity = document.get("unreadable"), document.get("parity")
    if not found:
        return ""
    rebuilt, lost = (sum(found[key].values()) for key in ("reads_rebuilt", "reads_lost"))
    text = f"The code could not correct {rebuilt + lost:,} reads"
    if parity:
        text += (
            f"; from stripes of {parity['stripe']} data units and a parity unit, which takes "
            f"<b>{q.percent(parity['share_of_flash'])}</b> of the flash, {rebuilt:,} were found again"
        )
    else:
        text += ", and the drive has no parity over dies"
    marked = found["units_lost"]
    moved = f" {marked:,} mapping units were moved unread and are marked as lost." if marked else ""
    return f"{text}; lost: {lost:,}.{moved}"


def _utilisation_words(document: dict[str, Any]) -> str:
    channel, die = at(document, "utilisation.channel"), at(document, "utilisation.die")
    if channel is None or die is None:
        return ""
    busier = "dies" if die > channel else "channels"
    return (
        f"Channels were busy {q.percent(channel)} of the time, dies {q.percent(die)}: of the two, "
        f"the {busier} are nearer to their limit. Dotted: the mean."
    )


def _energy_words(document: dict[str, Any]) -> str:
    parts = energy_by_part(document)
    if not parts:
        return ""
    total = sum(parts.values())
    name, most = max(parts.items(), key=lambda item: item[1])
    in_all = q.energy(at(document, "energy_j.total"))
    return (
        f"<b>{q.energy(total)}</b> for each byte that the host read or wrote, {in_all} in all. The largest "
        f"part is {escape(words.energy(name))} with {q.percent(most / total)}, without DRAM and host link."
    )


def _wear_words(document: dict[str, Any]) -> str:
    wear = document["wear"]
    low, mean, high = (q.ratio(wear.get(f"pe_cycles_{name}")) for name in ("min", "mean", "max"))
    return (
        f"P/E cycles of the blocks: {low} at least, {mean} on average, {high} at most. "
        "Each cell is the mean of neighbouring blocks of a die."
    )


def _listed(parts: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else "no requests"


def _summary(document: dict[str, Any]) -> str:
    """The counts behind the figures: host requests by kind, flash pages by origin."""
    sides = document["host"]
    host = [
        [kind]
        + [f"{sides[counted][kind]:,}" for counted in ("submitted", "completed", "failed")]
        + [f"{sides[kind]['bytes']:,}"]
        + [
            q.duration(at(sides[kind], f"latency_ns.{key}"))
            for key in ("mean", "p50", "p90", "p99", "p999", "max")
        ]
        for kind in KINDS
        if sides["submitted"][kind]
    ]
    names = ["host", "submitted", "completed", "failed", "bytes", "mean", "p50", "p90", "p99", "p99.9", "max"]
    flash = {kind: document["flash"][kind] for kind in FLASH}
    origins = [o for o in flash["programs"] if any(counts[o] for counts in flash.values())]
    pages = [[kind, *(f"{counts[o] or 0:,}" for o in origins)] for kind, counts in flash.items()]
    origin_names = [words.origin(origin) for origin in origins]
    return (
        grid(names, host) + _jobs(document) + grid(["flash pages", *origin_names], pages) + _inside(document)
    )


def _jobs(document: dict[str, Any]) -> str:
    """A row for each job or volume, where there are several."""
    if len(document["jobs"]) < 2:
        return ""
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
        for kind in KINDS
        if kind in job
    ]
    return grid(
        ["job or volume", "requests", "IOPS", "bandwidth", "mean", "p50", "p99", "p99.9", "max"], rows
    )


def _inside(document: dict[str, Any]) -> str:
    """What garbage collection, the write buffer and the reads counted, by the names in run.json."""
    rows = [
        [f"{part}.{key}", q.three(value) if isinstance(value, float) else f"{value:,}"]
        for part in ("gc", "buffer", "reading")
        for key, value in (document.get(part) or {}).items()
        if value
    ]
    return grid(["inside the drive", ""], rows) if rows else ""


def _config(document: dict[str, Any]) -> str:
    """The resolved configuration, grouped by the first part of the key."""
    rows, group = [], None
    groups = list(dict.fromkeys(key.split(".")[0] for key in document["config"]))
    entries = sorted(document["config"].items(), key=lambda entry: groups.index(entry[0].split(".")[0]))
    for key, value in entries:
        place = document["config_places"][key]
        first = key.split(".")[0]
        if first not in (group, key):
            group = first
            rows.append(f'<tr class="group"><th colspan="4">{escape(first)}</th></tr>')
        rows.append(
            f"<tr><td><code>{escape(key)}</code></td><td><code>{escape(_value(value))}</code></td>"
            f'<td>{escape(place["source"] or "")}</td><td class="place">{escape(place["place"])}</td></tr>'
        )
    return "".join(rows)


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _definitions() -> str:
    return "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in words.DEFINITIONS
    )
