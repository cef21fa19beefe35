#!/usr/bin/env bash
# blktrace 1.2.0 (Debian 12): `btt` leaves every request that the kernel split out of its latencies. It looks for the queued bio
# within each completed request; the bio of a split request is larger than either half, and since Linux 4.13 the rest of a bio is
# not queued a second time. Transfers beyond the device's max_sectors_kb are split: their D2C and Q2C, the long ones, are missing
# from averages, maxima and histograms without a word, while blkparse counts them.
#
# Seen: 10 writes of 4 KiB that take 0.1 ms and 10 of 1 MiB, split in two, whose halves take 1 and 2 ms: blkparse counts 30 writes completed;
# D2C of btt is of 10, at most 0.1 ms.
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
WRITE, QUEUED, ISSUED, COMPLETED = 2, 1 << 4, 1 << 6, 1 << 7  # categories, the upper half of an action
ACTIONS = {"Q": (1, QUEUED), "G": (4, QUEUED), "I": (12, QUEUED), "X": (13, QUEUED), "D": (7, ISSUED), "C": (8, COMPLETED)}
KIB, US = 1024, 1000
DEVICE, PROCESS = 8 << 20, 100
events = []


def add(time, letter, sector, size, rest=b""):
    action, category = ACTIONS[letter]
    events.append((time, sector, size, action | (WRITE | category) << 16, rest))


for number in range(10):
    time, sector = 10_000 * US * (number + 1), 8 * number
    for letter, after in (("Q", 0), ("G", 1), ("I", 2), ("D", 3), ("C", 103)):
        add(time + after * US, letter, sector, 4 * KIB)
    time, sector = time + 5_000 * US, 1 << 20 | number << 11
    second = sector + 1024
    add(time, "Q", sector, 1024 * KIB)
    add(time + US, "X", sector, 512 * KIB, struct.pack(">Q", second))
    for half, after, took in ((sector, 2, 1_000), (second, 5, 2_000)):
        for letter, later in (("G", 0), ("I", 1), ("D", 2), ("C", 2 + took)):
            add(time + (after + later) * US, letter, half, 512 * KIB)
with open("drive.blktrace.0", "wb") as trace:
    for sequence, (time, sector, size, action, rest) in enumerate(sorted(events), 1):
        trace.write(
            struct.pack("<IIQQIIIIIHH", MAGIC_AND_VERSION, sequence, time, sector, size, action, PROCESS, DEVICE, 0, 0, len(rest))
        )
        trace.write(rest)
PYTHON
completed=$(installed/usr/bin/blkparse --quiet --input=drive --dump-binary=drive.bin | awk '$6 == "C"' | wc --lines)
seen=$(installed/usr/bin/btt --input-file=drive.bin | awk '$1 == "D2C" { print $NF, $4; exit }')
echo "completed requests: $completed; number and maximum of D2C: $seen s"
[ "$completed" = 30 ] && [ "$seen" = "10 0.000100000" ] || { echo 'this has changed' >&2; exit 1; }
