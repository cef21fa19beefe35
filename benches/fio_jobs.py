"""Which fio jobs run here, as a table in Markdown.

    python benches/fio_jobs.py NAME=FOLDER... [--env N=V]... [--beside-fio]

Takes job files and, from shell scripts, fio's command lines. Writes for each its name, the verdict, and why
it was refused. With --beside-fio, what is accepted is played beside the fio that is installed
(crates/host/examples/fio_beside.rs), and the last column says how alike the requests are. The table in
docs/reference/fio.md was made with it.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from floatgate import _core
from floatgate.errors import InputError
from floatgate.inputs.workload import Workload, resolve, variables_of

CAPACITY_BYTES = 960 * 10**9  # large enough for all of them
_NOT_JOBS = {".png", ".py", ".iolog", ".json", ".md", ".log", ".txt", ".sh"}
_PLACE = re.compile(r"^.*?: (?=\S)")


@dataclass
class _Row:
    """A job: why it is refused, or how alike fio's requests are."""

    name: str
    text: str
    refused: str
    beside: str = ""

    def line(self) -> str:
        return (
            f"| `{self.name}` | {'refused' if self.refused else 'accepted'} | {self.refused or self.beside} |"
        )


def main() -> None:
    """Print a table for each folder, then the sums."""
    parser = argparse.ArgumentParser(description="Which fio jobs run here, as a table in Markdown.")
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--beside-fio", action="store_true")
    asked = parser.parse_args()
    variables = variables_of(tuple(asked.env))
    for folder in asked.folders:
        name, _, path = folder.partition("=")
        rows = list(_rows(Path(path), variables))
        accepted = [row for row in rows if not row.refused]
        if asked.beside_fio:
            _beside(accepted, variables)
        unknown = sum("no such option" in row.refused for row in rows)
        lines = [f"### {name}: {len(accepted)} of {len(rows)} accepted, {unknown} for no good reason", ""]
        lines += ["| job | verdict | reason for refusal, or comparison with fio |", "|---|---|---|"]
        lines += [row.line() for row in rows]
        sys.stdout.write("\n".join([*lines, "", ""]))


def _rows(folder: Path, variables: dict[str, str]) -> Iterator[_Row]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".sh":
            for number, command in enumerate(_commands(path), 1):
                yield _row(f"{name} ({number})", command, variables)
        elif path.is_file() and path.suffix not in _NOT_JOBS:
            yield _row(name, str(path), variables)


def _commands(path: Path) -> Iterator[str]:
    """Fio's command lines in a script, those with parameters of the script left out."""
    text = path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    for line in text.splitlines():
        words = re.sub(r"^\s*(sudo\s+)?", "", line)
        if words.startswith("fio ") and "$" not in words:
            yield words


def _row(name: str, source: str, variables: dict[str, str]) -> _Row:
    text = ""
    try:
        workload = resolve(source) if source.startswith("fio ") else Workload("fio", source)
        text = workload.text or Path(source).read_text(encoding="utf-8")
        used = {name: value for name, value in variables.items() if "${" + name + "}" in text}
        workload = Workload("fio", workload.source, text=workload.text, variables=tuple(used.items()))
        _core.fio_check(workload.to_json(), CAPACITY_BYTES)
    except (InputError, UnicodeDecodeError) as error:
        why = _PLACE.sub("", str(error).removeprefix(source), count=1)
        return _Row(name, text, why.replace("|", "\\|"))
    return _Row(name, text, "")


def _beside(rows: list[_Row], variables: dict[str, str]) -> None:
    """Play the jobs beside fio, all in one call."""
    command = ["cargo", "run", "--quiet", "--profile", "quick", "-p", "host", "--example", "fio_beside", "--"]
    for name, value in variables.items():
        command += ["--env", f"{name}={value}"]
    with tempfile.TemporaryDirectory() as folder:
        for number, row in enumerate(rows):
            path = Path(folder, f"{number}.fio")
            path.write_text(row.text, encoding="utf-8")
            command.append(str(path))
        # The list is ours, and no shell reads it.
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    for row, line in zip(rows, done.stdout.splitlines(), strict=True):
        row.beside = line.partition(": ")[2].replace("|", "\\|")


if __name__ == "__main__":
    main()
