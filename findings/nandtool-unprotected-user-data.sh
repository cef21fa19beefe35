#!/usr/bin/env bash
# nandtool 0.3.1 (PyPI): user data of a page that its ECC does not protect comes out as bytes 0xFF, without a word, as soon as the
# layout has an ECC. Its manual lets each byte be protected data, user data or both; of a page, only what is protected and the
# ECC itself are kept. File systems have tags in bytes of the spare area that many controllers leave unprotected.
#
# Seen: four pages of 512 bytes with BCH, and a tag of four bytes behind each: the 512 bytes are right, the tags are 0xFFFFFFFF. The
# same layout without its ECC gives the tags.
# Needs python3 with venv, and a C compiler with Python's headers where bchlib has no wheel.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check nandtool==0.3.1 bchlib==1.0.0
cat > protected.toml <<'TOML'
partitions = ["all"]
[bch4]
t = 4
poly = 8219
[page]
pagesize = 512
oobsize = 16
pages_per_block = 4
user_data = [[[0, 512], [514, 518]]]
ecc_protected_data = [[[0, 512]]]
ecc = [[[518, 525]]]
ecc_algorithm = "bch4"
[all]
startblock = 0
endblock = 0
layout = "page"
TOML
grep --invert-match ecc protected.toml > plain.toml
environment/bin/python - 2> said <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
import random
from pathlib import Path

import bchlib
from nandtool.config import load_config
from nandtool.nand import build_partitions

code = bchlib.BCH(prim_poly=8219, t=4)
data = [random.randbytes(512) for _ in range(4)]
tags = [f"tag{number}".encode() for number in range(4)]
pages = [part + b"\xff\xff" + tag + code.encode(part) + b"\xff" * 3 for part, tag in zip(data, tags)]


def read(layout):
    got = build_partitions(b"".join(pages), load_config(Path(layout)))["all"].corrected
    parts = [got[at : at + 516] for at in range(0, len(got), 516)]
    return [part[:512] for part in parts] == data, [part[512:] for part in parts]


protected, plain = read("protected.toml"), read("plain.toml")
print(f"with ECC: data as written {protected[0]}, tags {protected[1]}; without: {plain[0]}, {plain[1]}")
raise SystemExit((protected, plain) != ((True, [b"\xff" * 4] * 4), (True, tags)))
PYTHON
