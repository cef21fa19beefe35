#!/usr/bin/env bash
# pySMART 1.4.3 (PyPI) reading smartctl 7.3 (Debian 12): of the errors in an NVMe drive's log some are left out, and the others have
# other addresses and no names. An error that is not about a field of its command, as a block that cannot be read, has "-" in place of
# the field, and a line with it is passed over. smartctl prints the block in decimal, and pySMART reads it as hexadecimal. It compares
# the status with members of an enumeration, to which no number is equal, so that the text of each is "Unknown"; and smartctl 7.3
# prints the status with its phase bit, so that the number itself is twice the status and one.
#
# Seen: of two unrecovered reads (0x281) at blocks 1,000,000 and 1,000,008, as nvme-cli 2.3 has them, the second is left out, and the
# first, which names a field, has status 0x503, "Unknown", at block 16,777,216.
# No drive is needed: a small preloaded library answers commands from files, with /dev/null as the device.
# Needs Debian 12 (bookworm) with its package lists, gcc, and python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download smartmontools=7.3-1+b1 nvme-cli=2.4+really2.3-3 libnvme1=1.3-1+deb12u1
for package in *.deb; do dpkg --extract "$package" installed; done
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check pySMART==1.4.3
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

enum { GET_LOG_PAGE = 2, IDENTIFY = 6 };

int ioctl(int device, unsigned long request, ...)
{
	char name[32];
	va_list rest;
	(void)device;
	(void)request;
	va_start(rest, request);
	struct command *command = va_arg(rest, struct command *);
	va_end(rest);
	if (command->opcode == IDENTIFY)
		snprintf(name, sizeof name, "identify-%u", command->dwords[0] & 0xff);
	else if (command->opcode == GET_LOG_PAGE)
		snprintf(name, sizeof name, "log-%u", command->dwords[0] & 0xff);
	else
		return -1;
	FILE *answer = fopen(name, "rb");
	if (answer == NULL)
		return -1;
	uint8_t *to = (uint8_t *)(uintptr_t)command->data;
	memset(to, 0, command->data_bytes);
	fseek(answer, command->dwords[2], SEEK_SET); /* the page's offset */
	size_t read = fread(to, 1, command->data_bytes, answer);
	fclose(answer);
	return read > 0 ? 0 : -1;
}
C
gcc -Wall -shared -fPIC -o answers.so answers.c
python3 - <<'PYTHON'
import struct

UNRECOVERED_READ, BLOCK, NAMESPACE = 0x281, 1_000_000, 1
FIELD, NO_FIELD = 0x28, 0xFFFF
controller, namespace, health, errors = bytearray(4096), bytearray(4096), bytearray(512), bytearray(4096)
controller[4:72] = b"SERIAL".ljust(20) + b"MODEL".ljust(40) + b"1".ljust(8)
controller[262] = 63  # one less than the entries of the error log
struct.pack_into("<I", controller, 516, NAMESPACE)
struct.pack_into("<QQQ", namespace, 0, 1 << 21, 1 << 21, 1 << 20)
namespace[130] = 12  # the first format: blocks of 4 KiB
health[176:192] = (2).to_bytes(16, "little")  # entries in the error log
for number, (field, block) in enumerate(((FIELD, BLOCK), (NO_FIELD, BLOCK + 8))):
    about = (2 - number, 1, 0x12, UNRECOVERED_READ << 1 | 1, field, block, NAMESPACE)
    struct.pack_into("<QHHHHQI", errors, 64 * number, *about)
for name, page in {"identify-1": controller, "identify-0": namespace, "log-1": errors, "log-2": health}.items():
    with open(name, "wb") as file:
        file.write(page)
PYTHON
libraries=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
with_answers() { LD_LIBRARY_PATH=$libraries LD_PRELOAD=$work/answers.so "$work/installed/usr/sbin/$@"; }
with_answers smartctl --device=nvme,0x1 --all /dev/null > smartctl.txt || true
with_answers nvme error-log /dev/null --log-entries=2 --output-format=json > nvme.json
environment/bin/python - <<'PYTHON'
import json
import sys

from pySMART.interface.nvme import NvmeAttributes

by_nvme = [(error["status_field"], error["lba"]) for error in json.load(open("nvme.json"))["errors"]]
errors = NvmeAttributes(iter(open("smartctl.txt").read().splitlines())).errors
by_pysmart = [(error.status, error.status_str, error.lba) for error in errors]
print(f"nvme-cli, status and block: {by_nvme}; pySMART: {by_pysmart}")
as_seen = by_nvme == [(0x281, 1_000_000), (0x281, 1_000_008)] and by_pysmart == [(0x503, "Unknown", 0x1000000)]
sys.exit(None if as_seen else "this has changed")
PYTHON
