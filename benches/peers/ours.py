"""Floatgate, as a user runs it."""

import json
import sys

from peers.cases import (
    CHANNEL_MT_S,
    CHANNELS,
    DEPTH,
    ERASE_NS,
    PAGE_BYTES,
    PROGRAM_NS,
    READ_NS,
    WAYS,
    Drive,
    Job,
    Outcome,
)


def drive_text(drive: Drive) -> str:
    """Return the drive as a file."""
    return f"""title = "Drive of the comparison, {drive.title}"

[geometry]
channels = {CHANNELS}
ways = {WAYS}

[nand]
cell = "slc"
planes = 1
blocks_per_plane = {drive.blocks}
pages_per_block = {drive.pages_per_block}
page_size = "{PAGE_BYTES}B"
t_r = "{READ_NS}ns"
t_prog = "{PROGRAM_NS}ns"
t_bers = "{ERASE_NS}ns"
pe_cycles_rated = 100000

[bus.interface]
name = "plain"
rate = "{CHANNEL_MT_S}MT/s"

[ecc]
t_decode = "0ns"

[ftl]
mapping_unit = "{PAGE_BYTES}B"
op_ratio = {drive.spare / (1 - drive.spare):.9f}

[ftl.gc.trigger]
background = false

[ftl.gc.victim]
name = "greedy"

[ftl.buffer]
size = "1MiB"

[host]

[host.link]
name = "plain"
full_duplex = true
rate = "4GB/s"
"""


def command(_binary: str, job: Job) -> list[str]:
    """Write what the run needs, and return its command."""
    words = [sys.executable, "-m", "floatgate", "run"]
    case = job.case
    if case.drive is None:
        words += ["mqsim-default", str(job.traces / case.needs[0])]
    else:
        (job.folder / "drive.toml").write_text(drive_text(case.drive))
        kind = "randread" if case.reads else "randwrite"
        words += [
            "drive.toml",
            f"fio --name={kind} --filename=/dev/nvme0n1 --rw={kind} --bs={PAGE_BYTES} --norandommap "
            f"--ioengine=libaio --iodepth={DEPTH} --io_size={job.requests * PAGE_BYTES}",
        ]
        words += ["--precondition", "fill" if case.reads else "none"]
    report = [] if len(case.requests["floatgate"]) == 1 else ["--no-report"]
    return [*words, *report, "--out", "run", "--force"]


def read(_text: str, job: Job) -> Outcome:
    """Read the result of a run."""
    result = json.loads((job.folder / "run" / "run.json").read_text())
    both = [result["host"][op] for op in ("read", "write")]
    requests = sum(op["requests"] for op in both)
    waited_ns = sum(op["requests"] * (op["latency_ns"]["mean"] or 0.0) for op in both)
    return Outcome(requests, result["engine"]["page_operations"], waited_ns / requests / 1e3)
