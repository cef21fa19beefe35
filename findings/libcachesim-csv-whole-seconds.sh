#!/usr/bin/env bash
# libcachesim 0.3.5 (PyPI): the time column of a CSV trace is read as a whole number, and what follows the point is dropped without
# a warning. Block traces have seconds with a fraction (MSR, Alibaba, blkparse): all requests of a second then come at once, and
# with times below a second every request comes at 0.
#
# Seen with times 0.25, 0.75, 1.9 and 2.1: 0, 0, 1 and 2.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check libcachesim==0.3.5
cat > times.py << 'EOF'
from libcachesim import ReaderInitParam, TraceReader, TraceType

TIMES = ["0.25", "0.75", "1.9", "2.1"]
with open("four.csv", "w") as trace:
    trace.write("time,block,bytes\n")
    trace.writelines(f"{time},{block},4096\n" for block, time in enumerate(TIMES))
wanted = ReaderInitParam()
wanted.delimiter = ","
wanted.time_field, wanted.obj_id_field, wanted.obj_size_field = 1, 2, 3
wanted.has_header = wanted.has_header_set = True
wanted.obj_id_is_num = wanted.obj_id_is_num_set = True
come = [request.clock_time for request in TraceReader("four.csv", TraceType.CSV_TRACE, wanted)]
print(f"{', '.join(TIMES)} come as {come}")
raise SystemExit(come != [0, 0, 1, 2])
EOF
environment/bin/python times.py || { echo 'this has changed' >&2; exit 1; }
