#!/usr/bin/env bash
# fio 3.33 (Debian 12): `write_iolog` to a file that exists appends a second log, header and all, with stamps that begin
# anew. Replayed with `read_iolog`, the second header is printed as a bad line, the run goes on with exit status 0, and
# the second log follows the first: twice the requests and twice the time of the job that the file is named after.
#
# Seen: two runs of two reads with 100 ms between them leave one file with two headers; its replay issues 4 reads in
# the time of both together and says "bad iolog3: fio version 3 iolog".
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
for _ in 1 2; do
	"$fio" --name=write --filename=data --rw=read --bs=4k --number_ios=2 --size=64k --thinktime=100ms \
		--write_iolog=log > /dev/null
done
headers=$(grep --count '^fio version' log)
"$fio" --name=replay --read_iolog=log --ioengine=psync --output-format=json --output=result 2> messages
read -r reads ms < <(python3 -c 'import json
text = open("result").read()
read = json.loads(text[text.index("{"):])["jobs"][0]["read"]
print(read["total_ios"], read["runtime"])')
echo "headers in the log: $headers; replayed: $reads reads in $ms ms; said: $(cat messages)"
said=$(cat messages result | grep --count 'bad iolog3: fio version 3 iolog')
as_seen=$((headers == 2 && reads == 4 && ms >= 180 && said == 1))
if [ "$as_seen" -ne 1 ]; then echo 'this has changed' >&2; exit 1; fi
