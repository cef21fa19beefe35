#!/usr/bin/env bash
# nvme-cli 2.3 with libnvme 1.3 (Debian 12): `ocp smart-add-log` exchanges two counts of OCP's extended health page: errors that the
# drive's end-to-end protection detected are printed as corrected, and the corrected ones as detected. What stays uncorrected
# is detected less corrected, which then is less than nothing for a drive that failed. Later versions have them right.
#
# Seen: bytes 72 to 75 (detected) 7 and 76 to 79 (corrected) 5 are printed as 7 corrected and 5 detected, in text and in JSON.
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

page = bytearray(512)
struct.pack_into("<II", page, 72, 7, 5)  # end-to-end errors: detected, corrected
struct.pack_into("<H", page, 494, 3)  # the page's version
page[496:] = bytes.fromhex("c5af1028eabff2a49c4f6f7cc914d5af")  # its identifier
open("log", "wb").write(page)
PYTHON
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
nvme=$work/installed/usr/sbin/nvme
"$nvme" version
told() {
	LD_PRELOAD=$work/answers.so "$nvme" ocp smart-add-log /dev/null --output-format="$1" |
		sed -n 's/.*\(End to end [a-z]* errors\)[": \t]*\([0-9]*\).*/\1 \2/p' | sort | paste --serial --delimiters=,
}
text=$(told normal) json=$(told json)
echo "7 detected and 5 corrected are in text: $text; in JSON: $json"
exchanged="End to end corrected errors 7,End to end detected errors 5"
[ "$text" = "$exchanged" ] && [ "$json" = "$exchanged" ] || { echo 'this has changed' >&2; exit 1; }
