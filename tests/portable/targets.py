"""The targets of `make portable`: how the small program is built for each, and how it is asked there."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PLACE = Path(os.environ.get("PORTABLE", ROOT / "out" / "portable")).absolute()
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()
CHROOT = ROOT / "tests/portable/chroot.sh"
WINDOWS = "x86_64-pc-windows-gnu"
WASI = "wasm32-wasip1"
#: Half the time to build of the profile as it is; digits do not depend on it.
QUICK = ("--profile", "quick", "--config", "profile.quick.opt-level=1")

Questions = list[dict[str, Any]]


def shown(path: Path) -> str:
    """Return a path as short as it can be said from the root of the checkout."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


@dataclass(frozen=True)
class Target:
    """Where the small program runs: how it is built and run, its codecs, why it cannot be had here."""

    name: str
    triple: str
    build: tuple[str, ...]
    run: tuple[str, ...]
    codecs: str = "C"
    inside: bool = True
    why_not: str = ""

    @property
    def folder(self) -> Path:
        """Return where it works: drives and a trace are there, and what it writes."""
        return PLACE / "work" / self.triple

    def words(self, *words: str) -> tuple[str, ...]:
        """Return a command for the machine that builds and runs this target."""
        return (str(CHROOT), "in", str(PLACE), *words) if self.inside else words

    def made(self) -> str:
        """Build the program; return why it does not run, if so."""
        if self.why_not:
            return self.why_not
        words = self.words("cargo", "build", "--quiet", "--locked", "--package", "portable", *self.build)
        around = os.environ | {"CARGO_INCREMENTAL": "0"}
        done = subprocess.run(words, cwd=ROOT, env=around, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.stderr.write(done.stderr)
        return "it does not build" if done.returncode else ""

    def ask(self, questions: Questions) -> list[Any]:
        """Return the answers to questions, numbers written alike: JavaScript writes 1.0 as 1."""
        there = ("sh", "-c", f'cd "/work/{self.triple}" && exec "$@"', "sh") if self.inside else ()
        words, asked = self.words(*there, *self.run), json.dumps(questions)
        done = subprocess.run(
            words, cwd=self.folder, input=asked, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{self.name}: exit {done.returncode}: {done.stderr.strip()}")
        answers: list[Any] = json.loads(done.stdout, parse_int=float)
        return answers


def _linux(name: str, triple: str, why_not: str) -> Target:
    """Return another processor, under QEMU."""
    kind = triple.partition("-")[0].replace("riscv64gc", "riscv64")
    run = (f"qemu-{kind}", "-L", f"/usr/{kind}-linux-gnu", f"/target/{triple}/quick/portable")
    return Target(name, triple, (*QUICK, "--target", triple), run, why_not=why_not)


def _wasi() -> Target:
    """Return a module under Node."""
    asked = subprocess.run(("rustc", "--print", "sysroot"), capture_output=True, text=True, check=True)
    library = Path(asked.stdout.strip()) / "lib/rustlib" / WASI
    why_not = "" if library.exists() else f"no {WASI}: expected rustup target add {WASI}"
    why_not = why_not if shutil.which("node") else "no node"
    build = ("--profile", "web", "--target", WASI, "--no-default-features")
    module = f"{BUILT}/{WASI}/web/portable.wasm"
    run = ("node", "--no-warnings", str(ROOT / "tests/portable/wasi.mjs"), module)
    return Target("wasm32, Node", WASI, build, run, codecs="plain Rust", inside=False, why_not=why_not)


def targets() -> list[Target]:
    """Return all targets, this machine first."""
    why_not = ""
    if not (PLACE / "debian").exists():
        why_not = f"expected {shown(CHROOT)} make {shown(PLACE)} once, as root; it takes 6 GB"
    elif os.geteuid() != 0:
        why_not = "expected root, who may enter the chroot"
    here = ("--profile", "quick")
    first = Target("x86-64", "x86_64-unknown-linux-gnu", here, (f"{BUILT}/quick/portable",), inside=False)
    windows = ("wine", f"/target/{WINDOWS}/quick/portable.exe")
    return [
        first,
        _linux("aarch64, QEMU", "aarch64-unknown-linux-gnu", why_not),
        _linux("riscv64, QEMU", "riscv64gc-unknown-linux-gnu", why_not),
        _linux("s390x (big-endian), QEMU", "s390x-unknown-linux-gnu", why_not),
        Target("Windows, Wine", WINDOWS, (*QUICK, "--target", WINDOWS), windows, why_not=why_not),
        _wasi(),
    ]
