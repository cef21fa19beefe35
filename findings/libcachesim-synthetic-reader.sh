#!/usr/bin/env bash
# libcachesim 0.3.5 (PyPI): two arguments around `SyntheticReader` do not do what they say, in silence.
#   process_trace(reader, start_req=N)  begins at the first request all the same: the warm-up that was to be left out is in the miss
#                                       ratio. With the same requests in a file it begins at N.
#   SyntheticReader(..., seed=S)        gives other requests if another reader was made before its first use: all draw from one common
#                                       generator, when they are first read.
#
# Seen: 1,000 requests, a cache that holds all of them: miss ratios of 0.628 from request 0, 500 and 900 on; from a file 0.628, 0.762 and
# 0.970. Seed 1 begins with 4, 23, 0 alone; with 4, 0, 9, as seed 2 does, where a reader with seed 2 was made behind it.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check libcachesim==0.3.5
cat > synthetic.py << 'EOF'
import struct

from libcachesim import LRU, SyntheticReader, TraceReader, TraceType

NEVER = -1  # no next access is known
LARGE = 1_000_000


def uniform():
    return SyntheticReader(1000, num_objects=1000, dist="uniform", obj_size=1, seed=3)


def miss_ratios(reader):
    return [round(LRU(LARGE).process_trace(reader(), start_req=start)[0], 3) for start in (0, 500, 900)]


def zipf(seed):
    return SyntheticReader(1000, num_objects=100, seed=seed)


def first(reader):
    return [int(request.obj_id) for _, request in zip(range(10), reader)]


with open("same.bin", "wb") as trace:
    for number, request in enumerate(uniform()):
        trace.write(struct.pack("<IQIq", number, request.obj_id, 1, NEVER))
synthetic = miss_ratios(uniform)
from_file = miss_ratios(lambda: TraceReader("same.bin", TraceType.ORACLE_GENERAL_TRACE))
alone, other_alone = first(zipf(1)), first(zipf(2))
one, other = zipf(1), zipf(2)
beside = first(one)
print(f"miss ratios from request 0, 500, 900: synthetic {synthetic}, from a file {from_file}")
print(f"seed 1 alone begins {alone}, with a reader of seed 2 behind it {beside}; seed 2 alone {other_alone}")
raise SystemExit(
    not (
        len(set(synthetic)) == 1
        and synthetic[0] == from_file[0] < from_file[1] < from_file[2]
        and beside == other_alone != alone
    )
)
EOF
environment/bin/python synthetic.py || { echo 'this has changed' >&2; exit 1; }
