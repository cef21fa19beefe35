#!/usr/bin/env bash
# mmc-utils of June 2022 (Debian 12): the date of manufacture that `mmc cid read` prints is wrong for cards and for embedded flash. A
# card's month is named one too late, since it is counted from 0. Of an eMMC the two digits are exchanged as well: the year is taken for
# the month, and the month for the year since 1997. Linux's own `date` of a card reads both as the standards have them. Parts of
# unknown wear that are sorted by their age are sorted by this.
#
# Seen: an SD card of October 2023 is one of "2023 nov"; an eMMC of July 2007 (or 2023, by the later count) one of "2004 nov".
# No drive is needed: the command reads a register from a file.
# Needs Debian 12 (bookworm) with its package lists, and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download mmc-utils=0+git20220624.d7b343fd-1
dpkg --extract mmc-utils*.deb installed
python3 - <<'PYTHON'
import os


def with_checksum(register):
    rest = 0
    for byte in register:
        for bit in range(7, -1, -1):
            carry = rest >> 6 ^ byte >> bit & 1
            rest = rest << 1 & 0x7F ^ 0x09 * carry
    return register + bytes([rest << 1 | 1])


SERIAL = 0x12345678.to_bytes(4, "big")
registers = {
    # Maker, application, name, revision, serial number; then a year since 2000 of eight bits and a month of four.
    "SD": bytes([3]) + b"SD" + b"CARD1" + bytes([0x80]) + SERIAL + (23 << 4 | 10).to_bytes(2, "big"),
    # Maker, kind, application, name, revision, serial number; then a month and a year since 1997 of four bits each.
    "MMC": bytes([0x15, 1, 0]) + b"EMMC01" + bytes([6]) + SERIAL + bytes([7 << 4 | 2007 - 1997]),
}
for kind, register in registers.items():
    os.mkdir(kind)
    for name, text in ("type", kind), ("cid", with_checksum(register).hex()):
        with open(f"{kind}/{name}", "w") as file:
            file.write(text + "\n")
PYTHON
dated() { installed/usr/bin/mmc cid read "$1" | sed --quiet 's/^manufacturing date: //p'; }
card=$(dated SD) embedded=$(dated MMC)
echo "a card of October 2023 is of $card, an eMMC of July 2007 of $embedded"
[ "$card" = "2023 nov" ] && [ "$embedded" = "2004 nov" ] || { echo 'this has changed' >&2; exit 1; }
