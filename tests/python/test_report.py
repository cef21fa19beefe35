"""The report: complete, self-contained, and safe whatever the run's names are."""

import gzip
import json
import re
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import floatgate as fg
from conftest import made_up_run
from fake_core import part as whole
from floatgate.errors import InputError
from floatgate.report import tail, write_report
from floatgate.report.draw import svg
from floatgate.report.figures import all_figures, over_time, slc_cache
from floatgate.report.plot import Boxes, Line, runs
from floatgate.report.power import in_a_line
from floatgate.report.source import Source
from floatgate.results.amplification import parts
from floatgate.results.headline import headline
from floatgate.values import quantities as q

ALL_FIGURES = {
    "latency",
    "over-time",
    "stages",
    "amplification",
    "channels",
    "dies",
    "wear",
}


class _Elements(HTMLParser):
    """Collects what a browser would fetch, and the text outside scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.references: list[tuple[str, str, str | None]] = []
        self.ids: list[str] = []
        self.text = ""
        self.style = ""
        self.figures: dict[str, Any] = {}
        self._inside: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.references += [
            (tag, name, value) for name, value in attrs if name in ("src", "href", "action", "data")
        ]
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag in ("script", "style"):
            self._inside.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1][0] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.text += data
        elif self._inside[-1][0] == "style":
            self.style += data
        elif self._inside[-1][1].get("id") == "figures":
            self.figures = json.loads(gzip.decompress(b64decode(data)))["figures"]


def _read(path: Path) -> _Elements:
    elements = _Elements()
    elements.feed(path.read_text(encoding="utf-8"))
    return elements


@pytest.fixture
def made(tmp_path: Path) -> _Elements:
    folder = made_up_run(tmp_path / "run")
    return _read(write_report(folder, folder / "report.html"))


def test_every_figure_is_there_and_has_its_place(made: _Elements) -> None:
    assert set(made.figures) == ALL_FIGURES
    assert set(made.ids) >= ALL_FIGURES


def test_every_figure_can_be_drawn(tmp_path: Path) -> None:
    for name, figure in all_figures(Source.read(made_up_run(tmp_path / "run"))).items():
        drawn = ElementTree.fromstring(svg(figure))
        shapes = [
            element for element in drawn.iter() if element.tag.split("}")[1] in ("path", "rect", "circle")
        ]
        assert len(shapes) > len(figure.panels), name


def test_nothing_is_fetched(made: _Elements) -> None:
    assert made.references == []
    assert not re.search(r"@import|url\(", made.style)
    assert "http" not in made.text


def test_the_headline_says_what_was_run_and_found(made: _Elements) -> None:
    for part in (
        "fake-tlc",
        "uniform-writes",
        "seed 7",
        "write amplification",
        "p99.9",
        "2.00 s of ramp-up cut",
    ):
        assert part in made.text
    assert "behind GC" in made.text  # the largest part of a read, in words


def test_every_configured_value_has_its_place_and_source(made: _Elements) -> None:
    for part in ("ftl.op_ratio", "0.07", "--set", "published data sheet, table 2", "chips/fake-chip.toml:13"):
        assert part in made.text


def test_names_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><b>"

    def rename(document: dict[str, Any]) -> None:
        document["workload"]["name"] = evil
        document["config_places"]["geometry.channels"]["source"] = evil

    folder = made_up_run(tmp_path / "run", rename)
    text = write_report(folder, tmp_path / "r.html").read_text()
    assert evil not in text
    assert evil in _read(tmp_path / "r.html").text


def test_a_run_without_writes_or_models_still_has_a_report(tmp_path: Path) -> None:
    def strip(document: dict[str, Any]) -> None:
        document["waf"] = None
        of_trims = ("requests_without_unit", "bytes_outside_units")
        trim = {key: value for key, value in document["host"]["trim"].items() if key not in of_trims}
        document["host"]["write"] = trim | {"interval": None}
        document["histogram"]["write"] = []
        document["stages"]["write"] = dict.fromkeys(document["stages"]["write"])
        document["flash"]["programs"] = dict.fromkeys(document["flash"]["programs"], 0)
        document["series"] = {
            k: v for k, v in document["series"].items() if "write" not in k and "programs" not in k
        }

    folder = made_up_run(tmp_path / "run", strip)
    made = _read(write_report(folder, tmp_path / "r.html"))
    assert set(made.figures) == {"latency", "over-time", "stages", "channels", "dies", "wear"}


def test_flash_that_did_nothing_has_a_sentence_and_no_picture(tmp_path: Path) -> None:
    def rest(document: dict[str, Any]) -> None:
        document["utilisation"] |= {"channel": 0.0, "die": 0.0}
        document["wear"]["pe_cycles_max"] = 0
        rows = document["wear_map"]["values"]
        document["wear_map"]["values"] = [[0.0] * len(row) if isinstance(row, list) else 0.0 for row in rows]

    made = _read(write_report(made_up_run(tmp_path / "run", rest), tmp_path / "r.html"))
    assert not made.figures.keys() & {"channels", "dies", "wear"}
    assert "the flash had nothing to do" in made.text
    assert "No block of the drive was ever erased." in made.text


def test_what_an_slc_cache_holds_is_drawn(tmp_path: Path) -> None:
    def cache(document: dict[str, Any]) -> None:
        series = document["series"]
        series["slc_cache_bytes"] = [None, *range(1, len(series["time_ns"]))]

    made = _read(write_report(made_up_run(tmp_path / "run", cache), tmp_path / "r.html"))
    assert set(made.figures) == ALL_FIGURES | {"slc-cache"}
    source = Source.read(tmp_path / "run")
    drawn = slc_cache(source.series, source.document["simulated_ns"])
    assert drawn is not None
    (line,) = drawn.panels[0].marks
    assert isinstance(line, Line)
    assert line.y[:2] == [None, None]
    assert list(runs(line)) == [(2, len(line.y))]


def test_each_interval_is_drawn_at_its_real_width() -> None:
    series = {"time_ns": [10**9, 2 * 10**9], "width_ns": [10**9, 10**9], "read_requests": [100, 200]}
    drawn = over_time(series, 1_500_000_000)
    assert drawn is not None
    (line,) = drawn.panels[0].marks
    assert isinstance(line, Line)
    assert list(zip(line.x, line.y, strict=True)) == [(1.0, 100), (2.0, 100), (2.0, 400), (2.5, 400)]
    assert (drawn.panels[0].x.low, drawn.panels[0].x.high) == (1.0, 2.5)


def test_unreadable_pages_are_told_and_drawn(tmp_path: Path) -> None:
    def wear_out(document: dict[str, Any]) -> None:
        document["ftl"]["parity"] = whole("Parity", stripe=7, share_of_flash=0.125)
        document["unreadable"] = {
            "reads_rebuilt": {"host": 120, "other": 30},
            "reads_lost": {"host": 4, "other": 1},
            "units_lost": 2,
            "units_read_lost": 1,
        }
        document["host"]["read"]["uncorrectable"] = 4

    source = Source.read(made_up_run(tmp_path / "run", wear_out))
    again, lost = all_figures(source)["unreadable"].panels[0].marks
    assert isinstance(again, Boxes)
    assert isinstance(lost, Boxes)
    assert (again.x0, again.x1, lost.x0, lost.x1) == ([0, 0], [120, 30], [120, 30], [124, 31])
    text = _read(write_report(tmp_path / "run", tmp_path / "r.html")).text
    assert "could not correct 155 reads" in text
    assert (
        "stripes of 7 data units and a parity unit, which takes 12.5 % of the flash, 150 were found again"
        in text
    )
    shown = {metric.title: metric.value for metric in headline(source.document)}
    assert (shown["reads found again"], shown["reads lost"], shown["parity's share"]) == (120, 4, 0.125)


def test_read_retries_are_told_and_drawn(tmp_path: Path) -> None:
    def age(document: dict[str, Any]) -> None:
        by_retries = {"share": 0.25, "requests": [600, 0, 200], "latency_ns_mean": [1e5, None, 5e5]}
        reads_retried = {"host": 200, "other": 7}
        document["ecc"] = whole("Ecc", requests_by_retries=by_retries, reads_retried=reads_retried)

    source = Source.read(made_up_run(tmp_path / "run", age))
    shares, latencies = all_figures(source)["retries"].panels
    assert [bar.y1 for bar in shares.marks] == [[0.75], [0.0], [0.25]]  # type: ignore[attr-defined]
    assert [bar.y1 for bar in latencies.marks] == [[100.0], [500.0]]  # type: ignore[attr-defined]
    made = _read(write_report(tmp_path / "run", tmp_path / "r.html"))
    assert len(made.figures["retries"]["plot"]["figures"]) == 2
    assert "25.0 % of 800 reads took more than one attempt" in made.text
    assert "They took 500 us on average, all others 100 us: the mean read is 100 us longer" in made.text
    assert "Of the drive's own page reads 7 took retries." in made.text
    assert {metric.title: metric.value for metric in headline(source.document)}["reads with retries"] == 0.25


def test_power_cuts_are_told_and_drawn(tmp_path: Path) -> None:
    def cut(document: dict[str, Any]) -> None:
        unseen = ("at_ns", "operations", "hold_up_ns", "half_erased_superblocks", "superblocks_found")
        usual = dict.fromkeys((*unseen, "units_found", "units_forgotten_on_dead_dies"), 0)
        usual |= {"requests_lost": 3, "torn_rows": 2, "paired_rows_lost": 1}
        again = {**usual, "units_lost_in_buffer": 40, "ready_ns": None, "pages_read": 10}
        again["units_forgotten_on_dead_dies"] = 1_200
        ready = {**usual, "units_lost_in_buffer": 0, "ready_ns": 5_000_000, "pages_read": 70}
        document["power"] = {"cuts_left": 1, "cuts": [again, ready]}

    source = Source.read(made_up_run(tmp_path / "run", cut))
    starts, lost = all_figures(source)["power"].panels
    assert [bar.y1 for bar in starts.marks] == [[5.0]]  # type: ignore[attr-defined]
    assert [bar.y1 for bar in lost.marks] == [[40], [0]]  # type: ignore[attr-defined]
    made = _read(write_report(tmp_path / "run", tmp_path / "r.html"))
    assert "The power failed 2 times. 6 requests were never answered, and 40 units" in made.text
    assert "4 page rows were being programmed and cannot be read, and 2 that shared their cells" in made.text
    assert "1,200 units of which the newest copy was on a dead die were forgotten. The drive" in made.text
    assert "found its map in 5.00 ms at most, by reading 70 pages" in made.text
    line = "2, ready after 5.00 ms at most; 40 units lost that nothing had made durable; 1 more were planned"
    assert (in_a_line(source.document) or "").startswith(line)


def test_a_drive_that_needs_no_retries_has_no_figure_of_them(tmp_path: Path) -> None:
    def fresh(document: dict[str, Any]) -> None:
        by_retries = {"share": 0.0, "requests": [800], "latency_ns_mean": [1e5]}
        document["ecc"] = whole("Ecc", requests_by_retries=by_retries)

    source = Source.read(made_up_run(tmp_path / "run", fresh))
    assert set(all_figures(source)) == ALL_FIGURES
    assert {metric.title: metric.shown for metric in headline(source.document)}["reads with retries"] == "0 %"


def test_an_interrupted_run_says_so(tmp_path: Path) -> None:
    def interrupt(document: dict[str, Any]) -> None:
        document["interrupted"] = True
        document["interrupted_at"] = {"phase": "run", "workload_fraction": 0.25}

    folder = made_up_run(tmp_path / "run", interrupt)
    assert "interrupted after 25.0 % of the workload" in _read(write_report(folder, tmp_path / "r.html")).text


def test_the_shares_of_the_origins_add_up_to_the_amplification(tmp_path: Path) -> None:
    source = Source.read(made_up_run(tmp_path / "run"))
    shares = parts(source.document)
    assert sum(shares.values()) == pytest.approx(source.document["waf"])
    assert shares["gc"] / shares["host"] == pytest.approx(2_450_000 / 1_600_000)


def test_the_curve_is_the_histogram(tmp_path: Path) -> None:
    source = Source.read(made_up_run(tmp_path / "run"))
    curve = next(m for m in all_figures(source)["latency"].panels[0].marks if m.name == "read")
    assert isinstance(curve, Line)
    pairs = source.histograms["read"]
    samples = sum(count for _, count in pairs)
    assert (curve.x[0], curve.y[0]) == (curve.x[1], 0)
    for x, y in list(zip(curve.x, curve.y, strict=True))[1 :: len(curve.x) // 20]:
        assert y == pytest.approx(sum(count for ns, count in pairs if ns <= (x or 0)) / samples)
    assert curve.x[-1] == pairs[-1][0]
    tail = next(m for m in all_figures(source)["latency"].panels[1].marks if m.name == "read")
    assert isinstance(tail, Line)
    assert tail.y[0] == 1


@pytest.mark.parametrize("missing", ["run.json", "latency.parquet", "series.parquet"])
def test_a_folder_that_is_no_whole_run_is_refused(tmp_path: Path, missing: str) -> None:
    folder = made_up_run(tmp_path / "run")
    (folder / missing).unlink()
    with pytest.raises(InputError, match=missing):
        write_report(folder, tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    folder = made_up_run(tmp_path / "run")
    (folder / "series.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(InputError, match="not readable as Parquet"):
        write_report(folder, tmp_path / "r.html")


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    folder = made_up_run(tmp_path / "run")
    first = write_report(folder, tmp_path / "a.html").read_bytes()
    assert write_report(folder, tmp_path / "b.html").read_bytes() == first


MIXED = """[global]
bs=4k
size=100%
ioengine=libaio
iodepth=4
[r]
rw=randread
number_ios=2000
[w]
rw=randwrite
number_ios=1500
"""


def test_the_slowest_requests_stand_below_all(tmp_path: Path) -> None:
    """By the table of every request: their mean by stage, and what most of it is."""
    (tmp_path / "mixed.fio").write_text(MIXED)
    run = fg.run("small-tlc", tmp_path / "mixed.fio", precondition="instant", requests=True)
    made = Source.read(run.folder).tails
    assert made is not None
    rows = run.requests().to_pylist()
    for one, op in zip(made, (0, 1), strict=True):
        mine = [row for row in rows if row["op"] == op]
        mine.sort(key=lambda row: row["complete_ns"] - row["arrive_ns"], reverse=True)
        slowest = mine[: len(mine) // 100]
        took = [row["complete_ns"] - row["arrive_ns"] for row in slowest]
        assert (one.requests, one.least_ns) == (len(slowest), min(took))
        assert one.mean_ns == pytest.approx(sum(took) / len(took))
    made_of = _read(run.report(tmp_path / "r.html"))
    assert "tail" in made_of.figures
    assert f"The slowest 1 % of reads, 20 of {q.duration(made[0].least_ns)} and more" in made_of.text
    assert "series.parquet and requests.parquet" in made_of.text
    few = fg.run("small-tlc", tmp_path / "mixed.fio", requests=True, limit_requests=500)
    assert Source.read(few.folder).tails == []


def test_requests_that_are_none_or_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = fg.run("small-tlc", "random-read", requests=True, limit_requests=2000, out=tmp_path / "run")
    with monkeypatch.context() as fewer:
        fewer.setattr(tail, "ROWS_MOST", 1999)
        text = _read(run.report(tmp_path / "r.html")).text
    assert "of more than 1,999 requests, see requests.parquet" in text
    table = run.folder / "requests.parquet"
    table.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"requests\.parquet: .*expected a file that floatgate wrote"):
        run.report(tmp_path / "s.html")
    table.write_bytes((run.folder / "latency.parquet").read_bytes())
    with pytest.raises(InputError, match=r"requests\.parquet: column arrive_ns: nothing: expected whole"):
        run.report(tmp_path / "s.html")
