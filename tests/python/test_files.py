"""Every file that Python reads comes through one door: whatever lies there, one line and exit code 2."""

import csv
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import in_process, made_up_run
from floatgate import files
from floatgate.errors import InputError
from floatgate.inputs.mqsim import drive as mqsim_drive
from floatgate.lab.log import write_log

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "floatgate"
PLAN = ROOT / "examples" / "plan"
NEEDS, PRICES = PLAN / "tpc-c-2007.toml", PLAN / "gray2007-prices.toml"

# The command that reads a file, by the file's name.
READERS = {
    "prices.toml": f"plan {NEEDS} {{file}}",
    "needs.toml": f"plan {{file}} {PRICES}",
    "profile.xml": "run tlc {file}",
    "profile.diskspd": "run tlc {file}",
    "ssdconfig.xml": "run {file} random-write",
    "columns.txt": "trace info t.csv --columns @{file}",
    "run.json": "run {file}",
    "result/run.json": "report {file}",
    "grid/grid.csv": "plan {needs} {grid_prices}",
    "measured/run.json": "plan {needs} {run_prices}",
    "log.csv": "fit {file}",
    "voltages.csv": "fit --voltages {file}",
    "s.state": "state info {file}",
    "load.state": "run tlc random-write --load-state {file}",
    "drive.toml": "run {file} random-write --limit-requests 1",
    "disk.toml": "grid {file}",
    "trace.csv": "run tlc {file}",
    "job.fio": "run tlc {file}",
}
LAUGHS = "<!DOCTYPE x [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
CONTENTS: dict[str, bytes] = {
    "empty": b"",
    "no text": bytes(range(128, 256)) * 40,
    "UTF-16": "title = 1".encode("utf-16"),
    "zero bytes": b"a = 1\n\0\0\0",
    "brackets": b"[" * 100_000,
    "braces": b'{"a":' * 100_000,
    "dotted keys": b"a" + b".a" * 100_000 + b" = 1\n",
    "digits": b"a = " + b"9" * 100_000 + b"\n",
    "JSON digits": b'{"a": ' + b"9" * 100_000 + b"}",
    "JSON infinity": b'{"a": 1e999, "b": Infinity, "c": NaN}',
    "JSON infinity, nested": b'{"a": [{"b": -1e999}]}',
    "a bare number": b"5",
    "a key twice": b'{"config": {}, "config": {}}',
    "a list": b"[1, 2]",
    "quotes": b'"' * 100_001,
    "commas": b"," * 300_000,
    "a long field": b"a,b\n" + b"x" * 200_000 + b",1\n",
    "laughs": f"{LAUGHS}]><x>&i;</x>".encode(),
    "an outer entity": b'<!DOCTYPE x [<!ENTITY e SYSTEM "/etc/passwd">]><x>&e;</x>',
    "deep XML": b"<a>" * 50_000,
    "escapes": b"\x1b[2J\x1b]0;owned\x07 = 1\n",
}


def _folder(path: Path) -> None:
    path.mkdir()


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)  # takes no room


KINDS: dict[str, Callable[[Path], None]] = {
    "nothing": lambda _path: None,
    "folder": _folder,
    "pipe": os.mkfifo,
    "device": _device,
    "a link to itself": _loop,
    "a terabyte": _huge,
    **{name: lambda path, content=content: path.write_bytes(content) for name, content in CONTENTS.items()},  # type: ignore[misc]
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder, and an end to a process that waits for ever."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("1,2,3\n")
    made_up_run(tmp_path / "result")
    for name in ("grid", "measured"):
        (tmp_path / name).mkdir()
        prices = re.sub(r"random_read = .*", f'random_read = "../{name}"', PRICES.read_text(), count=1)
        assert f'"../{name}"' in prices
        (tmp_path / "prices").mkdir(exist_ok=True)
        (tmp_path / "prices" / f"{name}.toml").write_text(prices)

    def late(*_: Any) -> None:
        raise TimeoutError("it waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    yield tmp_path
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


FINE = {("job.fio", "a list")}  # it is the name of a job


@pytest.mark.parametrize("name", READERS)
def test_whatever_lies_there_is_one_line(name: str, place: Path) -> None:
    wrong = []
    for kind, make in KINDS.items():
        if (name, kind) in FINE:
            continue
        path = place / name
        if os.path.lexists(path):
            path.unlink()
        make(path)
        words = READERS[name].format(
            file=path.relative_to(place),
            needs=NEEDS,
            grid_prices="prices/grid.toml",
            run_prices="prices/measured.toml",
        )
        signal.alarm(60)
        ended = in_process(*words.split())
        signal.alarm(0)
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        line = ended.err.splitlines()[-1] if ended.err else ""
        if ended.code != 2 or not line.startswith("floatgate: error: ") or len(line) > 2_100 or ended.out:
            wrong.append(f"{words} on {kind}: {ended.code}: {ended.err[-300:]!r}")
        elif "\x1b" in ended.err or "Traceback" in ended.err:
            wrong.append(f"{words} on {kind}: {ended.err[-300:]!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "words", ["run {} random-write", "report {}", "plan {} x", "fit {}", "state info {}"]
)
def test_an_over_long_path_is_one_line(words: str, place: Path) -> None:
    for path in ("x" * 5_000, "a/" * 3_000 + "x.toml", "x" * 300 + ".xml"):
        ended = in_process(*words.format(path).split())
        assert ended.code == 2, ended.err
        assert ended.err.count("\n") == 1


def test_a_path_that_is_no_text_is_one_line(place: Path) -> None:
    for words in ("run \udcff random-write", "run tlc x\udcff.csv", "plan \udcfe.toml x", "report \udcff"):
        ended = in_process(*words.split())
        assert ended.code == 2, ended.err
        assert "not UTF-8" in ended.err
    with pytest.raises(InputError, match=r"not UTF-8|no such file"):
        files.read_text("\udcff", "a file")


@pytest.mark.parametrize("words", [["drives"], ["run", "tlc", "random-write", "--limit-requests", "5"]])
def test_a_full_output_is_one_line(words: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "floatgate", *words]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "floatgate: error: no space left on device"
    assert "Traceback" not in done.stderr
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=full, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_closed_output_changes_nothing_else(closed: str, tmp_path: Path) -> None:
    words = "-m floatgate run tlc random-write --limit-requests 5 --no-report --out o"
    done = subprocess.run(
        f"{sys.executable} {words} {closed}",
        shell=True,
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "o" / "run.json").read_text().startswith("{")


def test_a_formula_is_text_in_every_table(place: Path) -> None:
    formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]
    files.write_rows(place / "x.csv", ["=head", "b"], [[text, 1] for text in formulas])
    with (place / "x.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["'=head", "b"]
    assert [row[0] for row in rows[1:]] == [f"'{text}".replace("\r", " ") for text in formulas]
    files.write_rows(place / "y.csv", ["a", "b"], [[-1.5, files.ten_digits(-2.0)], [None, "harmless"]])
    assert (place / "y.csv").read_text() == "a,b\n-1.5,-2\n,harmless\n"
    write_log(place / "log.csv", {"chip": "a\n=1+1"}, ())
    assert "\n=" not in (place / "log.csv").read_text()


def test_a_price_list_cannot_write_a_formula(place: Path) -> None:
    name = re.search(r'name = "(.*)"', PRICES.read_text())
    assert name is not None
    (place / "p.toml").write_text(PRICES.read_text().replace(name[0], "name = \"=HYPERLINK('http://x')\""))
    assert in_process("plan", str(NEEDS), "p.toml", "--out", "o").code in (0, 1)
    table = (place / "o" / "plan.csv").read_text()
    assert "'=HYPERLINK" in table
    assert "\n=" not in table


def test_a_marker_cannot_name_what_is_not_in_its_folder(place: Path) -> None:
    (place / "thesis").write_text("ten years of work")
    (place / "o").mkdir()
    (place / "o" / ".floatgate.json").write_text('{"files": ["../thesis"]}')
    ended = in_process("run", "tlc", "random-write", "--limit-requests", "5", "--out", "o", "--force")
    assert ended.code == 2
    assert (place / "thesis").read_text() == "ten years of work"


def test_there_is_one_door() -> None:
    """Reading a file past it would be another door; what is named here reads only what we wrote or ship."""
    allowed = {
        "files/__init__.py": "the door",
        "files/caches.py": "what an earlier run kept",
        "inputs/examples.py": "files of the package",
        "results/folder.py": "looks for its own mark in the first bytes, and syncs",
        "results/marker.py": "locks its own file",
        "inputs/workload.py": "guesses from the first bytes what a file is",
        "files/temporary.py": "packs a run of its own",
        "generate/from_definitions.py": "the package's own first file",
        "grid/disk/model.py": "guesses from a small file what it is",
        "inputs/mqsim/scenario.py": "guesses from the first bytes what a file is",
        "report/draw.py": "a script of the plotting library",
        "report/html.py": "a file of the package",
        "inputs/mqsim/lines.py": "looks for what MQSim reads otherwise in a trace, which the core reads",
        "workers/script.py": "parses the script that runs",
        "own/check.py": "a run of its own",
        "own/new.py": "files of the package",
        "reproduce/page.py": "a drawing just made",
        "study/store.py": "locks its own files",
        "study/drive_files.py": "looks for its own mark",
        "workers/arriving.py": "a folder that a worker wrote",
        "workers/cluster.py": "sends inputs part by part",
        "workers/identity.py": "files of the package",
        "workers/inputs.py": "looks for what a job file includes, which the core reads",
        "lab/fit/measured.py": "hashes a table that was read",
        "values/toml_value.py": "takes one value of the core's apart",
        "shell/__init__.py": "the outputs",
        "commands/compare.py": "writes a table to the terminal",
    }
    pattern = re.compile(
        r"(?<!files)\.read_(text|bytes)\(|json\.load\(|tomllib\.|\.open\((\"r|encoding)|csv\.(reader|DictReader|writer)"
        r"|ElementTree|(?<![\w.])(?<!def )open\("
    )
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "data" not in path.relative_to(PACKAGE).parts and pattern.search(path.read_text(encoding="utf-8"))
    }
    assert found <= set(allowed), found - set(allowed)
    assert mqsim_drive.content.__module__ == "floatgate.inputs.mqsim.drive"


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + "0" * 400 + ".0"])
@pytest.mark.parametrize("around", ["{}", "[{}]", '{{"a": [1, {{"b": {}}}]}}'])
def test_a_number_beyond_all_bounds_is_named(number: str, around: str, place: Path) -> None:
    file = place / "x.json"
    file.write_text(around.format(number))
    with pytest.raises(InputError, match=f"a number beyond all bounds: {number[:40]}"):
        files.read_json(file, "a file")


def test_the_largest_numbers_are_numbers(place: Path) -> None:
    file = place / "x.json"
    file.write_text('{"a": [1.7976931348623157e308, "inf", true, -1e308]}')
    assert files.read_json(file, "a file") == {"a": [1.7976931348623157e308, "inf", True, -1e308]}
