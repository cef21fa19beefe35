#!/usr/bin/env bash
# fio2gnuplot of fio 3.33 (Debian 12): the direction in a bandwidth log has no effect. A job that reads and writes has both in one log,
# line by line; fio2gnuplot takes them for one series, so that the average it draws and writes for the device is the mean of both
# directions instead of their sum: half the bandwidth of a job that reads as much as it writes.
#
# Seen: randrw with rate=4m,4m moves 8 MiB/s together by fio's own result; fio2gnuplot's average is about 4,100 KiB/s, and its count of values
# twice that of the intervals. The same job with reads alone has the average of its bandwidth.
# Needs Debian 12 (bookworm) with its package lists, and python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check six==1.17.0
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
# It looks for its drawing scripts where Debian puts them.
sed "s#/usr/share/fio#$work/installed/usr/share/fio#" installed/usr/bin/fio2gnuplot > fio2gnuplot

# Bandwidth in KiB/s: of fio's result, and the average of fio2gnuplot.
measured() {
	mkdir "$1"
	cd "$1"
	"$fio" --name=mix --ioengine=null --rw="$1" --bs=4k --size=64m --rate=4m,4m --runtime=4 --time_based \
		--write_bw_log=mix --log_avg_msec=250 --output-format=json --output=result.json
	"$work/venv/bin/python" "$work/fio2gnuplot" -b -o drawn -k > said
	"$work/venv/bin/python" -c 'if True:
		import json
		job = json.load(open("result.json"))["jobs"][0]
		print(round(job["read"]["bw"] + job["write"]["bw"]))'
	sed --quiet 's/^avg=\([0-9]*\).*/\1/p' drawn.global
	cd "$work"
}
mapfile -t mixed < <(measured randrw)
mapfile -t reads < <(measured randread)
echo "reads and writes: fio ${mixed[0]} KiB/s, fio2gnuplot ${mixed[1]}; reads alone: fio ${reads[0]} KiB/s, fio2gnuplot ${reads[1]}"
near() { [ $(($1 * 100)) -ge $(($2 * 95)) ] && [ $(($1 * 100)) -le $(($2 * 105)) ]; }
near "${mixed[0]}" 8192 && near "${mixed[1]}" 4096 && near "${reads[1]}" "${reads[0]}" || { echo 'this has changed' >&2; exit 1; }
