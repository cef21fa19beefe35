"""Run the comparison: `make bench PEERS="mqsim=/path/to/MQSim simplessd=... flashsim=..."`.

    PYTHONPATH=benches python -m peers [NAME=BINARY]... [--only CASE] [--rounds 5] [--save NAME] [--docs]
    PYTHONPATH=benches python -m peers --kept NAME [--kept NAME]... [--docs]

`--only` may be given several times; `--save` keeps table and numbers in `benches/runs/NAME`, which must not
exist yet; `--docs` writes the short table into `docs/index.md`. `--kept` measures nothing: it shows what runs
with these names kept, together.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import floatgate
from peers import kept, measure, table
from peers.cases import CASES, OURS, Case

ROOT = Path(__file__).parents[2]
PEERS = tuple(name for name in measure.SIMULATORS if name != OURS)


class Refused(Exception):
    """What is wrong with the command line, in one line."""


def unknown(what: str, found: str, names: Sequence[str]) -> Refused:
    """Return the error for a name that is none of `names`."""
    near = get_close_matches(found, names, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return Refused(f"{what}: {found!r}: expected one of {', '.join(names)}{hint}")


def binaries(words: Sequence[str]) -> dict[str, str]:
    """Return each simulator's program, from words such as mqsim=/path."""
    found = {OURS: ""}
    for word in words:
        name, equals, path = word.partition("=")
        if name not in PEERS:
            raise unknown("PEERS", name, PEERS)
        if not equals or not path:
            raise Refused(f"PEERS: {word!r}: expected {name}=/path/to/its/program")
        file = Path(path).expanduser().resolve()
        if not file.is_file():
            what = "a folder" if file.is_dir() else "nothing"
            raise Refused(f"PEERS: {name}={path}: expected a program, found {what}")
        if not os.access(file, os.X_OK):
            raise Refused(f"PEERS: {name}={path}: expected a program, found a file that may not be executed")
        found[name] = str(file)
    if len(found) == 1:
        raise Refused(f"PEERS: nothing named: expected NAME=/path for some of {', '.join(PEERS)}")
    return found


def chosen(names: Sequence[str] | None) -> list[Case]:
    """Return the cases with these names, or all."""
    known = {case.name: case for case in CASES}
    for name in names or ():
        if name not in known:
            raise unknown("--only", name, list(known))
    return [case for case in CASES if not names or case.name in names]


def traces() -> Path:
    """Return the folder of traces."""
    return Path(os.environ.get("FLOATGATE_TRACES") or ROOT / ".." / "shared" / "traces").resolve()


def say(line: str) -> None:
    """Print to where progress goes."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def compare(asked: argparse.Namespace) -> list[measure.Line]:
    """Measure all that was asked for."""
    programs, lines = binaries(asked.peers), []
    for case in chosen(asked.only):
        missing = [name for name in case.needs if not (traces() / name).is_file()]
        if missing:
            say(f"{case.title}: left out, no {traces() / missing[0]}")
            continue
        say(f"{case.title} ...")
        try:
            lines += measure.measure(case, programs, traces(), asked.rounds)
        except measure.Failed as error:
            say(f"left out: {error}")
    return lines


def known_runs(names: Sequence[str]) -> list[Path]:
    """Return the folders of kept runs."""
    runs = ROOT / "benches" / "runs"
    known = sorted(
        path.parent.name for path in runs.glob("*/raw.csv") if path.read_text().startswith("case,sim")
    )
    for name in names:
        if name not in known:
            raise unknown("--kept", name, known)
    return [runs / name for name in names]


def save(folder: Path, lines: Sequence[measure.Line], report: str) -> None:
    """Keep the table and the numbers."""
    folder.mkdir(parents=True)
    (folder / "summary.md").write_text(report)
    (folder / "raw.csv").write_text(table.csv(lines))


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    made = argparse.ArgumentParser(prog="python -m peers", description=(__doc__ or "").splitlines()[0])
    made.add_argument("peers", nargs="*", metavar="NAME=BINARY")
    made.add_argument("--only", action="append", metavar="CASE")
    made.add_argument("--rounds", type=int, default=5)
    made.add_argument("--save", metavar="NAME")
    made.add_argument("--docs", action="store_true")
    made.add_argument("--kept", action="append", metavar="NAME")
    return made


def main(words: Sequence[str] | None = None) -> int:
    """Run it; return the exit code."""
    asked = parser().parse_args(words)
    folder = ROOT / "benches" / "runs" / asked.save if asked.save else None
    try:
        if asked.rounds < 1:
            raise Refused(f"--rounds: {asked.rounds}: expected 1 or more")
        if folder is not None and folder.exists():
            raise Refused(f"--save: {asked.save}: expected a new name, as runs are never edited")
        lines = kept.read(known_runs(asked.kept)) if asked.kept else compare(asked)
    except Refused as error:
        say(str(error))
        return 2
    if not lines:
        say("nothing was measured")
        return 1
    report = table.report(lines, floatgate.__version__)
    sys.stdout.write(report)
    if folder is not None:
        save(folder, lines, report)
    if asked.docs:
        page = ROOT / "docs" / "index.md"
        page.write_text(table.into_docs(page.read_text(), lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
