#!/usr/bin/env bash
# cbindgen 0.24.3 (Debian 12): a constant that is an expression of plain literals loses its type on the way to C, where each literal
# becomes an int. `pub const HALF: u64 = 1 << 31` is then negative, and as 64 bits nearly 2^64; a `u32` of all ones, `!0`, is
# not that number any more where it meets 64 bits. gcc -Wall says nothing to either. Sizes of drives and marks for "no page" are
# such constants. With a suffix (`1u64 << 31`), or as one literal, they keep their values.
#
# Seen: `1 << 31` as a u64 is 0xffffffff80000000 in C, 0x80000000 in Rust; `!0` as a u32, put into a u64, is 2^64 - 1 in C, 2^32 - 1
# in Rust.
# Needs Debian 12 (bookworm) with its package lists, gcc and rustc.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download cbindgen=0.24.3-2+b2
dpkg --extract cbindgen_*.deb installed
cat > sizes.rs <<'RUST'
pub const HALF: u64 = 1 << 31;
pub const SUFFIXED: u64 = 1u64 << 31;
pub const NO_PAGE: u32 = !0;
RUST
installed/usr/bin/cbindgen --quiet --lang c --output sizes.h sizes.rs
cat > sizes.c <<'C'
#include <inttypes.h>
#include <stdio.h>

#include "sizes.h"

int main(void)
{
	uint64_t half = HALF, suffixed = SUFFIXED, page = NO_PAGE;
	printf("%" PRIx64 " %" PRIx64 " %" PRIx64 "\n", half, suffixed, page);
}
C
cat > in_rust.rs <<'RUST'
include!("sizes.rs");
fn main() {
    println!("{HALF:x} {SUFFIXED:x} {:x}", u64::from(NO_PAGE));
}
RUST
gcc -Wall -Werror -o in_c sizes.c
rustc -o in_rust in_rust.rs
c=$(./in_c) rust=$(./in_rust)
echo "1 << 31, 1u64 << 31 and a u32 of !0, as u64: in C $c; in Rust $rust"
[ "$c" = "ffffffff80000000 80000000 ffffffffffffffff" ] && [ "$rust" = "80000000 80000000 ffffffff" ] ||
	{ echo 'this has changed' >&2; exit 1; }
