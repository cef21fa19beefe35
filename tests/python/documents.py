"""Runs what the documents show: commands and Python, page by page, each page in a folder of its own.

A block between fences marked `sh`, `console` or `python` is run as it stands, in the order of the page;
the Python of a page is one session. In a `console` block lines behind `$` are run, and the other lines must
be in the output, in order; `...` stands for anything. A block with a title is a file: it is written. What
cannot be run, or takes too long as it stands, says so in a comment before its block:

    <!-- not run: REASON -->                     the whole block
    <!-- not run (floatgate reproduce): REASON -->  the commands that begin so
    <!-- smaller (floatgate grid): --depth 1 -->  the commands that begin so have these words appended
    <!-- needs: rig.csv -->                      a file that the reader has, from `READERS`
"""

import contextlib
import gzip
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
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

    @property
    def place(self) -> str:
        """Where it is: `docs/how-to/grid.md:12`."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, whatever their language."""
    lines = page.read_text(encoding="utf-8").splitlines()
    rules: list[Rule] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        opened = re.match(r'( *)```(\w*)(?: title="([^"]+)")?', line)
        if opened:
            end = next(n for n in range(number + 1, len(lines)) if lines[n].strip() == "```")
            text = "\n".join(one.removeprefix(opened[1]) for one in lines[number + 1 : end])
            yield Block(page, number + 1, opened[2], opened[3] or "", text, rules)
            rules, number = [], end
        elif line.startswith("<!--"):
            end = next(n for n in range(number, len(lines)) if "-->" in lines[n])
            found = _RULE.search(" ".join(lines[number : end + 1]))
            rules += [Rule(found[1], found[2] or "", found[3])] if found else []
            number = end
        elif line.strip():
            rules = []
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
        for block in blocks(page):
            if block.title:
                (folder / block.title).write_text(block.text + "\n", encoding="utf-8")
            elif block.language in RUN:
                _run_block(block, folder, environment, tally, session.run)
    return tally


def _run_block(
    block: Block, folder: Path, environment: dict[str, str], tally: Tally, python: Callable[[str], str]
) -> None:
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
            text = f"{text.split(' #')[0].rstrip()} {rule.text}"
            tally.smaller.append(f"{block.place}: {text}")
        if block.language == "python":
            python(text)
        else:
            _compare(block, step, _shell(block, text, folder, environment))
        tally.ran += 1
    unused = [rule for rule in block.rules if rule not in used]
    if unused:
        raise Wrong(
            f"{block.place}: {unused[0].kind} ({unused[0].prefix}): no command of the block begins so"
        )


def _shell(block: Block, text: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise Wrong(
            f"{block.place}: {text}: exit {done.returncode}: {done.stderr[-1000:]}{done.stdout[-500:]}"
        )
    return done.stdout + done.stderr


def _compare(block: Block, step: Step, output: str) -> None:
    """Raise Wrong where a shown line is not in the output behind the one before it."""
    rest = [_plain(line) for line in output.splitlines()]
    for shown in step.shown:
        wanted = _plain(shown)
        if wanted in ("", "..."):
            continue
        pattern = re.compile(".*".join(re.escape(part.strip()) for part in wanted.split("...")))
        at = next((n for n, line in enumerate(rest) if pattern.fullmatch(line)), None)
        if at is None:
            raise Wrong(
                f"{block.place}: {step.text}: the page shows: {shown}\nthe output is:\n{output[-3000:]}"
            )
        rest = rest[at + 1 :]


def _plain(line: str) -> str:
    return " ".join(line.split())


class PythonSession:
    """One interpreter for the Python of a page, started with its first block."""

    # Reads blocks, each behind a line with its length; answers with a line, `ok` or what went wrong.
    _LOOP = (
        "import sys, io, contextlib, traceback\n"
        "names = {'__name__': '__main__'}\n"
        "while head := sys.stdin.readline():\n"
        "    text, out = sys.stdin.read(int(head)), io.StringIO()\n"
        "    try:\n"
        "        with contextlib.redirect_stdout(out): exec(compile(text, 'page', 'exec'), names)\n"
        "        said = 'ok'\n"
        "    except BaseException: said = repr(traceback.format_exc())\n"
        "    print(said, flush=True)\n"
    )

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder, self._environment = folder, environment
        self._process: subprocess.Popen[str] | None = None

    def run(self, text: str) -> str:
        """Run a block. Raises Wrong."""
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
        said = self._process.stdout.readline().strip()
        if said != "ok":
            raise Wrong(f"python:\n{text}\n{said}")
        return said

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
    return kept | {"PATH": f"{binaries}:{kept['PATH']}", "COLUMNS": "120", "TERM": "dumb"} | more


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
