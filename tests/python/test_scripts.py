"""A user's script that asks for processes: each of these reads it again."""

import subprocess
import sys
from pathlib import Path

import pytest

TINY = str(Path(__file__).parents[1] / "drives" / "tiny.toml")
CALL = f"fg.repeat({TINY!r}, 'random-write', 2, limit_requests=50)"
GUARD = 'if __name__ == "__main__":'
BARE = f"import floatgate as fg\nprint('begun')\n{CALL}\nprint('done')\n"


def run(*words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python to its end."""
    return subprocess.run(
        [sys.executable, *words], input=given, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (BARE, 3),
        (f"import floatgate as fg\ndef main():\n    {CALL}\nmain()\n", 4),
        (f"import floatgate as fg\n{GUARD}\n    print('begun')\n{CALL}\n", 4),
        (f"import floatgate as fg, sys\nif __name__ != '__main__':\n    sys.exit()\n{CALL}\n", 4),
        (f"import floatgate as fg\nif fg:\n    {CALL}\n", 3),
    ],
    ids=["at the left", "in a function", "behind a guard", "behind an exit", "below another condition"],
)
def test_without_a_guard_one_line_says_what_to_add(script: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(script)
    done = run(str(path))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"{path}:{line}: ")
    assert GUARD in done.stderr
    assert done.stdout.count("begun") <= 1, "no process began it anew"


def test_a_script_from_standard_input_cannot_be_read_again() -> None:
    done = run("-", given=BARE)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "expected it in a file" in done.stderr


@pytest.mark.parametrize(
    "guard", [GUARD, "if '__main__' == __name__ and fg:", "if 1:\n  if __name__ == '__main__':"]
)
def test_a_guard_in_any_form_is_one(guard: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        f"import floatgate as fg\ndef main():\n    {CALL}\n    print('done')\n{guard}\n      main()\n"
    )
    done = run(str(path))
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_what_is_given_on_the_command_line_needs_none() -> None:
    done = run("-c", BARE)
    assert (done.returncode, done.stdout) == (0, "begun\ndone\n"), done.stderr


def test_an_error_that_is_caught_is_one_of_input(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        f"import floatgate as fg\ntry:\n    {CALL}\nexcept fg.InputError as error:\n    print(error)\n"
        "raise OSError('mine')\n"
    )
    done = run(str(path))
    assert done.stdout.startswith(f"{path}:3: ")
    assert "Traceback" in done.stderr
    assert "OSError: mine" in done.stderr, "other errors are shown as ever"
