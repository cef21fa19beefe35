#!/usr/bin/env bash
# blktrace 1.2.0 (Debian 12): `blkparse` and `btrecord` take a discard (trim) for a write of as many bytes. The kernel marks it as both, and
# only the letters of blkparse's lines say which it is. Its totals and throughput then have as written what was given back, and a
# replay that btrecord prepares writes over those blocks. Write amplification taken from these totals is too low, and a drive's writes
# per day are too many, by the discards, which are the larger part while a file system is trimmed.
#
# Seen: 20 writes of 4 KiB and 5 discards of 16 MiB are 25 writes completed, of 82,000 KiB; the replay has 25 writes of 83,968,000 bytes.
# Needs Debian 12 (bookworm) with its package lists, and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download blktrace=1.2.0-5 libaio1
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
python3 - <<'PYTHON'
import struct

MAGIC_AND_VERSION = 0x65617407
WRITE, QUEUED, ISSUED, COMPLETED, DISCARD = 2, 1 << 4, 1 << 6, 1 << 7, 1 << 13  # categories, the upper half of an action
ACTIONS = {"Q": (1, QUEUED), "G": (4, QUEUED), "I": (12, QUEUED), "D": (7, ISSUED), "C": (8, COMPLETED)}
KIB, MIB, US = 1 << 10, 1 << 20, 1000
DEVICE, PROCESS = 8 << 20, 100
requests = [(10_000 * number, 8 * number, 4 * KIB, WRITE) for number in range(1, 21)]
requests += [(10_000 * number + 5_000, (number + 32) << 15, 16 * MIB, WRITE | DISCARD) for number in range(1, 6)]
with open("drive.blktrace.0", "wb") as trace:
    for request, (start, sector, size, kind) in enumerate(sorted(requests)):
        for step, (letter, after) in enumerate((("Q", 0), ("G", 1), ("I", 2), ("D", 3), ("C", 103))):
            action, category = ACTIONS[letter]
            number, time = 5 * request + step + 1, (start + after) * US
            about = (number, time, sector, size, action | (kind | category) << 16, PROCESS, DEVICE, 0, 0, 0)
            trace.write(struct.pack("<IIQQIIIIIHH", MAGIC_AND_VERSION, *about))
PYTHON
installed/usr/bin/blkparse --input=drive > text
discards=$(awk '$6 == "C" && $7 ~ /D/' text | wc --lines)
completed=$(sed --quiet 's/.*Writes Completed: *\([0-9]*\), *\([0-9]*\)KiB.*/\1 \2/p' text)
mkdir replay
installed/usr/sbin/btrecord --input-directory=. --output-directory=replay drive
replayed=$(python3 - replay/drive.replay.0 <<'PYTHON'
import struct
import sys

record = open(sys.argv[1], "rb").read()
at, packets = 32, []
while at < len(record):
    in_bunch, _ = struct.unpack_from("<QQ", record, at)
    packets += [struct.unpack_from("<QQI", record, at + 16 + 24 * number) for number in range(in_bunch)]
    at += 16 + 24 * in_bunch
writes = [size for _, size, is_read in packets if not is_read]
print(len(writes), sum(writes))
PYTHON
)
echo "discards by their letters: $discards; writes completed and KiB: $completed; writes and bytes of the replay: $replayed"
[ "$discards" = 5 ] && [ "$completed" = "25 82000" ] && [ "$replayed" = "25 83968000" ] || { echo 'this has changed' >&2; exit 1; }
