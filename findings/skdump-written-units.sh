#!/usr/bin/env bash
# libatasmart 0.19 (Debian 12): `skdump` prints the amount that an SSD wrote or read 65,536 times too large. It names attributes 241 and 242
# total-lbas-written and total-lbas-read, and logical blocks are what most drives count there; the amount beside the name takes the
# same number for units of 32 MiB, as a few models have them. Attribute 231, in which many SSDs give the life that is left in per
# cent, it names a temperature, and of a drive without 190 and 194 that is the temperature it reports.
#
# Seen: 20,000,000,000 blocks of 512 bytes, 10.24 TB, are 671088.640 TB; a drive with 95 in attribute 231 has a temperature of 95.0 C.
# No drive is needed: the command reads what it saved of one from a file.
# Needs Debian 12 (bookworm) with its package lists, and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download libatasmart-bin=0.19-5 libatasmart4=0.19-5
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
python3 - <<'PYTHON'
import struct

PREFAIL, ONLINE = 1, 2


def swapped(text, length):
    """Return a text of the identify page, in which the bytes of each word are exchanged."""
    padded = text.ljust(length).encode()
    return bytes(padded[at ^ 1] for at in range(length))


def summed(page):
    """End a page in its checksum."""
    page[511] = -sum(page[:511]) & 0xFF
    return page


identify = bytearray(512)
identify[20:40], identify[46:54], identify[54:94] = swapped("S0001", 20), swapped("1.0", 8), swapped("Some SSD", 40)
for word, value in {49: 0x0F00, 80: 0x03F0, 82: 0x0001, 83: 0x4400, 84: 0x4000, 85: 0x0001, 86: 0x0400, 87: 0x4000, 217: 1}.items():
    struct.pack_into("<H", identify, 2 * word, value)  # 82 and 85: SMART is there and enabled; 217: no rotation
struct.pack_into("<Q", identify, 200, 500118192)
attributes = [(5, 100, 0), (9, 99, 2000), (12, 99, 100), (231, 95, 95), (241, 99, 20_000_000_000), (242, 99, 1_000_000_000)]
data, thresholds = bytearray(512), bytearray(512)
for place, (number, value, raw) in enumerate(attributes):
    struct.pack_into("<BHBB", data, 2 + 12 * place, number, ONLINE, value, value)
    data[7 + 12 * place : 13 + 12 * place] = raw.to_bytes(6, "little")
    struct.pack_into("<BB", thresholds, 2 + 12 * place, number, 0)
with open("saved", "wb") as saved:
    for tag, part in (b"IDFY", identify), (b"SMST", b"\0\0\0\1"), (b"SMDT", summed(data)), (b"SMTH", summed(thresholds)):
        saved.write(tag + struct.pack(">I", len(part)) + part)
PYTHON
installed/usr/sbin/skdump --load=saved > told
written=$(awk '$1 == 241 { print $2, $6, $7 }' told)
temperature=$(sed --quiet 's/^Temperature: //p' told)
echo "20,000,000,000 blocks of 512 bytes (10.24 TB): $written; 95 % of life left, no other temperature: $temperature"
[ "$written" = "total-lbas-written 671088.640 TB" ] && [ "$temperature" = "95.0 C" ] || { echo 'this has changed' >&2; exit 1; }
