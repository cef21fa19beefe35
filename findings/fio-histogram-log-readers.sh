#!/usr/bin/env bash
# fio 3.33 (Debian 12): what its two readers of histogram logs (`write_hist_log`) say about a second is about another one.
# fio-histo-log-pctiles.py takes the stamp of a record, which fio writes at its end, for its beginning, so that each row is about the
# second before; fiologparser_hist.py spreads each record over two of its rows and counts all of its requests in both. A stall of a
# drive, a cliff at the end of its cache, stands in the wrong second in both.
#
# Seen: a replay with 100, 300, 50, 200 and 400 requests in its five seconds, as fio's own log of IOPS has it. The first reader's rows of
# 0 to 4 s have 0, about 98, 293, 57 and 201; the second's that end at 2, 3 and 4 s have 401, 350 and 250.
# Needs Debian 12 (bookworm) with its package lists, and python3 with venv.
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
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check numpy==1.26.4 pandas==2.2.3
for tool in fio-histo-log-pctiles fiologparser_hist; do
	file=installed/usr/share/doc/fio/$tool.py
	if [ -e "$file" ]; then cp "$file" .; else gunzip --stdout "$file.gz" > $tool.py; fi
done
head -c 4300800 /dev/zero > data
python3 -c 'print("fio version 3 iolog\n0 data add\n1 data open")
issued = 0
for second, requests in enumerate([100, 300, 50, 200, 400]):
    for number in range(requests):
        print(f"{20000 + second * 1000000 + number * 900000 // requests} data read {issued * 4096} 4096")
        issued += 1
print("5000000 data close")' > steps.log
"$fio" --name=steps --read_iolog=steps.log --ioengine=psync --write_hist_log=steps --log_hist_msec=1000 --write_iops_log=steps \
	--log_avg_msec=1000 > /dev/null
rows() { awk -F , -v column="$1" '/^ *[0-9]+,/ { printf "%d:%d ", $1, $column }'; }
own=$(rows 2 < steps_iops.1.log)
first=$(environment/bin/python fio-histo-log-pctiles.py --time-quantum 1 steps_clat_hist.1.log | rows 2)
second=$(environment/bin/python fiologparser_hist.py steps_clat_hist.1.log | rows 2)
echo "requests by ms: fio ${own}fio-histo-log-pctiles ${first}fiologparser_hist $second"
python3 - "$own" "$first" "$second" <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
import sys

own, first, second = (
    {round(int(row.split(":")[0]), -3): int(row.split(":")[1]) for row in text.split()} for text in sys.argv[1:]
)


def about(seen, expected):
    return all(abs(seen.get(time, -1000) - requests) <= 40 for time, requests in expected.items())


as_seen = (
    about(own, {1000: 100, 2000: 300, 3000: 50, 4000: 200})
    and about(first, {0: 0, 1000: 100, 2000: 300, 3000: 50, 4000: 200})
    and about(second, {2000: 100 + 300, 3000: 300 + 50, 4000: 50 + 200})
)
raise SystemExit(not as_seen)
PYTHON
