"""SimpleSSD-Standalone: its two files with our values, and its result.

What the keys mean is in its sample configurations.
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
    Case,
    Drive,
    Job,
    Outcome,
)

_PS = 1_000
_COUNT = re.compile(r"^I/O \(counts\): (\d+) ", re.MULTILINE)
_PAGES = re.compile(r"^pal\.(?:read|program|erase)\.count\s+(\d+)", re.MULTILINE)
_MEAN = re.compile(r"^Latency \(ns\): .*avg=([\d.]+)", re.MULTILINE)


def text(parts: dict[str, dict[str, object]]) -> str:
    """Return a configuration: keys by section."""
    return "".join(
        f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
        for section, keys in parts.items()
    )


def simulation(job: Job) -> dict[str, dict[str, object]]:
    """Return what is to be done: a closed loop right above the drive's own layers, without a host's bus."""
    return {
        "global": {
            "Mode": 0,
            "LogPeriod": 0,
            "LogFile": "STDOUT",
            "DebugLogFile": "",
            "LatencyLogFile": "",
            "ProgressPeriod": 0,
            "Interface": 0,
            "Scheduler": 0,
            "SubmissionLatency": 0,
            "CompletionLatency": 0,
        },
        "generator": {
            "io_size": job.requests * PAGE_BYTES,
            "readwrite": "randread" if job.case.reads else "randwrite",
            "blocksize": PAGE_BYTES,
            "iomode": "async",
            "iodepth": DEPTH,
            "offset": 0,
            "size": "",
            "thinktime": 0,
            "randseed": 7,
            "time_based": 0,
        },
    }


def device(drive: Drive, case: Case) -> dict[str, dict[str, object]]:
    """Return the drive, without caches."""
    return {
        "cpu": {"ClockSpeed": 400_000_000, "HILCoreCount": 1, "ICLCoreCount": 1, "FTLCoreCount": 1},
        "pal": {
            "Channel": CHANNELS,
            "Package": WAYS,
            "Die": 1,
            "Plane": 1,
            "Block": drive.blocks,
            "Page": drive.pages_per_block,
            "PageSize": PAGE_BYTES,
            "EnableMultiPlaneOperation": 0,
            "NANDType": 0,
            "LSBRead": READ_NS * _PS,
            "LSBWrite": PROGRAM_NS * _PS,
            "Erase": ERASE_NS * _PS,
            "DMASpeed": CHANNEL_MT_S,
            "DMAWidth": 8,
            "SuperblockSize": "",
            "PageAllocation": "CWDP",
        },
        "ftl": {
            "MappingMode": 0,
            "OverProvisioningRatio": drive.spare,
            "EraseThreshold": 100_000,
            "FillingMode": 0,
            "FillRatio": 1.0 if case.reads else 0.0,
            "InvalidPageRatio": 0.0,
            "EvictPolicy": 0,
            "GCThreshold": 0.05,
            "GCMode": 0,
            "GCReclaimBlocks": 1,
            "EnableRandomIOTweak": 1,
        },
        "icl": {
            "CacheSize": 4 << 20,
            "CacheWaySize": 8,
            "EnableReadCache": 0,
            "EnableReadPrefetch": 0,
            "EnableWriteCache": 0,
        },
        "dram": {"Model": 0, "Channel": 1, "Rank": 1, "Bank": 8, "Chip": 1, "BusWidth": 32, "BurstLength": 8},
    }


def command(binary: str, job: Job) -> list[str]:
    """Write the two files, and return the command."""
    assert job.case.drive is not None
    (job.folder / "simulation.cfg").write_text(text(simulation(job)))
    (job.folder / "drive.cfg").write_text(text(device(job.case.drive, job.case)))
    return [binary, "simulation.cfg", "drive.cfg", "."]


def read(said: str, _job: Job) -> Outcome:
    """Read what it printed; pages that it fills before the start are not among its counts."""
    count, pages, mean = _COUNT.search(said), _PAGES.findall(said), _MEAN.search(said)
    if count is None or mean is None or len(pages) != 3:
        raise ValueError("no I/O (counts), no Latency or no pal.*.count in what it printed")
    return Outcome(int(count[1]), sum(map(int, pages)), float(mean[1]) / 1e3)
