#!/usr/bin/env bash
# nvme-cli 2.3 with libnvme 1.3 (Debian 12): the logical block address of the FDP event "media reallocated" is printed
# from the wrong bytes. NVMe puts it at bytes 4 to 11 of the event's type-specific field; the library's structure is not
# packed, so that its compiler aligns the address to byte 8. What is printed is the upper half of the address, which for
# drives of less than 16 TB is 0, and the four reserved bytes behind it.
#
# Seen: an event whose address is 0x1122334455667788 is printed as 0x11223344 (287454020 in JSON).
# No drive is needed: a small preloaded library answers the log page from a file, with /dev/null as the device.
# Needs Debian 12 (bookworm) with its package lists, gcc and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download nvme-cli=2.4+really2.3-3 libnvme1=1.3-1+deb12u1
for package in *.deb; do dpkg --extract "$package" installed; done
cat > answers.c <<'C'
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The kernel's layout of an administrative command. */
struct command {
	uint8_t opcode, flags;
	uint16_t reserved;
	uint32_t namespace_id, dword2, dword3;
	uint64_t metadata, data;
	uint32_t metadata_bytes, data_bytes, dwords[6];
};

enum { GET_LOG_PAGE = 2 };

int ioctl(int device, unsigned long request, ...)
{
	va_list rest;
	(void)device;
	(void)request;
	va_start(rest, request);
	struct command *command = va_arg(rest, struct command *);
	va_end(rest);
	FILE *log = fopen("log", "rb");
	if (command->opcode != GET_LOG_PAGE || log == NULL)
		return -1;
	uint8_t *to = (uint8_t *)(uintptr_t)command->data;
	memset(to, 0, command->data_bytes);
	fseek(log, command->dwords[2], SEEK_SET); /* the page's offset */
	size_t read = fread(to, 1, command->data_bytes, log);
	fclose(log);
	return read > 0 ? 0 : -1;
}
C
gcc -Wall -shared -fPIC -o answers.so answers.c
python3 - <<'PYTHON'
import struct

media_reallocated, pid_nsid_location_valid = 0x80, 0b111
header = struct.pack("<I60x", 1)
type_specific = struct.pack("<BxHQ4x", 1, 2, 0x1122334455667788)  # address valid; 2 blocks; the address at bytes 4 to 11
event = struct.pack("<BBHQI16s32x", media_reallocated, pid_nsid_location_valid, 1, 12345, 1, type_specific)
open("log", "wb").write((header + event).ljust(4096, b"\0"))
PYTHON
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
nvme=$work/installed/usr/sbin/nvme
"$nvme" version
seen=$(LD_PRELOAD=$work/answers.so "$nvme" fdp events /dev/null --endgrp-id=1 --host-events --output-format=json)
address=$(python3 -c 'import json, sys; print(hex(json.loads(sys.argv[1])["events"][0]["lba"]))' "$seen")
echo "address in the log page: 0x1122334455667788; printed: $address"
if [ "$address" != 0x11223344 ]; then echo 'this has changed' >&2; exit 1; fi
