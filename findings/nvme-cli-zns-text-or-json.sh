#!/usr/bin/env bash
# nvme-cli 2.3 with libnvme 1.3 (Debian 12): what is said of a zoned namespace depends on the form of the output.
#   zns report-zones, JSON: `attrs` is byte 3 of a zone's descriptor, the attributes' further information; the text has byte 2, the
#                           attributes, as `Attrs`, and byte 3 as `AttrsInfo`. A zone that the drive asks to have reset has 0 in JSON.
#   zns id-ns, text:        frl1, frl2 and frl3, the limits for zones to be finished, are frl, the first; JSON has all four.
#
# Seen: attributes 0x04 (reset recommended) with information 0 are 0x4 and 0 in text, 0 in JSON; 0x01 (finished by the drive) with 3
# are 0x1 and 0x3 in text, 3 in JSON. Limits of 200, 600, 700 and 800 s are four times 200 in text.
# No drive is needed: a small preloaded library answers commands from files, with /dev/null as the device.
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

/* The kernel's layout of a command. */
struct command {
	uint8_t opcode, flags;
	uint16_t reserved;
	uint32_t namespace_id, dword2, dword3;
	uint64_t metadata, data;
	uint32_t metadata_bytes, data_bytes, dwords[6];
};

enum { IDENTIFY = 0x06, REPORT_ZONES = 0x7a };

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
	else if (command->opcode == REPORT_ZONES)
		snprintf(name, sizeof name, "zones");
	else
		return -1;
	FILE *answer = fopen(name, "rb");
	if (answer == NULL)
		return -1;
	uint8_t *to = (uint8_t *)(uintptr_t)command->data;
	memset(to, 0, command->data_bytes);
	size_t read = fread(to, 1, command->data_bytes, answer);
	fclose(answer);
	return read > 0 ? 0 : -1;
}
C
gcc -Wall -shared -fPIC -o answers.so answers.c
python3 - <<'PYTHON'
import struct

ZONE, WRITTEN, SEQUENTIAL, CLOSED = 65536, 100, 2, 4 << 4
zones = [
    struct.pack("<BBBB4xQQQ32x", SEQUENTIAL, CLOSED, attributes, information, ZONE, start, start + WRITTEN)
    for start, (attributes, information) in zip((0, ZONE), ((0x04, 0), (0x01, 3)))
]
with open("zones", "wb") as answer:
    answer.write(struct.pack("<Q56x", len(zones)) + b"".join(zones))

namespace = bytearray(4096)
struct.pack_into("<QQQ", namespace, 0, *[len(zones) * ZONE] * 3)
namespace[130] = 12  # the first format: blocks of 4 KiB
zoned = bytearray(4096)
struct.pack_into("<8I", zoned, 12, 100, 200, 300, 400, 500, 600, 700, 800)  # rrl, frl, rrl1 to rrl3, frl1 to frl3
struct.pack_into("<Q", zoned, 2816, ZONE)
for selector, answer in ((0, namespace), (5, zoned)):
    with open(f"identify-{selector}", "wb") as file:
        file.write(answer)
PYTHON
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
nvme() { LD_PRELOAD=$work/answers.so "$work/installed/usr/sbin/nvme" zns "$@" /dev/null --namespace-id=1; }
from_json='import json, sys; told = json.load(sys.stdin); print(*eval(sys.argv[1]))'
text=$(nvme report-zones | sed -n 's/.*Attrs: \(\S*\) *AttrsInfo: \(\S*\).*/\1 \2/p' | paste --serial --delimiters=,)
json=$(nvme report-zones --output-format=json | python3 -c "$from_json" '[zone["attrs"] for zone in told["zone_list"]]')
limits=$(nvme id-ns | sed -n 's/^frl[1-3]* *: //p' | paste --serial --delimiters=' ')
right=$(nvme id-ns --output-format=json | python3 -c "$from_json" '[told[name] for name in ("frl", "frl1", "frl2", "frl3")]')
echo "attributes and information of two zones: $text in text, $json in JSON; limits: $limits in text, $right in JSON"
[ "$text" = "0x4 0,0x1 0x3" ] && [ "$json" = "0 3" ] && [ "$limits" = "200 200 200 200" ] && [ "$right" = "200 600 700 800" ] ||
	{ echo 'this has changed' >&2; exit 1; }
