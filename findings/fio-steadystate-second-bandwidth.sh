#!/usr/bin/env bash
# fio 3.33 (Debian 12): the line `steadystate` of the normal output gives the bandwidth twice, as other lines do, but the
# second time with another unit for the same number: it divides by 1024 and then writes kB, so that it is 2.3 % too low.
#
# Seen: 200 requests of 4 KiB a second are `bw=801KiB/s (801kB/s)` there, `BW=800KiB/s (819kB/s)` in the line of the reads.
# Needs Debian 12 (bookworm) with its package lists.
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
"$fio" --name=settled --ioengine=null --rw=read --bs=4k --size=1m --rate_iops=200 --time_based --runtime=20 \
	--steadystate=iops:20% --steadystate_duration=3 > result
grep --extended-regexp 'read:|steadystate ' result
number='[0-9.]+'
[[ $(grep 'steadystate ' result) =~ bw=($number)KiB/s\ \(($number)kB/s\) ]]
binary=${BASH_REMATCH[1]} decimal=${BASH_REMATCH[2]}
[[ $(grep 'read:' result) =~ BW=($number)KiB/s\ \(($number)kB/s\) ]]
if [ "$binary" != "$decimal" ] || [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]; then echo 'this has changed' >&2; exit 1; fi
