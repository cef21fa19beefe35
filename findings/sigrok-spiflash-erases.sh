#!/usr/bin/env bash
# sigrok-cli 0.7.2 with libsigrokdecode 0.5.3 (Debian 12): what its decoder for SPI flash shows of erases is not what was on the bus, with
# the chip named as one that has these commands (W25Q80DV).
#   erase of 64 KiB (D8h)      nothing is shown;
#   erase of 32 KiB (52h)      unknown, and each byte of its address is taken for a command of its own, as it is behind any unknown one;
#   dual output read (3Bh)     the same, so that a read can be shown as an erase of the chip;
#   erase of 4 KiB (20h)       the sector's number that is shown is its address.
# Counts of erases taken from such a capture, for a chip's wear or a simulator's trace, leave out some and invent others.
#
# Seen: erases of 4 KiB at 0x1000, 64 KiB at 0x10000 and 32 KiB at 0x18000 and a read at 0xC700 are shown as "Erase sector 4096
# (0x001000)", nothing, "Write status register (WRSR)" and "Chip erase (CE2)".
# Needs Debian 12 (bookworm) with its package lists, and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
needed=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
	--no-enhances sigrok-cli=0.7.2-1+b1 | grep "^[a-z]" | sort -u)
for package in $needed; do
	dpkg-query --show --showformat "\${db:Status-Status}" "$package" 2> /dev/null | grep -q "^installed" || echo "$package"
done | grep -v "^sigrok-cli$" | xargs apt-get --quiet=2 -o APT::Sandbox::User=root download sigrok-cli=0.7.2-1+b1
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
export SIGROKDECODE_DIR=$work/installed/usr/share/libsigrokdecode/decoders
cat > capture.py <<'PYTHON'
import sys

CLOCK, TO_CHIP, SELECT_NOT = 1, 2, 8
samples = bytearray([SELECT_NOT] * 20)
for byte in bytes.fromhex(sys.argv[1]):
    for bit in range(7, -1, -1):
        level = TO_CHIP * (byte >> bit & 1)
        samples += bytes([level, level, level | CLOCK, level | CLOCK])
samples += bytes(2) + bytes([SELECT_NOT] * 20)
with open("capture", "wb") as file:
    file.write(samples)
PYTHON
# The commands that are shown of the bytes of one.
shown() {
	python3 capture.py "$1"
	"$work/installed/usr/bin/sigrok-cli" --input-file capture --input-format binary:numchannels=4:samplerate=40000000 \
		--protocol-decoders spi:clk=0:mosi=1:miso=2:cs=3,spiflash:chip=winbond_w25q80dv --protocol-decoder-annotations spiflash > said
	sed --quiet --regexp-extended 's/^spiflash-1: (Command: |)(.*(Erase sector|Unknown|Chip erase|WRSR|\(BE\)|Block erase).*)/\2/p' said |
		uniq | paste --serial --delimiters=,
}
large=$(shown d8010000)
[ ! -s said ]
sector=$(shown 20001000) small=$(shown 52018000) read=$(shown 3b00c70000)
printf '%s: %s\n' "4 KiB at 0x1000" "$sector" "64 KiB at 0x10000" "$large" "32 KiB at 0x18000" "$small" "read at 0xC700" "$read"
[ "$sector" = "Erase sector 4096 (0x001000)" ] && [ "$large" = "" ] &&
	[ "$small" = "Unknown command: 0x52,Write status register (WRSR)" ] &&
	[[ $read = "Unknown command: 0x3b,Unknown command: 0x00,Chip erase (CE2)"* ]] || { echo 'this has changed' >&2; exit 1; }
