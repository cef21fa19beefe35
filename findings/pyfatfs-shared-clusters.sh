#!/usr/bin/env bash
# pyfatfs 1.1.0 (PyPI): a file that was made shorter still owns the clusters that were given back, for its chain in the table is not
# ended. The next file gets such a cluster and is in two chains; what is appended to the first file is then written over the second,
# without a word. Images of cards and of flash behind a translation layer, whose log is cut and written on, come out damaged; an image
# read back from a simulated drive seems to hold another file's data.
#
# Seen: A of 10,000 bytes is overwritten with 100, B is written with 100, and A is given 5,000 more: B reads as A's bytes. fsck.fat of
# dosfstools 4.2 finds a free cluster in A's chain after the overwrite, and shared clusters at the end. An A that was removed first does
# no harm.
# Needs Debian 12 (bookworm) with its package lists, and python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download dosfstools=4.2-1
for package in *.deb; do dpkg --extract "$package" installed; done
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check pyfatfs==1.1.0 fs==2.4.16 setuptools==75.8.0
for image in cut removed; do
	installed/sbin/mkfs.fat -F 16 -s 4 -C "$image" 32768 > /dev/null
done
environment/bin/python -W ignore - <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
import subprocess

from pyfatfs.PyFatFS import PyFatFS


def checked(image):
    """Return what fsck.fat finds wrong of the clusters."""
    told = subprocess.run(["installed/sbin/fsck.fat", "-n", image], capture_output=True, text=True).stdout
    return [what for what in ("Contains a free cluster", "share clusters") if what in told]


def written(image, remove):
    """Write the two files, and return what B holds, and what is wrong after A was made shorter and at the end."""
    files = PyFatFS(image)
    files.writebytes("/A", b"a" * 10000)
    if remove:
        files.remove("/A")
    files.writebytes("/A", b"a" * 100)
    files.close()
    shorter = checked(image)
    files = PyFatFS(image)
    files.writebytes("/B", b"b" * 100)
    with files.openbin("/A", "ab") as log:
        log.write(b"a" * 5000)
    files.close()
    files = PyFatFS(image)
    return set(files.readbytes("/B")), shorter, checked(image)


cut, removed = written("cut", False), written("removed", True)
print(f"A overwritten with less: B, written with b, has {bytes(cut[0])}; fsck.fat: {cut[1]}, then {cut[2]}")
print(f"A removed first: B has {bytes(removed[0])}; fsck.fat: {removed[1]}, then {removed[2]}")
raise SystemExit(not (cut == ({ord("a")}, ["Contains a free cluster"], ["share clusters"]) and removed == ({ord("b")}, [], [])))
PYTHON
