"""Builds the wheels for PyPI; a second build elsewhere says whether anyone else would get the same bytes.

`make wheels` runs this. The linker is Zig's, from PyPI, with the symbols of a glibc that is old enough for
manylinux_2_17. Nothing of this machine may be in a wheel: no path, no time.
"""

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPATIBLE = "manylinux_2_17"
MOST_MB = 12.0
# What no path may begin with in a library that was built here.
OF_A_MACHINE = re.compile(rb"/(?:root|home|work|tmp|Users|opt|build|mnt|var/tmp)/[\w./+-]{3,}")


def main() -> int:
    """Build for each processor; 1 where a wheel is too large, tells of this machine, or differs elsewhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("processors", nargs="*", default=[platform.machine()], help="x86_64, aarch64")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "wheels")
    parser.add_argument("--twice", action="store_true", help="build a second time in another folder")
    asked = parser.parse_args()
    wrong: list[str] = []
    for processor in asked.processors:
        target = f"{processor}-unknown-linux-gnu"
        if not installed(target):
            wrong.append(f"{target}: not built: no standard library: expected rustup target add {target}")
            continue
        wheel = built(ROOT, target, asked.out)
        wrong += [f"{wheel.name}: {said}" for said in faults(wheel)]
        print(
            f"{wheel}: {wheel.stat().st_size / 1e6:.2f} MB, {hashlib.sha256(wheel.read_bytes()).hexdigest()}"
        )
        if asked.twice:
            wrong += [f"{wheel.name}: {said}" for said in elsewhere(target, wheel)]
    print("\n".join(f"WRONG: {said}" for said in wrong) or "right")
    return int(bool(wrong))


def installed(target: str) -> bool:
    """Whether Rust's standard library for a target is beside the compiler."""
    command = ["rustc", "--print", "target-libdir", "--target", target]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return any(Path(found).glob("libstd-*"))


def built(source: Path, target: str, out: Path) -> Path:
    """Build a wheel of `source`; return where it is."""
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    folder = Path(os.environ.get("CARGO_TARGET_DIR") or source / "target")
    # Panics name the lines of their sources: those of crates by the crates' names.
    registry = sorted((cargo / "registry" / "src").glob("*"))
    renamed = {source: ".", folder: "target", **dict.fromkeys(registry, "crates"), cargo: "cargo"}
    flags = [f"--remap-path-prefix={path}={name}" for path, name in reversed(renamed.items())]
    last = ["git", "log", "-1", "--format=%ct"]
    moment = subprocess.run(last, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    asked = os.environ.get("RUSTFLAGS", "").split()  # as PGO=1 of the Makefile says them
    environment = os.environ | {
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join([*flags, *asked, "-Clink-arg=-Wl,--build-id=none"]),
        "CARGO_INCREMENTAL": "0",
        "SOURCE_DATE_EPOCH": moment,
    }
    words = f"build --quiet --release --strip --locked --zig --compatibility {COMPATIBLE} --target {target}"
    with tempfile.TemporaryDirectory(prefix="floatgate-wheels-") as name:
        command = ["maturin", *words.split(), "--out", name]
        subprocess.run(command, cwd=source, env=environment, check=True)
        (wheel,) = Path(name).glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(wheel, out / wheel.name))


def faults(wheel: Path) -> list[str]:
    """Return what a wheel should not have."""
    found = []
    if wheel.stat().st_size > MOST_MB * 1e6:
        found.append(f"{wheel.stat().st_size / 1e6:.2f} MB: expected at most {MOST_MB:.0f}")
    if "abi3" not in wheel.name or COMPATIBLE not in wheel.name:
        found.append(f"expected abi3 and {COMPATIBLE} in the name")
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        for name in names:
            content = files.read(name)
            # Texts may show a path of any machine, though not of this one.
            paths = set(OF_A_MACHINE.findall(content)) if name.endswith(".so") else set()
            paths |= {
                path for path in (os.fsencode(f"{ROOT}/"), os.fsencode(f"{Path.home()}/")) if path in content
            }
            found += [f"{name}: a path of this machine: {os.fsdecode(path)}" for path in sorted(paths)[:10]]
        licences = [name for name in names if "/licenses/" in name]
    if len(licences) < 3:
        found.append(f"{len(licences)} files of terms: expected both of ours, and those of others")
    return found


def elsewhere(target: str, wheel: Path) -> list[str]:
    """Build what is committed once more in another folder; return which files of the wheels differ."""
    with tempfile.TemporaryDirectory(prefix="floatgate-again-") as name:
        source = Path(name) / "a" / "longer" / "name"
        source.mkdir(parents=True)
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "--extract"], cwd=source, input=archive, check=True)
        before = os.environ.pop("CARGO_TARGET_DIR", None)
        try:
            other = built(source, target, Path(name) / "wheels")
        finally:
            if before is not None:
                os.environ["CARGO_TARGET_DIR"] = before
        if other.read_bytes() == wheel.read_bytes():
            print(f"{wheel.name}: the same bytes from another folder")
            return []
        kept = wheel.with_suffix(".other")
        shutil.copy(other, kept)
        with zipfile.ZipFile(wheel) as here, zipfile.ZipFile(other) as there:
            names = sorted({*here.namelist(), *there.namelist()})
            differ = [one for one in names if _content(here, one) != _content(there, one)]
    return [f"another build differs in {', '.join(differ) or 'its order or times'}: {kept}"]


def _content(archive: zipfile.ZipFile, name: str) -> bytes | None:
    return archive.read(name) if name in archive.namelist() else None


if __name__ == "__main__":
    sys.exit(main())
