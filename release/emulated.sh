#!/bin/sh
# Tries a wheel for AArch64 in a Debian of that processor, under QEMU and without a compiler: tests/wheel.py --installed.
#
#   release/emulated.sh PLACE WHEEL      PLACE has the Debian of tests/portable/chroot.sh, whose QEMU this uses
#
# As root. PLACE/arm64 is made once (300 MB). The kernel knows QEMU as the interpreter of such programs while this runs.
set -eu

[ $# = 2 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
place=$(cd "$1" && pwd)
wheel=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
here=$(cd "$(dirname "$0")/.." && pwd)
qemu=$place/debian/usr/bin/qemu-aarch64
registered=/proc/sys/fs/binfmt_misc/floatgate-aarch64
[ "$(id -u)" = 0 ] || { echo "emulated.sh: user $(id -un): expected root, who may change the root of a process" >&2; exit 2; }
[ -x "$qemu" ] || { echo "emulated.sh: no $qemu: expected tests/portable/chroot.sh make $place before" >&2; exit 2; }

[ -e /proc/sys/fs/binfmt_misc/register ] || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
if [ ! -e "$registered" ]; then
	# The head of an ELF file of 64 bits for AArch64; F: QEMU is opened now, and is found in any root.
	printf ':floatgate-aarch64:M::%s:%s:%s:F' \
		'\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' \
		'\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' "$qemu" \
		> /proc/sys/fs/binfmt_misc/register
	trap 'echo -1 > "$registered"' EXIT
fi
if [ ! -d "$place/arm64" ]; then
	mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -1)}
	rm -rf "$place/arm64-unfinished"
	mmdebstrap --quiet --variant=apt --architectures=arm64 --include=python3 trixie "$place/arm64-unfinished" \
		"deb $mirror trixie main"
	mv "$place/arm64-unfinished" "$place/arm64"
fi
# This machine's pip puts the wheel and what it depends on into a folder: under QEMU it takes ten times as long.
site=$place/arm64/opt/site
rm -rf "$site"
version=$(chroot "$place/arm64" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for tag in manylinux_2_17 manylinux2014 manylinux_2_28; do platforms="${platforms:-} --platform ${tag}_aarch64"; done
"${PYTHON:-python3}" -m pip install --quiet --disable-pip-version-check --target "$site" --only-binary :all: \
	--python-version "$version" $platforms "$wheel"
PLACE=$place HERE=$here unshare --mount --propagation private sh -eu -c '
	root=$PLACE/arm64
	mkdir -p "$root/floatgate"
	mount --bind "$HERE" "$root/floatgate"
	mount -o remount,bind,ro "$root/floatgate"
	mount --rbind /proc "$root/proc"
	mount --rbind /dev "$root/dev"
	exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
		python3 /floatgate/tests/wheel.py --installed /opt/site'
