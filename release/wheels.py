"""Builds the wheels for PyPI; a second build elsewhere says whether anyone else would get the same bytes.

`make wheels` runs this. The linker is Zig's, from PyPI, with the symbols of a glibc that is old enough for
manylinux_2_17. Nothing of this machine may be in a wheel: no path, no time. Where the Debian of
`tests/portable/chroot.sh` is (out/portable, or what PORTABLE says), wheels are built there, for any
processor and from a profile that is recorded first.
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
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACE = Path(os.environ.get("PORTABLE", ROOT / "out" / "portable")).absolute()
COMPATIBLE = "manylinux_2_17"
MOST_MB = 12.0
# What no path may begin with in a library that was built here.
OF_A_MACHINE = re.compile(rb"/(?:root|home|work|tmp|Users|opt|build|mnt|var/tmp)/[\w./+-]{3,}")


@dataclass(frozen=True)
class Builder:
    """Where a checkout becomes a wheel: its folders, as the compiler there sees them."""

    checkout: Path
    source: Path
    target: Path
    cargo: Path
    is_inside: bool
    flags: tuple[str, ...] = ()

    def words(self, environment: dict[str, str], *command: str) -> list[str]:
        """Return a command that runs there."""
        if not self.is_inside:
            return ["env", *(f"{name}={value}" for name, value in environment.items()), *command]
        zig = next(Path(sys.prefix).glob("lib/python*/site-packages/ziglang/zig"))
        inner = environment | {
            "CARGO_TARGET_DIR": str(self.target),
            "CARGO_ZIGBUILD_ZIG_PATH": str(Path("/tools") / zig.relative_to(sys.prefix)),
        }
        chroot = str(self.checkout / "tests/portable/chroot.sh")
        # The chroot's own cross linkers, which would be taken in place of Zig's.
        unset = [f"--unset=CARGO_TARGET_{name}_UNKNOWN_LINUX_GNU_LINKER" for name in ("AARCH64", "X86_64")]
        settings = [*unset, *(f"{name}={value}" for name, value in inner.items())]
        return ["env", f"TOOLS={sys.prefix}", chroot, "in", str(PLACE), "env", *settings, *command]

    def run(self, environment: dict[str, str], *command: str) -> str:
        """Run a command there; return what it printed."""
        words = self.words(environment, *command)
        return subprocess.run(words, cwd=self.checkout, stdout=subprocess.PIPE, text=True, check=True).stdout


def builder(checkout: Path, *, again: bool = False) -> Builder:
    """Return the Debian of its own, if there is one, else this machine."""
    if (PLACE / "debian").exists() and os.geteuid() == 0:
        recorded = ("-Cprofile-use=/target/pgo/merged.profdata",)
        target = Path("/target/again" if again else "/target")
        return Builder(checkout, Path("/floatgate"), target, Path("/root/.cargo"), True, recorded)
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    own = checkout / "target"
    target = own if again else Path(os.environ.get("CARGO_TARGET_DIR") or own)
    asked = tuple(os.environ.get("RUSTFLAGS", "").split())  # as PGO=1 of the Makefile says them
    return Builder(checkout, checkout, target, cargo, False, asked)


def main() -> int:
    """Build for each processor; 1 where a wheel is too large, tells of this machine, or differs elsewhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("processors", nargs="*", default=[platform.machine()], help="x86_64, aarch64")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "wheels")
    parser.add_argument("--twice", action="store_true", help="build a second time in another folder")
    parser.add_argument("--recorded", action="store_true", help="use the profile that was recorded last")
    asked = parser.parse_args()
    here = builder(ROOT)
    if here.is_inside:
        profile = PLACE / "target" / "pgo" / "merged.profdata"
        if not asked.recorded or not profile.exists():
            here.run({}, "release/profile.sh", "/target/pgo")
        asked.out.mkdir(parents=True, exist_ok=True)
        shutil.copy(profile, asked.out / "floatgate.profdata")
    wrong: list[str] = []
    for processor in asked.processors:
        target = f"{processor}-unknown-linux-gnu"
        if not installed(here, target):
            expected = f"rustup target add {target}, or tests/portable/chroot.sh make {PLACE} once, as root"
            wrong.append(f"{target}: not built: no standard library: expected {expected}")
            continue
        wheel = built(here, target, asked.out)
        wrong += [f"{wheel.name}: {said}" for said in faults(wheel)]
        print(
            f"{wheel}: {wheel.stat().st_size / 1e6:.2f} MB, {hashlib.sha256(wheel.read_bytes()).hexdigest()}"
        )
        if asked.twice:
            wrong += [f"{wheel.name}: {said}" for said in elsewhere(target, wheel)]
    print("\n".join(f"WRONG: {said}" for said in wrong) or "right")
    return int(bool(wrong))


def installed(there: Builder, target: str) -> bool:
    """Whether Rust's standard library for a target is beside the compiler."""
    found = there.run({}, "sh", "-c", f'ls "$(rustc --print target-libdir --target {target})"')
    return "libstd-" in found


def built(there: Builder, target: str, out: Path) -> Path:
    """Build a wheel; return where it is."""
    # Panics name the lines of their sources: those of crates by the crates' names.
    registry = there.run({}, "sh", "-c", f"echo {there.cargo}/registry/src/*").split()
    renamed = {there.source: ".", there.target: "target", **dict.fromkeys(map(Path, registry), "crates")}
    renamed[there.cargo] = "cargo"
    flags = [f"--remap-path-prefix={path}={name}" for path, name in reversed(renamed.items())]
    last = ["git", "log", "-1", "--format=%ct"]
    moment = subprocess.run(last, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    environment = {
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join([*flags, *there.flags, "-Clink-arg=-Wl,--build-id=none"]),
        "CARGO_INCREMENTAL": "0",
        "SOURCE_DATE_EPOCH": moment,
    }
    words = f"build --quiet --release --strip --locked --zig --compatibility {COMPATIBLE} --target {target}"
    parent = PLACE / "work" if there.is_inside else None
    with tempfile.TemporaryDirectory(prefix="floatgate-wheels-", dir=parent) as name:
        maturin = "/tools/bin/maturin" if there.is_inside else "maturin"
        place = f"/work/{Path(name).name}" if there.is_inside else name
        there.run(environment, maturin, *words.split(), "--out", place)
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
        other = built(builder(source, again=True), target, Path(name) / "wheels")
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
