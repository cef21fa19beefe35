#!/usr/bin/env bash
# unblob 26.6.4 (PyPI): three kinds of files of a YAFFS2 image come out as they never were, without a word. YAFFS is a log: a page replaces an
# earlier one of the same file and number, and a file's last header has its length. unblob means to keep the newest page of each number,
# but groups pages that are equal in all respects, place included, so that each is a group of its own: old and new follow each
# other. Numbers without a page, the holes of a file, are left out instead of being zeros, and the length is not used.
#
# Seen, pages of A, B, C and E: A and B with C over the A are read as A, C, B; A, a hole and E as A, E; A and B cut to the A as A, B.
# A file whose pages were each written once is right.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check unblob==26.6.4
cat > yaffs.py <<'PYTHON'
import pathlib
import struct
import sys

PAGE, SPARE, PAGES_IN_BLOCK = 2048, 64, 64
FIRST_SEQUENCE, ROOT, NO_LIMIT = 0x1000, 1, 0xFFFFFFFF
FILE, DIRECTORY = 1, 3
log = []


def page(owner, number, data, size):
    sequence = FIRST_SEQUENCE + len(log) // PAGES_IN_BLOCK
    log.append(data.ljust(PAGE, b"\xff") + struct.pack("<IIII", sequence, owner, number, size).ljust(SPARE, b"\xff"))


def header(owner, kind, parent, name, pages=0):
    size = NO_LIMIT if kind == DIRECTORY else pages * PAGE
    mode = 0o040755 if kind == DIRECTORY else 0o100644
    start = struct.pack("<IIH256s2x", kind, parent, 0xFFFF, name).ljust(268, b"\0")
    about = struct.pack("<6IIi160s", mode, 0, 0, 0, 0, 0, size, -1, b"")
    page(owner, 0, start + about + b"\xff" * 36 + struct.pack("<IIii", 0, NO_LIMIT, 0, 0), 0xFFFF)


def file(owner, name, *writes):
    """Writes that each put pages of one letter at given numbers, or cut the file to a number of pages."""
    header(owner, FILE, 257, name)
    pages = 0
    for number, letter in writes:
        if letter is None:
            pages = number
        else:
            page(owner, number, letter * PAGE, PAGE)
            pages = max(pages, number)
        header(owner, FILE, 257, name, pages)


def make():
    header(257, DIRECTORY, ROOT, b"files")
    file(258, b"once", (1, b"A"), (2, b"B"))
    file(259, b"over", (1, b"A"), (2, b"B"), (1, b"C"))
    file(260, b"hole", (1, b"A"), (3, b"E"))
    file(261, b"cut", (1, b"A"), (2, b"B"), (1, None))
    pathlib.Path("image").write_bytes(b"".join(log))


def read():
    letters = {}
    for path in pathlib.Path("out").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            letters[path.name] = "".join(chr(data[at]) for at in range(0, len(data), PAGE))
            assert data == "".join(letter * PAGE for letter in letters[path.name]).encode()
    print(letters)
    return letters == {"once": "AB", "over": "ACB", "hole": "AE", "cut": "AB"}


if sys.argv[1] == "make":
    make()
else:
    sys.exit(None if read() else "this has changed")
PYTHON
python3 yaffs.py make
# Outside tools that it would use for other formats are not needed.
environment/bin/unblob --force --extract-dir out image > said
python3 yaffs.py read
