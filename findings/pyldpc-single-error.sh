#!/usr/bin/env bash
# pyldpc 0.7.9 (PyPI): its decoder corrects one wrong symbol of 96 when told an SNR of up to 12 dB, and no longer corrects
# it when told 14 dB or more, although nothing else changes. At such signal-to-noise ratios every message saturates to the
# same certainty, so that the wrong symbol's own message cannot be outvoted any more. Flash at its usual raw error rates
# lies in that range: the package is no reference for decoders of flash memory.
#
# Seen: 20 words with one wrong symbol each: 0 not corrected at 4, 8 and 12 dB; 20 of 20 at 14, 16 and 20 dB.
# Needs python3 with venv, about a minute.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check setuptools==80.9.0 wheel==0.45.1 numpy==2.4.6
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation pyldpc==0.7.9
"$work/venv/bin/python" - <<'PYTHON'
import sys
import warnings

import numpy as np
from pyldpc import decode, make_ldpc

warnings.simplefilter("ignore")
parity_checks, generator = make_ldpc(96, 3, 6, seed=1, systematic=True, sparse=True)
seen = {}
for snr_db in (4, 8, 12, 14, 16, 20):
    random = np.random.RandomState(0)
    wrong = 0
    for position in range(20):
        word = generator @ random.randint(2, size=generator.shape[1]) % 2
        received = 1.0 - 2.0 * word
        received[position] *= -1.0
        wrong += bool((decode(parity_checks, received, snr_db, maxiter=50) != word).any())
    seen[snr_db] = wrong
    print(f"{snr_db:>2} dB: {wrong:>2} of 20 words with one wrong symbol not corrected")
expected = {4: 0, 8: 0, 12: 0, 14: 20, 16: 20, 20: 20}
sys.exit(None if seen == expected else f"this has changed: expected {expected}")
PYTHON
