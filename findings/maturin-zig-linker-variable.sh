#!/usr/bin/env bash
# maturin 1.16.0 with ziglang 0.17.1 (PyPI): `maturin build --zig --compatibility manylinux_2_17` links with Zig, for an old
# glibc, unless cargo's variable for the target's linker (CARGO_TARGET_..._LINKER) is set, as environments for cross compiling
# do. Then that linker is taken, without a word that --zig had no effect on the link; what shows it is the audit of the
# finished program, which blames the library.
#
# Seen: a program without dependencies gets a wheel for manylinux_2_17 without the variable. With it set to the machine's own `cc`
# the build runs to the end and is refused for symbols that are too recent; the text names neither the variable nor the linker.
# Needs python3 with venv, cargo, and a cc whose glibc is newer than 2.17, on x86-64.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check maturin==1.16.0 ziglang==0.17.1
mkdir -p hello/src
printf '[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2021"\n' > hello/Cargo.toml
printf 'fn main() {\n    println!("hello");\n}\n' > hello/src/main.rs
printf '[build-system]\nrequires = ["maturin"]\nbuild-backend = "maturin"\n[tool.maturin]\nbindings = "bin"\n' > hello/pyproject.toml
unset CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
export PATH="$work/venv/bin:$PATH" VIRTUAL_ENV="$work/venv"
build() { # folder of the wheel, what else is in the environment
	(cd hello && env "${@:2}" maturin build --release --zig --compatibility manylinux_2_17 --target x86_64-unknown-linux-gnu \
		--target-dir "$work/$1-target" --out "$work/$1" > "$work/$1.txt" 2>&1) && echo built || echo refused
}
plain=$(build plain SEEN=1)
linker=$(build linker CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=cc)
wheel=$(cd plain 2> /dev/null && ls)
reason=$(grep -m1 -o 'too-recent versioned symbols' linker.txt || true)
named=$(grep -c -e 'LINKER' -e '`cc`' linker.txt || true)
echo "without the variable: $plain $wheel; with it: $linker, \"$reason\", lines that name the variable or its linker: $named"
[ "$plain $linker $named" = 'built refused 0' ] && [ -n "$reason" ] || { echo 'this has changed' >&2; exit 1; }
case $wheel in *manylinux_2_17*) ;; *) echo 'this has changed' >&2; exit 1 ;; esac
