"""Decode words on a GPU: first the digits of the CPU's decoder, then counts that a CPU has no time for.

    cargo run --release -p ecc --example gpu_words -- WORDS    # matrices, words, what the CPU decodes them to
    python benches/gpu/decode.py WORDS OUT                     # needs CuPy and its GPU

OUT/counts.json has every count with its seed and words; see README.md beside this file.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from words import MASK, SOURCE, Matrix, macros, noise_of, words_of_thread

#: Threads of a block, and blocks of a multiprocessor.
THREADS, BLOCKS = 128, 4
#: Failing words whose numbers are kept.
LISTED = 4096
COUNTS = np.dtype(
    [
        ("words", "u8"),
        ("failures", "u8"),
        ("undetected", "u8"),
        ("iterations", "u8"),
        ("next", "u4"),
        ("listed", "u4"),
    ]
)


class Decoder:
    """A kernel for one code, one decoder and one kind of channel, with the memory it works in."""

    def __init__(self, folder: Path, job: dict[str, Any]) -> None:
        self.matrix = Matrix(folder / job["graph"])
        self.starts, self.columns = cupy.asarray(self.matrix.starts), cupy.asarray(self.matrix.columns)
        self.sent = cupy.asarray(np.fromfile(folder / job["sent"], dtype="<u4"))
        self.sent_count = self.sent.size // ((self.matrix.bits + 31) // 32)
        definitions = macros(self.matrix, job)
        options = (
            "--std=c++14",
            "--fmad=false",
            *(f"-D{name}={value}" for name, value in definitions.items()),
        )
        self.kernel = cupy.RawModule(code=SOURCE.read_text(), options=options, backend="nvrtc").get_function(
            "decode"
        )
        bits, checks = self.matrix.bits, self.matrix.checks
        device = cupy.cuda.Device()
        self.grid = device.attributes["MultiProcessorCount"] * BLOCKS
        warps = self.grid * THREADS // 32
        value = np.uint32 if job["integer"] else np.float32
        self.signs, self.pack = definitions["SIGNS"], words_of_thread(job)
        self.memory = [
            cupy.empty(warps * bits * 32, value),
            cupy.empty(warps * checks * 64, value),
            cupy.empty(warps * checks * 32, np.uint32),
            cupy.empty(warps * checks * 32 * self.signs, np.uint32),
            cupy.empty(warps * bits * self.pack, np.uint32),
        ]
        self.warps = warps
        self.listed = cupy.empty(LISTED, np.uint64)

    def bytes_of_iteration(self) -> int:
        """Return the bytes that one word's iteration reads and writes at least, if no line is used twice."""
        matrix = self.matrix
        return (8 * matrix.edges + 8 * matrix.checks * (3 + self.signs) + 4 * matrix.bits) // self.pack

    def run(self, job: dict[str, Any], first: int, batches: int, counts: Any, outcomes: Any) -> float:
        """Decode batches of a warp's words, add to the counts, return seconds."""
        below = cupy.asarray(np.array(job.get("below", [0]), np.uint32))
        levels = cupy.asarray(np.array(job.get("levels", [0]), np.int8))
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        self.kernel(
            (self.grid,),
            (THREADS,),
            (
                *(self.starts, self.columns, self.sent, np.uint32(self.sent_count)),
                *(np.uint64(noise_of(job["seed"])), np.float64(job.get("number", 0.0)), below, levels),
                *(np.uint64(first), np.uint32(batches), *self.memory),
                *(counts, self.listed, np.uint32(LISTED), outcomes),
            ),
        )
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, end)) / 1000


def count(decoder: Decoder, folder: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Decode a job's words, until there are enough or its time is up."""
    counts = cupy.zeros(COUNTS.itemsize, np.uint8)
    words = 32 * decoder.pack
    whole = -(-job["words"] // words)
    outcomes = cupy.zeros(3 * words * whole if "expected" in job else 1, np.uint32)
    done, seconds, began = 0, 0.0, time.monotonic()
    step = decoder.warps
    read = counts.get().view(COUNTS)[0]
    while done < whole:
        batches = min(step, whole - done)
        # Batches are taken from zero on in each launch.
        counts[32:36] = 0
        took = decoder.run(job, job.get("first", 0) + words * done, batches, counts, outcomes)
        done, seconds = done + batches, seconds + took
        read = counts.get().view(COUNTS)[0]
        if read["failures"] >= job.get("failures", MASK) or time.monotonic() - began > job.get(
            "seconds", 1e9
        ):
            break
        if took < 0.5:
            step *= 2
    found = {name: int(read[name]) for name in ("words", "failures", "undetected", "iterations")}
    result = {key: job[key] for key in ("name", "code", "decoder", "channel", "point", "seed") if key in job}
    result |= found | {"seconds": round(seconds, 3)}
    result["mbit_per_s"] = round(found["words"] * decoder.matrix.bits / seconds / 1e6, 1)
    result["bytes_of_iteration"] = decoder.bytes_of_iteration()
    result["gb_per_s"] = round(found["iterations"] * decoder.bytes_of_iteration() / seconds / 1e9, 1)
    result["failing_words"] = sorted(
        int(word) for word in decoder.listed[: min(int(read["listed"]), 64)].get()
    )
    if "expected" in job:
        expected = np.fromfile(folder / job["expected"], dtype="<u4").reshape(-1, 3)
        ours = outcomes.get().reshape(-1, 3)[: len(expected)]
        result["equal_to_cpu"] = int((ours == expected).all(axis=1).sum())
        result["of"] = len(expected)
    return result


def copy_rate() -> float:
    """Return the device memory's rate, bytes read and written, in GB/s."""
    one = cupy.zeros(1 << 30, np.uint8)
    other = cupy.empty_like(one)
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    for _ in range(3):
        start.record()
        cupy.copyto(other, one)
        end.record()
        end.synchronize()
    return 2 * one.nbytes / float(cupy.cuda.get_elapsed_time(start, end)) / 1e6


def main(folder: Path, out: Path) -> None:
    """Do all jobs of a folder in order; write after each, so that what was counted is not lost."""
    jobs = json.loads((folder / "jobs.json").read_text())
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    limits = {
        "device": properties["name"].decode(),
        "multiprocessors": properties["multiProcessorCount"],
        "copy_gb_per_s": round(copy_rate(), 1),
    }
    print(limits, flush=True)  # noqa: T201
    results: list[dict[str, Any]] = []
    decoders: dict[tuple[Any, ...], Decoder] = {}
    deadline = time.monotonic() + jobs["seconds"]
    ended: set[str] = set()
    for job in jobs["jobs"]:
        curve = job.get("curve", job["name"])
        if time.monotonic() > deadline or curve in ended:
            continue
        made_for = ("graph", "sent", "iterations", "channel", "factor", "eighths", "offset", "expected")
        key = (*(job.get(name) for name in made_for), len(job.get("below", [])))
        if key not in decoders:
            decoders.clear()  # their memory is needed
            decoders[key] = Decoder(folder, job)
        job["seconds"] = min(job.get("seconds", 1e9), deadline - time.monotonic())
        result = count(decoders[key], folder, job)
        results.append(result)
        shown = {name: value for name, value in result.items() if name != "failing_words"}
        print(shown, flush=True)  # noqa: T201
        # Points come from much noise to little: where none fails, none behind it would.
        if result["failures"] == 0 and "expected" not in job:
            ended.add(curve)
        (out / "counts.json").write_text(json.dumps({"limits": limits, "counts": results}, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
