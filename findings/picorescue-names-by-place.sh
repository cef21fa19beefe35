#!/usr/bin/env bash
# picorescue 0.2.0 on an image of littlefs-python 0.19.0 (PyPI): of several files in one directory the data are recovered under the name
# of one of them, and the other names do not appear. littlefs keeps a directory as a log, in which a file's number is its place
# in alphabetic order, so that each new file before it moves it by one. picorescue reads names and data of the whole log by number,
# and sets the names, as they were last under a number, against the data of every time.
#
# Seen: files written as main.py, config.py and boot.py are all three recovered as boot.py, each with its own text. Written in
# alphabetic order each has its name.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check picorescue==0.2.0 littlefs-python==0.19.0
environment/bin/python - <<'PYTHON'
import sys

from littlefs import LittleFS
from picorescue.lfs import recover_metadata

NAMES = ["main.py", "config.py", "boot.py"]


def recovered(names):
    image = LittleFS(block_size=4096, block_count=64, read_size=256, prog_size=32)
    for name in names:
        with image.open(name, "w") as file:
            file.write(f"text of {name}")
    return [(entry.name, entry.inline_data) for entry in recover_metadata(bytes(image.context.buffer))]


def text(name):
    return f"text of {name}".encode()


seen, in_order = recovered(NAMES), recovered(sorted(NAMES))
for name, data in seen:
    print(f"{name}: {data.decode()}")
as_seen = seen == [("boot.py", text(name)) for name in NAMES] and in_order == [(name, text(name)) for name in sorted(NAMES)]
sys.exit(None if as_seen else "this has changed")
PYTHON
