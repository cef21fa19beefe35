"""A run of gem5 with a Floatgate drive: requests, a checkpoint, and a drive that goes on from it.

build/NULL/gem5.opt run.py                     runs, and writes a checkpoint into m5out/checkpoint
build/NULL/gem5.opt run.py m5out/checkpoint    goes on from the checkpoint
"""

import sys

import m5
from m5.objects import FloatgateSsd, FloatgateTraffic, Root

root = Root(full_system=False)
root.ssd = FloatgateSsd(drive="small-tlc", precondition="fill")
root.traffic = FloatgateTraffic(ssd=root.ssd)

m5.instantiate(sys.argv[1] if len(sys.argv) > 1 else None)
done = m5.simulate()
print(f"tick {m5.curTick()}: {done.getCause()}")
if len(sys.argv) == 1:
    m5.checkpoint("m5out/checkpoint")
