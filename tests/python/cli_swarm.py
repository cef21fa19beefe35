"""A swarm through the command line: random commands, some of them killed, some without room on the disk.

However a command is disturbed, it ends with a code that it may have, says at most one line of error, and
leaves what lay beside its output as it was: a run folder is whole or not there, a killed run is cleared away
by the next one, and a run that was there before is still there, or was replaced by a whole one.
"""

import contextlib
import json
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "drives" / "tiny.toml")
PLAN = ROOT / "examples" / "plan"

KILLS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
ENDS = {0, 2, 130, 143, -signal.SIGTERM, -signal.SIGKILL}
THESIS = "all that I know\n"

JOBS = (
    "[job]\nrw=randrw\nbs=4k\nsize=1m\n",
    "[a]\nrw=randwrite\nbs=8k\nsize=512k\nnumber_ios=200\n[b]\nstonewall\nrw=read\nbs=16k\nsize=512k\n",
    "[open]\nrw=write\nbs=4k\nsize=1m\nrate_iops=2000\nnumjobs=2\n",
)
TRACES = (
    "".join(
        f"{128166372003061629 + 1000 * n},h,1,{'Write' if n % 3 else 'Read'},{4096 * (n * 7 % 200)},4096,9\n"
        for n in range(400)
    ),
    "0,0,4096,W,0.0\n0,8192,4096,R,0.1\n0,4096,512,w,0.2\n",
    "no trace at all\n",
)


@dataclass(frozen=True)
class Case:
    """What the swarm types, and what befalls it."""

    seed: int
    command: tuple[str, ...]
    """The words after `floatgate`."""
    out: str
    """What `--out` names in the folder where it runs; empty: nothing."""
    there_before: bool
    """A run, or a state, lies where this one is to go."""
    kill: signal.Signals | None
    after_s: float
    """How long after its start, unless it has ended by itself."""
    room: int | None
    """The largest file that may be written: a full disk."""

    def __str__(self) -> str:
        befalls = f", {self.kill.name} after {self.after_s:.3f} s" if self.kill else ""
        befalls += f", files up to {self.room} bytes" if self.room is not None else ""
        return f"swarm seed {self.seed}: floatgate {' '.join(self.command)}{befalls}"


def deal(seed: int) -> Case:
    """The case of a seed. Command and trouble are drawn apart, so that every pair of them comes."""
    draw = random.Random(seed)
    kind = draw.choices(list(KINDS), weights=[weight for weight, _ in KINDS.values()])[0]
    command, out = KINDS[kind][1](draw)
    there_before = bool(out) and draw.random() < 0.4
    if there_before and draw.random() < 0.6:
        command = [*command, "--force"]
    trouble = draw.choices(("none", "kill", "room"), weights=(3, 5, 2))[0]
    return Case(
        seed=seed,
        command=tuple(command),
        out=out,
        there_before=there_before,
        kill=draw.choice(KILLS) if trouble == "kill" else None,
        after_s=draw.choice((0.02, 0.3, 0.5, 1.0)) * draw.random() + draw.choice((0.0, 0.3)),
        room=draw.choice((0, 100, 4096, 40_000, 400_000)) if trouble == "room" else None,
    )


def _run(draw: random.Random) -> tuple[list[str], str]:
    out = draw.choice(("o", "o", "deep/er/o"))
    words = [
        "run",
        draw.choice((TINY, TINY, TINY, TINY, "no-such-drive")),
        draw.choice(_WORKLOADS),
        "--out",
        out,
    ]
    for chance, more in _RUN_OPTIONS:
        if draw.random() < chance:
            words += more(draw)
    return words, out


_WORKLOADS = (
    "job0.fio",
    "job1.fio",
    "job2.fio",
    "trace0.csv",
    "trace1.csv",
    "trace2.csv",
    "random-write",
    "sequential-read",
    "fio --name=x --rw=randwrite --bs=4k --size=256k",
    "missing.fio",
)

_Options = Callable[[random.Random], list[str]]

_SETTINGS = (
    "ftl.gc.victim.name=d-choices",
    "ftl.gc.trigger.background=false",
    "ftl.streams.name=mixed",
    "ftl.wear.name=static",
    "ftl.op_ratio=0.4",
    "ftl.op_ratio=0",
    "ftl.mapping.name=dftl",
    "nand.blocks_per_plane=4294967295",
    "nand.blocks_per_plane=100",
    "ftl.gc.victim.nam=greedy",
    "bus.cycles_read=0",
    "ftl.snapshots.every=1ns",
    "nand.t_r=0s",
    "ftl.snapshots.at=[]",
    'ftl.snapshots.at=["2us", "1us"]',
    'ftl.snapshots.at=["1us", "1us"]',
    'power.cut.at=["1ms", "-1ms"]',
    "power.cut.after=[]",
    'nand.t_prog=["300us", 3]',
    "nand.interfaces=[]",
    "nand.interfaces=nv-ddr4",
    "ftl.gc.victim=x",
    "gc.victim.name=greedy",
    "name=greedy",
)

_RUN_OPTIONS: tuple[tuple[float, _Options], ...] = (
    (0.8, lambda draw: ["--limit-requests", str(draw.choice((1, 50, 3000, 60_000)))]),
    (0.5, lambda draw: ["--precondition", draw.choice(("none", "fill", "instant", "steady", "workload"))]),
    (0.1, lambda draw: ["--precondition-fill", str(draw.choice((0, 0.3, 1, 1.1)))]),
    (0.5, lambda draw: ["--seed", str(draw.randrange(5))]),
    (0.4, lambda draw: ["--no-report"]),
    (0.3, lambda draw: ["--requests"]),
    (0.2, lambda draw: ["--timeline"]),
    (0.3, lambda draw: ["--check"]),
    (0.2, lambda draw: ["--format", draw.choice(("table", "json", "fio-json"))]),
    (0.2, lambda draw: ["--repeat", str(draw.choice((1, 2, 3)))]),
    (0.2, lambda draw: ["--loop", draw.choice(("2", "until=waf:50%,max=3", "0"))]),
    (0.1, lambda draw: ["--no-layout"]),
    (0.1, lambda draw: ["--limit-time", draw.choice(("0s", "1ms", "1h"))]),
    (0.1, lambda draw: ["--save-state", draw.choice(("state", "thesis.txt", "/dev/null"))]),
    (0.1, lambda draw: ["--load-state", draw.choice(("state", "thesis.txt", "missing"))]),
    (0.2, lambda draw: ["--compact"]),
    (0.1, lambda draw: ["--as-fast-as-possible", "--depth", "4"]),
    (0.1, lambda draw: ["--speedup", draw.choice(("0", "1000", "1e-12"))]),
    (0.3, lambda draw: ["--set", draw.choice(_SETTINGS)]),
    (0.2, lambda draw: ["--set", draw.choice(_SETTINGS)]),
)


def _small(*lines: str) -> _Options:
    def draw_one(draw: random.Random) -> list[str]:
        return draw.choice(lines).split()

    return draw_one


def _without_out(words: _Options) -> Callable[[random.Random], tuple[list[str], str]]:
    return lambda draw: (words(draw), "")


def _with_out(words: _Options, *outs: str) -> Callable[[random.Random], tuple[list[str], str]]:
    def draw_both(draw: random.Random) -> tuple[list[str], str]:
        out = draw.choice(outs)
        return [*words(draw), "--out", out], out

    return draw_both


# Each kind of command, how often it comes, and what it draws.
KINDS: dict[str, tuple[int, Callable[[random.Random], tuple[list[str], str]]]] = {
    "run": (12, _run),
    "look": (
        2,
        _without_out(
            _small(
                "drives",
                "drives tlc",
                "drives tlx",
                "chips",
                "policies",
                "policies d-choices",
                "trace info trace0.csv",
                "trace info trace2.csv",
                "trace formats",
                "state info state",
                "reproduce --list",
                "no-such-command",
            )
        ),
    ),
    "report": (2, _with_out(_small("report done", "report missing", "report ."), "o.html")),
    "grid": (
        1,
        _with_out(
            _small(
                f"grid {TINY} --block 4k --depth 1 --op read --pattern random --file-size 1MiB --time 20ms"
            ),
            "o",
        ),
    ),
    "compare": (
        1,
        _with_out(_small("compare done done", "compare done missing", "compare thesis.txt ."), "o"),
    ),
    "plan": (1, _with_out(_small(f"plan {PLAN / 'tpc-c-2007.toml'} {PLAN / 'gray2007-prices.toml'}"), "o")),
    "convert": (
        1,
        lambda draw: (["trace", "convert", draw.choice(("trace0.csv", "trace2.csv")), "o.csv"], "o.csv"),
    ),
}


def play(case: Case, folder: Path, done: Path) -> None:
    """Type the case's command in `folder`, let befall it what must, and look what it leaves.

    `done` is a finished run folder with the `state` it saved beside it, of which copies lie around.
    """
    _furnish(folder, done, case)
    before = _strangers(folder)
    ended = _type(case.command, folder, case)
    _look(case, folder, ended, before)
    if case.out.endswith("o") and case.kill is not None and not (folder / case.out).is_file():
        # The next command clears away what a killed one left.
        again = _type((*_SIMPLE, "--out", case.out, "--force"), folder)
        assert again.returncode == 0, f"{case}: the next run did not work: {again.stderr}"
        assert _hidden(folder) == [], f"{case}: the next run left {_hidden(folder)}"
        _whole(case, folder / case.out)


_SIMPLE = ("run", TINY, "random-write", "--limit-requests", "20", "--no-report")


def _furnish(folder: Path, done: Path, case: Case) -> None:
    for at, job in enumerate(JOBS):
        (folder / f"job{at}.fio").write_text(job)
    for at, trace in enumerate(TRACES):
        (folder / f"trace{at}.csv").write_text(trace)
    (folder / "thesis.txt").write_text(THESIS)
    shutil.copytree(done, folder / "done")
    if case.there_before and case.out == "o":
        shutil.copytree(done, folder / "o")
        shutil.copy(done.with_name("state"), folder / "state")
    elif case.there_before:
        (folder / case.out).parent.mkdir(parents=True, exist_ok=True)
        (folder / case.out).write_text(THESIS)


def _type(command: Sequence[str], folder: Path, case: Case | None = None) -> subprocess.CompletedProcess[str]:
    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if case is not None and case.room is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (case.room, case.room))

    with subprocess.Popen(
        [sys.executable, "-m", "floatgate", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        cwd=folder,
        preexec_fn=prepare,
    ) as process:
        if case is not None and case.kill is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(case.after_s)
            process.send_signal(case.kill)
        try:
            out, err = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"{case}: did not end") from None
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _strangers(folder: Path) -> dict[str, bytes]:
    """The files that are no command's output."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in ("o", "deep", "state", "out")
    }


def _hidden(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder)) for path in folder.rglob(".*") if path.name != ".floatgate.json"
    )


def _look(
    case: Case, folder: Path, ended: subprocess.CompletedProcess[str], before: dict[str, bytes]
) -> None:
    code, err = ended.returncode, ended.stderr
    if case.kill == signal.SIGINT and code in {1, -signal.SIGINT} and "__main__.py" not in err:
        return  # Python itself was still starting: nothing of ours has run.
    assert code in ENDS, f"{case}: exit code {code}: {err}"
    assert "Traceback" not in err, f"{case}: {err}"
    errors = [line for line in err.splitlines() if line.startswith("floatgate: error")]
    # A kill may come between the message and the end.
    allowed = {1} if code == 2 else {0} if case.kill is None else {0, 1}
    assert len(errors) in allowed, f"{case}: exit code {code} with {err}"
    if code != -signal.SIGKILL:
        assert _hidden(folder) == [], f"{case}: left {_hidden(folder)}"
    after = _strangers(folder)
    for name, content in before.items():
        assert name == case.out or after.get(name) == content, f"{case}: {name} is not what it was"
    new = set(after) - set(before) - {case.out}
    assert not new or code == -signal.SIGKILL, f"{case}: left {new}"
    if not (folder / "deep" / "er" / "o").exists() and code != -signal.SIGKILL:
        assert not (folder / "deep").exists(), f"{case}: parents of nothing are left"
    if case.out == "o" and (folder / "o").exists():
        _whole(case, folder / "o")
    if case.there_before and case.out == "o" and code != -signal.SIGKILL:
        assert (folder / "o").exists(), f"{case}: the run that was there is gone"


def _whole(case: Case, run: Path) -> None:
    """A run folder has what its marker says, and what can be read of it can be read."""
    if not run.is_dir():
        return
    own = json.loads((run / ".floatgate.json").read_text())["files"]
    there = {str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()} - {".floatgate.json"}
    assert set(own) == there, f"{case}: the marker lists {sorted(own)}, there are {sorted(there)}"
    for path in run.rglob("*.json"):
        json.loads(path.read_text())
