#!/usr/bin/env bash
# ldpc 2.4.1 (PyPI): `BpDecoder.decode` of a word without any error returns at once and leaves `iter` and
# `log_prob_ratios` as the word decoded before left them. Statistics of iterations, or soft values read after each
# decode, are then those of another word: at the low error rates of flash most words have no error.
#
# Seen, with the (7, 4) Hamming code: after a word with one error `iter` is 1; after an errorless word still 1, with the
# same soft values; a fresh decoder says 0 iterations and zeros for the same errorless word.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check ldpc==2.4.1
"$work/venv/bin/python" - <<'PYTHON'
import sys

import numpy as np
from ldpc import BpDecoder

CHECKS = np.array([[1, 1, 0, 1, 1, 0, 0], [1, 0, 1, 1, 0, 1, 0], [0, 1, 1, 1, 0, 0, 1]], dtype=np.uint8)


def decoder():
    return BpDecoder(
        CHECKS, error_rate=0.05, max_iter=20, bp_method="product_sum", input_vector_type="received_vector"
    )


def after(used, word):
    used.decode(np.array(word, dtype=np.uint8))
    return used.iter, [round(float(ratio), 2) for ratio in used.log_prob_ratios]


used = decoder()
one_error = after(used, [1, 0, 0, 0, 0, 0, 0])
errorless = after(used, [0] * 7)
fresh = after(decoder(), [0] * 7)
print("a word with one error:       ", *one_error)
print("then an errorless word:      ", *errorless)
print("it, with a fresh decoder:    ", *fresh)
as_seen = one_error[0] == 1 and errorless == one_error and fresh == (0, [0.0] * 7)
sys.exit(None if as_seen else "this has changed")
PYTHON
