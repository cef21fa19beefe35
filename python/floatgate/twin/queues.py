"""Reads of a closed loop in closed form: the numbers of channels and dies that could have some rates.

Approximate mean value analysis of a closed network (Schweitzer 1979) with queues whose service takes the same
time for each request, so that half of it is left when another comes (Reiser 1979). It sorts candidates;
what is fitted is simulated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from floatgate.twin.evaluate import Numbers
from floatgate.twin.measurements import Row
from floatgate.twin.pattern import Setting

#: Channels that controllers have, dies behind one of them, and the rates of channels that are tried.
CHANNELS = (1, 2, 3, 4, 6, 8, 10, 12, 16)
WAYS = tuple(range(1, 17))
RATES = np.geomspace(1e8, 2.4e9, 16)
LEAST_TIME = 1e-6  # s, of sensing
ROUNDS = 40


@dataclass(frozen=True)
class Host:
    """What a read takes beside flash and channel."""

    rest: float  # s, but for the link
    service: float  # s of it for which one request keeps all others waiting
    link_rate: float  # bytes a second


@dataclass(frozen=True)
class Reads:
    """A drive as reads of one page see it; times and rates may be arrays, of several drives."""

    channels: int
    dies: int
    read_time: Numbers  # s
    channel_rate: Numbers  # bytes a second
    host: Host
    unit: int  # bytes that cross the channel at least


def rate(of: Reads, setting: Setting) -> Numbers:
    """Return the reads a second of a setting whose requests lie in one page each."""
    moved = max(setting.size, of.unit) / of.channel_rate
    stations: list[tuple[int, Numbers]] = [
        (of.dies, of.read_time),
        (of.channels, moved),
        (1, np.full_like(moved, of.host.service)),
        (1, np.full_like(moved, setting.size / of.host.link_rate)),
    ]
    waiting = [np.full_like(moved, setting.depth / 3 / count) for count, _ in stations]
    found = np.zeros_like(moved)
    for _ in range(ROUNDS):
        total: Numbers = np.full_like(moved, of.host.rest - of.host.service)
        times = []
        for (count, service), queued in zip(stations, waiting, strict=True):
            seen = queued * (setting.depth - 1) / setting.depth
            busy = np.minimum(1.0, found * service / count)
            times.append(service * (1 + np.maximum(0.0, seen - busy / 2)))
            total = total + times[-1]
        found = setting.depth / total
        waiting = [found * time / count for (count, _), time in zip(stations, times, strict=True)]
    return found


def shortlist(rows: Sequence[Row], host: Host, page_bytes: int, unit: int) -> list[Reads]:
    """Return the drives that come nearest to measured rates of reads, the nearest first.

    Of a structure there may be two: one whose channels are the limit, and one whose dies are.
    """
    usable = [row for row in rows if row.what == "iops" and row.setting.size <= page_bytes]
    if not usable:
        return []
    found = [
        pair
        for channels in CHANNELS
        for ways in WAYS
        for pair in _nearest(usable, Reads(channels, channels * ways, RATES, RATES, host, unit))
    ]
    return [reads for _, reads in sorted(found, key=lambda pair: pair[0])]


def _nearest(rows: Sequence[Row], of: Reads) -> Iterator[tuple[float, Reads]]:
    """Yield a structure at the rates of channels that are nearer than their neighbours, with how near."""
    lone = min(rows, key=lambda row: row.setting.depth)
    # At the least depth nothing waits, about: what is left of a read's time is its sensing.
    moved = max(lone.setting.size, of.unit) / RATES + lone.setting.size / of.host.link_rate
    times = np.maximum(LEAST_TIME, lone.setting.depth / lone.value - of.host.rest - moved)
    tried = replace(of, read_time=times)
    far = np.zeros_like(RATES)
    for row in rows:
        far += (np.log(rate(tried, row.setting) / row.value) / row.error) ** 2
    beside = np.concatenate([[np.inf], far, [np.inf]])
    for at in range(len(RATES)):
        if far[at] < beside[at] and far[at] <= beside[at + 2]:
            one = slice(at, at + 1)
            yield float(far[at]), replace(of, read_time=times[one], channel_rate=RATES[one])
