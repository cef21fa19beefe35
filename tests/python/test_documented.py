"""What the documents say one can type, can be typed."""

import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.main import get_command

import floatgate as fg
from floatgate.cli import app

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("papers/*/README.md")])
ENDS = ("|", ";", "&&", ">", "#", "done")  # of a command within a line of shell


def _blocks(text: str) -> Iterator[str]:
    """The lines of code blocks, fenced or indented, with continued lines joined."""
    fenced = False
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line.strip()


def _commands() -> Iterator[tuple[str, str]]:
    for document in DOCUMENTS:
        for line in _blocks(document.read_text(encoding="utf-8")):
            for match in re.finditer(r"(?:^|(?<!import)\s|;|\$ )(?:\.venv/bin/)?floatgate (\S.*)", line):
                yield str(document.relative_to(ROOT)), match[1]


def _words(text: str) -> list[str]:
    """The words of the command, as a shell sees them, without what a synopsis calls optional."""
    words = []
    for word in shlex.split(re.sub(r"\[[^\]]*\](\.\.\.)?", "", text), comments=True):
        if word in ENDS:
            break
        words.append(word.rstrip(";"))
    return words


def test_there_are_many() -> None:
    assert len(list(_commands())) > 50


@pytest.mark.parametrize(("document", "text"), list(_commands()))
def test_a_documented_command_is_known(document: str, text: str) -> None:
    """Its words are parsed as the command parses them, options and their values included; nothing runs."""
    command, words = get_command(app), _words(text)
    if not words:
        return
    context = typer.Context(command, info_name="floatgate")
    while isinstance(command, typer.core.TyperGroup) and words:
        found = command.get_command(context, words[0])
        assert found is not None, f"{document}: floatgate {text}: no command {words[0]}"
        command, words = found, words[1:]
    if "..." in words:
        words = words[: words.index("...")]
    command.make_context(command.name, [word for word in words if word], parent=context)


def _python_blocks() -> list[tuple[str, str]]:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = [("README.md", block) for block in re.findall(r"```python\n(.*?)```", readme, re.DOTALL)]
    first = re.findall(r"((?:^    .*\n|^\n)+)", str(fg.__doc__), re.MULTILINE)
    return [*blocks, ("floatgate", inspect.cleandoc(next(block for block in first if block.strip())))]


@pytest.mark.parametrize(("document", "text"), _python_blocks())
def test_documented_python_runs_as_it_stands(
    document: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile(text, document, "exec"), {})
