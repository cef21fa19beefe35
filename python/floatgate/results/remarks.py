"""What a reader should be told before relying on a number: derived from the result, each with what to do.

A rule looks at a result and says nothing or one remark. A new one is a function and its place in `RULES`.
What the core itself remarked stands first.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from floatgate.results import amplification
from floatgate.results.headline import at
from floatgate.results.sampled import rates, said
from floatgate.values import quantities as q

# Of a share this large what is left is too little to show in the mean: the tenth that does not.
MOSTLY = 0.9
# A workload whose last request was late by this share of its span was served a tenth too slowly.
BEHIND = 0.1
# Debt and padding are worth a sentence where they are at least this share of the figure that they change.
NOTABLE = 0.1
# Uniform writes find in the buffer what they should to a few percent; twice as much is something else, if it
# is more than chance. How a drive was made is forgotten after it was written over some times.
SKEWED = 2.0
REPLACED_LEAST = 30
FORGOTTEN = 3.0


@dataclass(frozen=True)
class Remark:
    """One thing to know about a run."""

    kind: str  # for programs
    text: str  # one sentence with its numbers
    advice: str  # what to do


def remarks(document: dict[str, Any]) -> list[dict[str, str]]:
    """Return what is to be said about a result, most important first."""
    return list(document.get("remarks") or []) + [asdict(remark) for remark in _derived(document)]


def _derived(document: dict[str, Any]) -> Iterator[Remark]:
    for rule in RULES:
        remark = rule(document)
        if remark:
            yield remark


def _cannot_keep_up(document: dict[str, Any]) -> Remark | None:
    """Requests that come at their own times, and a drive that is slower than they come."""
    arrivals = at(document, "host.arrivals") or {}
    span, late = arrivals.get("span_ns"), arrivals.get("late_ns_last")
    if not span or not arrivals.get("late_ns_max"):
        return None  # Requests came when the drive had room for them.
    waits, means, counts = [], [], []
    for kind in ("read", "write"):
        requests = at(document, f"host.{kind}.requests")
        if requests:
            counts.append(requests)
            waits.append(requests * (at(document, f"stages.{kind}.queue") or 0.0))
            means.append(requests * at(document, f"host.{kind}.latency_ns.mean"))
    if not counts or not sum(means):
        return None
    waiting, behind = sum(waits) / sum(means), late / span
    if behind < BEHIND and waiting < MOSTLY:
        return None
    wait, outstanding = sum(waits) / sum(counts), arrivals["outstanding_mean"]
    text = (
        f"The drive cannot keep up with this workload: a request waited {q.duration(wait)} on average until"
        f" the drive took it up, {q.percent(waiting)} of its latency, and {q.count(outstanding)} were"
        " outstanding on average"
    )
    if behind >= BEHIND:
        text += f"; the last was {q.duration(late)} late"
    advice = (
        "latencies measure the backlog, not the drive: take a faster drive, fewer volumes (--volume),"
        " a slower replay (--speedup 0.5) or --as-fast-as-possible"
    )
    return Remark("cannot_keep_up", text + ".", advice)


def _ended_by_latency(document: dict[str, Any]) -> Remark | None:
    """A fio job that a request ended which took longer than the job allows."""
    said = at(document, "workload.notes.max_latency")
    if not said:
        return None
    text = f"A fio job ended before its time, at a request that took longer than max_latency: {said}."
    return Remark("max_latency", text, "what is reported ends there: give a longer max_latency, or none")


def _pace_not_kept(document: dict[str, Any]) -> Remark | None:
    """A served drive that answered later than its pace allows."""
    kept = at(document, "workload.notes.pace_kept")
    if not kept or not kept.startswith("no"):
        return None
    late = at(document, "workload.notes.lateness_us")
    text = (
        f"Answers left later than the pace asks for ({late} us after the drive gave them): clients measured a"
        " slower drive than this one. What stands here is in simulated time."
    )
    return Remark(
        "pace_not_kept", text, "choose a lower --pace, fewer requests at a time, or an idle machine"
    )


def _read_only(document: dict[str, Any]) -> Remark | None:
    """A drive that refused writes, as too many of its blocks have failed."""
    failed = at(document, "host.failed.write")
    if not failed or not at(document, "wear.read_only"):
        return None
    done = at(document, "host.write.requests") or 0
    lost = at(document, "wear.superblocks_lost") or 0
    answered = f"{failed:,} writes were answered with an error and {done:,} completed"
    if not done and not lost:
        text = (
            f"The drive was worn out before the run and takes no writes: {answered}. Too many blocks had"
            " failed for it to hold its logical space."
        )
        return Remark("read_only", text, "begin with a drive that still takes writes: age it less")
    text = (
        f"The drive wore out and takes no more writes: {answered}. So many blocks have failed, {lost:,}"
        " superblocks of them in this run, that it cannot hold its logical space."
    )
    return Remark("read_only", text, "judge it by what came before, or begin with a drive that is less worn")


def _nothing_collected(document: dict[str, Any]) -> Remark | None:
    """A workload that wrote, and ended before anything had to be collected."""
    long_run = document.get("waf_long_run")
    if not long_run or not long_run["too_short"] or long_run["victims"]:
        return None
    written = at(document, "host.write.bytes")
    text = (
        f"Nothing was collected: the host wrote {q.size(written)}, {q.percent(long_run['overwrites'])} of the"
        f" drive, and ended before room had to be gained; {_figure(document)} says nothing about the long"
        " run."
    )
    used = at(document, "state.began") not in (None, "none")
    return Remark("nothing_collected", text, _LONGER if used else f"{_USED}, or {_LONGER}")


_USED = "begin with a used drive: --precondition instant, or workload where writes are skewed"
_LONGER = "run it longer: --loop until=waf:5% repeats the workload until write amplification is known to 5 %"


def _figure(document: dict[str, Any]) -> str:
    """Write amplification with its number, where that says something."""
    if not amplification.settled(document):
        return "its write amplification"
    return f"a write amplification of {q.ratio(document['waf'])}"


def _not_settled(document: dict[str, Any]) -> Remark | None:
    """A buffer that came to hold, or gave off, a part of what the host wrote."""
    if amplification.settled(document):
        return None
    text = (
        f"Write amplification is not settled: {amplification.unsettled(document)}, and the bytes programmed"
        " until then say how full the buffer is."
    )
    if document["waf_bytes"]["held_share"] >= NOTABLE:
        text += " The speed of the run is in part that of the buffer filling up."
    advice = "run it longer, or leave the beginning out (ramp_time)"
    if document.get("waf_long_run") and not at(document, "waf_long_run.too_short"):
        advice += "; write amplification in the long run counts what waits in the buffer"
    return Remark("not_settled", text, advice)


def _loop_given_up(document: dict[str, Any]) -> Remark | None:
    """A loop that gave up."""
    loop = document.get("loop")
    if not loop or loop["reached"] is not False or document.get("interrupted"):
        return None
    half = at(document, "waf_long_run.half_width_relative")
    known = "not known" if half is None else f"known to {q.percent(half)}"
    text = (
        f"--loop {loop['rule']} ended after pass {loop['passes']:,} of the workload with a write"
        f" amplification that is {known} in the long run."
    )
    return Remark("loop_given_up", text, "give it more passes: until=waf:5%,max=1000")


def _sampled(document: dict[str, Any]) -> Remark | None:
    """A sampled run: what it says of the whole run, and that it may not say what was asked."""
    if not (sample := document.get("sample")):
        return None
    missed = " less sure than asked," if sample["reached"] is False else ""
    known = "; ".join([said(sample), *rates(sample)])
    text = f"sampled: the whole run has {known},{missed} and all other figures are of windows."
    return Remark("sampled", text, "run it longer, or without --sample")


def _too_short(document: dict[str, Any]) -> Remark | None:
    """Some victims, and too few of them."""
    short, victims = at(document, "waf_long_run.too_short"), at(document, "waf_long_run.victims")
    if not short or not victims:
        return None
    unknown = "too short to say what write amplification comes to."
    texts = {
        "drifting": "Write amplification was still changing when the run ended, over its last"
        f" {q.several(victims, 'victim')}: too short to say what it comes to.",
        "folding": "What the host wrote to the SLC cache was not folded while the run lasted, so that what"
        f" folding costs is not known, though {q.several(victims, 'victim')} of garbage collection"
        f" say: {unknown}",
        "room": f"In a part of the run its {q.several(victims, 'victim')} gained no room: {unknown}",
    }
    few = (
        f"Write amplification rests on {q.several(victims, 'victim')} of garbage collection, and"
        f" {short['needed']:,} are needed: too short to say what it comes to."
    )
    return Remark("too_short", texts.get(short.get("reason", ""), few), _LONGER)


def _notable(document: dict[str, Any], part: str) -> tuple[float, float] | None:
    """Give write amplification and a part of it, where that part is worth a sentence."""
    if not amplification.settled(document):
        return None
    waf, of_it = document.get("waf"), at(document, f"waf_parts.{part}")
    return (waf, of_it) if waf and of_it and of_it >= NOTABLE * waf else None


def _owed_before(document: dict[str, Any]) -> Remark | None:
    """Collection that the run did not cause."""
    moved = at(document, "flash.units_programmed.gc")
    if document.get("waf") is None and moved:
        text = (
            f"Nothing was written, and garbage collection moved {q.several(moved, 'unit')} for room that"
            " was missing when the run began: reads waited for work that they did not cause."
        )
        advice = "--precondition instant or steady, which leave a drive at rest to a workload that only reads"
        return Remark("owed_before", text, advice)
    found = _notable(document, "gc_debt")
    if found is None:
        return None
    waf, owed = found
    text = (
        f"Of the write amplification of {q.ratio(waf)}, {q.ratio(owed)} are collection for room that was"
        " missing when the run began and that it did not use."
    )
    return Remark("owed_before", text, "judge the workload without it: by the other rows, or by the long run")


def _padded(document: dict[str, Any]) -> Remark | None:
    """Program units that went to the flash mostly empty."""
    found = _notable(document, "padding")
    if found is None:
        return None
    waf, padding = found
    text = (
        f"{q.percent(padding / waf)} of the write amplification of {q.ratio(waf)} is padding: writes came so"
        " slowly, or were flushed so often, that program units went to the flash before they were full."
    )
    if (document.get("config") or {}).get("ftl.buffer.write_back") is False:
        text = (
            f"{q.percent(padding / waf)} of the write amplification of {q.ratio(waf)} is padding: without a"
            " write cache a write that fills no program unit is padded and programmed at once."
        )
        advice = "larger writes, more of them at once, or a write cache (ftl.buffer.write_back=true)"
        return Remark("padding", text, advice)
    finished = at(document, "ftl.zones.finished")
    if finished:
        text = (
            f"{q.percent(padding / waf)} of the write amplification of {q.ratio(waf)} is padding: the host"
            f" finished {q.several(finished, 'zone')} before they were full, and the drive filled them up."
        )
        return Remark("padding", text, "finish zones that are nearly full, or leave them open until they are")
    advice = (
        "a longer ftl.buffer.flush_after for writes that come slowly; for flushes and forced writes a buffer"
        " that survives power cuts (ftl.buffer.power_loss_protection)"
    )
    return Remark("padding", text, advice)


def _another_state(document: dict[str, Any]) -> Remark | None:
    """Skewed work on a drive that was overwritten uniformly, and has not been written over often since."""
    overwrites = at(document, "waf_long_run.overwrites")
    if at(document, "state.began") not in ("instant", "steady") or not overwrites or overwrites > FORGOTTEN:
        return None
    replaced, uniform = (at(document, f"ftl.buffer.units_replaced{which}") for which in ("", "_uniform"))
    if not replaced or not uniform or replaced < REPLACED_LEAST or replaced < SKEWED * uniform:
        return None
    text = (
        f"Uniform overwriting made this drive, and the workload writes some places more than others: what it"
        f" writes was still in the buffer {q.ratio(replaced / uniform)} times as often as uniform writes"
        f" would be. It wrote {q.percent(overwrites)} of the drive, and is served by what uniform writes"
        " left: write amplification in its own steady state may be another."
    )
    return Remark("another_state", text, "--precondition workload: overwrite with the workload itself before")


def _from_the_buffer(document: dict[str, Any]) -> Remark | None:
    """Figures of the buffer, taken for those of the flash."""
    for kind, what in (("read", "read lay in the drive's buffer"), ("write", "written replaced data in it")):
        share = at(document, f"ftl.buffer.hit_ratio_{kind}")
        if share is not None and share >= MOSTLY and at(document, f"host.{kind}.requests"):
            text = (
                f"{q.percent(share)} of what was {what}: these are figures of the buffer, not of the flash."
            )
            return Remark("from_the_buffer", text, "spread the workload over more than ftl.buffer.size")
    return None


RULES: tuple[Callable[[dict[str, Any]], Remark | None], ...] = (
    _ended_by_latency,
    _cannot_keep_up,
    _pace_not_kept,
    _read_only,
    _not_settled,
    _nothing_collected,
    _too_short,
    _loop_given_up,
    _sampled,
    _another_state,
    _owed_before,
    _padded,
    _from_the_buffer,
)

__all__ = ["Remark", "remarks"]
