"""What `cargo run --example gpu_words` wrote, as `decoder.cu` takes it."""

from pathlib import Path
from typing import Any

import numpy as np

SOURCE = Path(__file__).with_name("decoder.cu")
MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x: int) -> int:
    """Return what SplitMix64 makes of 64 bits."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def noise_of(seed: int) -> int:
    """Return the stream of a trial's noise: part 2 of its seed's."""
    stream = mix(seed ^ GOLDEN)
    return mix(((stream + 2 * GOLDEN) & MASK) ^ 0xD1B54A32D192ED03)


class Matrix:
    """A parity-check matrix, row by row."""

    def __init__(self, path: Path) -> None:
        numbers = np.fromfile(path, dtype="<u4")
        self.bits, self.data_bits, self.checks, self.edges = (int(number) for number in numbers[:4])
        self.starts = numbers[4 : 5 + self.checks]
        self.columns = numbers[5 + self.checks :]
        self.widest = int(np.diff(self.starts).max())


def words_of_thread(job: dict[str, Any]) -> int:
    """Return how many words a thread decodes at once."""
    return 4 if job["integer"] else 1


def macros(matrix: Matrix, job: dict[str, Any]) -> dict[str, Any]:
    """Return what the kernel is compiled for."""
    return {
        "BITS": matrix.bits,
        "DATA_BITS": matrix.data_bits,
        "CHECKS": matrix.checks,
        "WIDEST": matrix.widest,
        "ITERATIONS": job["iterations"],
        "INTEGER": int(job["integer"]),
        "LEVELS": len(job.get("below", [])),
        "GAUSS": int(job["channel"] == "gauss"),
        "FLIPS": int(job["channel"] == "flips"),
        "EXPECTED": int("expected" in job),
        "SIGNS": -(-matrix.widest // (8 if job["integer"] else 32)),
        "EIGHTHS": job.get("eighths", 8),
        "OFFSET": job.get("offset", 0),
        "MOST": job.get("message_most", 127),
        "FACTOR": f"{job.get('factor', 1.0)!r}f",
    }
