"""Text goes to files without Rich, and as Rich would write it."""

import io
import random
import subprocess
import sys
from typing import Any

import pytest
from rich.console import Console

from floatgate.shell.shown import Stream, Table

LETTERS = "ab \u00b5\u00b1"


def by_rich(what: Any, **how: Any) -> str:
    file = io.StringIO()
    Console(file=file, highlight=False, markup=False, soft_wrap=True, width=160).print(what, **how)
    return file.getvalue()


def table(chance: random.Random) -> Table:
    def text() -> str:
        odd = chance.random() < 0.01
        found = "".join(chance.choices(LETTERS + ":[]\n\u3042" * odd, k=chance.randrange(1, 20)))
        return found if odd else found.strip() or "x"

    many = chance.randrange(0, 9)
    made = Table(text(), [text() for _ in range(many)], is_folded=chance.random() < 0.5)
    for _ in range(chance.randrange(0, 5)):
        made.add_row(*(text() for _ in range(chance.randrange(1, many + 2))), style="dim")
    return made


def test_a_table_is_what_rich_makes_of_it() -> None:
    chance = random.Random(1)
    tables = [table(chance) for _ in range(400)]
    plain = [(one.plain(), by_rich(one)) for one in tables]
    assert all(shown == expected for shown, expected in plain if shown is not None)
    assert sum(shown is not None for shown, _ in plain) > 100


@pytest.mark.parametrize(
    "text",
    ["", "one", "two\nlines", "a [bold] word", "half a \u00b5s", ":smile: is a picture", "a: b: c", "\ttab"],
)
def test_a_text_is_what_rich_makes_of_it(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Stream("stdout", width=160).print(text, style="bold")
    assert capsys.readouterr().out == by_rich(text)


@pytest.mark.parametrize("words", [["run", "tlc", "random-read", "--limit-requests", "10"], ["drives"]])
def test_a_file_gets_its_text_without_rich(words: list[str], tmp_path: Any) -> None:
    words = [*words, "--no-report", "--out", str(tmp_path / "run")] if words[0] == "run" else words
    code = f"import sys\nfrom floatgate.shell import main\ntry: main({words!r})\nexcept SystemExit: pass\n"
    code += "sys.exit('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert (done.returncode, done.stderr.count(b"Traceback")) == (0, 0)
