"""A small virtual machine whose disk is a served drive: ext4 with its journal, files that are fsynced, cuts.

`nbd_guest.py FOLDER CUTS [SEED] [SETTING...]` does by hand what `test_serve_clients.py` does with few cuts.
The guest is the kernel of this machine's `/boot` with busybox and e2fsck; qemu-system-x86_64 emulates it. At
each start it mounts the drive, so that the journal is replayed, has e2fsck look, says the checksum of every
file, and then writes and removes files, and says of each when its fsync was over.
"""

import gzip
import os
import platform
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import IO

MODULES = ("virtio_pci", "virtio_blk", "ext4")
PROGRAMS = ("e2fsck", "mkfs.ext4", "qemu-system-x86_64", "nbdcopy", "nbdinfo")
KEPT = 20  # files at a time
PATIENCE_S = 60
INIT = f"""#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /mnt
/bin/busybox --install -s /bin
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev 2> /dev/null
for module in $(cat /modules/order); do insmod /modules/$module; done
while [ ! -b /dev/vda ]; do sleep 0.02; done
mount -t ext4 /dev/vda /mnt && umount /mnt || echo bad mount
e2fsck -fn /dev/vda > /fsck 2>&1; echo fsck $?; cat /fsck
mount -t ext4 -o discard /dev/vda /mnt || echo bad mount
cd /mnt
for file in f*; do [ -f $file ] && echo have $file $(md5sum < $file); done
echo ready
number=$(sed 's/.*first=//' /proc/cmdline)
while true; do
  head -c $((number % 7 * 16384 + 4096 + number % 5)) /dev/urandom > /tmp-file
  dd if=/tmp-file of=f$number bs=64k conv=fsync 2> /dev/null || {{ echo failed; sleep 1000; }}
  echo synced f$number $(md5sum < /tmp-file)
  old=$((number - {KEPT}))
  [ -f f$old ] && echo removing f$old && rm f$old
  number=$((number + 1))
done
"""


def kernel() -> tuple[Path, Path] | None:
    """The newest kernel of this machine that can be read, and its modules; None where there is none."""
    for image in sorted(Path("/boot").glob("vmlinuz-*"), reverse=True):
        modules = Path("/lib/modules") / image.name.removeprefix("vmlinuz-")
        if os.access(image, os.R_OK) and (modules / "modules.dep").exists():
            return image, modules
    return None


def missing() -> str | None:
    """What is not there for a guest; None where all is."""
    if platform.machine() != "x86_64":
        return "no machine of the kind x86_64"
    for program in PROGRAMS:
        if shutil.which(program) is None:
            return f"{program} not installed"
    busybox = shutil.which("busybox")
    if busybox is None or subprocess.run(["ldd", busybox], capture_output=True).returncode == 0:
        return "no static busybox (busybox-static) installed"
    if kernel() is None:
        return "no kernel with modules in /boot that can be read"
    return None


def _modules(folder: Path) -> dict[str, Path]:
    """The modules that the guest loads, in the order of their needs."""
    needs = {}
    for line in (folder / "modules.dep").read_text().splitlines():
        path, _, others = line.partition(":")
        needs[Path(path).name.split(".")[0]] = [path, *others.split()]
    found: dict[str, Path] = {}
    for name in MODULES:
        for path in reversed(needs.get(name, [])):  # what is built in has no line
            found[Path(path).name] = folder / path
    return found


def _libraries(program: str) -> list[Path]:
    """The libraries of a program, and what loads them."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(", said)]


def initramfs(target: Path) -> None:
    """Write the file system that the guest begins with: a cpio archive, made by hand."""
    found = kernel()
    assert found is not None
    modules = _modules(found[1])
    checker = str(shutil.which("e2fsck"))
    files: dict[str, tuple[int, bytes]] = {
        "init": (0o755, INIT.encode()),
        "bin/busybox": (0o755, Path(str(shutil.which("busybox"))).read_bytes()),
        "bin/e2fsck": (0o755, Path(checker).read_bytes()),
        "modules/order": (0o644, "\n".join(modules).encode()),
    }
    files |= {f"modules/{name}": (0o644, path.read_bytes()) for name, path in modules.items()}
    files |= {str(path).lstrip("/"): (0o755, path.read_bytes()) for path in _libraries(checker)}
    folders = {str(parent) for name in files for parent in Path(name).parents} - {"."}
    entries = [(name, 0o040755, b"") for name in sorted(folders)]
    entries += [(name, 0o100000 | mode, data) for name, (mode, data) in files.items()]
    archive = b"".join(_entry(number, *entry) for number, entry in enumerate(entries, 1))
    target.write_bytes(gzip.compress(archive + _entry(0, "TRAILER!!!", 0, b""), 1))


def _entry(number: int, name: str, mode: int, data: bytes) -> bytes:
    """One entry of a cpio archive in the format newc."""
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return b"".join(part + b"\0" * (-len(part) % 4) for part in (head, data))


class Guest:
    """A guest at work, and what is known of its files."""

    def __init__(self) -> None:
        self.synced: dict[str, str] = {}
        self.next = 0
        self.boots = 0

    def work(self, folder: Path, uri: str, random: Random, kill: Callable[[], None]) -> None:
        """Start the guest, check what it finds, let it write some files, then have the drive killed."""
        image = kernel()
        assert image is not None
        # Emulated: a /dev/kvm that is there need not work, and a boot takes four seconds. Its clock may stand
        # still while this machine is busy.
        words = ["qemu-system-x86_64", "-accel", "tcg", "-m", "128", "-nodefaults", "-no-reboot"]
        words += ["-display", "none", "-serial", "stdio", "-kernel", str(image[0])]
        words += [
            "-initrd",
            str(folder / "initramfs"),
            "-drive",
            f"file={uri},format=raw,if=virtio,discard=unmap",
        ]
        words += ["-append", f"console=ttyS0 quiet no_timer_check panic=-1 first={self.next}"]
        with subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as machine:
            assert machine.stdout is not None
            try:
                console = Console(machine.stdout)
                self._check(console)
                self._listen(console, PATIENCE_S, until=self.next + random.randrange(6))
                self._listen(console, random.uniform(0, 0.3))
                kill()
                self._listen(console, 0.2, is_killed=True)  # what it had said before
            finally:
                machine.kill()

    def _check(self, console: "Console") -> None:
        """The file system is clean, and each file whose fsync was over is there."""
        self.boots += 1
        found: dict[str, str] = {}
        text: list[str] = []
        for line in console.lines(PATIENCE_S):
            text.append(line)
            words = line.split()
            if words[:1] == ["have"]:
                found[words[1]] = words[2]
            if line == "ready":
                break
        else:
            raise AssertionError("the guest did not come up: " + "\n".join(text))
        assert "fsck 0" in text, "\n".join(text)
        assert "bad mount" not in text, "\n".join(text)
        for file, checksum in self.synced.items():
            assert found.get(file) == checksum, (
                f"boot {self.boots}: {file} was fsynced with {checksum}: {found}"
            )

    def _listen(
        self, console: "Console", seconds: float, *, until: int | None = None, is_killed: bool = False
    ) -> None:
        """Note what the guest says for so long, or until it has written so many files."""
        if self.next == until:
            return
        for line in console.lines(seconds):
            words = line.split()
            if words[:1] == ["synced"] and len(words) >= 3 and len(words[2]) == 32:
                self.synced[words[1]] = words[2]
                self.next = int(words[1][1:]) + 1
                if self.next == until:
                    return
            if words[:1] == ["removing"]:
                self.synced.pop(words[1], None)
            assert words[:1] != ["failed"] or is_killed, "a write failed before the drive was killed"


class Console:
    """What a guest says, in whole lines."""

    def __init__(self, said: IO[bytes]) -> None:
        self.said = said
        self.rest = b""

    def lines(self, seconds: float) -> Iterator[str]:
        """The lines that come within a time; lines that are there already however short it is."""
        end = time.monotonic() + seconds
        while True:
            while b"\n" in self.rest:
                line, _, self.rest = self.rest.partition(b"\n")
                yield line.decode(errors="replace").strip()
            if not select.select([self.said], [], [], max(0.0, end - time.monotonic()))[0]:
                return
            more = os.read(self.said.fileno(), 65536)
            if not more:
                return
            self.rest += more


def make(folder: Path, uri: str) -> None:
    """Make what a guest needs: its first file system, and ext4 on the drive."""
    initramfs(folder / "initramfs")
    about = subprocess.run(["nbdinfo", "--size", uri], capture_output=True, text=True, check=True)
    disk = folder / "ext4"
    with disk.open("wb") as file:
        file.truncate(int(about.stdout) // 4096 * 4096)
    subprocess.run(["mkfs.ext4", "-q", "-b", "4096", str(disk)], check=True, capture_output=True)
    subprocess.run(["nbdcopy", "--flush", str(disk), uri], check=True)
    disk.unlink()


def main() -> None:
    """As many cuts as are asked for."""
    from test_serve import served_by

    folder, cuts = Path(sys.argv[1]), int(sys.argv[2])
    random = Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    settings = tuple(word for setting in sys.argv[4:] for word in ("--set", setting))
    guest = Guest()
    for cut in range(cuts + 1):
        with served_by(folder, *settings) as (server, uri):
            if cut == 0:
                make(folder, uri)
            guest.work(folder, uri, random, server.kill)
        sys.stdout.write(f"cut {cut}: {len(guest.synced)} files, {guest.next} written\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
