#!/usr/bin/env bash
# sigrok-cli 0.7.2 with libsigrok 0.5.2 (Debian 12): a value change dump with a vector ends, for its reader, at the first value of that
# vector. The vector itself is left out, samples of the one-bit signals are given up to there and no further, and the exit status is 0
# without a word. Waveforms of a flash bus have its data lines as a vector of eight bits beside strobes and enables: of such a dump
# nothing is shown where the data lines have a value at time 0, as the format's own $dumpvars gives them.
#
# Seen: a clock that changes every 50 ns for 200 ns gives 200 samples; with an 8-bit vector that has its first value at 100 ns, 100;
# with one that has a value at 0, none.
# Needs Debian 12 (bookworm) with its package lists.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
needed=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
	--no-enhances sigrok-cli=0.7.2-1+b1 | grep "^[a-z]" | sort -u)
for package in $needed; do
	dpkg-query --show --showformat "\${db:Status-Status}" "$package" 2> /dev/null | grep -q "^installed" || echo "$package"
done | grep -v "^sigrok-cli$" | xargs apt-get --quiet=2 -o APT::Sandbox::User=root download sigrok-cli=0.7.2-1+b1
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
sigrok=$work/installed/usr/bin/sigrok-cli
$sigrok --version | head -1
[[ $($sigrok --version | head -1) = "sigrok-cli 0.7.2" ]]

# A clock, and data lines that have values at the times named.
dump() {
	printf '%s $end\n' '$timescale 1 ns' '$scope module bus' '$var wire 1 c clock' '$var wire 8 d data' '$upscope' '$enddefinitions'
	for time in 0 50 100 150 200; do
		printf '#%d\n%dc\n' "$time" $((time / 50 % 2))
		for given in "$@"; do if [ "$given" = "$time" ]; then printf 'b10100101 d\n'; fi; done
	done
}
samples() {
	dump "$@" > bus.vcd
	"$sigrok" --input-file bus.vcd --input-format vcd --output-format csv > bus.csv 2> said
	[ ! -s said ]
	grep --count --extended-regexp '^[01]$' bus.csv || true
}
without=$(samples) late=$(samples 100) early=$(samples 0 100)
echo "samples of the clock: $without without values of the data lines, $late with one at 100 ns, $early with one at 0"
[ "$without" = 200 ] && [ "$late" = 100 ] && [ "$early" = 0 ] || { echo 'this has changed' >&2; exit 1; }
