#!/usr/bin/env bash
# pyDigitalWaveTools 1.2, pyvcdr 0.0.9 and pymergevcd 0.6.1 (PyPI): a value change dump may give one identifier to several names, those of
# a net in each scope that it passes through, and simulators write it once then. All three take one name for each identifier, and
# leave the others without their changes, without a word: the first reader keeps the first name, the second the last; what pymergevcd
# writes has the last, and the others unknown from beginning to end. Ready/busy of a die and the controller's input, or a strobe on
# both sides of a channel, are such nets, and on one side nothing ever happens.
#
# Seen: `ready` of a controller is `busy_n` of its die, high, low from 10 ns and high from 20 ns on: pyDigitalWaveTools has 3 values of
# `ready` and none of `busy_n`, pyvcdr none and 3; the merged dump has x alone for the one and 3 for the other. vcdvcd 2.6.0 has 3 of both.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check \
	pyDigitalWaveTools==1.2 pyvcdr==0.0.9 pymergevcd==0.6.1 pyvcd==0.2.1 vcdvcd==2.6.0
cat > bus.vcd <<'VCD'
$timescale 1 ns $end
$scope module controller $end
$var wire 1 ! ready $end
$upscope $end
$scope module die $end
$var wire 1 ! busy_n $end
$var wire 1 % strobe $end
$upscope $end
$enddefinitions $end
$dumpvars
1!
0%
$end
#10
0!
#20
1!
1%
#30
0%
VCD
sed 's/controller/other/; s/die/another/' bus.vcd > second.vcd
environment/bin/pymergevcd bus.vcd second.vcd -o merged.vcd > said
environment/bin/python - <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
import vcdvcd
from pyDigitalWaveTools.vcd.parser import VcdParser
from pyvcdr.pyvcdr import VcdR


def by_vcdvcd(path, prefix=""):
    dump = vcdvcd.VCDVCD(path)
    return {name.rsplit(".", 1)[1]: dump[name].tv for name in dump.signals if name.startswith(prefix)}


parser = VcdParser()
with open("bus.vcd") as file:
    parser.parse(file)
scopes = parser.scope.toJson()["children"]
tools = {net["name"]: [tuple(change) for change in net["data"]] for scope in scopes for net in scope["children"]}
reader = VcdR()
reader.read_file("bus.vcd")
pyvcdr = {signal.module: signal.steps for signal in reader.signals}
read, merged = by_vcdvcd("bus.vcd"), by_vcdvcd("merged.vcd", "bus.")
changes = [(0, "1"), (10, "0"), (20, "1")]
strobe = [(0, "0"), (20, "1"), (30, "0")]
for name, nets in ("vcdvcd", read), ("pyDigitalWaveTools", tools), ("pyvcdr", pyvcdr), ("merged", merged):
    print(f"{name}: ready {nets['ready']}, busy_n {nets['busy_n']}")
raise SystemExit(
    read != {"ready": changes, "busy_n": changes, "strobe": strobe}
    or tools != {"ready": changes, "busy_n": [], "strobe": strobe}
    or pyvcdr != {"ready": [], "busy_n": changes, "strobe": strobe}
    or merged != {"ready": [(0, "x")], "busy_n": changes, "strobe": strobe}
)
PYTHON
