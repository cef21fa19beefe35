"""What it costs to step a drive from Python, for each request: one request a call, and NumPy's arrays.

The drive and its requests are those of `floatgate-bench --only 'stepped: '`, whose run it is compared with:

    cargo run --release --package floatgate-bench -- --only 'stepped: '
    .venv/bin/python benches/stepping.py RUN_NS

RUN_NS is what a request takes in that run, in ns of the processor.
"""

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

import floatgate as fg

REQUESTS, APART_NS, LENGTH, AT_ONCE, ROUNDS = 200_000, 8_000, 4096, 1024, 5
TOML = """
title = "stepped drive"
geometry = { channels = 8, ways = 4 }
bus.interface.rate = "400MT/s"
ecc.t_decode = "3us"
ftl.user_capacity = "1GiB"
[nand]
cell = "slc"
planes = 1
blocks_per_plane = 48
pages_per_block = 256
page_size = "4KiB"
t_r = "25us"
t_prog = "200us"
t_bers = "1500us"
"""


def arrays(drive: fg.Drive) -> None:
    """Step in arrays of 1,024 requests."""
    numbers = np.arange(REQUESTS, dtype=np.uint64)
    times, offsets = numbers * APART_NS, numbers * 7919 % 262_144 * LENGTH
    ops = (1 - numbers % 2).astype(np.uint8)  # write, read, ...
    for first in range(0, REQUESTS, AT_ONCE):
        part = slice(first, first + AT_ONCE)
        drive.submit_many(times[part], ops[part], offsets[part], LENGTH)
        drive.run_until(int(times[part][-1]) + APART_NS - 1)
        drive.completion_array()
    drive.finish()


def one_by_one(drive: fg.Drive) -> None:
    """Step by one request a call, with a call for each completion."""
    submit, take, number = drive.submit, drive.next, 0
    for number in range(REQUESTS):
        now = number * APART_NS
        submit(now, "read" if number % 2 else "write", number * 7919 % 262_144 * LENGTH, LENGTH)
        while take(now) is not None:
            pass
    drive.finish()


def measured(step: Callable[[fg.Drive], None]) -> float:
    """Give the processor's nanoseconds for each request."""
    with fg.Drive("bench", toml=TOML, precondition="fill") as drive:
        began = time.thread_time()
        step(drive)
        return (time.thread_time() - began) / REQUESTS * 1e9


def main() -> None:
    """Measure both in turn."""
    run_ns = float(sys.argv[1]) if len(sys.argv) > 1 else None
    rounds = [(measured(arrays), measured(one_by_one)) for _ in range(ROUNDS)]
    for name, costs in zip(("arrays of 1,024", "one request a call"), zip(*rounds, strict=True), strict=True):
        line = f"{name}: {median(costs):.0f} ns a request ({min(costs):.0f} to {max(costs):.0f})"
        if run_ns is not None:
            line += f", {median(costs) / run_ns:.3f} of the run, {median(costs) - run_ns:+.0f} ns"
        print(line)  # noqa: T201


if __name__ == "__main__":
    main()
