#!/usr/bin/env bash
# dissect.jffs 1.6 (PyPI): a file of a JFFS2 image that was written over reads as it was before. JFFS2 is a log: a later node of a file
# replaces the bytes that it covers. The package sets nodes one behind the other instead, at any offsets, so that the data
# written last lies behind the file's end and is never read. A hole (a node of zeros without data) reads as the bytes of flash that
# happen to follow it. Images straight from mkfs.jffs2, with each byte written once, read right.
#
# Seen: 4 KiB of A, 4 KiB of B behind them, then C over the A: read are A and B. A hole of 4 KiB begins with 0x1985, the next node's mark.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check dissect.jffs==1.6
environment/bin/python - <<'PYTHON'
import struct
import sys
import zlib

from dissect.jffs.jffs2 import JFFS2

MARK, DIRECTORY_ENTRY, DATA, FILE = 0x1985, 0xE001, 0xE002, 8
NOT_COMPRESSED, ZEROS = 0, 1
ROOT, BLOCK = 1, 4096


def checksum(part):
    return zlib.crc32(part, 0xFFFFFFFF) ^ 0xFFFFFFFF


def node(kind, fields, rest):
    head = struct.pack("<HHI", MARK, kind, 12 + len(fields) + 8 + len(rest))
    head += struct.pack("<I", checksum(head)) + fields
    of_head, of_rest = checksum(head), checksum(rest)
    both = (of_head, of_rest) if kind == DIRECTORY_ENTRY else (of_rest, of_head)
    whole = head + struct.pack("<II", *both) + rest
    return whole.ljust((len(whole) + 3) // 4 * 4, b"\xff")


def name(version, inode, text):
    return node(DIRECTORY_ENTRY, struct.pack("<IIIIBB2x", ROOT, version, inode, 0, len(text), FILE), text)


def write(inode, version, size, offset, data, covers=BLOCK, compression=NOT_COMPRESSED):
    fields = (inode, version, 0o100644, 0, 0, size, 0, 0, 0, offset, len(data), covers, compression, 0, 0)
    return node(DATA, struct.pack("<IIIHHIIIIIIIBBH", *fields), data)


log = [
    name(1, 2, b"over"),
    write(2, 1, BLOCK, 0, b"A" * BLOCK),
    write(2, 2, 2 * BLOCK, BLOCK, b"B" * BLOCK),
    write(2, 3, 2 * BLOCK, 0, b"C" * BLOCK),
    name(2, 3, b"hole"),
    write(3, 1, BLOCK, 0, b"", compression=ZEROS),
    write(3, 2, 2 * BLOCK, BLOCK, b"E" * BLOCK),
]
with open("image", "wb") as image:
    image.write(b"".join(log).ljust(65536, b"\xff"))
files = {name: inode.open().read() for name, inode in JFFS2(open("image", "rb")).root.listdir().items()}
over, hole = files["over"], files["hole"]
print(f"written over: {over[:1]} and {over[BLOCK:BLOCK + 1]}, should be C and B; hole begins {hole[:2].hex()}, should be 0000")
as_seen = over == b"A" * BLOCK + b"B" * BLOCK and hole[:2] == struct.pack("<H", MARK) and hole[BLOCK:] == b"E" * BLOCK
sys.exit(None if as_seen else "this has changed")
PYTHON
