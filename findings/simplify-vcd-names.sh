#!/usr/bin/env bash
# simplify-vcd 1.1.0 (PyPI): the dump it writes has other signals than the one it read. Each signal's name is replaced by a letter, in an
# order that differs from run to run; a signal without a change in the part that is kept is left out; and the values that it begins
# with are those of the last change before the cut alone, not of all signals. A piece of a long dump of a flash bus, cut out to be
# looked at, no longer says which line is which, and write protect, set once at the start, is gone.
#
# Seen: of `clock`, `write_protect` and `ready`, cut at 250 ns, `write_protect` is missing, the others are named a and b, one way and
# the other in 20 runs; `ready`, low since 150 ns, has no value before it rises.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check simplify-vcd==1.1.0
cat > bus.vcd <<'EOF_VCD'
$date today $end
$timescale 1 ns $end
$scope module bus $end
$var wire 1 c clock $end
$var wire 1 w write_protect $end
$var wire 1 r ready $end
$upscope $end
$enddefinitions $end
#0
0c
1w
1r
#100
1c
#150
0r
#200
0c
#300
1c
#400
0c
1r
#500
1c
EOF_VCD
for run in $(seq 20); do
	PYTHONHASHSEED=$run environment/bin/simplify-vcd --truncate-before 250ns bus.vcd cut.vcd
	sed --quiet 's/^\$var wire 1 \(.*\) \$end/\1/p' cut.vcd | sort | paste --serial --delimiters=,
done | sort --unique > signals
values=$(sed '1,/enddefinitions/d' cut.vcd | paste --serial --delimiters=' ')
echo "signals of 20 runs: $(paste --serial --delimiters=' ' signals); times and values: $values"
[ "$(cat signals)" = $'c a,r b\nc b,r a' ] && [ "$values" = "#0 0c #50 1c #150 0c 1r #250 1c" ] ||
	{ echo 'this has changed' >&2; exit 1; }
