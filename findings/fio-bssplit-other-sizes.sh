#!/usr/bin/env bash
# fio 3.33 (Debian 12): two forms of `bssplit` are accepted and mean something else than they say.
#   bssplit=4k/50:20k-28k/50   a range of sizes is read as its first size: no request is larger than 20 KiB;
#   bssplit=4k/80:8k/60:16k    where the percentages that are given exceed 100, every request has the size that is
#                              given without one, here 16 KiB: the 4 KiB and 8 KiB requests asked for do not occur.
# Collections of jobs that imitate production workloads use such ranges. Neither says a word, and the exit status is 0.
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
sizes() { # BSSPLIT: the sizes of the requests of 16 MiB, with their counts
	"$fio" --name=split --ioengine=null --rw=write --size=16m --bssplit="$1" --write_iolog=log > messages
	awk '$3 == "write" { count[$5]++ } END { for (size in count) print size ":" count[size] }' log | sort -n | xargs
	rm log
}
range=$(sizes 4k/50:20k-28k/50) above=$(sizes 4k/80:8k/60:16k)
echo "4k/50:20k-28k/50: $range"
echo "4k/80:8k/60:16k: $above"
range_sizes=$(tr ' ' '\n' <<< "$range" | cut -d: -f1 | xargs)
if [ "$range_sizes" != '4096 20480' ] || [ "$above" != 16384:1024 ]; then echo 'this has changed' >&2; exit 1; fi
