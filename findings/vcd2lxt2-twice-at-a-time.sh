#!/usr/bin/env bash
# gtkwave 3.3.118 (Debian 12): a signal that changes more than once at one time has another value behind `vcd2lxt2` and `lxt2vcd`, without a
# word, and can keep it until its next change. A dump may have several changes at one time, and the last counts; simulators write them
# for pulses without width. Such a bus holds a value that it never had; such a strobe is inverted from there on. `vcd2fst` and
# `vcd2vzt` of the same package keep the last value.
#
# Seen: a bus of flash data goes from 5 to 10 and 6 at 20 ns, and is 1 afterwards (from 5 to 7 and 6: 4); ready/busy, high, falls and rises at
# 10 ns and falls at 20 ns, and is low from 10 ns and high from 20 ns on. FST and VZT have 6, 6, and high until 20 ns.
# Needs Debian 12 (bookworm) with its package lists, and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download gtkwave=3.3.118-0.1~deb12u1 libjudydebian1
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
python3 - <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
import re
import subprocess

HEAD = """$timescale 1 ns $end
$scope module die0 $end
$var wire 1 ! ready $end
$var wire 8 " io [7:0] $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
1!
b0 "
$end
"""
CASES = {
    "io, 5 and at 20 ns 10, 6": ("io", '#10\nb101 "\n#20\nb1010 "\nb110 "\n#30\n'),
    "io, 5 and at 20 ns 7, 6": ("io", '#10\nb101 "\n#20\nb111 "\nb110 "\n#30\n'),
    "ready, at 10 ns 0, 1 and at 20 ns 0": ("ready", "#10\n0!\n1!\n#20\n0!\n#30\n"),
}


def values(text, signal):
    """Return the value of a signal at 10 and at 20 ns: the last that was given up to there."""
    code = re.search(rf"\$var wire \d+ (\S+) {signal}\b", text)[1]
    time, held, known = 0, {}, {}
    for line in text.partition("$enddefinitions $end")[2].splitlines():
        if line.startswith("#"):
            time = int(line[1:])
        elif match := re.fullmatch(rf"b?([01]+) ?{re.escape(code)}", line):
            known[time] = int(match[1], 2)
    for at in (10, 20):
        held[at] = known[max(time for time in known if time <= at)]
    return [held[10], held[20]]


def converted(kind):
    """Return the dump behind a conversion to a kind of file and back."""
    back = {"lxt2": "lxt2vcd", "fst": "fst2vcd", "vzt": "vzt2vcd"}[kind]
    subprocess.run([f"installed/usr/bin/vcd2{kind}", "bus.vcd", "bus." + kind], capture_output=True, check=True)
    return subprocess.run([f"installed/usr/bin/{back}", "bus." + kind], capture_output=True, text=True, check=True).stdout


seen = []
for name, (signal, changes) in CASES.items():
    open("bus.vcd", "w").write(HEAD + changes)
    seen.append([values(text, signal) for text in (HEAD + changes, *map(converted, ("lxt2", "fst", "vzt")))])
    print(f"{name}: at 10 and 20 ns in VCD, LXT2, FST and VZT: {seen[-1]}")
lxt2 = [[5, 1], [5, 4], [0, 1]]
raise SystemExit(not all(case == [case[0], other, case[0], case[0]] for case, other in zip(seen, lxt2)))
PYTHON
