#!/usr/bin/env bash
# fio 3.33 (Debian 12): the null engine does not issue the requests that a real engine issues, where a file does not
# end at a block boundary: it writes one block beyond the end. Request counts, and logs of `write_iolog` made with it,
# which are used to see what a job would do, are one request too long for each such file.
#
# Seen: sequential writes of 4 KiB to a file of 1,161,216 bytes (283.5 blocks): 283 requests with psync, 284 with null.
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
requests() { # ENGINE
	"$fio" --name=end --ioengine="$1" --filename=file --rw=write --bs=4k --filesize=1161216 --output-format=json \
		--output=result > /dev/null
	python3 -c 'import json
text = open("result").read()
print(json.loads(text[text.index("{"):])["jobs"][0]["write"]["total_ios"])'
	rm -f file
}
null=$(requests null) psync=$(requests psync)
echo "requests for 1,161,216 bytes in blocks of 4 KiB: psync $psync, null $null"
if [ "$psync" != 283 ] || [ "$null" != 284 ]; then echo 'this has changed' >&2; exit 1; fi
