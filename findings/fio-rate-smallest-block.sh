#!/usr/bin/env bash
# fio 3.33 (Debian 12): a rate limit together with several block sizes is not what its name says as soon as
# `rate_process=poisson` or `rate_iops` is used. fio turns `rate` into requests a second, and `rate_iops` into bytes a second,
# by the *smallest* block size of the job:
#   rate=4m with poisson arrivals moves about 8 times as much (as many requests as if all were of 4 KiB);
#   rate_iops=1000 with linear arrivals issues about 120 requests a second (as many bytes as 1,000 requests of 4 KiB).
#
# Seen with bsrange=4k-64k, mean 34 KiB: linear rate=4m 4.0 MiB/s, poisson 32 MiB/s; linear rate_iops=1000 119 IOPS,
# poisson 990.
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
measure() { # OPTIONS...: IOPS and MiB/s of two seconds
	"$fio" --name=rates --ioengine=null --rw=randread --bsrange=4k-64k --size=1g --time_based --runtime=2 \
		--output-format=json "$@" |
		python3 -c 'import json, sys; read = json.load(sys.stdin)["jobs"][0]["read"]
print(round(read["iops"]), round(read["bw_bytes"] / 2**20))'
}
read -r _ linear < <(measure --rate=4m)
read -r _ poisson < <(measure --rate=4m --rate_process=poisson)
read -r linear_iops _ < <(measure --rate_iops=1000)
read -r poisson_iops _ < <(measure --rate_iops=1000 --rate_process=poisson)
echo "rate=4m: linear $linear MiB/s, poisson $poisson MiB/s"
echo "rate_iops=1000: linear $linear_iops IOPS, poisson $poisson_iops IOPS"
as_seen=$((linear <= 5 && poisson >= 20 && linear_iops <= 200 && poisson_iops >= 800))
if [ "$as_seen" -ne 1 ]; then echo 'this has changed' >&2; exit 1; fi
