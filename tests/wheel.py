"""Installs the wheel alone into an empty environment: is it small, do the README and the examples run there?

`make wheel-check` builds the wheel and runs this. Of the checkout it uses only the pages that it runs. With
`--short` it runs what needs no compiler and no other program, as `make wheels` does for a release, and
with `--installed` that in a folder with the wheel and what it depends on, as pip's `--target` leaves them.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from documents import environment_of, report, run_page  # noqa: E402

MOST_MB = 150
BROUGHT = {"pip", "setuptools", "pkg_resources", "_distutils_hack"}  # by the empty environment itself
COMPILERS = ("cc", "gcc", "clang", "c++", "ld", "cargo", "rustc", "make")
ALONE = (
    "--version",
    "run slc random-write --precondition fill --limit-requests 20000",
    "reproduce tavakkol2018-mqsim --quick",
)
# What needs an extra: the command, and what it must say.
EXTRAS = (
    (("characterize", "--list"), "pip install 'floatgate[lab]'"),
    (("reproduce", "desnoyers2012-wa"), "pip install 'floatgate[lab]'"),
    (("grid", "slc", "--block", "4k", "--depth", "1", "--op", "read"), "pip install 'floatgate[lab]'"),
)


def main(wheel: Path, *, short: bool = False) -> int:
    """Check one wheel; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="floatgate-wheel-") as name:
        folder = Path(name)
        _run(sys.executable, "-m", "venv", str(folder / "venv"))
        python = folder / "venv" / "bin" / "python"
        # Nothing is compiled: a dependency without a wheel for this machine ends this.
        install = "-m pip install --quiet --disable-pip-version-check --only-binary :all:"
        _run(str(python), *install.split(), str(wheel))
        if short:
            programs = folder / "venv" / "bin"
            return int(not _alone(folder, (str(programs / "floatgate"),), {"PATH": str(programs)}))
        size = installed_mb(next((folder / "venv" / "lib").glob("python*/site-packages")))
        print(f"installed: {size:.0f} MB, at most {MOST_MB}")
        environment = environment_of(folder / "venv" / "bin", FLOATGATE_PYTHON=str(python), PYTHONPATH="")
        tallies = {}
        for page in (ROOT / "README.md", ROOT / "docs" / "index.md"):
            if page.exists():
                place = folder / page.stem
                place.mkdir()
                tallies[str(page)] = run_page(page, place, environment)
        print(report(tallies), end="")
        right = [size <= MOST_MB, _examples_run(folder, environment), _extras_are_named(folder, environment)]
        return int(not all(right))


def installed(packages: Path) -> int:
    """Check what is installed in a folder, with this Python and the programs of this system."""
    with tempfile.TemporaryDirectory(prefix="floatgate-wheel-") as name:
        path = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(packages)}
        return int(not _alone(Path(name), (sys.executable, "-m", "floatgate"), path))


def _alone(folder: Path, program: tuple[str, ...], paths: dict[str, str]) -> bool:
    """Run, report and reproduce where no compiler is on the path."""
    environment = {**paths, "HOME": str(folder), "LANG": "C.UTF-8"}
    right = not any(shutil.which(compiler, path=paths["PATH"]) for compiler in COMPILERS)
    for words in ALONE:
        done = _output(folder, environment, *program, *words.split())
        print(f"{'WRONG' if done.returncode else 'right'}: floatgate {words}: {done.stderr.strip()[-300:]}")
        right &= not done.returncode
    run = folder / "out" / "slc-random-write"
    counted = json.loads((run / "run.json").read_text(encoding="utf-8"))
    page = (run / "report.html").stat().st_size
    written = counted["host"]["write"]["requests"]
    print(f"{written} writes, write amplification {counted['waf']}, a report of {page / 1e6:.2f} MB")
    return right and written == 20_000 and page > 100_000


def installed_mb(packages: Path) -> float:
    """What the packages take on the disk, as the wheel's dependencies bring them."""
    files = (path for path in packages.rglob("*") if path.is_file())
    kept = (path for path in files if path.relative_to(packages).parts[0].split("-")[0] not in BROUGHT)
    return sum(path.stat().st_size for path in kept) / 1e6


def _examples_run(folder: Path, environment: dict[str, str]) -> bool:
    """Run every workload and plan among the examples that the wheel lists, each by its name there.

    Policies and studies are run from a clone, by the tests of the pages that show them.
    """
    listed = _output(folder, environment, "floatgate", "examples").stdout.splitlines()
    names = [line.split("  ")[0] for line in listed]
    plans = [name for name in names if "/plan/" in name]
    prices = next(name for name in plans if "prices" in name)
    commands = [("floatgate", "plan", name, prices) for name in plans if name != prices]
    less = ("--limit-requests", "500000", "--force")  # more than any makes in its ramp
    workloads = [name for name in names if name.endswith((".fio", ".diskspd", ".xml"))]
    commands += [("floatgate", "run", "slc", name, *less) for name in workloads]
    right = len(plans) > 1 and len(workloads) > 1
    for command in commands:
        done = _output(folder, environment, *command)
        print(f"{'WRONG' if done.returncode else 'right'}: {' '.join(command)}: {done.stderr.strip()}")
        right &= not done.returncode
    return right


def _extras_are_named(folder: Path, environment: dict[str, str]) -> bool:
    right = True
    for words, said in EXTRAS:
        done = _output(folder, environment, "floatgate", *words)
        good = done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1
        print(
            f"{'right' if good else 'WRONG'}: floatgate {' '.join(words)}:"
            f" exit {done.returncode}: {done.stderr.strip()}"
        )
        right &= good
    return right


def _output(folder: Path, environment: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("wheel", type=Path, help="the wheel, or a folder with --installed")
    parser.add_argument(
        "--short", action="store_true", help="run, report and reproduce one paper, without compiler"
    )
    parser.add_argument("--installed", action="store_true", help="the same, of what is installed in a folder")
    asked = parser.parse_args()
    place = asked.wheel.resolve()
    sys.exit(installed(place) if asked.installed else main(place, short=asked.short))
