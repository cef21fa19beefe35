#!/bin/sh
# Records which code is hot, for profile-guided optimisation: leaves FOLDER/merged.profdata, for -Cprofile-use.
#
#   release/profile.sh FOLDER            in the root of a checkout
set -eu
[ $# = 1 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
folder=$1
major=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
# Rustup's component, or Debian's package; another LLVM does not read the records of this one.
merge=$(rustc --print target-libdir)/../bin/llvm-profdata
[ -x "$merge" ] || merge=$(command -v "llvm-profdata-$major") || {
	echo "profile.sh: no llvm-profdata of LLVM $major: expected rustup component add llvm-tools, or a package llvm-$major" >&2
	exit 1
}
rm -rf "$folder/raw"
RUSTFLAGS="-Cprofile-generate=$folder/raw" \
	cargo build --quiet --release --package floatgate-bench --target-dir "$folder/build"
"$folder/build/release/floatgate-bench" --quick > /dev/null
"$folder/build/release/floatgate-bench" --quick --only 'feature: ' > /dev/null
"$merge" merge --output "$folder/merged.profdata" "$folder/raw"
