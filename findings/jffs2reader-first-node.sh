#!/usr/bin/env bash
# mtd-utils 2.1.5 (Debian 12): `jffs2reader` does not read what `mkfs.jffs2` of the same package writes. The first entry of each
# directory is missing, since mkfs.jffs2 gives it version 0 and the reader asks for a larger one. Of each file only the data of its
# first node, at most 4 KiB, is read; zeros stand in place of the rest, with the right length and exit status 0. An image that is
# checked by it, without mounting, seems to have lost its data; dissect.jffs 1.6 (PyPI) reads both files as they were written.
#
# Seen: of files `first` and `second`, 10,000 bytes each, only `second` is listed, with a size of 4096; printed of it are 4,096
# bytes of its data and 5,904 zeros.
# Needs Debian 12 (bookworm) with its package lists, and python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download mtd-utils=1:2.1.5-1 liblzo2-2
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check dissect.jffs==1.6
mkdir files
python3 -c 'for name in "first", "second": open(f"files/{name}", "wb").write((name * 10000).encode()[:10000])'
installed/usr/sbin/mkfs.jffs2 --root=files --output=image --eraseblock=64KiB --no-cleanmarkers
listed=$(installed/usr/sbin/jffs2reader -r -d / image | awk '{ print $NF, $5 }')
installed/usr/sbin/jffs2reader -f /second image > printed
environment/bin/python - "$listed" <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
import sys

from dissect.jffs.jffs2 import JFFS2

written = {name: open(f"files/{name}", "rb").read() for name in ("first", "second")}
read = {name: node.open().read() for name, node in JFFS2(open("image", "rb")).root.listdir().items()}
printed = open("printed", "rb").read()
same = next((at for at, (a, b) in enumerate(zip(printed, written["second"])) if a != b), len(printed))
print(f"jffs2reader lists: {sys.argv[1]}; bytes of `second` {len(printed)}, as written up to {same}, then {set(printed[same:])}")
print(f"dissect.jffs reads both as written: {read == written}")
raise SystemExit(
    not (sys.argv[1] == "/second 4096" and printed == written["second"][:4096] + bytes(5904) and read == written)
)
PYTHON
