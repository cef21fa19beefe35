#!/usr/bin/env bash
# opennandlab 2.0.0 (PyPI): the BCH decoder of this simulator of NAND flash decodes no word, not even one without an error. Its
# manual names BCH with 4 bits corrected as the default of each page. It multiplies polynomials whose coefficients are elements of
# a field as if they were bits, so that the generator is another polynomial, here one that x divides; what the encoder appends then
# does not make the word a codeword. A drive simulated with it has uncorrectable reads on fresh cells, at any raw error rate.
#
# Seen: of 20 words as encoded with the default (m=8, t=4), t=2 or t=1 none is decoded; at t=1 the generator is x^8 + x^4, where
# the field's own polynomial, x^8 + x^4 + x^3 + x^2 + 1, is due. bchlib 2.1.3 takes all 20 as they are, and corrects 4 wrong bits in each.
# Needs python3 with venv, and a C compiler with Python's headers where bchlib has no wheel.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
# The decoder alone, without the packages for plots and dashboards.
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
	opennandlab==2.0.0 numpy==2.2.6 methodtools==0.4.7 wirerope==1.0.0 six==1.17.0 bchlib==2.1.3
"$work/venv/bin/python" - <<'PYTHON'
import random
import sys

import bchlib
from opennandlab.ecc.bch import BCH

random.seed(1)
messages = [random.randbytes(27) for _ in range(20)]


def decoded(code):
    """Return how many words, as encoded and without an error, are decoded to their message."""
    return sum(code.decode(message + code.encode(message))[0] == message for message in messages)


def corrected(code, wrong):
    """Return how many words of bchlib with so many wrong bits are corrected."""
    right = 0
    for message in messages:
        data, parity = bytearray(message), bytearray(code.encode(message))
        for bit in random.sample(range(8 * len(data)), wrong):
            data[bit // 8] ^= 1 << bit % 8
        right += code.decode(data, parity) == wrong
        code.correct(data, parity)
        right -= data != message
    return right


codes = {t: BCH(8, t) for t in (4, 2, 1)}
seen = {t: decoded(code) for t, code in codes.items()}
degree = len(codes[1].generator_poly) - 1
powers = [degree - at for at, coefficient in enumerate(codes[1].generator_poly) if coefficient]
other = bchlib.BCH(4, m=8)
checked = [corrected(other, wrong) for wrong in (0, 4)]
print(f"opennandlab: words without an error that are decoded, of 20, by t: {seen}; powers in the generator for t=1: {powers}")
print(f"bchlib: words corrected, of 20, with 0 and 4 wrong bits: {checked}")
as_seen = not any(seen.values()) and powers == [8, 4] and checked == [20, 20]
sys.exit(None if as_seen else "this has changed")
PYTHON
