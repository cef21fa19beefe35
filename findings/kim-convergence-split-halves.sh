#!/usr/bin/env bash
# kim-convergence 0.1.0 (PyPI): one of its four estimators of how many samples of a series count as one, `geyer_split_r`, compares the first
# half of the series with the second instead of each half with itself. Samples of two halves have nothing to do with each other, so that
# it finds that all are independent, however strongly neighbours are correlated. An interval of confidence for a mean bandwidth or
# latency, and the length of run that it asks for, are then too short, the interval in the example below 4.4 times.
#
# Seen: of 20,000 samples of a series in which each is 0.9 times the one before and noise, 19 count as one; three of the estimators say
# 18.9 to 21.2, this one 1.0, for each of three series.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check kim-convergence==0.1.0 numpy==2.4.6
environment/bin/python - <<'PYTHON'
import sys

import kim_convergence
import numpy

SAMPLES, MEMORY = 20_000, 0.9


def series(seed):
    values = numpy.random.default_rng(seed).standard_normal(SAMPLES)
    for now in range(1, SAMPLES):
        values[now] += MEMORY * values[now - 1]
    return values


as_seen = True
print(f"expected: {(1 + MEMORY) / (1 - MEMORY):.1f}")
for seed in range(3):
    found = {name: float(method(series(seed))) for name, method in kim_convergence.si_methods.items()}
    print(", ".join(f"{name.removesuffix('statistical_inefficiency') or 'plain'} {value:.1f}" for name, value in found.items()))
    split = found.pop("geyer_split_r_statistical_inefficiency")
    as_seen &= split < 1.1 and len(found) == 3 and all(16 < value < 23 for value in found.values())
sys.exit(None if as_seen else "this has changed")
PYTHON
