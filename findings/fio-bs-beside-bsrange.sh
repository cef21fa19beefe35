#!/usr/bin/env bash
# fio 3.33 (Debian 12): `bs` has no effect beside `bsrange` or `bssplit`, wherever they stand: a job that sets a block size of
# its own where its [global] section, or a file it includes, gives a range or a split runs with those sizes, without a
# word. Other options of a job replace those of [global].
#
# Seen: [global] bsrange=4k-8k or bssplit=4k/50:8k/50, [job] bs=16k: 256 KiB are read in about 43 requests of 4 and 8 KiB,
# where 16 of 16 KiB are asked for. With bs=4k in [global] they are 16.
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
head -c 262144 /dev/zero > data
requests() { # OPTION: requests of a job with bs=16k whose [global] section has this option
	printf '[global]\n%s\n[job]\nfilename=data\nrw=read\nbs=16k\n' "$1" > sizes.fio
	"$fio" --output-format=json --output=result sizes.fio
	python3 -c 'import json
text = open("result").read()
print(json.loads(text[text.index("{"):])["jobs"][0]["read"]["total_ios"])'
}
fixed=$(requests bs=4k) range=$(requests bsrange=4k-8k) split=$(requests bssplit=4k/50:8k/50)
echo "requests for 256 KiB with bs=16k: [global] bs=4k $fixed, bsrange=4k-8k $range, bssplit=4k/50:8k/50 $split"
as_seen=$((fixed == 16 && range >= 32 && range <= 64 && split >= 32 && split <= 64))
if [ "$as_seen" -ne 1 ]; then echo 'this has changed' >&2; exit 1; fi
