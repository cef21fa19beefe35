"""`floatgate reproduce`, on papers made up here whose cases need no simulation."""

import csv
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from floatgate.errors import InputError
from floatgate.files import shipped
from floatgate.reproduce.figure import figure
from floatgate.reproduce.paper import find, load
from floatgate.reproduce.run import reproduce
from floatgate.reproduce.verdict import Row, tally
from floatgate.shell import main

PAPER = """
title = "A made-up paper"
authors = "N. N."
venue = "Nowhere '26"
doi = ""

[exhibits.table1]
title = "Rates"
claim = "Three rates."
where = "Table 1"
kind = "quantitative"
unit = "MB/s"
tolerance = 0.01
figure = { x = "ways", y = "MB/s" }

[exhibits.order]
title = "Order"
claim = "The second rate is the highest."
where = "Section 2"
kind = "qualitative"
"""

RUN = """
from floatgate.reproduce import Case, Concluded, Finding, Found
from .numbers import RATES

def cases(full):
    yield Case("table1", "one", {"rate": RATES[0]}, x=1, series="a")
    yield Case("table1", "two", {"rate": RATES[1]}, x=2, series="a", cost=2)
    if full:
        yield Case("table1", "three", {"rate": RATES[2]}, x=3, series="a")

def run(case, full):
    return Finding(case.parameters["rate"], ci95=0.2)

def conclude(found):
    rates = {name: finding.simulated for (exhibit, name), finding in found.items()}
    highest = max(rates, key=rates.get)
    yield Case("order", "two is highest"), Finding(f"{highest} is", holds=highest == "two")
"""

EXPECTED = """exhibit,case,published,source,basis,fitted
table1,one,100,table 1,predicted,
table1,two,200,table 1,fitted,nand.t_r
table1,three,150,table 1,predicted,
order,two is highest,two is,section 2,by-construction,
"""

README = "# A made-up paper\n\n## Three is special\n\nIt is.\n"

EXPLAINED = """
[[explained]]
exhibit = "table1"
case = "thr*"
deviation = [-0.1, 0.0]
heading = "Three is special"
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a paper's folder and return it."""

    def write_paper(
        key: str = "nn2026-rates",
        *,
        paper: str = PAPER,
        run: str = RUN,
        expected: str = EXPECTED,
        rates: str = "[100.5, 199.0, 150.0]",
    ) -> Path:
        folder = tmp_path / "papers" / key
        folder.mkdir(parents=True)
        for name, text in (
            ("paper.toml", paper),
            ("run.py", run),
            ("expected.csv", expected),
            ("README.md", README),
            ("numbers.py", f"RATES = {rates}\n"),
        ):
            (folder / name).write_text(text)
        return folder

    return write_paper


def results(out: Path) -> list[dict[str, str]]:
    with (out / "results.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_whole_reproduction(write: Write, tmp_path: Path) -> None:
    paper = load(write())
    done = reproduce([paper], tmp_path / "out", full=True, workers=2)
    assert not done.interrupted
    rows = results(tmp_path / "out")
    columns = "paper,exhibit,case,published,simulated,unit,deviation,tolerance,verdict,basis,fitted"
    assert (tmp_path / "out" / "results.csv").read_text().splitlines()[0] == columns
    assert [(row["case"], row["verdict"]) for row in rows] == [
        ("one", "pass"),
        ("two", "pass"),
        ("three", "pass"),
        ("two is highest", "qualitative-pass"),
    ]
    assert rows[0] == {
        "paper": "nn2026-rates",
        "exhibit": "table1",
        "case": "one",
        "published": "100",
        "simulated": "100.5",
        "unit": "MB/s",
        "deviation": "0.005",
        "tolerance": "0.01",
        "verdict": "pass",
        "basis": "predicted",
        "fitted": "",
    }
    assert rows[1]["fitted"] == "nand.t_r"
    page = (tmp_path / "out" / "reproduce.html").read_text()
    assert "<svg" in page
    assert "A made-up paper" in page
    assert "http://" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )


def test_workers_and_repetition_change_no_byte(write: Write, tmp_path: Path) -> None:
    paper = load(write())
    for name, workers in (("a", 1), ("b", 3)):
        reproduce([paper], tmp_path / name, workers=workers)
    for file in ("results.csv", "reproduce.html", "nn2026-rates/table1.svg"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_two_papers_may_use_the_same_file_names(write: Write, tmp_path: Path) -> None:
    papers = [load(write("nn2026-rates")), load(write("nn2027-rates", rates="[100.0, 200.5, 150.0]"))]
    done = reproduce(papers, tmp_path / "out", workers=1)
    assert [row.simulated for row in done.rows if row.case == "two"] == [199.0, 200.5]


def test_the_interval_must_lie_inside_the_tolerance(write: Write, tmp_path: Path) -> None:
    # 100.9 is within 1 % of 100, but 100.9 + 0.2 is not.
    done = reproduce([load(write(rates="[100.9, 200, 150]"))], tmp_path / "out", workers=1)
    assert [row.case for row in done.unexplained] == ["one"]


def test_a_claim_that_nothing_simulates_is_a_miss_in_full_form(write: Write, tmp_path: Path) -> None:
    paper = load(write(expected=EXPECTED + "table1,four,50,table 1,predicted,\n"))
    assert reproduce([paper], tmp_path / "quick", workers=1).unexplained == []
    (row,) = reproduce([paper], tmp_path / "full", full=True, workers=1).unexplained
    assert (row.case, row.simulated) == ("four", None)


def test_an_order_that_does_not_hold(write: Write, tmp_path: Path) -> None:
    done = reproduce([load(write(rates="[300, 200, 1]"))], tmp_path / "out", workers=1)
    assert [row.verdict for row in done.rows] == ["miss", "pass", "qualitative-miss"]


def test_an_explained_miss_stays_in_the_table(write: Write, tmp_path: Path) -> None:
    paper = load(write(paper=PAPER + EXPLAINED, rates="[100, 200, 140]"))
    done = reproduce([paper], tmp_path / "out", full=True, workers=1)
    assert done.unexplained == []
    missed: list[Row] = [row for row in done.rows if row.missed]
    assert [(row.case, row.verdict, row.explained) for row in missed] == [
        ("three", "miss", "Three is special")
    ]


def test_an_explanation_has_bounds(write: Write, tmp_path: Path) -> None:
    """A published number that is mistyped does not pass for the miss that the README explains."""
    mistyped = EXPECTED.replace("three,150", "three,1500")
    paper = load(write(paper=PAPER + EXPLAINED, expected=mistyped, rates="[100, 200, 140]"))
    (row,) = reproduce([paper], tmp_path / "out", full=True, workers=1).unexplained
    assert row.case == "three"


def test_an_explanation_without_bounds_is_refused(write: Write) -> None:
    folder = write(paper=PAPER + EXPLAINED.replace("deviation = [-0.1, 0.0]\n", ""))
    with pytest.raises(InputError, match=r"explained\.deviation is missing: expected two numbers"):
        load(folder)


def test_predicted_lines_are_counted_alone(write: Write, tmp_path: Path) -> None:
    shown = EXPECTED.replace("three,150,table 1,predicted", "three,,table 1,shown")
    done = reproduce(
        [load(write(expected=shown, rates="[90, 200, 1]"))], tmp_path / "out", full=True, workers=1
    )
    assert [row.verdict for row in done.rows] == ["miss", "pass", "shown", "qualitative-pass"]
    assert tally(done.rows) == (
        "predicted 0 of 1, fitted 1 of 1, by-construction 1 of 1,"
        " 1 shown without a published number; 0 misses explained, 1 not"
    )
    assert tally(done.rows) in (tmp_path / "out" / "reproduce.html").read_text()


def test_assumed_lines_are_counted_apart_and_their_misses_are_misses(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assumed = EXPECTED.replace("two,200,table 1,fitted,nand.t_r", "two,200,table 1,assumed,numbers.RATES")
    folder = write(expected=assumed)
    monkeypatch.setattr(shipped, "papers", lambda: folder.parent)
    asked = ["reproduce", "--out", str(tmp_path / "out"), "--workers", "1", "--force"]
    assert exit_code(asked) == 0
    assert "predicted 1 of 1, assumed 1 of 1, by-construction 1 of 1;" in capsys.readouterr().out
    (row,) = [row for row in results(tmp_path / "out") if row["basis"] == "assumed"]
    assert (row["case"], row["verdict"], row["fitted"]) == ("two", "pass", "numbers.RATES")

    (folder / "expected.csv").write_text(assumed.replace("two,200,", "two,250,"))
    assert exit_code(asked) == 1
    assert "assumed 0 of 1" in capsys.readouterr().out
    assert "0 misses explained, 1 not" in (tmp_path / "out" / "reproduce.html").read_text()


def test_the_experiments_behind_explanations_run_alone(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paper = PAPER + EXPLAINED.strip() + '\nexperiment = "table1: t*"\n'
    folder = write(paper=paper, rates="[100.5, 199.0, 145.0]")
    monkeypatch.setattr(shipped, "papers", lambda: folder.parent)
    asked = ["reproduce", "--causes", "--out", str(tmp_path / "out"), "--workers", "1"]
    assert exit_code(asked) == 0
    assert [row["case"] for row in results(tmp_path / "out")] == ["two", "three"]
    assert exit_code([*asked, "--record", "--force"]) == 2
    said = "--record: --causes runs parts of papers: expected it without --causes"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("experiment", ["table1", "table2: one", ": one"])
def test_an_experiment_is_a_case_of_the_paper(write: Write, experiment: str) -> None:
    folder = write(paper=PAPER + EXPLAINED.strip() + f'\nexperiment = "{experiment}"\n')
    with pytest.raises(
        InputError, match=rf"explained\.experiment = {experiment}: expected an exhibit and its"
    ):
        load(folder)


def test_a_range_instead_of_a_tolerance(write: Write, tmp_path: Path) -> None:
    ranged = PAPER.replace("tolerance = 0.01", "range = [0.5, 1.0]")
    done = reproduce([load(write(paper=ranged, rates="[60, 201, 1]"))], tmp_path / "out", workers=1)
    assert [row.verdict for row in done.rows if row.exhibit == "table1"] == ["pass", "miss"]


def test_a_line_that_is_shown_has_no_verdict(write: Write, tmp_path: Path) -> None:
    shown = EXPECTED.replace("two is,section 2,by-construction", ",section 2,shown")
    with pytest.raises(InputError, match="order, two is highest: judged: expected no verdict"):
        reproduce([load(write(expected=shown))], tmp_path / "out", workers=1)


def test_a_computed_number_is_no_published_one(write: Write, tmp_path: Path) -> None:
    """What the parts add up to may stand where nothing is published, and only by construction."""
    run = RUN.replace("ci95=0.2", "reference=100.0")
    with pytest.raises(InputError, match=r"one: reference = 100\.0: expected the published number alone"):
        reproduce([load(write(run=run))], tmp_path / "out", workers=1)
    blank = EXPECTED.replace("one,100,table 1,predicted", "one,,table 1,by-construction")
    blank = blank.replace("two,200,table 1,fitted,nand.t_r", "two,,table 1,by-construction,")
    done = reproduce([load(write("nn2027-sums", run=run, expected=blank))], tmp_path / "out", workers=1)
    assert [row.deviation for row in done.rows if row.exhibit == "table1"] == pytest.approx([0.005, 0.99])


def exit_code(arguments: list[str]) -> int | str | None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    return exit_.value.code


def test_a_claim_without_numbers_draws_what_was_measured(write: Write, tmp_path: Path) -> None:
    lines = RUN.replace("Concluded, Finding, Found", "Concluded, Finding, Found, Line").replace(
        'holds=highest == "two")',
        'holds=highest == "two", lines=(Line("ranks", ("a", "b"), (1.0, 2.0), "points"),))',
    )
    reproduce([load(write(run=lines))], tmp_path / "out", workers=1)
    drawn = (tmp_path / "out" / "nn2026-rates" / "order.svg").read_text()
    assert "ranks" in drawn
    reproduce([load(write("nn2026-plain"))], tmp_path / "plain", workers=1)
    assert not (tmp_path / "plain" / "nn2026-plain" / "order.svg").exists()


def test_the_command(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write()
    monkeypatch.setattr(shipped, "papers", lambda: folder.parent)
    out = str(tmp_path / "out")
    assert exit_code(["reproduce", "--quick", "--out", out, "--record", "--workers", "1"]) == 0
    assert "nn2026-rates: Rates" in capsys.readouterr().out
    with (folder / "ours.csv").open(newline="") as file:
        ours = list(csv.DictReader(file))
    assert [(row["case"], row["ci95"], row["form"]) for row in ours][:2] == [
        ("one", "0.2", "quick"),
        ("two", "0.2", "quick"),
    ]
    assert (folder / "table1.svg").is_file()

    (folder / "expected.csv").write_text(EXPECTED.replace("one,100,", "one,90,"))
    assert exit_code(["reproduce", "nn2026-rates", "--out", out, "--workers", "1", "--force"]) == 1


def test_an_unknown_paper(
    write: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write()
    monkeypatch.setattr(shipped, "papers", lambda: folder.parent)
    assert exit_code(["reproduce", "nn2026-rats"]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "nn2026-rats" in captured.err
    assert "did you mean nn2026-rates?" in captured.err


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("tolerance = 0.01", "", "exhibits.table1.tolerance is missing: expected a relative tolerance"),
        ("tolerance = 0.01", "tolerance = 7", "exhibits.table1.tolerance = 7: expected a relative tolerance"),
        ('kind = "qualitative"', 'kind = "vague"', "exhibits.order.kind = vague: expected quantitative or"),
        ('unit = "MB/s"', 'unti = "MB/s"', "exhibits.table1.unit is missing"),
        (
            'where = "Section 2"',
            'where = "Section 2"\nfigur = {}',
            "exhibits.order.figur: unknown key (did you mean",
        ),
        ('doi = ""', "doi = 5", "doi = 5: expected a text"),
        ('doi = ""', "doi = ", "expected a paper's description"),
        (
            "tolerance = 0.01",
            "tolerance = 0.01\nrange = [0.9, 1.1]",
            "exhibits.table1.tolerance = 0.01: expected none, as there is a range",
        ),
        ("tolerance = 0.01", "range = [1.1, 0.9]", "exhibits.table1.range = [1.1, 0.9]: expected the lesser"),
        (
            'y = "MB/s" }',
            'y_scale = "cubic" }',
            "exhibits.table1.figure.y_scale = cubic: expected linear or log",
        ),
        (
            'y = "MB/s" }',
            'y = "MB/s", band = 5 }',
            "exhibits.table1.figure.band = 5: expected two numbers with a decimal point",
        ),
    ],
)
def test_a_faulty_paper(write: Write, old: str, new: str, says: str) -> None:
    assert old in PAPER
    folder = write(paper=PAPER.replace(old, new))
    with pytest.raises(InputError) as error:
        load(folder)
    assert str(error.value).startswith(f"{folder / 'paper.toml'}: ")
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("table2,one,100,,predicted,", ":6: exhibit = table2: expected one of table1, order"),
        ("table1,one,100,,predicted,", ":6: table1, one: given twice"),
        ("table1,four,many,,predicted,", ":6: published = many: expected a number other than zero"),
        ("table1,four,0,,predicted,", ":6: published = 0: expected a number other than zero"),
        ("table1,four", ":6: 2 fields: expected 6"),
        (
            "table1,four,1,,guessed,",
            ":6: basis = guessed: expected one of predicted, fitted, assumed, by-construction",
        ),
        ("table1,four,1,,fitted,", ":6: fitted = : expected the parameter that was fitted"),
        ("table1,four,1,,assumed,", ":6: fitted = : expected the parameter whose value was assumed"),
        (
            "table1,four,1,,predicted,nand.t_r",
            ":6: fitted = nand.t_r: expected none, as the basis is predicted",
        ),
        ("table1,four,1,,shown,", ":6: published = 1: expected none, as the basis is shown"),
        ("table1,four,,,predicted,", ":6: published = : expected what was published"),
    ],
)
def test_faulty_numbers(write: Write, line: str, says: str) -> None:
    folder = write(expected=EXPECTED + line + "\n")
    with pytest.raises(InputError) as error:
        load(folder)
    assert str(error.value).startswith(f"{folder / 'expected.csv'}{says}")


def test_an_explanation_must_stand_in_the_readme(write: Write) -> None:
    folder = write(paper=PAPER + EXPLAINED.replace("Three is special", "Four is special"))
    with pytest.raises(InputError, match=r"explained\.heading = Four is special: expected a heading of"):
        load(folder)


def test_a_case_without_a_published_number(write: Write, tmp_path: Path) -> None:
    folder = write(expected=EXPECTED.replace("table1,two,200,table 1,fitted,nand.t_r\n", ""))
    with pytest.raises(InputError, match="table1, two: no published number"):
        reproduce([load(folder)], tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


def test_bad_input_inside_a_case_names_the_case(write: Write, tmp_path: Path) -> None:
    run = RUN.replace(
        'return Finding(case.parameters["rate"], ci95=0.2)',
        'from floatgate.errors import InputError; raise InputError("no such drive")',
    )
    with pytest.raises(InputError, match=r"^nn2026-rates: table1, (one|two): no such drive$"):
        reproduce([load(write(run=run))], tmp_path / "out", workers=2)
    assert not (tmp_path / "out").exists()


def test_a_stop_leaves_nothing_behind(write: Write, tmp_path: Path) -> None:
    done = reproduce([load(write())], tmp_path / "out", workers=1, stopped=lambda: True)
    assert done.interrupted
    assert not (tmp_path / "out").exists()


def test_the_papers_that_come_with_floatgate_are_whole() -> None:
    for paper in find([], shipped.papers()):
        assert (paper.folder / "README.md").is_file()
        for full in (False, True):
            cases = paper.cases(full)
            assert cases
            assert {case.exhibit for case in cases} <= paper.exhibits.keys()


LONG = """
from floatgate.reproduce import Case, Finding, simulate

def cases(full):
    yield Case("table1", "one", cost=9)
    yield Case("table1", "two")

def run(case, full):
    if case.name == "two":
        print("begun", flush=True)
        simulate(DRIVE, "[job]\\nrw=randwrite\\nbs=4k\\ntime_based=1\\nruntime=1d\\n")
    return Finding(100.0)
"""

INTERRUPTED = """
import sys
from pathlib import Path
from floatgate.files import shipped
from floatgate.shell import main
from floatgate.shell.bar import Bar

show = Bar.show

def told(bar, **changed):
    show(bar, **changed)
    if not changed["count"].startswith("0/") and not told.once:
        told.once = True
        print("finished", flush=True)

told.once = False
Bar.show = told

if __name__ == "__main__":
    shipped.papers = lambda: Path({papers!r})
    main(["reproduce", "--out", {out!r}, "--workers", "2"])
"""


def test_ctrl_c_ends_the_simulations(write: Write, tmp_path: Path) -> None:
    drive = Path(__file__).parents[1] / "drives" / "tiny.toml"
    folder = write(run=LONG.replace("DRIVE", repr(str(drive))))
    script = tmp_path / "script.py"
    out = tmp_path / "out"
    script.write_text(INTERRUPTED.format(papers=str(folder.parent), out=str(out)))
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background may ignore Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        # The two cases run side by side: one has ended and two has begun, in either order.
        assert {process.stdout.readline() for _ in range(2)} == {"begun\n", "finished\n"}
        process.send_signal(signal.SIGINT)
        shown, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "one" in shown
    assert "two" not in shown
    assert said.strip().endswith("interrupted: nothing was written; the cases above were completed")
    assert not out.exists()


@pytest.mark.parametrize(("places_of_x", "names"), [((5000.0, 5000.0), ["a", "b"]), ((0.0, 5000.0), None)])
def test_numbers_over_one_place_stand_by_their_names(
    places_of_x: tuple[float, float], names: list[str] | None
) -> None:
    exhibit = load(shipped.papers() / "cells2021-rber").exhibits["layers"]
    rows = [
        Row("p", exhibit.key, case, 2.0, 2.1, "1", 0.05, 0.1, "pass", "predicted", x=x)
        for case, x in zip("ab", places_of_x, strict=True)
    ]
    drawn = figure(exhibit, rows)
    assert drawn is not None
    ticks = drawn.panels[0].y.ticks
    assert (None if ticks is None else list(ticks.values())) == names
