"""FlashSim, through `flashsim.cpp` of this folder: its configuration with our values, and its result.

It has no die that is busy: a request waits for its channel alone. Its page mapping with collection is that of
DFTL, here with a cache that holds the whole map.
"""

import re

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

_LINE = re.compile(r"^floatgate (\d+) \d+ ([\d.]+) (\d+) (\d+) (\d+)$", re.MULTILINE)


def configuration(drive: Drive) -> dict[str, float]:
    """Return `ssd.conf`, times in microseconds."""
    return {
        "RAM_READ_DELAY": 0,
        "RAM_WRITE_DELAY": 0,
        "BUS_CTRL_DELAY": 0.1,
        "BUS_DATA_DELAY": PAGE_BYTES / CHANNEL_MT_S,
        "BUS_MAX_CONNECT": 8,
        "BUS_TABLE_SIZE": 512,
        "SSD_SIZE": CHANNELS,
        "PACKAGE_SIZE": WAYS,
        "DIE_SIZE": 1,
        "PLANE_SIZE": drive.blocks,
        "PLANE_REG_READ_DELAY": 0,
        "PLANE_REG_WRITE_DELAY": 0,
        "BLOCK_SIZE": drive.pages_per_block,
        "BLOCK_ERASES": 1_000_000,
        "BLOCK_ERASE_DELAY": ERASE_NS / 1e3,
        "PAGE_READ_DELAY": READ_NS / 1e3,
        "PAGE_WRITE_DELAY": PROGRAM_NS / 1e3,
        "PAGE_SIZE": PAGE_BYTES,
        "PAGE_ENABLE_DATA": 0,
        "MAP_DIRECTORY_SIZE": 0,
        "FTL_IMPLEMENTATION": 3,
        "CACHE_DFTL_LIMIT": drive.pages // 1000,
        "PARALLELISM_MODE": 1,
        "VIRTUAL_BLOCK_SIZE": 1,
        "VIRTUAL_PAGE_SIZE": 1,
    }


def command(binary: str, job: Job) -> list[str]:
    """Write the configuration, and return the command: reads find pages that were written."""
    assert job.case.drive is not None
    lines = [f"{key} {value:.10g}\n" for key, value in configuration(job.case.drive).items()]
    (job.folder / "ssd.conf").write_text("".join(lines))
    pages = job.case.drive.pages
    kind, fill = ("read", pages) if job.case.reads else ("write", 0)
    return [binary, kind, str(pages), str(fill), str(job.requests), str(DEPTH)]


def read(said: str, _job: Job) -> Outcome:
    """Read the line that our driver printed."""
    line = _LINE.search(said)
    if line is None:
        raise ValueError("it did not print the line of benches/peers/flashsim.cpp: is it another program?")
    return Outcome(int(line[1]), sum(int(line[at]) for at in (3, 4, 5)), float(line[2]))
