#!/usr/bin/env bash
# scikit-commpy 0.8.0 (PyPI): its sum-product decoder for LDPC codes gives up a word in which one symbol is erased and another is wrong.
# An erased symbol says neither 0 nor 1, and its value is 0; the decoder divides by it, and the result, which is no number, spreads over
# the word. The word is then returned with every bit 0, without a warning. Soft reads of flash have such symbols, cells that lie between
# two thresholds. The min-sum decoder beside it corrects the same words.
#
# Seen, with the package's code of 96 symbols: of 20 words with one symbol erased and one wrong sum-product returns 10 with
# all bits 0 and each soft value not a number; min-sum corrects all 20. Without the erased symbol both correct all 20.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check scikit-commpy==0.8.0 numpy==1.26.4 scipy==1.11.4
environment/bin/python - <<'PYTHON'
import pathlib
import sys

import commpy
import numpy
from commpy.channelcoding.ldpc import get_ldpc_code_params, ldpc_bp_decode

WORDS, SURE, UNSURE = 20, 4.0, -2.0
design = pathlib.Path(commpy.__file__).parent / "channelcoding/designs/ldpc/gallager/96.33.964.txt"
code = get_ldpc_code_params(str(design), compute_matrix=True)
checks = code["parity_check_matrix"].toarray() % 2


def a_word(rng):
    """A word that all checks accept: some symbols are drawn, and the others follow from them."""
    rows, fixed = checks.astype(int), []
    for column in range(rows.shape[1]):
        below = numpy.flatnonzero(rows[len(fixed) :, column])
        if len(below) == 0:
            continue
        row = len(fixed)
        rows[[row, row + below[0]]] = rows[[row + below[0], row]]
        others = numpy.flatnonzero(rows[:, column])
        rows[others[others != row]] ^= rows[row]
        fixed.append(column)
        if len(fixed) == len(rows):
            break
    word = rng.integers(0, 2, rows.shape[1])
    word[fixed] = 0
    word[fixed] = (rows @ word % 2)[: len(fixed)]
    assert not (checks @ word % 2).any()
    return word


def tried(method, erased):
    rng = numpy.random.default_rng(1)
    corrected = lost = 0
    for _ in range(WORDS):
        word = a_word(rng)
        values = SURE * (1 - 2 * word)
        one, another = rng.choice(len(word), 2, replace=False)
        values[one] *= UNSURE / SURE
        if erased:
            values[another] = 0
        decoded, soft = ldpc_bp_decode(values, code, method, 50)
        corrected += bool((decoded == word).all())
        lost += bool(numpy.isnan(soft).all() and not decoded.any())
    print(f"{method}, {'one symbol erased and one' if erased else 'one symbol'} wrong: {corrected} corrected, {lost} lost")
    return corrected, lost


seen = [tried(method, erased) for method in ("SPA", "MSA") for erased in (False, True)]
as_seen = seen[0] == seen[2] == seen[3] == (WORDS, 0) and sum(seen[1]) == WORDS and seen[1][1] >= WORDS // 4
sys.exit(None if as_seen else "this has changed")
PYTHON
