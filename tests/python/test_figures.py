"""Figures: one place draws them, the same way every time, and shows what it was given."""

import re
from base64 import b64decode
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conftest import made_up_run
from floatgate.report import draw, figures, in_notebook, palette, scales
from floatgate.report.html import packed_library, render
from floatgate.report.plot import (
    Area,
    Axis,
    Band,
    Boxes,
    Errors,
    Figure,
    Line,
    Mark,
    Panel,
    Part,
    Points,
    Rule,
    Text,
    Tiles,
    beside,
    chart,
    legend,
    runs,
    stacked,
)

PACKAGE = Path(draw.__file__).parents[1]
X, Y = [1.0, 2.0, 3.0, 4.0], [1.0, None, 100.0, 1000.0]
INK = palette.INK

MARKS: list[Mark] = [
    Line(INK, X, Y, name="line", tips=["a", "b", "c", "d"]),
    Line(INK, X, Y, steps=True, dash="dot", name="steps"),
    Points(INK, X, Y, name="points", shape="up"),
    Points(INK, X, Y, values=[1.0, 2.0, 3.0, 4.0]),
    Boxes(INK, [1.0], [2.0], [1.0], [10.0], name="boxes"),
    Errors(INK, [1.0], [1.0], [2.0]),
    Errors(INK, [2.0], [1.0], [2.0], across=True),
    Area(INK, X, [1.0] * 4, [2.0] * 4, name="area"),
    Area(INK, X, [1.0] * 4, [2.0] * 4, across=True),
    Band(INK, "x", 1.0, 2.0, alpha=0.1),
    Rule(INK, "y", 2.0, name="rule"),
    Text(INK, 1.0, 1.0, "text"),
]


def figure(*, log: bool = False) -> Figure:
    panel = Panel(Axis("x"), Axis("y", log=log), MARKS, "a panel", scale="values")
    tiles = Panel(Axis("x", whole=True), Axis("y", reverse=True), [Tiles(INK, [[1.0, 2.0], [3.0, 4.0]])])
    return Figure([panel, tiles], 400, columns=2, title="all there is")


@pytest.mark.parametrize("log", [False, True])
def test_the_same_figure_gives_the_same_bytes(log: bool) -> None:
    first = draw.svg(figure(log=log))
    assert draw.svg(figure(log=log)) == first
    assert ElementTree.fromstring(first).tag.endswith("svg")
    assert draw.described({"a": figure(log=log)}) == draw.described({"a": figure(log=log)})


def test_names_that_the_library_makes_by_chance_are_numbered() -> None:
    text = draw.svg(figure())
    names = re.findall(r'\bid="([^"]+)"', text)
    assert set(names) == {f"f{number}" for number in range(len(set(names)))}
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(names)


def test_every_kind_of_mark_is_seen() -> None:
    empty = draw.svg(chart(400, Axis("x", low=0, high=5), Axis("y", low=1, high=1000), []))
    for mark in [*MARKS, Tiles(INK, [[1.0]])]:
        alone = draw.svg(chart(400, Axis("x", low=0, high=5), Axis("y", low=1, high=1000), [mark]))
        assert len(alone) > len(empty) + 60, mark


def test_one_place_knows_the_library() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "lets_plot" not in text or path.name == "draw.py", path
        assert not re.search(r"plotly|matplotlib", text), path


def test_the_legend_says_each_name_once() -> None:
    assert [key.name for key in legend(figure())] == ["line", "steps", "points", "boxes", "area", "rule"]
    text = draw.svg(figure())
    for key in legend(figure()):
        assert text.count(f"<tspan>{key.name}</tspan>") == 1


def test_the_legend_names_only_what_is_drawn() -> None:
    parts = [Part("some", INK, [1.0, 0.0]), Part("none", INK, [0.0, None])]
    marks = [*stacked(parts), Line(INK, [1.0, 2.0], [None, None], name="gaps")]
    assert [key.name for key in legend(chart(200, Axis(), Axis(), marks))] == ["some"]


@pytest.mark.parametrize("log", [False, True])
def test_the_legend_says_which_lines_lie_under_others(log: bool) -> None:
    x = [1.0, 2.0, 3.0]
    below = Line(INK, x, [1.0, 10.0, None], name="below")
    top = Line(INK, x, [1.001, 10.001, 100.0], name="top")
    axes = Axis(), Axis(log=log)

    def names(*marks: Line) -> list[str]:
        return [key.name for key in legend(chart(200, *axes, marks))]

    assert names(below, top) == ["below (under top)", "top"]
    assert names(top, below) == ["top", "below"], "it goes further than the line above it"
    blue = "#0072b2"
    assert names(below, replace(top, dash="dash", colour=blue)) == ["below", "top"], "seen between the dashes"
    assert names(replace(top, name="mean"), replace(top, dash="dot")) == ["mean", "top (under mean)"]
    assert names(replace(below, width=3.0), top) == ["below", "top"], "it is wider"
    assert names(below, replace(top, y=[2.0, 10.0, 100.0])) == ["below", "top"]
    apart = Panel(*axes, [below])
    assert [key.name for key in legend(Figure([Panel(*axes, [below, top]), apart], 200))] == ["below", "top"]


def test_a_line_breaks_where_there_is_no_value() -> None:
    line = Line(INK, [1.0, 2.0, 3.0, None, 5.0], [None, 1.0, 1.0, 1.0, 1.0])
    assert list(runs(line)) == [(1, 3), (4, 5)]


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show() -> None:
    panel = Panel(Axis(), Axis(log=True), [Line(INK, [1.0, 2.0], [0.0, 10.0])])
    assert scales.shown(panel.marks[0], panel).y == [None, 10.0]
    low, high = scales.limits(panel, "y")
    assert 0 < low < 10 < high


@pytest.mark.parametrize(
    ("ends", "written", "labels"),
    [
        ((8e3, 4e6), "time", ["10 us", "100 us", "1 ms"]),
        ((900, 3100), "time", ["1 us", "2 us"]),
        ((1e-6, 1.0), "power", ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"]),
        ((1e3, 1e6), "si", ["1k", "10k", "100k", "1M"]),
        ((0.01, 1.0), "percent", ["1%", "2%", "5%", "10%", "20%", "50%", "100%"]),
        ((31.0, 44.0), "", ["35", "40"]),
    ],
)
def test_ticks_of_logarithmic_axes_are_few_and_round(
    ends: tuple[float, float], written: str, labels: list[str]
) -> None:
    ticks = scales.ticks(Axis(log=True, format=written), ends)  # type: ignore[arg-type]
    assert ticks is not None
    assert list(ticks.values()) == labels


def test_bars_stand_on_each_other_or_side_by_side() -> None:
    parts = [Part("a", INK, [1.0, None]), Part("b", INK, [2.0, 3.0])]
    low, high = stacked(parts)
    assert isinstance(low, Boxes)
    assert isinstance(high, Boxes)
    assert (list(low.y1), list(high.y0), list(high.y1)) == ([1.0], [1.0, 0.0], [3.0, 3.0])
    left, right = beside(parts)
    assert isinstance(left, Boxes)
    assert isinstance(right, Boxes)
    assert left.x1[0] <= right.x0[0]


def test_what_is_shown_under_the_pointer_has_short_lines() -> None:
    """Longer ones the library breaks itself, and fails."""
    tip = "a text that is longer than thirty letters and" + "x" * 70
    drawn = draw.spec(chart(200, Axis(), Axis(), [Points(INK, [1.0], [1.0], tips=[tip])]))
    (shown,) = drawn["plot"]["figures"][0]["layers"][0]["data"]["tip"]
    assert max(map(len, shown.split("\n"))) <= 30
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", tip)


def test_tiles_side_by_side_with_the_same_value_are_one() -> None:
    rows = [[1.0, 1.0, 2.5], [0.0, 0.0, 0.0], [3.0, 1.0, 3.0]]
    drawn = draw.spec(chart(200, Axis(), Axis(), [Tiles(INK, rows, says=["row @row, @columns", "@value"])]))
    layer = drawn["plot"]["figures"][0]["layers"][0]
    data = layer["data"]
    found = list(zip(data["row"], data["columns"], data["value"], strict=True))
    assert found == [
        (0, "0 to 1", 1.0),
        (0, "2", 2.5),
        (1, "0 to 2", 0.0),
        (2, "0", 3.0),
        (2, "1", 1.0),
        (2, "2", 3.0),
    ]
    for row in range(3):  # They cover the row, each once.
        edges = [
            (x - width / 2, x + width / 2)
            for x, width, of in zip(data["x"], data["width"], data["row"], strict=True)
            if of == row
        ]
        assert (edges[0][0], edges[-1][1]) == (-0.5, 2.5)
        assert all(left[1] == right[0] for left, right in pairwise(edges))
    assert layer["tooltips"]["lines"] == ["row @row, @columns", "@value"]


def test_what_the_wear_map_says_has_short_lines() -> None:
    shown = figures.wear({"columns": 2, "values": [[1.0, 2.0], [3.0, 4.0]]})
    assert shown is not None
    (tiles,) = shown.panels[0].marks
    assert isinstance(tiles, Tiles)
    longest = {"@row": "16383", "@columns": "100 to 255", "@value": "-1.234e+100"}  # dies, groups
    for line in tiles.says:
        for name, text in longest.items():
            line = line.replace(name, text)
        assert "@" not in line
        assert len(line) <= 30


def test_every_colour_has_a_sister_on_dark_pages() -> None:
    def light(colour: str) -> float:
        red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
        return float(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2)

    paper = light(palette.dark(palette.PAPER))
    for colour in (palette.INK, palette.MUTED, *palette.KINDS.values(), *palette.SERIES):
        assert (light(palette.dark(colour)) + 0.05) / (paper + 0.05) > 3, colour


def test_a_page_of_figures_stays_small() -> None:
    assert len(packed_library(draw.script_path())[0]) < 1_150_000
    page = render(
        "sheet.html",
        figures={"a": figure()},
        kind="k",
        title="t",
        what="w",
        facts=(),
        sections=(),
        notice="",
    )
    assert len(page) < 1_200_000


def test_a_notebook_shows_the_headline_and_the_first_figure(tmp_path: Path) -> None:
    shown = in_notebook(made_up_run(tmp_path / "run"), "a run")
    assert "write amplification" in shown
    assert "<script" not in shown
    image = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', shown)
    assert image is not None
    drawn = b64decode(image[1]).decode()
    assert "share of requests within" in drawn
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
