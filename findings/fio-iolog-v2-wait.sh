#!/usr/bin/env bash
# fio 3.33 (Debian 12): `wait` in an iolog of version 2 is not what its manual says. The manual: microseconds, counted
# from the `wait` before. In fact: milliseconds, counted from the start of the job, less about 100 ms of start-up; a second
# `wait` of the same value does not wait at all. A tool that writes such logs by the manual is replayed a thousand times
# slower at first, and without its later gaps.
#
# Seen: four reads with `wait 1000` before each but the first end after about 900 ms (by the manual: 3 ms); with `wait
# 1000`, `2000`, `3000` after about 2,900 ms (by the manual: 6 ms).
# Needs Debian 12 (bookworm) with its package lists, and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
needed=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
	--no-enhances fio=3.33-3 | grep "^[a-z]" | sort -u)
for package in $needed; do
	dpkg-query --show --showformat "\${db:Status-Status}" "$package" 2> /dev/null | grep -q "^installed" || echo "$package"
done | grep -v "^fio$" | xargs apt-get --quiet=2 -o APT::Sandbox::User=root download fio=3.33-3
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
fio=$work/installed/usr/bin/fio
[ "$($fio --version)" = fio-3.33 ]
head -c 65536 /dev/zero > data
replay() { # WAITS...: how many ms four reads took with these between them
	{
		printf 'fio version 2 iolog\ndata add\ndata open\ndata read 0 4096\n'
		offset=4096
		for wait in "$@"; do
			printf 'data wait %d 0\ndata read %d 4096\n' "$wait" "$offset"
			offset=$((offset + 4096))
		done
		printf 'data close\n'
	} > log
	"$fio" --name=replay --read_iolog=log --ioengine=psync --output-format=json |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["jobs"][0]["read"]["runtime"])'
}
equal=$(replay 1000 1000 1000) rising=$(replay 1000 2000 3000)
echo "wait 1000, 1000, 1000: $equal ms; wait 1000, 2000, 3000: $rising ms"
as_seen=$((equal > 700 && equal < 1300 && rising > 2700 && rising < 3300))
if [ "$as_seen" -ne 1 ]; then echo 'this has changed' >&2; exit 1; fi
