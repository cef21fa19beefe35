"""A waveform as a picture: signals above, the relations between their edges as dimension lines below.

Time is stretched: each byte is as wide as another, however long it lasts. Where nothing happens for
long, time is cut out, which a slanted gap through every signal shows.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from floatgate.bus.waveform import Mark, Phase, Signal, Waveform

BYTE_PX, WAIT_PX, LEFT_PX, RIGHT_PX = 52.0, 74.0, 84.0, 24.0
LONGEST_PX = 3 * BYTE_PX  # longer than that without an edge is cut down to a wait's width
ROW_PX, HIGH_PX, TOP_PX, LANE_PX = 40.0, 22.0, 62.0, 24.0
SLOPE_PX = 2.5
COLOURS = {"set-up": "#0072b2", "hold": "#d55e00", "delay": "#009e73", "wait": "#777777"}
STYLE = (
    "text{font:11px sans-serif;fill:#222}.title{font-size:14px}.small{font-size:10px;fill:#555}"
    ".wire{fill:none;stroke:#222;stroke-width:1.3}.byte{fill:#f2f5f8;stroke:#222;stroke-width:1.1}"
    ".word{font-size:10px;text-anchor:middle}.guide{stroke-width:.6;stroke-dasharray:2 2}"
    ".dim{stroke-width:1.2;fill:none}.mark{font-size:10px;paint-order:stroke;stroke:#fff;stroke-width:3px}"
    ".break{fill:#fff;stroke:#999;stroke-width:.8}.unknown{fill:#ccc;stroke:#222;stroke-width:.8}"
)


def draw(waveform: "Waveform") -> str:
    """Return the picture as an SVG document; the same waveform gives the same text."""
    axis = _Axis(waveform)
    lanes = _lanes(waveform, axis)
    rows = {signal.name: TOP_PX + index * ROW_PX for index, signal in enumerate(waveform.signals)}
    below = TOP_PX + len(rows) * ROW_PX + 8
    notes = [*waveform.notes, *(["a triangle: here a byte is taken"] if waveform.captures_fs else [])]
    height = below + (max(lanes.values(), default=0) + 1) * LANE_PX + 18 * (len(notes) + 1)
    width = axis.width + RIGHT_PX
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text class="title" x="12" y="22">{escape(f"{waveform.interface}: {waveform.operation}")}</text>',
        *_phases(waveform.phases, axis, below),
    ]
    for signal in waveform.signals:
        parts += _signal(signal, rows[signal.name], axis, waveform.end_fs)
    taken = [signal.name for signal in waveform.signals if signal.wide][-1]
    parts += [_capture(axis(at_fs), rows[taken]) for at_fs in waveform.captures_fs]
    for x in axis.cuts:
        parts += _break(x, rows.values())
    for mark, lane in lanes.items():
        parts += _mark(mark, axis, rows, below + lane * LANE_PX + 14)
    last = height - 18 * len(notes)
    for index, note in enumerate(notes):
        parts.append(f'<text class="small" x="12" y="{last + 18 * index:.1f}">{escape(note)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Axis:
    """Where an instant lies: each phase has a scale of its own, and long quiet has none."""

    def __init__(self, waveform: "Waveform") -> None:
        self.cuts: list[float] = []
        self._instants, self._x = [0], [LEFT_PX]
        moments = _moments(waveform)
        byte_fs = 1
        for phase in waveform.phases:
            byte_fs = phase.byte_fs or byte_fs  # the edges just after the last byte keep its scale
            inside = [at for at in moments if phase.from_fs <= at <= phase.to_fs]
            longest = WAIT_PX if phase.byte_fs is None else LONGEST_PX
            wide = [(b - a) / byte_fs * BYTE_PX for a, b in pairwise(inside)]
            shown = [WAIT_PX if px > longest else px for px in wide]
            # What is waited for is written above.
            stretch = max(1.0, WAIT_PX / sum(shown)) if phase.byte_fs is None else 1.0
            for at, px, before in zip(inside[1:], shown, wide, strict=True):
                if before > longest:
                    self.cuts.append(self._x[-1] + stretch * px / 2)
                self._instants.append(at)
                self._x.append(self._x[-1] + stretch * px)
        self.width = self._x[-1]

    def __call__(self, at_fs: int) -> float:
        index = min(bisect_left(self._instants, at_fs), len(self._instants) - 1)
        if index == 0 or self._instants[index] <= at_fs:
            return self._x[index]
        start, end = self._instants[index - 1 : index + 1]
        x, after = self._x[index - 1 : index + 1]
        return x + (after - x) * (at_fs - start) / (end - start)


def _moments(waveform: "Waveform") -> list[int]:
    """Every instant at which something happens, in order."""
    edges = {edge.at_fs for signal in waveform.signals for edge in signal.edges}
    marks = {at for mark in waveform.marks if mark.kind != "wait" for at in (mark.from_fs, mark.to_fs)}
    bounds = {at for phase in waveform.phases for at in (phase.from_fs, phase.to_fs)}
    return sorted(edges | marks | bounds | set(waveform.captures_fs))


def _phases(phases: "tuple[Phase, ...]", axis: _Axis, below: float) -> Iterator[str]:
    for phase in phases:
        left, right = axis(phase.from_fs), axis(phase.to_fs)
        middle = (left + right) / 2
        yield (
            f'<line x1="{right:.1f}" x2="{right:.1f}" y1="{TOP_PX - 20:.1f}" y2="{below - 8:.1f}"'
            ' stroke="#ddd" stroke-width=".8"/>'
        )
        shown = phase.name
        if phase.byte_fs is None:
            shown += f" {_duration(phase.to_fs - phase.from_fs)}"
        yield (
            f'<text class="small" text-anchor="middle" x="{middle:.1f}" y="{TOP_PX - 24:.1f}">'
            f"{escape(shown)}</text>"
        )


def _capture(x: float, top: float) -> str:
    """Return a small triangle where a byte is taken."""
    return f'<path d="M{x:.1f},{top - 1:.1f} l-3,-5 h6 Z" fill="{COLOURS["set-up"]}"/>'


def _break(x: float, rows: Iterable[float]) -> Iterator[str]:
    """Cut every signal in two: here time is left out."""
    for top in rows:
        yield (
            f'<path class="break" d="M{x - 1:.1f},{top + HIGH_PX + 3:.1f} l6,{-HIGH_PX - 6:.1f} h4'
            f' l-6,{HIGH_PX + 6:.1f}"/>'
        )


def _duration(fs: int) -> str:
    ns = fs / 1e6
    return f"{ns / 1e3:g} us" if ns >= 1e3 else f"{ns:.4g} ns"


def _signal(signal: "Signal", top: float, axis: _Axis, end_fs: int) -> Iterator[str]:
    low, high, middle = top + HIGH_PX, top, top + HIGH_PX / 2
    what = f"<title>{escape(signal.what)}</title>"
    yield f'<text x="12" y="{middle + 4:.1f}">{escape(signal.name)}{what}</text>'
    edges = signal.edges
    heights = {"low": low, "high": high}
    path: list[str] = []
    for index, edge in enumerate(edges):
        left = axis(edge.at_fs)
        right = axis(edges[index + 1].at_fs) if index + 1 < len(edges) else axis(end_fs)
        if edge.level == "unknown":
            yield (
                f'<rect class="unknown" x="{left:.1f}" y="{high:.1f}" width="{right - left:.1f}"'
                f' height="{HIGH_PX:.1f}"/>'
            )
            path.append(f"M{right:.1f},{middle:.1f}")
            continue
        if edge.value is None:
            y = heights.get(edge.level, middle)
            path.append(
                f"{'L' if path else 'M'}{left + (SLOPE_PX if path else 0):.1f},{y:.1f} L{right:.1f},{y:.1f}"
            )
            continue
        lean = min(SLOPE_PX, (right - left) / 2)
        yield (
            f'<path class="byte" d="M{left:.1f},{middle:.1f} L{left + lean:.1f},{high:.1f}'
            f" L{right - lean:.1f},{high:.1f} L{right:.1f},{middle:.1f} L{right - lean:.1f},{low:.1f}"
            f' L{left + lean:.1f},{low:.1f} Z"/>'
        )
        x = (left + right) / 2
        y = middle + 3.5 if right - left > 22 else high - 3  # what does not fit stands above
        yield f'<text class="word" x="{x:.1f}" y="{y:.1f}">{escape(edge.word)}</text>'
        path.append(f"M{right:.1f},{middle:.1f}")
    yield f'<path class="wire" d="{" ".join(path)}"/>'


def _lanes(waveform: "Waveform", axis: _Axis) -> "dict[Mark, int]":
    """Give each relation a lane of its own where it would touch another."""
    taken: list[list[tuple[float, float]]] = []
    lanes: dict[Mark, int] = {}
    for mark in waveform.marks:
        if mark.kind == "wait":
            continue  # the phase says it
        left, right = axis(mark.from_fs), axis(mark.to_fs)
        span = (left - 4, max(right, left) + 10 + 6.2 * len(_label(mark)))
        lane = next(
            (n for n, spans in enumerate(taken) if all(span[1] < a or b < span[0] for a, b in spans)),
            len(taken),
        )
        if lane == len(taken):
            taken.append([])
        taken[lane].append(span)
        lanes[mark] = lane
    return lanes


def _label(mark: "Mark") -> str:
    slack = "" if mark.slack_ns is None else f", slack {mark.slack_ns:.2f}"
    return f"{mark.name} {mark.ns:.2f} ns{slack}"


def _mark(mark: "Mark", axis: _Axis, rows: dict[str, float], y: float) -> Iterator[str]:
    colour = COLOURS[mark.kind]
    left, right = axis(mark.from_fs), axis(mark.to_fs)
    for x, name in ((left, mark.from_signal), (right, mark.to_signal)):
        top = rows[name] + HIGH_PX / 2
        yield (
            f'<line class="guide" stroke="{colour}" x1="{x:.1f}" x2="{x:.1f}"'
            f' y1="{top:.1f}" y2="{y + 4:.1f}"/>'
        )
    yield (
        f'<path class="dim" stroke="{colour}" d="M{left:.1f},{y - 4:.1f} V{y + 4:.1f}'
        f' M{left:.1f},{y:.1f} H{right:.1f} M{right:.1f},{y - 4:.1f} V{y + 4:.1f}"/>'
    )
    yield (
        f'<text class="mark" x="{max(left, right) + 5:.1f}" y="{y + 3.5:.1f}" style="fill:{colour}">'
        f"{escape(_label(mark))}</text>"
    )
