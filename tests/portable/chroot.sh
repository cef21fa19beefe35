#!/bin/sh
# A Debian of its own below PLACE, where programs for other processors and for Windows are built and run.
#
#   tests/portable/chroot.sh make PLACE            once: needs root, mmdebstrap, a network and 6 GB
#   tests/portable/chroot.sh in PLACE COMMAND...   runs COMMAND there in this checkout, which it can read and not write
#
# Nothing outside PLACE is written but cargo's registry. MIRROR is another mirror than apt's own. TOOLS is a folder that COMMAND
# finds as /tools.
set -eu

# Its Rust for browsers (rustc-web) is recent enough, and has standard libraries for all processors of Debian.
SUITE=trixie
PROCESSORS='arm64 riscv64 s390x'
WINDOWS=x86_64-pc-windows-gnu
PACKAGES='cargo-web rustc-web rust-web-src llvm-22 gcc libc6-dev qemu-user wine64 wine gcc-mingw-w64-x86-64-posix
	gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu gcc-s390x-linux-gnu
	libc6-dev-arm64-cross libc6-dev-riscv64-cross libc6-dev-s390x-cross'

here=$(cd "$(dirname "$0")/../.." && pwd)
usage() { sed -n '4,5s/^# *//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
verb=$1
place=$2
shift 2
[ "$(id -u)" = 0 ] || { echo "chroot.sh: user $(id -un): expected root, who may change the root of a process" >&2; exit 2; }

# All mounts are in a namespace of the command's own and end with it.
inside() {
	tools=${TOOLS:-$place/work}
	mkdir -p "$place/debian/floatgate" "$place/debian/tools" "$place/debian/target" "$place/debian/work" "$place/debian/root/.cargo/registry" \
		"$place/target" "$place/work" "${CARGO_HOME:-$HOME/.cargo}/registry"
	PLACE=$place HERE=$here TOOLS=$tools REGISTRY=${CARGO_HOME:-$HOME/.cargo}/registry \
		unshare --mount --propagation private sh -eu -c '
		root=$PLACE/debian
		mount --bind "$HERE" "$root/floatgate"
		mount -o remount,bind,ro "$root/floatgate"
		mount --bind "$TOOLS" "$root/tools"
		mount -o remount,bind,ro "$root/tools"
		mount --bind "$PLACE/target" "$root/target"
		mount --bind "$PLACE/work" "$root/work"
		mount --bind "$REGISTRY" "$root/root/.cargo/registry"
		mount --rbind /proc "$root/proc"
		mount --rbind /dev "$root/dev"
		exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
			CARGO_TARGET_DIR=/target CARGO_INCREMENTAL=0 CARGO_NET_OFFLINE=true \
			CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
			CARGO_TARGET_RISCV64GC_UNKNOWN_LINUX_GNU_LINKER=riscv64-linux-gnu-gcc \
			CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc \
			CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc-posix \
			CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" \
			CARGO_TARGET_RISCV64GC_UNKNOWN_LINUX_GNU_RUNNER="qemu-riscv64 -L /usr/riscv64-linux-gnu" \
			CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER="qemu-s390x -L /usr/s390x-linux-gnu" \
			CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine WINEPREFIX=/target/wine WINEDEBUG=-all \
			sh -c "cd /floatgate && exec \"\$@\"" sh "$@"' sh "$@"
}

# The standard library of Windows is in no package: it is built from its source, which has the compiler's own version and
# what it rests on beside it.
windows() {
	std=$place/work/std
	mkdir -p "$std/src" "$std/.cargo"
	printf '[package]\nname = "std-for-windows"\nedition = "2024"\n[workspace]\n' > "$std/Cargo.toml"
	: > "$std/src/lib.rs"
	printf '[source.crates-io]\nreplace-with = "beside"\n[source.beside]\ndirectory = "/usr/lib/rustlib/src/rust/library/vendor"\n' \
		> "$std/.cargo/config.toml"
	inside env RUSTC_BOOTSTRAP=1 sh -c "cd /work/std && exec cargo build --quiet --release -Zbuild-std=std,panic_unwind,test --target $WINDOWS"
	libraries=$place/debian/usr/lib/rustlib/$WINDOWS/lib
	mkdir -p "$libraries"
	rm "$place/target/$WINDOWS/release/deps/"libstd_for_windows*
	cp "$place/target/$WINDOWS/release/deps/"*.rlib "$libraries/"
	rm -r "$std" "$place/target/$WINDOWS/release"
}

case $verb in
make)
	[ ! -e "$place/debian" ] || { echo "chroot.sh: $place/debian is there: expected a place without one" >&2; exit 2; }
	command -v mmdebstrap > /dev/null || { echo 'chroot.sh: no mmdebstrap: expected apt-get install mmdebstrap' >&2; exit 2; }
	mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -1)}
	[ -n "$mirror" ] || { echo 'chroot.sh: apt has no mirror of Debian: expected MIRROR=URL' >&2; exit 2; }
	mkdir -p "$place"
	place=$(cd "$place" && pwd)
	rm -rf --one-file-system "$place/unfinished"
	include=$(echo $PACKAGES | tr ' ' ,) # on one line: no quotes
	# Of other processors' packages the libraries alone: the packages would bring a compiler each.
	for processor in $PROCESSORS; do architectures=${architectures:-amd64},$processor; done
	mmdebstrap --variant=apt --architectures="$architectures" --include="$include" \
		--customize-hook='chroot "$1" sh -eu -c "
			version=\$(dpkg-query --showformat=\"\\\${Version}\" --show rustc-web)
			cd /tmp
			for processor in '"$PROCESSORS"'; do
				apt-get download --quiet libstd-rust-web-dev:\$processor=\$version
				dpkg-deb --fsys-tarfile libstd-rust-web-dev_*_\$processor.deb | tar -x -C / --wildcards \"./usr/lib/rustlib/*\"
			done
			rm -f /tmp/*.deb"' \
		"$SUITE" "$place/unfinished" "deb $mirror $SUITE main"
	mv "$place/unfinished" "$place/debian"
	windows
	;;
in)
	[ -d "$place/debian" ] || { echo "chroot.sh: no $place/debian: expected tests/portable/chroot.sh make $place before" >&2; exit 2; }
	place=$(cd "$place" && pwd)
	[ $# -ge 1 ] || usage
	inside "$@"
	;;
*) usage ;;
esac
