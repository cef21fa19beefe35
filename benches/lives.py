"""What jumps change in a drive's lifetime, and how long lives take: `python benches/lives.py [--seeds 6]`.

A small drive, whose blocks live a fifth of the chip's lives, lives out its own without jumps and with them,
for each seed. Two lives with one seed have the same blocks and the same writes, so that the ratio of their
drive writes says what the jumps did. `--drive NAME --window N` ages that drive once instead, seed 1.
"""

import argparse
import sys
from statistics import fmean
from time import process_time

from scipy import stats

import floatgate as fg

# The chip's own lives, divided by five: without jumps, a life of 107 s instead of some nine minutes.
FIFTHS = (
    *(2324, 2698, 2865, 3032, 3322, 3488, 3592, 3689, 3752, 3920, 4022, 4164, 4271, 4393, 4490, 4582, 4714),
    *(4935, 5106, 5595, 6604),
)
SMALL = {
    "chip": "derived/tlc-3d-256g",
    "geometry.channels": 1,
    "geometry.ways": 1,
    "nand.blocks_per_plane": 40,
    "ftl.op_ratio": 0.25,
    "nand.tables.endurance.cycles": list(FIFTHS),
}
PACES = ((0.01, 1.0), (0.01, 0.3), (0.01, 0.1), (0.01, 0.03), (0.002, 0.1))


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def life(seed: int, jump: float, window: float) -> tuple[float, float]:
    """Age the small drive; its drive writes, and the processor time in seconds."""
    begun = process_time()
    lived = fg.age("tlc", set=SMALL, seed=seed, jump=jump, window=window, measure=0)
    return lived.rows[-1].drive_writes, process_time() - begun


def compare(seeds: int) -> None:
    """Print how drive writes with jumps compare with those without, with 95 % confidence."""
    whole = [life(seed, 0, 1) for seed in range(1, seeds + 1)]
    say(f"without jumps {fmean(time for _, time in whole):.1f} s of processor time for a life; {seeds} seeds")
    say("| `--jump` | `--window` | drive writes, relative | s for a life |\n|---|---|---|---|")
    for jump, window in PACES:
        lives = [life(seed, jump, window) for seed in range(1, seeds + 1)]
        ratios = [one / other for (one, _), (other, _) in zip(lives, whole, strict=True)]
        half = stats.t.ppf(0.975, seeds - 1) * stats.sem(ratios)
        seconds = fmean(time for _, time in lives)
        say(f"| {jump} | {window} | {fmean(ratios):.4f} ± {half:.4f} | {seconds:.2f} |")


def large(drive: str, window: float) -> None:
    """Print what the whole life of a drive takes."""
    begun = process_time()
    lived = fg.age(drive, window=window)
    seconds, windows = process_time() - begun, len(lived.rows)
    say(f"{drive}, window {window}: {seconds:.0f} s of processor time, {windows} windows")
    say(f"{lived.rows[-1].drive_writes:,.0f} drive writes. {lived.cause}")


def main() -> None:
    """Do what was asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--drive")
    parser.add_argument("--window", type=float, default=1.0)
    asked = parser.parse_args()
    if asked.drive is None:
        compare(asked.seeds)
    else:
        large(asked.drive, asked.window)


if __name__ == "__main__":
    main()
