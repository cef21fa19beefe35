#!/usr/bin/env bash
# fatfs-ng 0.1.16 (PyPI): images with the ESP32's wear levelling are read as if no sector had ever moved, although its manual reads them from
# a device. The layer keeps one spare sector and moves it on by one after each 16 erases; where it stands is noted in the state sectors
# at the end, which the package writes and never reads. After the first move an image is none by its test, and nothing is extracted.
# When the spare has gone round some times, and a free sector that is erased comes to the start of the partition, the file system is
# extracted turned by as many sectors, without a word.
#
# Seen, a new FAT of 380 sectors of 4 KiB: as made, it is extracted as written; after 1 move the test says no and nothing is extracted;
# after 5 rounds the boot sector is the 376th that is extracted. By the mapping of ESP-IDF all sectors are there each time.
# Needs Debian 12 (bookworm) with its package lists, and python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download dosfstools=4.2-1
for package in *.deb; do dpkg --extract "$package" installed; done
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check fatfs-ng==0.1.16
installed/sbin/mkfs.fat -F 12 -S 4096 -s 1 -r 128 -g 1/1 -a -C fat $((380 * 4)) > /dev/null
environment/bin/python - <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
import struct
import zlib

from fatfs import calculate_esp32_wl_overhead, create_esp32_wl_image, extract_fat_from_esp32_wl, is_esp32_wl_image

SECTOR, PARTITION, STATE_BYTES, NOTE_BYTES, ROUNDS = 4096, 384 * 4096, 64, 16, 5
usable = calculate_esp32_wl_overhead(PARTITION)["fat_sectors"]
made = open("fat", "rb").read()
reserved, tables, entries, _, _, table_sectors = struct.unpack_from("<HBHHBH", made, 14)
used = (reserved + tables * table_sectors) * SECTOR + entries * 32
fat = made[:used].ljust(usable * SECTOR, b"\xff")  # no file has been written, and the clusters are erased
image = bytearray(create_esp32_wl_image(fat, PARTITION))
states = PARTITION - 3 * SECTOR, PARTITION - 2 * SECTOR


def sector(number):
    """Return where a sector of the image is."""
    return slice(number * SECTOR, (number + 1) * SECTOR)


def move(spare, rounds):
    """Move the spare sector on by one, as the layer does, note it in both states, and return its place and its rounds."""
    image[sector(spare)] = image[sector((spare + 1) % (usable + 1))]
    for state in states:
        at = state + STATE_BYTES + spare * NOTE_BYTES
        image[at : at + NOTE_BYTES] = bytes(NOTE_BYTES)
    if spare < usable:
        return spare + 1, rounds
    for state in states:  # begun anew, with the number of rounds
        head = bytearray(image[state : state + STATE_BYTES - 4])
        head[8:12] = (rounds + 1).to_bytes(4, "little")
        image[state : state + SECTOR] = (head + zlib.crc32(head).to_bytes(4, "little")).ljust(SECTOR, b"\xff")
    return 0, rounds + 1


def mapped(spare, rounds):
    """Return the file system by the layer's mapping."""
    places = ((logical - rounds) % usable for logical in range(usable))
    return b"".join(image[sector(place + (place >= spare))] for place in places)


spare = rounds = 0
seen, right = [], []
for moves in range(ROUNDS * (usable + 1) + 1):
    if moves in (0, 1, ROUNDS * (usable + 1)):
        extracted = extract_fat_from_esp32_wl(bytes(image))
        found = extracted and (extracted == fat, extracted.find(fat[:SECTOR]) // SECTOR)
        right.append(mapped(spare, rounds) == fat)
        seen.append((is_esp32_wl_image(bytes(image)), found))
        print(f"{moves} moves: a levelled image: {seen[-1][0]}; extracted as written, and the boot sector's place: {found}")
    spare, rounds = move(spare, rounds)
print(f"sectors of the file system: {usable}; as written by the layer's mapping: {right}")
as_seen = usable == 380 and all(right) and seen == [(True, (True, 0)), (False, None), (False, (False, usable - ROUNDS))]
raise SystemExit(not as_seen)
PYTHON
