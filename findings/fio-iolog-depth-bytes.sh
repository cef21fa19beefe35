#!/usr/bin/env bash
# fio 3.33 (Debian 12): a replayed iolog (`read_iolog`) at a queue depth ends before its last requests are counted: they are issued,
# and counted as requests, but their bytes are not. Bandwidth and bytes of a short replay are too low by up to the depth, in silence,
# and IOPS times the size of a request is no longer the bandwidth beside it. A job without an iolog has all its bytes.
#
# Seen: 100 reads of 4 KiB from an iolog are 400 KiB at iodepth=1, 372 KiB at 8 and 276 KiB at 32; 100 random reads of a job at
# iodepth=32 are 400 KiB.
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
head -c 4194304 /dev/zero > data
python3 -c 'print("fio version 2 iolog\ndata add\ndata open")
for number in range(100): print(f"data read {number * 40960} 4096")
print("data close")' > reads.log
moved() { # OPTION...: requests and bytes of a job with these options
	"$fio" --name=reads --ioengine=libaio "$@" --output-format=json --output=result
	python3 -c 'import json
text = open("result").read()
reads = json.loads(text[text.index("{"):])["jobs"][0]["read"]
print(reads["total_ios"], reads["io_bytes"] // 1024)'
}
one=$(moved --read_iolog=reads.log --iodepth=1) eight=$(moved --read_iolog=reads.log --iodepth=8)
many=$(moved --read_iolog=reads.log --iodepth=32)
job=$(moved --filename=data --rw=randread --bs=4k --io_size=400k --iodepth=32)
echo "requests and KiB: iodepth=1 $one, 8 $eight, 32 $many; without an iolog at 32 $job"
[ "$one" = "100 400" ] && [ "$job" = "100 400" ]
[ "${eight% *} ${many% *}" = "100 100" ] && [ "${eight#* }" -lt 400 ] && [ "${many#* }" -lt "${eight#* }" ] ||
	{ echo 'this has changed' >&2; exit 1; }
