#!/usr/bin/env bash
# fio-plot 1.1.21 (PyPI) on results of fio 3.33 (Debian 12): a job file with several jobs, or with a job that differs from [global], is drawn as
# another one, without a word. What [global] says replaces what a job says, where fio has it the other way round: results come to stand
# at a queue depth, or under a number of jobs or a block size, that nothing ran at. The jobs of one file are added up to one bar, with the
# settings of the first, although `stonewall` made them run one after another: the IOPS of a sweep over queue depths, written as one file,
# are the sum of all its steps, at the first step's depth. Of a file for each step, as its own bench-fio has them, all is right.
#
# Seen: a job with iodepth=32 below [global] iodepth=1, at 800 IOPS, is a bar of 800 at a queue depth of 1. Jobs of 200 IOPS at 1 and
# 800 IOPS at 32, one after the other, are one bar of 1,000 at 1. Both in files of their own are 200 at 1 and 800 at 32.
# Needs Debian 12 (bookworm) with its package lists, and python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check fio-plot==1.1.21 matplotlib==3.10.7 numpy==2.3.4
needed=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
	--no-enhances fio=3.33-3 | grep "^[a-z]" | sort -u)
for package in $needed; do
	dpkg-query --show --showformat "\${db:Status-Status}" "$package" 2> /dev/null | grep -q "^installed" || echo "$package"
done | grep -v "^fio$" | xargs apt-get --quiet=2 -o APT::Sandbox::User=root download fio=3.33-3
for package in *.deb; do dpkg --extract "$package" installed; done
libraries=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
fio() { LD_LIBRARY_PATH=$libraries "$work/installed/usr/bin/fio" "$@"; }
[ "$(fio --version)" = fio-3.33 ]
common=$'[global]\nioengine=null\nrw=randread\nbs=4k\nsize=1g\nnumjobs=1\ntime_based\nruntime=2\nstonewall\n'
shallow=$'[shallow]\niodepth=1\nrate_iops=200\n'
deep=$'[deep]\niodepth=32\nrate_iops=800\n'
# Run a job file, its text as the third argument, with its result in a folder of results.
ran() {
	mkdir -p "$1"
	printf '%s' "$3" > "$2.fio"
	fio --output-format=json --output="$1/$2.json" "$2.fio"
}
ran global deep "$common"$'iodepth=1\n'"$deep"
ran together both "$common$shallow$deep"
ran apart shallow "$common$shallow"
ran apart deep "$common$deep"
cat > drawn.py <<'PYTHON'
import sys

import matplotlib

matplotlib.use("Agg")
import fio_plot
import matplotlib.pyplot as plt

sys.argv = ["fio-plot", "-i", sys.argv[1], "-T", "reads", "-r", "randread", "-l", "-o", sys.argv[1] + ".png"]
try:
    fio_plot.main()
except SystemExit as end:
    assert not end.code, end.code
axes = plt.gcf().axes[0]
assert (axes.get_xlabel(), axes.get_ylabel()) == ("Queue depth", "IOPS")
bars = zip((label.get_text() for label in axes.get_xticklabels()), axes.patches)
print(*(f"{round(bar.get_height(), -1):.0f} at {depth}" for depth, bar in bars), sep=", ")
PYTHON
drawn() { environment/bin/python drawn.py "$1" | tail -n 1; }
global=$(drawn global) together=$(drawn together) apart=$(drawn apart)
echo "IOPS at a queue depth: iodepth=32 below [global] iodepth=1: $global; two jobs in one file: $together; in two: $apart"
[ "$global" = "800 at 1" ] && [ "$together" = "1000 at 1" ] && [ "$apart" = "200 at 1, 800 at 32" ] ||
	{ echo 'this has changed' >&2; exit 1; }
