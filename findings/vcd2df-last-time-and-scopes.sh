#!/usr/bin/env bash
# vcd2df 1.0 (PyPI): two kinds of values of a value change dump do not come into the data frame, without a word: what changes at the
# last time of the dump, and every signal whose name is also that of an earlier one in another scope. A dump of a flash bus has a
# scope for each die, with signals of the same names, and ends with the edge that its last operation ends with.
#
# Seen: of `ready` in the scopes die0 and die1 one column is left, that of die0; of changes at 0, 10, 20 and 30 ns those at 30 are
# missing. vcdvcd 2.6.0 has both signals and all times.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check vcd2df==1.0 pandas==2.2.3 vcdvcd==2.6.0
cat > bus.vcd <<'VCD'
$timescale 1 ns $end
$scope module die0 $end
$var wire 1 a ready $end
$upscope $end
$scope module die1 $end
$var wire 1 b ready $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
1a
1b
$end
#10
0a
#20
0b
#30
1a
1b
VCD
environment/bin/python -W ignore - <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
import vcd2df
import vcdvcd

frame = vcd2df.vcd2df("bus.vcd")
names, times, values = list(frame.index), list(frame.columns), [int(value) for value in frame.iloc[0]]
other = vcdvcd.VCDVCD("bus.vcd")
changes = {name: [(time, int(value)) for time, value in other[name].tv] for name in other.signals}
print(f"vcd2df: signals {names}, at {times}: {values}; vcdvcd: {changes}")
raise SystemExit(
    (names, times, values) != (["ready"], ["#0", "#10", "#20"], [1, 0, 0])
    or changes != {"die0.ready": [(0, 1), (10, 0), (30, 1)], "die1.ready": [(0, 1), (20, 0), (30, 1)]}
)
PYTHON
