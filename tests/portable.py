"""Are the digits the same on every target that can be had here? A table, with a reason for what did not run.

`make portable` runs it, outside CI. Other processors and Windows are reached in a chroot, which
`tests/portable/chroot.sh make PLACE` makes once; PLACE is out/portable, or what PORTABLE says.
"""

import argparse
import bz2
import gzip
import hashlib
import json
import lzma
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "tests" / "portable")]

from targets import WINDOWS, Questions, Target, targets  # noqa: E402

from portable_runs import ELSEWHERE, JOB, MODULE, RUNS, SHRUNK, Run, by_command, in_node  # noqa: E402

#: Each word that is read is decoded: most of the arithmetic, and far slower.
WORDS = ("ecc.code.decode=words",)
DECODED: Run = ("nvme-tlc", (*SHRUNK, "ftl.slc_cache.name=none", "ftl.reading.age=365d", *WORDS), "none")
ALL_RUNS = (*RUNS, DECODED)
#: Files of a converted trace, packed as their names say, and their formats.
TRACES = (
    ("plain.log", "fio-iolog-v3"),
    ("packed.csv.gz", "msr"),
    ("packed.csv.zst", "spc"),
    ("packed.trace.xz", "ssdsim"),
    ("packed.trace.bz2", "disksim"),
)
#: Bytes of a saved state before what is packed: magic, version, checksum.
STATE_HEAD = 20
UNPACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
    ".bz2": bz2.decompress,
}
#: Crates whose tests run on Windows, and why those of the others do not.
ON_WINDOWS = [
    "units",
    "config",
    "engine",
    "bus",
    "ecc",
    "nand",
    "controller",
    "ftl",
    "host",
    "check",
    "sim",
    "step",
    "testkit",
    "web",
]
NOT_ON_WINDOWS = (
    ("live", "Unix domain sockets, locks and holes of files"),
    ("capi", "its tests call a C compiler with a shared library"),
    ("python", "no package has Python for Windows to link with"),
)
#: Width of a digest's column.
WIDTH = 12
Digests = dict[str, str]


def digest_of(data: bytes) -> str:
    """Return one word for some bytes."""
    return hashlib.sha256(data).hexdigest()[:12]


def digest(result: dict[str, Any]) -> str:
    """Return one word for all digits of a result that another machine should have, too."""
    kept = {key: value for key, value in result.items() if key not in ELSEWHERE}
    return digest_of(json.dumps(kept, sort_keys=True).encode())


def shuffled(text: str) -> str:
    """Return the lines of a trace out of order: each hundred in reverse, the last hundred first."""
    lines = text.splitlines()
    parts = [lines[at : at + 100][::-1] for at in range(0, len(lines), 100)]
    return "\n".join(line for part in reversed(parts) for line in part) + "\n"


def prepare(target: Target) -> None:
    """Put drives, chips and a trace where a target works, and nothing else."""
    shutil.rmtree(target.folder, ignore_errors=True)
    target.folder.mkdir(parents=True)
    for name in ("drives", "chips"):
        shutil.copytree(ROOT / name, target.folder / name)
    trace = gzip.decompress((ROOT / "examples/traces/server.csv.gz").read_bytes()).decode()
    (target.folder / "trace.csv").write_text(shuffled(trace), newline="\n")


def asked(run: Run, **options: str) -> dict[str, Any]:
    """Ask for a run."""
    drive, settings, state = run
    most = {"limit_requests": 200} if DECODED[1] == settings else {}
    workload = {"kind": "fio_text", "name": "job", "text": JOB}
    about = {"seed": 7, "precondition": state, **most, **options}
    return {"ask": "run", "drive": drive, "set": list(settings), "workload": workload, "options": about}


def questions() -> Questions:
    """Return what every target is asked first. The trace is sorted on disk on its way."""
    runs = [asked(run, save_state=f"{number}.state") for number, run in enumerate(ALL_RUNS)]
    order = {"sort": True, "sort_window": 1000}
    traces = [
        {"ask": "convert", "path": "trace.csv", "options": order, "out": out, "to": to} for out, to in TRACES
    ]
    volume = {
        "ask": "volume",
        "spec": "volume:hm_1,requests=20000,burst=4",
        "seed": 7,
        "out": "volume.csv",
        "to": "msr",
    }
    return [*runs, *traces, volume]


def of_runs(target: Target, results: list[Any]) -> Digests:
    """Return the digests of runs."""
    return {" ".join((run[0], run[2])): digest(result) for run, result in zip(ALL_RUNS, results, strict=True)}


def unpacked(path: Path, reader: Target) -> bytes:
    """Return what a state or trace holds; `reader` unpacks zstd, also of another codec."""
    if path.suffix in UNPACKED:
        return UNPACKED[path.suffix](path.read_bytes())
    if path.suffix not in (".state", ".zst"):
        return path.read_bytes()
    skip = STATE_HEAD if path.suffix == ".state" else 0
    shutil.copyfile(path, reader.folder / "packed")
    reader.ask([{"ask": "unpack", "path": "packed", "skip": skip, "out": "unpacked"}])
    return (reader.folder / "unpacked").read_bytes()


def loaded(states: Target, there: Target) -> Digests:
    """Return the digests of runs that begin `there` from states that another target saved."""
    for number in range(len(ALL_RUNS)):
        shutil.copyfile(states.folder / f"{number}.state", there.folder / f"loaded-{number}.state")
    runs = [(drive, settings, "none") for drive, settings, _ in ALL_RUNS]
    results = there.ask([asked(run, load_state=f"loaded-{at}.state") for at, run in enumerate(runs)])
    return of_runs(there, results)


def look(target: Target, first: Target) -> dict[str, Digests]:
    """Return the digests of all that a target writes, by kind."""
    prepare(target)
    answers = target.ask(questions())
    states = [target.folder / f"{number}.state" for number in range(len(ALL_RUNS))]
    traces = [target.folder / out for out, _ in TRACES] + [target.folder / "volume.csv"]
    packed = [path for path in (*states, *traces) if path.suffix not in (".log", ".csv")]
    return {
        "runs": of_runs(target, answers[: len(ALL_RUNS)]),
        "states": {path.name: digest_of(unpacked(path, first)) for path in states},
        "traces": {path.name: digest_of(unpacked(path, first)) for path in traces},
        "packed": {path.name: digest_of(path.read_bytes()) for path in packed},
        "loaded there": loaded(first, target),
        "loaded here": loaded(target, first),
    }


def told(found: dict[str, Digests], expected: dict[str, Digests], codecs: str) -> tuple[str, list[str]]:
    """Return a line of the table, and what differs from the first target's."""
    words, differs = [], []
    for kind, digests in found.items():
        if kind == "packed" and codecs != "C":
            words.append(f"({codecs})".ljust(WIDTH))
            continue
        words.append(digest_of(json.dumps(digests).encode()).ljust(WIDTH))
        differs += [f"{kind}: {name}" for name in digests if digests[name] != expected[kind][name]]
    return " ".join(words).rstrip(), differs


def compare(every: list[Target]) -> int:
    """Print a line for each target; return how many differ from the first."""
    expected: dict[str, Digests] = {}
    wrong = 0
    for target in every:
        why_not = target.made()
        if why_not:
            print(f"{target.name:26} not run: {why_not}", flush=True)
            continue
        try:
            found = look(target, every[0])
        except RuntimeError as error:
            wrong += 1
            print(f"{target.name:26} FAILED: {error}", flush=True)
            continue
        if not expected:
            expected = found
            print(f"{'':26} {' '.join(kind.ljust(WIDTH) for kind in found)}")
        line, differs = told(found, expected, target.codecs)
        print(f"{target.name:26} {line}", flush=True)
        for what in differs:
            print(f"{'':26} DIFFERS: {what}")
        wrong += bool(differs)
    return wrong


def compare_whole(first: Target) -> int:
    """Compare the command and the browser's module with the small program; return how many differ."""
    missing = "" if MODULE.exists() else "no module: expected make lab"
    missing = missing if shutil.which("node") else "no node"
    own = [digest(result) for result in first.ask([asked(run) for run in RUNS])]
    wrong = 0
    for name, why_not, run in (("the command", "", by_command), ("the browser's lab", missing, module)):
        if why_not:
            print(f"{name:26} not run: {why_not}")
            continue
        same = [digest(json.loads(run(*one), parse_int=float)) for one in RUNS] == own
        print(f"{name:26} runs as above" if same else f"{name:26} runs DIFFER")
        wrong += not same
    return wrong


def module(drive: str, settings: tuple[str, ...], state: str) -> str:
    """Run the module of the browser's lab under Node."""
    done = in_node(drive, settings, state)
    done.check_returncode()
    return done.stdout


def tested(target: Target) -> int:
    """Run the crates' tests on Windows; return how many crates fail."""
    wrong = 0
    for crate in ON_WINDOWS if not target.why_not else ():
        words = ("cargo", "test", "--locked", "--no-fail-fast", "--package", crate, *target.build)
        done = subprocess.run(target.words(*words), cwd=ROOT, capture_output=True, text=True, check=False)
        counts = [sum(map(int, re.findall(rf"(\d+) {what}", done.stdout))) for what in ("passed", "failed")]
        print(f"  {crate:12} {counts[0]:5} passed, {counts[1]} failed", flush=True)
        if done.returncode:
            wrong += 1
            failed = sorted(set(re.findall(r"^test (\S+) \.\.\. FAILED", done.stdout, re.MULTILINE)))
            print("\n".join(f"    {name}" for name in failed) or done.stderr[-2000:])
    return wrong


def main() -> int:
    """Print the tables; 1 when digests differ or tests fail."""
    known = targets()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    triples = [target.triple for target in known[1:]]
    parser.add_argument("triples", nargs="*", metavar="TARGET", help=f"of {', '.join(triples)}; without, all")
    asked = parser.parse_args().triples or triples
    if unknown := sorted(set(asked) - set(triples)):
        parser.error(f"{unknown[0]}: expected {', '.join(triples)}")
    every = [known[0], *(target for target in known if target.triple in asked)]
    wrong = compare(every) + compare_whole(every[0])
    windows = next((target for target in every if target.triple == WINDOWS), None)
    if windows is None:
        return int(wrong > 0)
    print(f"tests of crates, {windows.name}{':' if not windows.why_not else f' not run: {windows.why_not}'}")
    wrong += tested(windows)
    for crate, reason in NOT_ON_WINDOWS:
        print(f"  {crate:12} not run: {reason}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
