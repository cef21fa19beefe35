#!/usr/bin/env bash
# qemu-img 7.2 (Debian 12): `bench --flush-interval=N --no-drain` flushes after every N writes, as its manual says, and at the end once
# more for each of the last writes in flight. With its default queue of 64 a run ends in some 64 flushes behind each
# other, and the time of a short one is mostly theirs. Without --no-drain each flush is sent once.
#
# Seen, 1,000 writes and a flush after every 100, as nbdkit counts what arrives: 11 flushes (one is the image's close) at any depth
# without --no-drain; with it 18 at a depth of 8, 42 at 32 and 74 at 64.
# Needs Debian 12 (bookworm) with its package lists.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
wanted="nbdkit=1.32.5-1 qemu-utils" # the latter has security updates, which replace one another
needed=$(for package in $wanted; do
	apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$package"
done | grep "^[a-z]" | sort -u)
for package in $needed; do
	dpkg-query --show --showformat "\${db:Status-Status}" "$package" 2> /dev/null | grep -q "^installed" || echo "$package"
done | grep -v -e "^nbdkit$" -e "^qemu-utils$" | xargs apt-get --quiet=2 -o APT::Sandbox::User=root download $wanted
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
parts=$(echo "$work"/installed/usr/lib/*/nbdkit)
[[ $(installed/usr/bin/qemu-img --version | head -1) = "qemu-img version 7.2."* ]]
flushes() { # DEPTH [OPTION]: those of 1,000 writes with one after every 100
	installed/usr/bin/nbdkit --unix=- --filter="$parts/filters/nbdkit-log-filter.so" "$parts/plugins/nbdkit-memory-plugin.so" 16M \
		logfile=log --run "installed/usr/bin/qemu-img bench --image-opts -c 1000 -d $1 -s 4k -w --flush-interval=100 ${2-} \
		driver=raw,file.driver=nbd,file.path=\$unixsocket" > /dev/null
	[ "$(grep --count 'Write id=.*\.\.\.' log)" = 1000 ]
	grep --count 'Flush id=.*\.\.\.' log || true
	rm log
}
one=$(flushes 64) small=$(flushes 8 --no-drain) middle=$(flushes 32 --no-drain) large=$(flushes 64 --no-drain)
echo "flushes with a drained queue of 64: $one; with --no-drain at a depth of 8 $small, 32 $middle, 64 $large"
[ "$one $small $middle $large" = "11 18 42 74" ] || { echo 'this has changed' >&2; exit 1; }
