"""The one place that knows the plotting library, lets-plot: figures in, pictures out.

A page gets what the library's own script draws, at the width and in the colours of the window; a file gets an
SVG document without a script. The same figure gives the same bytes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import lets_plot as lp

from floatgate.report import palette, scales
from floatgate.report.plot import (
    Area,
    Axis,
    Band,
    Boxes,
    Errors,
    Figure,
    Key,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    Text,
    Tiles,
    legend,
    runs,
)

_PX = 1 / 2.2  # the library's unit of sizes, in pixels
_DASHES = {"solid": "solid", "dash": "dashed", "dot": "dotted", "dashdot": "dotdash", "longdash": "longdash"}
_SHAPES = {"circle": 21, "square": 22, "diamond": 23, "up": 24, "down": 25, "cross": 4}
_ANCHORS = {"left": 0.0, "middle": 0.5, "right": 1.0}
_LEGEND_ROW, _LETTER, _SWATCH = 21, 6.6, 38  # pixels
_TITLE = 26
_TIP_LETTERS = 30
_LEVEL = 36  # letters that fit below a narrow axis: the library would tilt them
WIDTH = 860  # of a picture in a file, in pixels


def svg(figure: Figure | Sequence[Figure], width: int = WIDTH) -> str:
    """Return a figure, or several below each other, as an SVG document on white paper, with their legends."""
    figures = [figure] if isinstance(figure, Figure) else list(figure)
    drawn, heights = [], []
    for each in figures:
        keys = legend(each)
        columns = _legend_columns(keys, width)
        rows = -(-len(keys) // columns) if keys else 0
        heights.append(each.height + rows * _LEGEND_ROW + (_TITLE if each.title else 0))
        drawn.append(_grid(each, keys, columns, paper=True))
    size = lp.ggsize(width, sum(heights))
    if len(drawn) == 1:
        return _steady((drawn[0] + size).to_svg())
    return _steady((lp.gggrid(drawn, ncol=1, heights=heights) + _theme() + size).to_svg())


def spec(figure: Figure) -> dict[str, Any]:
    """Return what the library's script draws in a page; the legend stands beside it, as text."""
    drawn = _grid(figure, [], 1, paper=False).as_dict()
    return {"plot": drawn, "height": figure.height, "columns": figure.columns}


def script_path() -> Path:
    """Return where the library's script is."""
    return Path(lp.__file__).with_name("package_data") / "lets-plot.min.js"


def _legend_columns(keys: list[Key], width: int) -> int:
    lines = [line for key in keys for line in key.name.splitlines()]
    widest = max(map(len, lines), default=1) * _LETTER + _SWATCH
    return max(1, min(len(keys), int((width - 20) / widest)))


_ID = re.compile(r'\bid="([^"]+)"')


def _steady(text: str) -> str:
    """Number what the library names by chance."""
    for number, name in enumerate(dict.fromkeys(_ID.findall(text))):
        text = re.sub(rf"\b{re.escape(name)}\b", f"f{number}", text)
    return text if text.endswith("\n") else text + "\n"


def _grid(figure: Figure, keys: list[Key], columns: int, *, paper: bool) -> Any:
    shown = scales.shared(figure.panels) if figure.share_x else figure.panels
    panels = [_panel(panel, first=place == 0) for place, panel in enumerate(shown)]
    if keys:
        for key in keys:
            panels[0] += _key(key, figure.panels[0])
        panels[0] += lp.guides(manual=lp.guide_legend(title="", ncol=columns, byrow=True))
    drawn = lp.gggrid(
        panels,
        ncol=figure.columns,
        heights=figure.heights and list(figure.heights),
        widths=figure.widths and list(figure.widths),
        vspace=14,
        hspace=18,
        align=True,
        guides="collect",
    )
    drawn += _theme()
    if paper and figure.title:
        drawn += lp.ggtitle(plain(figure.title))
    if figure.zoom and not paper:
        drawn += lp.ggtb()
    return drawn


@cache
def _theme() -> Any:
    none = lp.element_blank()
    muted = lp.element_text(color=palette.MUTED, size=12)
    line = lp.element_line(color=palette.GRID, size=0.5)
    return lp.theme_none() + lp.theme(
        text=lp.element_text(color=palette.INK, size=12),
        title=lp.element_text(color=palette.INK, size=13),
        plot_background=none,
        panel_background=none,
        panel_grid_major=line,
        panel_grid_minor=none,
        axis_line=none,
        axis_ticks=none,
        axis_title=muted,
        axis_text=muted,
        axis_text_spacing=6,
        axis_tooltip=none,
        legend_background=none,
        legend_position="top",
        legend_justification=[0, 1],
        legend_box_just="left",
        legend_text=lp.element_text(color=palette.INK, size=12),
        plot_margin=[2, 16, 2, 2],  # a label at the right end of an axis stands half beyond it
        plot_message=none,
        plot_title=lp.element_text(color=palette.INK, size=12, face="bold"),
        tooltip=lp.element_rect(fill=palette.PAPER, color=palette.MUTED, size=0.6),
        tooltip_text=lp.element_text(color=palette.INK, size=12),
    )


def _panel(panel: Panel, *, first: bool) -> Any:
    drawn = lp.ggplot()
    for mark in panel.marks:
        if scales.is_seen(mark):
            for layer in _layers(mark, panel):
                drawn += layer
    x, y = scales.limits(panel, "x"), scales.limits(panel, "y")
    drawn += _scale(panel.x, "x", x)
    drawn += _scale(panel.y, "y", y)
    drawn += lp.coord_cartesian(xlim=list(x), ylim=list(y))
    hidden: dict[str, Any] = {}
    for name, axis in (("x", panel.x), ("y", panel.y)):
        if not axis.grid:
            hidden[f"panel_grid_major_{name}"] = lp.element_blank()
        if not axis.labels:
            hidden[f"axis_text_{name}"] = hidden[f"axis_title_{name}"] = lp.element_blank()
    if panel.x.labels and len("".join((scales.ticks(panel.x, x) or {}).values())) <= _LEVEL:
        hidden["axis_text_x"] = lp.element_text(color=palette.MUTED, size=12, angle=0)
    if panel.scale:
        drawn += _heat(panel, seen=first)
    drawn += _theme() + lp.theme(**hidden) if hidden else _theme()
    if panel.title:
        drawn += lp.ggtitle(plain(panel.title))
    return drawn


def _scale(axis: Axis, name: str, limits: tuple[float, float]) -> Any:
    make = {"x": lp.scale_x_continuous, "y": lp.scale_y_continuous}[name]
    how: dict[str, Any] = {"name": plain(axis.title), "expand": [0, 0]}
    ticks = scales.ticks(axis, limits)
    if ticks is not None:
        how |= {"breaks": list(ticks), "labels": [plain(label) for label in ticks.values()]}
    elif axis.format:
        how["format"] = scales.FORMATS[axis.format]
    if axis.log:
        how["trans"] = "log10"
    elif axis.reverse:
        how["trans"] = "reverse"
    return make(**how)


def _heat(panel: Panel, *, seen: bool) -> Any:
    more: dict[str, Any] = {"trans": "log10"} if panel.log_scale else {}
    if panel.scale_span:
        more["limits"] = list(panel.scale_span)
    return lp.scale_fill_gradientn(
        colors=list(palette.HEAT),
        name=plain(panel.scale),
        guide=lp.guide_colorbar(barwidth=160, barheight=9) if seen else "none",
        **more,
    )


def _layers(mark: Mark, panel: Panel) -> list[Any]:
    for kind, make in _MAKERS.items():
        if isinstance(mark, kind):
            layers: list[Any] = make(mark, panel)
            return layers
    raise TypeError(type(mark).__name__)


def _data(mark: Mark, kept: list[int] | None = None, **columns: Any) -> tuple[dict[str, Any], Any]:
    """Return a layer's columns, and what is shown under the pointer."""
    data = {name: [scales.short(value) for value in values] for name, values in columns.items()}
    if not mark.tips:
        return data, "none"
    tips = mark.tips if kept is None else [mark.tips[place] for place in kept]
    return data | {"tip": [_broken(plain(tip)) for tip in tips]}, lp.layer_tooltips().line("@tip")


def _line(mark: Line, panel: Panel) -> list[Any]:
    kept: list[int] = []
    group: list[int] = []
    shown = scales.shown(mark, panel)
    for number, (start, end) in enumerate(runs(shown)):
        if end - start < 2:
            continue  # the library would say on the terminal that a point is no line
        kept += range(start, end)
        group += [number] * (end - start)
    x, y = [shown.x[place] for place in kept], [shown.y[place] for place in kept]
    data, tips = _data(mark, kept, x=x, y=y)
    data["group"] = group
    places, how = lp.aes("x", "y", group="group"), _stroke(mark)
    if mark.steps:
        return [lp.geom_step(places, data=data, direction="hv", tooltips=tips, **how)]
    return [lp.geom_path(places, data=data, tooltips=tips, **how)]


def _stroke(mark: Line | Rule) -> dict[str, Any]:
    return {
        "color": mark.colour,
        "size": mark.width * _PX,
        "linetype": _DASHES[mark.dash],
        "alpha": mark.alpha,
    }


def _points(mark: Points, panel: Panel) -> list[Any]:
    shown = scales.shown(mark, panel)
    kept = [place for place, y in enumerate(shown.y) if y is not None and shown.x[place] is not None]
    columns = {"x": [shown.x[place] for place in kept], "y": [shown.y[place] for place in kept]}
    if mark.values is not None:
        columns["value"] = [mark.values[place] for place in kept]
    data, tips = _data(mark, kept, **columns)
    how: dict[str, Any] = {"color": mark.colour, "size": mark.size * _PX, "shape": _SHAPES[mark.shape]}
    how |= {"alpha": mark.alpha, "stroke": 0.7, "tooltips": tips}
    if mark.values is not None:
        return [lp.geom_point(lp.aes("x", "y", fill="value"), data=data, **how)]
    return [lp.geom_point(lp.aes("x", "y"), data=data, fill=_inside(mark), **how)]


def _inside(mark: Points | Key) -> str:
    return palette.PAPER if mark.hollow else mark.colour


def _boxes(mark: Boxes, _panel: Panel) -> list[Any]:
    data, tips = _data(mark, x0=mark.x0, x1=mark.x1, y0=mark.y0, y1=mark.y1)
    where = lp.aes(xmin="x0", xmax="x1", ymin="y0", ymax="y1")
    how = {"fill": mark.colour, "alpha": mark.alpha, "color": palette.PAPER, "size": 0.3}
    return [lp.geom_rect(where, data=data, tooltips=tips, **how)]


def _errors(mark: Errors, _panel: Panel) -> list[Any]:
    data, _ = _data(mark, at=mark.at, low=mark.low, high=mark.high)
    how = {"color": mark.colour, "alpha": mark.alpha, "size": 1 * _PX, "tooltips": "none"}
    if mark.across:
        return [lp.geom_segment(lp.aes(x="low", xend="high", y="at", yend="at"), data=data, **how)]
    return [lp.geom_segment(lp.aes(x="at", xend="at", y="low", yend="high"), data=data, **how)]


def _area(mark: Area, _panel: Panel) -> list[Any]:
    data, tips = _data(mark, at=mark.at, low=mark.low, high=mark.high)
    how = {"fill": mark.colour, "alpha": mark.alpha, "size": 0, "tooltips": tips}
    if mark.across:
        return [lp.geom_ribbon(lp.aes(y="at", xmin="low", xmax="high"), data=data, **how)]
    return [lp.geom_ribbon(lp.aes(x="at", ymin="low", ymax="high"), data=data, **how)]


def _band(mark: Band, _panel: Panel) -> list[Any]:
    data, _ = _data(mark, low=[mark.low], high=[mark.high])
    edges = {f"{mark.of}min": "low", f"{mark.of}max": "high"}
    return [
        lp.geom_band(lp.aes(**edges), data=data, fill=mark.colour, alpha=mark.alpha, size=0, tooltips="none")
    ]


def _rule(mark: Rule, _panel: Panel) -> list[Any]:
    how = _stroke(mark)
    if mark.of == "x":
        return [lp.geom_vline(xintercept=mark.at, tooltips="none", **how)]
    return [lp.geom_hline(yintercept=mark.at, tooltips="none", **how)]


def _text(mark: Text, _panel: Panel) -> list[Any]:
    data = {"x": [mark.x], "y": [mark.y], "text": [plain(mark.text)]}
    return [
        lp.geom_text(
            lp.aes("x", "y", label="text"),
            data=data,
            color=mark.colour,
            size=mark.size * _PX,
            hjust=_ANCHORS[mark.anchor],
            vjust=(1 - mark.lift) / 2,
            tooltips="none",
        )
    ]


def _tiles(mark: Tiles, _panel: Panel) -> list[Any]:
    data: dict[str, list[Any]] = {"x": [], "width": [], "row": [], "columns": [], "value": []}
    for row, values in enumerate(mark.rows):
        first = 0
        for value, same in groupby(values):
            last = first + sum(1 for _ in same) - 1
            data["x"].append((first + last) / 2)
            data["width"].append(last - first + 1)
            data["row"].append(row)
            data["columns"].append(str(first) if first == last else f"{first} to {last}")
            data["value"].append(scales.short(value))
            first = last + 1
    said = lp.layer_tooltips().format("@value", ".4~g")
    for line in mark.says:
        said = said.line(plain(line))
    tips = said if mark.says else "none"
    where = lp.aes("x", "row", width="width", fill="value")
    return [lp.geom_tile(where, data=data, size=0, width_unit="identity", tooltips=tips)]


_MAKERS: dict[type[Mark], Any] = {
    Line: _line,
    Points: _points,
    Boxes: _boxes,
    Errors: _errors,
    Area: _area,
    Band: _band,
    Rule: _rule,
    Text: _text,
    Tiles: _tiles,
}


def _key(key: Key, panel: Panel) -> Any:
    """An entry of the legend: a layer that shows nothing but there."""
    (x, _), (y, _) = scales.limits(panel, "x"), scales.limits(panel, "y")
    data = {"x": [x, x], "y": [y, y]}
    where, unseen = lp.aes("x", "y"), {"alpha": 0, "tooltips": "none"}
    name = plain(key.name)
    if key.kind == "line":
        shown = {"color": key.colour, "linetype": _DASHES[key.dash], "size": 2 * _PX, "alpha": key.alpha}
        return lp.geom_path(where, data=data, manual_key=lp.layer_key(name, **shown), **unseen)
    if key.kind == "point":
        shown = {"color": key.colour, "fill": _inside(key), "shape": _SHAPES[key.shape], "size": 7 * _PX}
        manual = lp.layer_key(name, alpha=1, stroke=0.9, **shown)
        return lp.geom_point(where, data=data, manual_key=manual, size=0, **unseen)
    edges = lp.aes(xmin="x", xmax="x", ymin="y", ymax="y")
    manual = lp.layer_key(name, fill=key.colour, alpha=key.alpha, size=0)
    return lp.geom_rect(edges, data=data, manual_key=manual, size=0, **unseen)


def _broken(text: str) -> str:
    """Return a text in short lines: longer ones the library cuts itself, and fails (4.11)."""
    lines = []
    while len(text) > _TIP_LETTERS:
        end = text.rfind(" ", 0, _TIP_LETTERS + 1)
        lines.append(text[: end if end > 0 else _TIP_LETTERS])
        text = text[end + 1 if end > 0 else _TIP_LETTERS :]
    return "\n".join([*lines, text])


def plain(text: str) -> str:
    """Return a text that the library shows as it stands: in others it finds links and formulas."""
    return text.replace("<", "<\u200b").replace("\\", "\\\u200b")


_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def described(figures: Mapping[str, Figure]) -> str:
    """Return the figures of a page as JSON, and what each of their colours is on a dark page."""
    shown = _json({name: spec(figure) for name, figure in figures.items()})
    colours = sorted(set(_COLOUR.findall(shown)) - set(palette.HEAT))
    dark = _json({colour: palette.dark(colour) for colour in colours})
    return f'{{"figures":{shown},"dark":{dark}}}'
