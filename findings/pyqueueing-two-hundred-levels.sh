#!/usr/bin/env bash
# pyqueueing 0.1.1 (PyPI): the mean that its solver for quasi-birth-death processes gives, `QBD.mean_level`, is that of a queue that is never
# longer than 199. It sums up 200 levels, although the geometric tail behind them has a closed form, and divides by what they hold, so
# that nothing shows what is missing. Bursts of arrivals, for which one takes this solver, make long queues far below full use: a drive
# that is busy for 0.9 of the time has a third of its true queue, and by Little's law a third of its true latency. A queue twice as
# long then has a smaller mean. `stationary` takes a number of levels, `mean_level` none.
#
# Seen: Poisson arrivals at a use of 0.9, 0.95, 0.98 and 0.99 have means of 9.0, 19.0, 45.4 and 68.1; the package's own MM1 says 9.0, 19.0, 49.0
# and 99.0. Arrivals at 0.2 and 1.6 in turn, for 100 services on average each, at a use of 0.9: 69.2, where the closed form, and the sum of
# 20,000 levels, have 220.3; for 200 services each 65.5, where they, with 30,000 levels, have 430.3.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check pyqueueing==0.1.1 numpy==2.3.4
"$work/venv/bin/python" - <<'PYTHON'
import sys

import numpy as np
import pyqueueing


def queue(rates, switching):
    """A server of rate 1 behind arrivals of these rates, which change to the next one at the rate `switching`."""
    arrivals, services = np.diag(rates), np.eye(len(rates))
    phases = switching * (np.roll(services, 1, axis=1) - services)
    return pyqueueing.QBD(arrivals, phases - arrivals - services, services, B1=phases - arrivals)


def closed_form(model):
    """The mean level without an end: pi0 R (1 - R)^-2, with pi0 from the boundary's equation and the sum of all levels."""
    ratio, one = model.rate_matrix(), np.eye(model.phase_dim)
    rest = np.linalg.inv(one - ratio)
    equations = np.vstack([(model.B1 + ratio @ model.A2).T, (rest @ np.ones(model.phase_dim))[None]])
    start = np.linalg.lstsq(equations, np.append(np.zeros(model.phase_dim), 1.0), rcond=None)[0]
    return float((start @ ratio @ rest @ rest).sum())


def with_levels(model, number):
    return float(sum(level * states.sum() for level, states in enumerate(model.stationary(max_levels=number))))


def rounded(*means):
    return tuple(round(float(mean), 1) for mean in means)


poisson = {use: rounded(queue([use], 0).mean_level(), pyqueueing.MM1(use, 1.0).mean_system_size()) for use in (0.9, 0.95, 0.98, 0.99)}
bursts = {}
for services in 100, 200:
    model = queue([0.2, 1.6], 1 / services)
    bursts[services] = rounded(model.mean_level(), closed_form(model), with_levels(model, 100 * services + 10_000))
print(f"Poisson arrivals, by use, QBD and MM1: {poisson}")
print(f"bursts, by their length, QBD, closed form and more levels: {bursts}")
as_seen = poisson == {0.9: (9.0, 9.0), 0.95: (19.0, 19.0), 0.98: (45.4, 49.0), 0.99: (68.1, 99.0)}
as_seen = as_seen and bursts == {100: (69.2, 220.3, 220.3), 200: (65.5, 430.3, 430.3)}
sys.exit(None if as_seen else "this has changed")
PYTHON
