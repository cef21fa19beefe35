#!/usr/bin/env bash
# nvme-cli 2.3 (Debian 12): `intel smart-log-add` prints, as text, three attributes as one number each that is no count of anything; in JSON
# they are what the drive's maker packs into them. The wear of blocks is three numbers of 16 bits, least, most and mean; throttling is a
# percentage and a count; the wear of the timed workload is in 1/1024 of a per cent. `shannon smart-log-add` and
# `solidigm smart-log-add` of the same package part the first two in text too. A script that takes wear from the text has a
# number that grows by 2^32 when the mean grows by one.
#
# Seen: a least, most and mean wear of 10, 30 and 20 erases are 85901312010; 25 % and 7 times are 1817; 2048, or 2 %, is 2048.
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

raw = {
    0xAD: struct.pack("<HHH", 10, 30, 20),  # wear of blocks: least, most, mean
    0xE2: (2048).to_bytes(6, "little"),  # wear of the timed workload
    0xEA: bytes([25, 7, 0, 0, 0, 0]),  # throttling: per cent, times
}
keys = [0xAB, 0xAC, 0xAD, 0xB8, 0xC7, 0xE2, 0xE3, 0xE4, 0xEA, 0xF0, 0xF3, 0xF4, 0xF5]
with open("log", "wb") as log:
    log.write(b"".join(bytes([key, 0, 0, 100, 0]) + raw.get(key, bytes(6)) + b"\0" for key in keys).ljust(512, b"\0"))
PYTHON
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
nvme=$work/installed/usr/sbin/nvme
"$nvme" version
told() {
	local plugin=$1
	shift
	LD_PRELOAD=$work/answers.so "$nvme" "$plugin" smart-log-add /dev/null "$@"
}
text=$(told intel | awk '$1 ~ /^0x(ad|e2|ea)$/ { print $2, $4 }' | paste --serial --delimiters=,)
json=$(told intel --json | python3 -c '
import json, sys
stats = json.load(sys.stdin)["Device stats"]
print(*(stats[name]["raw"] for name in ("wear_leveling", "timed_workload_media_wear", "thermal_throttle_status")))')
other=$(told solidigm | sed -n 's/^0xad .*\(min.*\)/\1/p')
echo "in text: $text; in JSON: $json; wear in text of solidigm: $other"
[ "$text" = "wear_leveling_count 85901312010,media_wear_percentage 2048,thermal_throttle_status 1817" ] &&
	[ "$json" = "{'min': 10, 'max': 30, 'avg': 20} 2.000000 {'pct': 25, 'cnt': 7}" ] &&
	[ "$other" = "min: 10, max: 30, avg: 20" ] || { echo 'this has changed' >&2; exit 1; }
