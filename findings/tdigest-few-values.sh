#!/usr/bin/env bash
# tdigest 0.5.2.2 and pytdigest 0.1.4 (PyPI): percentiles of data with few distinct values lie far from all of them, and may be
# negative where nothing is. Both draw lines between the centres of neighbouring clusters, as if a cluster of equal values were
# spread over its share of the ranks. Latencies of flash are such data: most reads take one time, a few wait for a program or an erase.
#
# Seen: of 990 times of 100 us and 10 of 5,000 us the 25th percentile of tdigest is -2,301 us, the median of both 149 us, the 90th
# percentile 4,069 us; each is 100 us, as 99 % of the data are. fastdigest 0.12.0 says 100 us for all three.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check tdigest==0.5.2.2 pytdigest==0.1.4 fastdigest==0.12.0
"$work/venv/bin/python" - <<'PYTHON'
import sys

import fastdigest
import numpy
import pytdigest
import tdigest

times = [100.0] * 990 + [5000.0] * 10
first = tdigest.TDigest()
first.batch_update(times)
second = pytdigest.TDigest.compute(numpy.array(times))
third = fastdigest.TDigest.from_values(times)
seen = {
    "tdigest": [first.percentile(rank) for rank in (25, 50, 90)],
    "pytdigest": [float(second.inverse_cdf(rank / 100)) for rank in (25, 50, 90)],
    "fastdigest": [third.quantile(rank / 100) for rank in (25, 50, 90)],
}
for name, values in seen.items():
    print(f"{name}: 25th, 50th and 90th percentile {', '.join(f'{value:.0f}' for value in values)}; all are 100")
as_seen = (
    seen["tdigest"][0] < 0
    and all(seen[name][1] > 140 and seen[name][2] > 4000 for name in ("tdigest", "pytdigest"))
    and seen["fastdigest"] == [100, 100, 100]
)
sys.exit(None if as_seen else "this has changed")
PYTHON
