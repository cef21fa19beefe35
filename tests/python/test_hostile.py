"""Pages made from a run.json from another person: nothing in it is run."""

import copy
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floatgate as fg
from conftest import made_up_run
from fake_core import part as whole
from floatgate.bus import svg
from floatgate.bus.waveform import waveform
from floatgate.errors import InputError
from floatgate.report import draw, kept, page, source, write_report
from floatgate.report.plot import Axis, Figure, Panel, Points, Text
from floatgate.report.sheet import Section, sheet
from floatgate.runs.invocation import plan_of

TINY = Path(__file__).parents[1] / "drives" / "tiny.toml"
RUN = "document.documentElement.setAttribute('owned', 1)"
EVIL = f'"\'></style></script><script>{RUN}</script><img src=x onerror="{RUN}"><svg onload="{RUN}">'
LINK = f'<a href="javascript:{RUN}">x</a> \\(x^2\\)'
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document, keys and values, but of long lists the first only."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from _places(inner, (*path, key))
    elif isinstance(value, list) and value:
        yield (*path, 0)
        yield from _places(value[0], (*path, 0))


def _document(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((made_up_run(folder) / "run.json").read_text())
    document["ftl"]["parity"] = whole("Parity", stripe=7, share_of_flash=0.125)
    lost = {"reads_rebuilt": {"host": 1}, "reads_lost": {"host": 4}, "units_lost": 2}
    document["unreadable"] = whole("Unreadable", **lost)
    document["remarks"] = [{"kind": "k", "text": "t", "advice": "a"}]
    document["workload"]["notes"] = {"synthetic": "s", "reading": "r"}
    document["interrupted"] = True
    return document


def _with(document: dict[str, Any], path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    changed = copy.deepcopy(document)
    owner = changed
    for part in path[:-1]:
        owner = owner[part]
    change(owner, path[-1])
    return changed


def _value(owner: Any, key: Any) -> None:
    owner[key] = EVIL


def _key(owner: Any, key: Any) -> None:
    if isinstance(owner, dict):
        owner[EVIL] = owner.pop(key)


def _wrong(owner: Any, key: Any) -> None:
    owner[key] = [[]] if isinstance(owner[key], dict) else {"a": {"b": []}}


def _gone(owner: Any, key: Any) -> None:
    del owner[key]


def _outside_scripts(text: str) -> str:
    return re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("change", [_value, _key, _wrong, _gone])
def test_every_place_of_a_result_is_refused_or_escaped(
    change: Callable[[Any, Any], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refusals are one line about the place; what is drawn holds the text as text."""
    monkeypatch.setattr(kept, "library", lambda *_: ("", ""))  # a page of megabytes, thousands of times
    folder = tmp_path / "run"
    document = _document(folder)
    refused = drawn = 0
    for path in _places(document):
        (folder / "run.json").write_text(json.dumps(_with(document, path, change)))
        said = ""
        try:
            write_report(folder, tmp_path / "r.html")
        except InputError as error:
            said = str(error)
        if said:
            assert said.startswith(str(folder / "run.json")), (path, said)
            assert "\n" not in said, path
            refused += 1
        else:
            text = (tmp_path / "r.html").read_text()
            assert "<img" not in text, path
            assert f"<script>{RUN}" not in text, path
            drawn += 1
    assert refused > 50
    assert drawn > 5


@pytest.mark.parametrize(
    "path",
    [
        ("flash", "programs", "gc"),
        ("ftl", "parity", "stripe"),
        ("host", "read", "iops"),
        ("stages", "read", "array"),
    ],
)
def test_what_is_no_counter_is_refused_before_anything_is_drawn(
    path: tuple[str, ...], tmp_path: Path
) -> None:
    document = _document(tmp_path / "run")
    changes = (_value,) if path[-1] == "stripe" else (_value, _key)
    for change in changes:
        (tmp_path / "run" / "run.json").write_text(json.dumps(_with(document, path, change)))
        with pytest.raises(InputError, match=r"expected a result of Floatgate's"):
            write_report(tmp_path / "run", tmp_path / "r.html")


@pytest.mark.parametrize("change", [_value, _key, _wrong, _gone])
def test_a_repetition_of_whatever_is_a_plan_or_one_line(
    change: Callable[[Any, Any], None], tmp_path: Path
) -> None:
    (tmp_path / "job.fio").write_text("[x]\nrw=randread\nsize=64k\nfilename=${F}\n")
    fg.run(TINY, tmp_path / "job.fio", env={"F": "x"}, precondition="fill", out=tmp_path / "o")
    path = tmp_path / "o" / "run.json"
    document = json.loads(path.read_text())
    document = {key: document[key] for key in ("drive", "config", "config_places", "invocation", "state")}
    document["config"] = dict(list(document["config"].items())[:5])
    document["config_places"] = {key: document["config_places"][key] for key in document["config"]}
    planned = refused = 0
    for place in _places(document):
        path.write_text(json.dumps(_with(document, place, change)))
        said = ""
        try:
            plan_of(path, (), {}, {}, trusted=False).open()
        except InputError as error:
            said = str(error)
        assert "\n" not in said, place
        planned, refused = planned + (not said), refused + bool(said)
    assert refused > 5


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("series.parquet", {"time_ns": [1], "width_ns": [1], EVIL: [1]}),
        ("series.parquet", {"time_ns": [1], "width_ns": [1], "read_requests": [EVIL]}),
        ("series.parquet", {"time_ns": [None], "width_ns": [1]}),
        ("series.parquet", {"time_ns": [1]}),
        ("latency.parquet", {"op": [EVIL], "latency_ns": [1], "requests": [1]}),
        ("latency.parquet", {"op": ["read"], "latency_ns": [EVIL], "requests": [1]}),
    ],
)
def test_a_table_of_something_else_is_refused(table: str, columns: dict[str, Any], tmp_path: Path) -> None:
    folder = made_up_run(tmp_path / "run")
    pq.write_table(pa.table(columns), folder / table)
    with pytest.raises(InputError, match=table) as refused:
        write_report(folder, tmp_path / "r.html")
    assert "\n" not in str(refused.value)


def _hostile_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A report of hostile names everywhere, made as if nothing had been checked before."""
    monkeypatch.setattr(source, "_document", lambda path, _is_own: json.loads(path.read_text()))
    document = _document(folder)
    for part in ("drive", "title", "version"):
        document[part] = EVIL
    document["workload"] |= {"name": EVIL, "format": EVIL, "notes": {"synthetic": EVIL, "reading": EVIL}}
    document["remarks"] = [{"text": EVIL, "advice": EVIL}]
    document["ftl"]["parity"]["stripe"] = EVIL
    for kind in ("reads", "programs", "erases", "units_programmed"):
        document["flash"][kind][EVIL] = 5
    document["utilisation"]["per_die_by_origin"][EVIL] = document["utilisation"]["per_die"]
    document["stages"]["read"][EVIL] = 1e9
    document["config"] = {EVIL: EVIL, f"{EVIL}.{EVIL}": EVIL}
    document["config_places"] = {key: {"place": EVIL, "source": EVIL} for key in document["config"]}
    (folder / "run.json").write_text(json.dumps(document))
    return write_report(folder, folder / "report.html")


def _hostile_figure() -> Figure:
    """Hostile text wherever a figure has text; links, too, which the library would make of it."""
    marks = [
        Points("#000000", [0.0], [1.0], name=EVIL, tips=[EVIL]),
        Text("#000000", 0.0, 1.0, EVIL),
        Text("#000000", 0.0, 1.0, LINK),
    ]
    panel = Panel(Axis(EVIL, ticks={0.0: EVIL}), Axis(LINK), marks, EVIL)
    return Figure([panel], 200, title=EVIL)


def _named(document: dict[str, Any]) -> None:
    """Hostile text where any text may stand."""
    document["drive"] = document["title"] = document["workload"]["name"] = EVIL


def _pages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Hostile text in each kind of page."""
    pages = {"run": _hostile_run(folder / "run", monkeypatch)}
    figure = _hostile_figure()
    section = Section(EVIL, EVIL, {"figure": figure}, (EVIL, EVIL), ((EVIL, EVIL),))
    drawn = waveform("conv", "read", 2)
    notes = type(drawn)(**(vars(drawn) | {"interface": EVIL, "notes": (EVIL,)}))
    texts = {
        "sheet.html": sheet(EVIL, EVIL, EVIL, (EVIL,), (section,), EVIL),
        "wave.svg": svg.draw(notes),
        "figure.svg": draw.svg(figure),
        "headline.html": fg.Run.open(made_up_run(folder / "named", _named))._repr_html_(),
    }
    for name, text in texts.items():
        pages[name] = folder / name
        pages[name].write_text(text)
    return pages


def test_hostile_text_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, path in _pages(tmp_path, monkeypatch).items():
        text = _outside_scripts(path.read_text())
        assert "<img src=x" not in text, name
        assert re.search("&lt;\u200b?img", text), name
        assert not re.search(r"<a\s", text), name


def test_a_page_may_run_its_own_scripts_only(tmp_path: Path) -> None:
    text = write_report(made_up_run(tmp_path / "run"), tmp_path / "r.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text[:2000])
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1]
    assert "unsafe" not in policy[1].replace("style-src &#39;unsafe-inline&#39;", "")
    assert policy[1].count("sha256-") == 2  # the page's own, and the library's, which that unpacks
    assert text.count("<script>") == 1


def test_no_html_is_made_elsewhere() -> None:
    """Markup in Python's source would be a door beside the templates."""
    package = Path(page.__file__).parents[1]
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"</(p|td|th|tr|div|h1|h2|section|table|script|html)>", text), path
        assert "import escape" not in text or path.name in ("svg.py", "folder.py"), path


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_nothing_runs_in_a_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, path in _pages(tmp_path, monkeypatch).items():
        dom = _dom(path)
        assert 'owned="1"' not in dom, name
        if name in ("run", "sheet.html"):
            assert "plt-container" in dom, f"{name}: its own figures are not drawn"


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_even_markup_that_got_in_does_not_run(tmp_path: Path) -> None:
    """The policy alone holds; without it the same page is taken over, so this test can fail."""
    text = sheet("kind", "title", "what", (), (Section("a", "b"),)).replace("<main>", f"<main>{EVIL}")
    (tmp_path / "held.html").write_text(text)
    assert 'owned="1"' not in _dom(tmp_path / "held.html")
    (tmp_path / "lost.html").write_text(text.replace("Content-Security-Policy", "X-Nothing"))
    assert 'owned="1"' in _dom(tmp_path / "lost.html")


def _dom(path: Path) -> str:
    """What a browser makes of a page, after its scripts."""
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]
    profile = f"--user-data-dir={path.parent / 'profile'}"
    done = subprocess.run(
        [*command, profile, "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.strip(), done.stderr
    return done.stdout
