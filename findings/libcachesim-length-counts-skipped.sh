#!/usr/bin/env bash
# libcachesim 0.3.5 (PyPI): `len(reader)` and `get_num_of_req()` are the records of the file. Iteration leaves out requests of size
# zero by default, as flushes and empty objects are, and all behind `cap_at_n_req`. A miss ratio that divides misses by
# `len(reader)` is then too small, in silence.
#
# Seen with an oracleGeneral file of ten records, one of size zero: length 10, nine requests come; with cap_at_n_req=3: length
# 10, three come.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check libcachesim==0.3.5
cat > length.py << 'EOF'
import struct

from libcachesim import ReaderInitParam, TraceReader, TraceType

NEVER = -1  # the object is not asked for again
with open("ten.bin", "wb") as trace:
    for number in range(10):
        size = 0 if number == 3 else 4096
        trace.write(struct.pack("<IQIq", number, 100 + number, size, NEVER))


def told_and_come(**options):
    wanted = ReaderInitParam()
    for name, value in options.items():
        setattr(wanted, name, value)
    reader = TraceReader("ten.bin", TraceType.ORACLE_GENERAL_TRACE, wanted)
    return len(reader), sum(1 for _ in reader)


plain, limited = told_and_come(), told_and_come(cap_at_n_req=3)
print(f"by default: length {plain[0]}, {plain[1]} come; cap_at_n_req=3: length {limited[0]}, {limited[1]} come")
raise SystemExit((plain, limited) != ((10, 9), (10, 3)))
EOF
environment/bin/python length.py || { echo 'this has changed' >&2; exit 1; }
