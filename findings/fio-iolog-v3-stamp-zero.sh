#!/usr/bin/env bash
# fio 3.33 (Debian 12): an iolog of version 3 whose first stamp is 0 loses the gap between its first and its second
# request when it is replayed, since fio takes a stamp of 0 for "no stamp yet". The same log with all stamps one
# microsecond later is replayed as written.
#
# Seen: three reads at 0, 100 and 200 ms take about 100 ms; from 1 us on they take about 200 ms.
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
replay() { # FIRST_US: replays three reads 100 ms apart and says how many ms that took
	printf 'fio version 3 iolog\n%d data add\n%d data open\n%d data read 0 4096\n%d data read 4096 4096\n%d data read 8192 4096\n%d data close\n' \
		"$1" "$1" "$1" $(($1 + 100000)) $(($1 + 200000)) $(($1 + 200000)) > log
	"$fio" --name=replay --read_iolog=log --ioengine=psync --output-format=json |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["jobs"][0]["read"]["runtime"])'
}
zero=$(replay 0) one=$(replay 1)
echo "stamps from 0: replayed in $zero ms; stamps from 1 us: replayed in $one ms"
if [ "$zero" -ge 150 ] || [ "$one" -lt 190 ]; then echo 'this has changed' >&2; exit 1; fi
