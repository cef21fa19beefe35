"""Runs what the documents show: commands and Python, page by page, each page in a folder of its own.

A block between fences marked `sh`, `console` or `python` is run as it stands, in the order of the page;
the Python of a page is one session. In a `console` block lines behind `$` are run, and the other lines are
what they print, line by line, blanks apart; a `text` block right behind a `python` block is what that prints.
A line `...` stands for lines left out, and `...` within a line for the rest of its words: neither may hide a
line that says how far the numbers hold (`SAID`). Numbers that a machine makes, such as seconds of wall time,
are compared by `MACHINE`. A block with a title is a file: it is written. What cannot be run, or takes too
long as it stands, says so in a comment before its block:

    <!-- not run: REASON -->                     the whole block
    <!-- not run (floatgate reproduce): REASON -->  the commands that begin so
    <!-- smaller (floatgate grid): --depth 1 -->  the commands that begin so have these words appended
    <!-- smaller (seq): 900 -> 9 -->              the commands that begin so have one word in place of another
    <!-- needs: rig.csv -->                      a file that the reader has, from `READERS`
"""

import contextlib
import gzip
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RUN = ("sh", "console", "python")
LIMIT_S = 300  # of a command; a hang, not a measurement

_RULE = re.compile(r"<!-- (not run|smaller|needs)(?: \(([^)]*)\))?: (.*?) -->", re.DOTALL)


def pages() -> list[Path]:
    """Every document for users that shows commands."""
    of_docs = sorted((ROOT / "docs").rglob("*.md"))
    papers = sorted((ROOT / "papers").glob("*/README.md"))
    return [ROOT / "README.md", *of_docs, ROOT / "papers" / "README.md", *papers]


@dataclass(frozen=True)
class Rule:
    """What a comment before a block says of its commands."""

    kind: str
    prefix: str
    text: str


@dataclass
class Block:
    """One fenced block, with the comments right before it."""

    page: Path
    line: int
    language: str
    title: str
    text: str
    rules: list[Rule] = field(default_factory=list)
    follows: bool = False  # right behind another block, no words between them

    @property
    def place(self) -> str:
        """Where it is: `docs/how-to/grid.md:12`."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, whatever their language."""
    lines = page.read_text(encoding="utf-8").splitlines()
    rules: list[Rule] = []
    number, follows = 0, False
    while number < len(lines):
        line = lines[number]
        opened = re.match(r'( *)```(\w*)(?: title="([^"]+)")?', line)
        if opened:
            end = next(n for n in range(number + 1, len(lines)) if lines[n].strip() == "```")
            text = "\n".join(one.removeprefix(opened[1]) for one in lines[number + 1 : end])
            yield Block(page, number + 1, opened[2], opened[3] or "", text, rules, follows)
            rules, number, follows = [], end, True
        elif line.startswith("<!--"):
            end = next(n for n in range(number, len(lines)) if "-->" in lines[n])
            found = _RULE.search(" ".join(lines[number : end + 1]))
            rules += [Rule(found[1], found[2] or "", found[3])] if found else []
            number = end
        elif line.strip():
            rules, follows = [], False
        number += 1


@dataclass(frozen=True)
class Step:
    """One command of a block, with the output that the page shows behind it."""

    text: str
    shown: tuple[str, ...] = ()


def steps(block: Block) -> list[Step]:
    """The commands of a block of shell, each with its continuation lines; a Python block is one."""
    if block.language == "python":
        return [Step(block.text)]
    found: list[Step] = []
    for line in re.sub(r" *\\\n\s*", " ", block.text).splitlines():
        if block.language == "console" and not line.startswith("$ "):
            last = found.pop()
            found.append(Step(last.text, (*last.shown, line)))
        elif line.strip() and not line.startswith("#"):
            found.append(Step(line.removeprefix("$ ")))
    return found


@dataclass
class Tally:
    """What was run of a page, and what was not, with the page's reasons."""

    ran: int = 0
    smaller: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


class Wrong(AssertionError):
    """A page shows what is not so."""


def run_page(page: Path, folder: Path, environment: dict[str, str]) -> Tally:
    """Run a page in an empty folder. Raises Wrong."""
    tally, session = Tally(), PythonSession(folder, environment)
    with contextlib.closing(session):
        printed: str | None = None
        for block in blocks(page):
            if block.title:
                (folder / block.title).write_text(block.text + "\n", encoding="utf-8")
            elif block.language in RUN:
                printed = _run_block(block, folder, environment, tally, session.run)
            elif block.language == "text" and block.follows and printed is not None:
                _compare(block.place, block.text.splitlines(), printed)
                printed = None
    return tally


def _run_block(
    block: Block, folder: Path, environment: dict[str, str], tally: Tally, python: Callable[[str], str]
) -> str | None:
    """Run a block; return what its Python printed, None where none was run."""
    printed: str | None = None
    used: set[Rule] = set()
    for rule in block.rules:
        if rule.kind == "needs":
            used.add(rule)
            for name in rule.text.split():
                READERS[name](folder)
    for step in steps(block):
        text = step.text
        matching = [r for r in block.rules if r.kind != "needs" and text.startswith(r.prefix)]
        used |= set(matching)
        left = next((rule for rule in matching if rule.kind == "not run"), None)
        if left is not None:
            tally.left.append(f"{block.place}: {text.splitlines()[0]}: {left.text}")
            continue
        for rule in matching:
            text = _smaller(text, rule.text)
            tally.smaller.append(f"{block.place}: {text}")
            if step.shown:
                raise Wrong(f"{block.place}: {step.text}: made smaller, and its output is shown")
        if block.language == "python":
            printed = python(text)
        else:
            _compare(f"{block.place}: {step.text}", step.shown, output_of(block, text, folder, environment))
        tally.ran += 1
    unused = [rule for rule in block.rules if rule not in used]
    if unused:
        raise Wrong(
            f"{block.place}: {unused[0].kind} ({unused[0].prefix}): no command of the block begins so"
        )
    return printed


def _smaller(text: str, words: str) -> str:
    text = text.split(" #")[0].rstrip()
    longer, arrow, shorter = words.partition(" -> ")
    if arrow:
        assert longer in text, f"{text}: no {longer}"
        return text.replace(longer, shorter)
    return f"{text} {words}"


def output_of(block: Block, text: str, folder: Path, environment: dict[str, str]) -> str:
    """What a command prints, standard output and standard error as they come. Raises Wrong."""
    done = subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise Wrong(f"{block.place}: {text}: exit {done.returncode}: {done.stdout[-1500:]}")
    return done.stdout


#: What a page may not leave out: remarks, warnings, and words that take back a part of a number.
SAID = re.compile(
    r"^\s*(note|warning)\b|too short to say|not settled|cannot be told|POOR|not reached|\bmisse[sd]\b"
)
#: Parts of a line that no two machines share, and what takes their place on both sides.
MACHINE = (
    (re.compile(r"^(simulated\b.*?) in [\d.]+ s \(.*\)$"), r"\1 in TIME"),
    (re.compile(r"\b[\d.]+[kM]? (page operations/s|requests/s of wall time)"), r"N \1"),
    (re.compile(r"(?<![\w.])/[\w./+-]*/(?=[\w.-]+)"), "PATH/"),
)


def _compare(place: str, shown: Sequence[str], output: str) -> None:
    """Raise Wrong unless the lines shown are the lines printed; what `...` leaves out is looked at, too."""
    printed = [line for line in map(_plain, output.splitlines()) if line]
    wanted = [line for line in map(_plain, shown) if line]
    if not wanted:
        return
    at = 0
    gap = False
    for line in wanted:
        if line == "...":
            gap = True
            continue
        found = next((n for n in range(at, len(printed)) if _stands_for(line, printed[n])), None)
        if found is None or (found > at and not gap):
            said = f"it prints: {printed[at]}" if at < len(printed) else "nothing more is printed"
            raise Wrong(f"{place}: the page shows: {line}\n{said}\nthe output is:\n{output[-3000:]}")
        _nothing_hidden(place, printed[at:found])
        _nothing_cut(place, line, printed[found])
        at, gap = found + 1, False
    if at < len(printed) and not gap:
        raise Wrong(f"{place}: the page ends, and this is printed: {printed[at]}")
    _nothing_hidden(place, printed[at:])


def _stands_for(shown: str, printed: str) -> bool:
    if shown == printed:
        return True
    pattern = ".*".join(re.escape(part.strip()) for part in shown.split("..."))
    return "..." in shown and re.fullmatch(pattern, printed) is not None


def _nothing_hidden(place: str, lines: Sequence[str]) -> None:
    for line in lines:
        if SAID.search(line):
            raise Wrong(f"{place}: `...` hides: {line}")


def _nothing_cut(place: str, shown: str, printed: str) -> None:
    """A remark may be cut behind its first words; its words that take a number back may not."""
    for said in SAID.finditer(printed):
        if said[0] not in shown:
            raise Wrong(f"{place}: {shown}: `...` hides {said[0]!r} of: {printed}")


def _plain(line: str) -> str:
    line = " ".join(line.split())
    for pattern, same in MACHINE:
        line = pattern.sub(same, line)
    return line


class PythonSession:
    """One interpreter for the Python of a page, started with its first block."""

    # Reads blocks, each behind a line with its length; answers with a line: `ok` or an error, and the output.
    _LOOP = (
        "import sys, io, json, contextlib, traceback\n"
        "names = {'__name__': '__main__'}\n"
        "while head := sys.stdin.readline():\n"
        "    text, out = sys.stdin.read(int(head)), io.StringIO()\n"
        "    try:\n"
        "        with contextlib.redirect_stdout(out): exec(compile(text, 'page', 'exec'), names)\n"
        "        said = 'ok'\n"
        "    except BaseException: said = traceback.format_exc()\n"
        "    print(json.dumps([said, out.getvalue()]), flush=True)\n"
    )

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder, self._environment = folder, environment
        self._process: subprocess.Popen[str] | None = None

    def run(self, text: str) -> str:
        """Run a block and return what it prints. Raises Wrong."""
        if self._process is None:
            python = self._environment.get("FLOATGATE_PYTHON", sys.executable)
            self._process = subprocess.Popen(
                [python, "-c", self._LOOP],
                cwd=self._folder,
                env=self._environment,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{len(text)}\n{text}")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise Wrong(f"python:\n{text}\nthe interpreter ended")
        said, printed = json.loads(answer)
        if said != "ok":
            raise Wrong(f"python:\n{text}\n{said}")
        return str(printed)

    def close(self) -> None:
        """End the interpreter."""
        if self._process is not None:
            self._process.communicate()


def _text(name: str, text: str) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def _trace(folder: Path) -> None:
    first = 128166372003061629
    lines = (
        f"{first + 40_000 * n},hm,1,{'Read' if n % 3 else 'Write'},{8192 * (n * 37 % 99)},4096,413\n"
        for n in range(2000)
    )
    (folder / "trace.csv.gz").write_bytes(gzip.compress("".join(lines).encode(), mtime=0))


def _rig(step: int) -> Callable[[Path], Any]:
    cycles = [1, *range(step, 40 * step, step)] if step > 1 else range(1, 40)
    rows = "".join(f"0,0,program,{n},300,ok\n0,,erase,{n},1500,ok\n" for n in cycles)
    return _text("rig.csv", "block,page,operation,cycle,latency_us,status\n" + rows)


def _mqsim(folder: Path) -> None:
    import mqsim_files

    mqsim_files.write_drive(folder)
    mqsim_files.write_workload(folder, (mqsim_files.flow("synthetic"),))


# Files that a reader has and we have not.
READERS: dict[str, Callable[[Path], Any]] = {
    "trace.csv.gz": _trace,
    "rig.csv": _rig(1),
    "sampled-rig.csv": _rig(100),
    "ssdconfig.xml": _mqsim,
    "ycsb.csv": _text("ycsb.csv", "1,0,0,5,1,x\n2,0,1,6,1,x\n"),
    "job.fio": _text("job.fio", "[x]\nrw=randrw\nbs=4k\nsize=64k\nfilename=${DEV}\n"),
    "papers": lambda folder: (folder / "papers").symlink_to(ROOT / "papers"),
}


def environment_of(binaries: Path, **more: str) -> dict[str, str]:
    """The environment of a reader: with the command on the path, and nothing that a terminal adds."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "FLOATGATE"))}
    return (
        kept
        | {"PATH": f"{binaries}:{kept['PATH']}", "COLUMNS": "120", "TERM": "dumb", "PYTHONUNBUFFERED": "1"}
        | more
    )


def report(tallies: dict[str, Tally]) -> str:
    """Say what was run and what was not."""
    out = io.StringIO()
    ran, left = (sum(n) for n in zip(*((t.ran, len(t.left)) for t in tallies.values()), strict=True))
    print(f"{ran} commands and blocks run, {left} not run", file=out)
    for tally in tallies.values():
        for line in tally.left:
            print(f"  not run: {line}", file=out)
        for line in tally.smaller:
            print(f"  smaller: {line}", file=out)
    return out.getvalue()
