#!/usr/bin/env bash
# fatfs 0.10.8 (npm): the clusters of a file that is overwritten are lost: its entries in a FAT16 table become 0xFF00, where 0 is free, and they
# are given to no file again. Neither another system nor the package itself sees them as free, and a volume is full as soon as what was
# written over reaches its size. An image of a card made by it has next to no free space to trim, and a drive simulated under it is
# fuller than its files. Of overwriting its manual says nothing; unlinking is not in it.
#
# Seen: a file of 1 MiB, alone on a FAT16 volume of 32 MiB, is overwritten 30 times, and the next time is refused for want of space. After
# the first write 512 of 16,343 clusters are its own and the others free; at the end 15,841 entries are 0xFF00, and 2 clusters free.
# Needs Debian 12 (bookworm) with its package lists, node with npm, and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download dosfstools=4.2-1
for package in *.deb; do dpkg --extract "$package" installed; done
npm install --silent --no-audit --no-fund --prefix "$work" fatfs@0.10.8
installed/sbin/mkfs.fat -F 16 -s 4 -C volume 32768 > /dev/null
cat > overwrite.cjs <<'JS'
const { readFileSync, writeFileSync } = require("fs");
const fatfs = require("fatfs");

const image = readFileSync("volume");
const driver = {
	sectorSize: 512,
	numSectors: image.length / 512,
	readSectors: (sector, to, done) => (image.copy(to, 0, sector * 512, sector * 512 + to.length), process.nextTick(done)),
	writeSectors: (sector, data, done) => (data.copy(image, sector * 512), process.nextTick(done)),
};
const files = fatfs.createFileSystem(driver, {}, () => write(0));
function write(written) {
	files.writeFile("DATA", Buffer.alloc(1 << 20, "a"), (error) => {
		if (!error && written === 0) writeFileSync("once", image);
		if (!error && written < 100) return write(written + 1);
		writeFileSync("many", image);
		console.log(written, error && error.code);
	});
}
JS
refused=$(node overwrite.cjs)
python3 - "$refused" <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
import struct
import sys
from collections import Counter


def clusters(name):
    """Return how many entries of the first table are free, are given up and neither free nor a file's, and are a file's."""
    image = open(name, "rb").read()
    (reserved,) = struct.unpack_from("<H", image, 14)
    table = struct.unpack_from("<16345H", image, reserved * 512)[2:]
    kinds = Counter({0: "free", 0xFF00: "0xFF00"}.get(entry, "of a file") for entry in table)
    return kinds["free"], kinds["0xFF00"], kinds["of a file"]


once, many = clusters("once"), clusters("many")
print(f"clusters free, 0xFF00 and of a file after one write: {once}; writes, and why the next is refused: {sys.argv[1]}; then: {many}")
raise SystemExit(not (once == (15831, 0, 512) and sys.argv[1] == "31 NOSPC" and many[0] < 512 and many[1] > 15800))
PYTHON
