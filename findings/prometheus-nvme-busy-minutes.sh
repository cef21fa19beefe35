#!/usr/bin/env bash
# nvme_metrics.sh of prometheus-node-exporter-collectors of February 2023 with nvme-cli 2.3 (both Debian 12): NVMe counts a controller's busy
# time in minutes, nvme-cli prints that number without a unit, and the collector hands it on as `nvme_controller_busy_time_seconds`. Its
# growth divided by the time that passed, which by the unit is the share of time in which the drive was busy, is a sixtieth of that
# share: a drive that is always busy seems to be so for 1.7 % of the time.
#
# Seen: a health page with 600 minutes of busy time, 10 hours, gives nvme_controller_busy_time_seconds 600; its power on hours are 10.
# No drive is needed: a small preloaded library answers the log page from a file, with /dev/null as the device.
# Needs Debian 12 (bookworm) with its package lists, gcc and python3, and to run as root, as the collector asks for it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download prometheus-node-exporter-collectors=0.0~git20230203.6f710f8-1+deb12u2 \
	nvme-cli=2.4+really2.3-3 libnvme1=1.3-1+deb12u1 jq libjq1 libonig5
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
struct.pack_into("<H", page, 1, 310)  # kelvins
page[3:6] = 100, 10, 1  # spare, its threshold, percentage used
page[96:112] = (600).to_bytes(16, "little")  # controller busy time, in minutes
page[128:144] = (10).to_bytes(16, "little")  # power on hours
open("log", "wb").write(page)
PYTHON
libraries=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
# The drives that there are, which nvme-cli would look up in /sys; everything else is its own.
mkdir commands
cat > commands/nvme <<SHELL
#!/bin/sh
export LD_LIBRARY_PATH=$libraries
[ "\$1" != list ] || { echo '{"Devices": [{"DevicePath": "/dev/null"}]}'; exit; }
LD_PRELOAD=$work/answers.so exec $work/installed/usr/sbin/nvme "\$@"
SHELL
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$work/installed/usr/bin/jq" > commands/jq
chmod +x commands/*
PATH=$work/commands:$PATH bash installed/usr/share/prometheus-node-exporter-collectors/nvme_metrics.sh > metrics
grep --invert-match '^#' metrics | grep --extended-regexp 'busy|hours'
grep --quiet --fixed-strings 'nvme_controller_busy_time_seconds{device="null"} 600' metrics &&
	grep --quiet --fixed-strings 'nvme_power_on_hours_total{device="null"} 10' metrics || { echo 'this has changed' >&2; exit 1; }
