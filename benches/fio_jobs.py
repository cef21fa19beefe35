"""Which fio jobs run here, as a table in Markdown.

    python benches/fio_jobs.py NAME=FOLDER... [--env N=V]...

Takes job files and, from shell scripts, fio's command lines. Writes for each its name, the verdict, and why
it was refused. The table in docs/fio.md was made with it.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from floatgate import _core
from floatgate.errors import InputError
from floatgate.workload import Workload, resolve, variables_of

CAPACITY_BYTES = 480 * 10**9  # large enough for all of them
_NOT_JOBS = {".png", ".py", ".iolog", ".json", ".md", ".log", ".txt"}
_PLACE = re.compile(r"^.*?: (?=\S)")


def main() -> None:
    """Print a table for each folder, then the sums."""
    parser = argparse.ArgumentParser(description="Which fio jobs run here, as a table in Markdown.")
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    asked = parser.parse_args()
    variables = variables_of(tuple(asked.env))
    for folder in asked.folders:
        name, _, path = folder.partition("=")
        rows = list(_rows(Path(path), variables))
        accepted = sum(not why for _, why in rows)
        unknown = sum("no such option" in why for _, why in rows)
        lines = [f"### {name}: {accepted} of {len(rows)} accepted, {unknown} for no good reason", ""]
        lines += ["| job | verdict | why |", "|---|---|---|"]
        lines += [f"| `{job}` | {'refused' if why else 'accepted'} | {why} |" for job, why in rows]
        sys.stdout.write("\n".join([*lines, "", ""]))


def _rows(folder: Path, variables: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Each job's name, and why it is refused; nothing where it is not."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix in _NOT_JOBS:
            continue
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".sh":
            for number, command in enumerate(_commands(path), 1):
                yield f"{name} ({number})", _why(command, variables)
        else:
            yield name, _why(str(path), variables)


def _commands(path: Path) -> Iterator[str]:
    """Fio's command lines in a script, those with parameters of the script left out."""
    text = path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    for line in text.splitlines():
        words = re.sub(r"^\s*(sudo\s+)?", "", line)
        if words.startswith("fio ") and "$" not in words:
            yield words


def _why(source: str, variables: dict[str, str]) -> str:
    try:
        workload = resolve(source) if source.startswith("fio ") else Workload("fio", source)
        jobs = Path(source).read_text(encoding="utf-8") if Path(source).is_file() else ""
        used = {name: value for name, value in variables.items() if "${" + name + "}" in jobs}
        workload = Workload("fio", workload.source, text=workload.text, variables=tuple(used.items()))
        _core.fio_check(workload.to_json(), CAPACITY_BYTES)
    except (InputError, UnicodeDecodeError) as error:
        why = str(error).removeprefix(source)
        return _PLACE.sub("", why, count=1).replace("|", "\\|")
    return ""


if __name__ == "__main__":
    main()
