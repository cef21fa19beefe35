#!/usr/bin/env bash
# mmc-utils of June 2022 (Debian 12): `mmc csd read` prints two times of a card's register as other ones. R2W_FACTOR, by which a program
# takes longer than a read, is the exponent of a power of two in both the SD and the eMMC standard; it is printed as the factor itself.
# NSAC, the part of the access time that is counted in clocks, is in hundreds of clocks; it is printed as clocks. A model of a card
# that takes its read and program times from there has programs that are too fast, and with a factor of 0 ones that take no time.
#
# Seen: of an eMMC with exponents of 0, 2 and 5 it is said "Write 0 times read", "Write 2 times read" and "Write 5 times read", which
# are 1, 4 and 32 times; of an NSAC of 10 it is said 10 clocks, which are 1,000.
# No drive is needed: the command reads a register from a file.
# Needs Debian 12 (bookworm) with its package lists, and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download mmc-utils=0+git20220624.d7b343fd-1
dpkg --extract mmc-utils*.deb installed
cat > register.py <<'PYTHON'
import sys

exponent, clocks = map(int, sys.argv[1:])
# The place of a field's lowest bit, and its value.
fields = {
    "CSD_STRUCTURE": (126, 3),
    "SPEC_VERS": (122, 4),
    "TAAC": (112, 0x0F),
    "NSAC": (104, clocks),
    "TRAN_SPEED": (96, 0x32),
    "CCC": (84, 0x0F5),
    "READ_BL_LEN": (80, 9),
    "C_SIZE": (62, 0xFFF),
    "C_SIZE_MULT": (47, 7),
    "R2W_FACTOR": (26, exponent),
    "WRITE_BL_LEN": (22, 9),
    "end": (0, 1),
}
register = sum(value << place for place, value in fields.values())
rest = 0
for bit in range(127, 7, -1):
    rest = rest << 1 & 0x7F ^ 0x09 * (rest >> 6 ^ register >> bit & 1)
print(f"{register | rest << 1:032x}")
PYTHON
mkdir card
echo MMC > card/type
# What is said of a register with an exponent and clocks.
said() {
	python3 register.py "$1" "$2" > card/csd
	installed/usr/bin/mmc csd read -v card | sed --quiet 's/.*R2W_FACTOR: .*(\(.*\))$/\1/p; s/.*NSAC: \(.*\)$/\1/p' |
		sort | paste --serial --delimiters=,
}
seen=$(said 0 0 && said 2 10 && said 5 1)
echo "exponents of 0, 2 and 5, and NSAC of 0, 10 and 1:" && echo "$seen"
[ "$seen" = $'0 clocks,Write 0 times read\n10 clocks,Write 2 times read\n1 clocks,Write 5 times read' ] ||
	{ echo 'this has changed' >&2; exit 1; }
