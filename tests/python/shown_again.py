"""Writes what commands and Python print into the pages that show it, whole: a page is then cut by hand.

python tests/python/shown_again.py docs/tutorials/researcher.md
"""

import sys
import tempfile
from pathlib import Path

from documents import READERS, RUN, Block, PythonSession, blocks, environment_of, output_of, steps


def main(page: Path) -> None:
    """Run a page in a folder of its own, and write the output of its console and text blocks anew."""
    text = page.read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        command = folder / "bin" / "floatgate"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m floatgate "$@"\n')
        command.chmod(0o755)
        environment = environment_of(folder / "bin", PYTHONPATH=str(Path(__file__).parents[2] / "python"))
        (folder / "page").mkdir()
        for block, printed in reversed(list(_printed(page, folder / "page", environment))):
            end = next(n for n in range(block.line, len(text)) if text[n].strip() == "```")
            text[block.line : end] = printed
    page.write_text("\n".join(text) + "\n", encoding="utf-8")


def _printed(page: Path, folder: Path, environment: dict[str, str]) -> list[tuple[Block, list[str]]]:
    session, found, last = PythonSession(folder, environment), [], None
    for block in blocks(page):
        for rule in block.rules:
            if rule.kind == "needs":
                for name in rule.text.split():
                    READERS[name](folder)
        if block.title:
            (folder / block.title).write_text(block.text + "\n", encoding="utf-8")
        elif block.language == "python":
            last = session.run(block.text)
        elif block.language == "text" and block.follows and last is not None:
            found.append((block, _lines(last)))
            last = None
        elif block.language in RUN:
            lines = []
            for step in steps(block):
                is_left = any(
                    rule.kind == "not run" and step.text.startswith(rule.prefix) for rule in block.rules
                )
                output = [] if is_left else _lines(output_of(block, step.text, folder, environment))
                lines += [f"$ {step.text}", *(step.shown if is_left else output)]
            if block.language == "console":
                found.append((block, lines))
    session.close()
    return found


def _lines(output: str) -> list[str]:
    return [line.rstrip() for line in output.strip("\n").splitlines()]


if __name__ == "__main__":
    for each in sys.argv[1:]:
        main(Path(each).resolve())
