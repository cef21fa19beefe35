"""Density evolution of min-sum in 8-bit integers: how far a channel is from what the code corrects.

Of a word without end the values of all bits, and all that checks tell, are distributions, which an iteration
turns into the next. Of a channel that gives up a share of its bits to their opposites this says up to which
share words are still corrected: its *margin*, below zero where they are not. A word of finite length has
other shares of values than its channel has; how much each value moves the margin, and so how much the margin
of words differs, is the *spread*.

Levels, factors and widths are those of `min-sum-8` (crates/ecc/src/decoder/min_sum_8.rs) with its usual
parameters. Checks are taken all at once; the decoder takes them in layers, in about half of the iterations.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LEVEL_MOST, MESSAGE_MOST, MOST = 31, 31, 127
LEVELS_PER_RATIO = 2
# Weights of the rows of nand-4k-889 but one, and shares of edges at bits in four checks, and in three.
OTHERS, IN_FOUR = 34, 131_072 / 143_360
ITERATIONS = 40
CORRECTED = 1e-3  # share of wrong bits below which all are set right soon
SHARE_MOST = 6e-3
MOVED = 5e-4  # share of a word's bits by which it is tried how a value moves the margin

Density = npt.NDArray[np.float64]
# What becomes of a magnitude of 0 to 127: six eighths of it, to the nearest, halves up.
TOLD = np.minimum((np.arange(MOST + 1) * 12 + 8) // 16, MESSAGE_MOST)


@dataclass(frozen=True)
class Evolved:
    """A channel on the scale of what is corrected: shares of bits that are exchanged for their opposites."""

    margin: float
    spread: float  # of one bit; of a word of n bits it is less by the root of n


def density(zero: Density, one: Density, ratios: Density) -> Density:
    """Return the shares of levels in favour of the sent bit, from the most against it."""
    levels = np.clip(np.rint(LEVELS_PER_RATIO * ratios), -LEVEL_MOST, LEVEL_MOST).astype(int)
    found = np.zeros(2 * MOST + 1)
    np.add.at(found, MOST + levels, 0.5 * zero)
    np.add.at(found, MOST - levels, 0.5 * one)
    return found


def evolved(channel: Density) -> Evolved:
    """Return margin and spread of a channel of levels."""
    margin = _margin(channel, -SHARE_MOST, SHARE_MOST)
    moves = np.zeros_like(channel)
    for level in np.flatnonzero(channel > 0):
        moved = channel * (1 - MOVED)
        moved[level] += MOVED
        moves[level] = (_margin(moved, margin - 0.5 * SHARE_MOST, margin + 0.5 * SHARE_MOST) - margin) / MOVED
    mean = float(channel @ moves)
    return Evolved(margin, float(np.sqrt(channel @ moves**2 - mean * mean)))


def _margin(channel: Density, low: float, high: float) -> float:
    """Return the share of bits that may be exchanged for their opposites."""
    opposite = channel[::-1]
    for _ in range(18):
        middle = 0.5 * (low + high)
        if _wrong(np.maximum(channel + middle * (opposite - channel), 0)) < CORRECTED:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _wrong(channel: Density) -> float:
    """Return the share of bits that are wrong after the iterations."""
    levels = channel[MOST - LEVEL_MOST : MOST + LEVEL_MOST + 1]
    heard, wrong = channel, 1.0
    for iteration in range(ITERATIONS):
        told = _told(heard)
        two = np.convolve(told, told)
        of_three, of_four = np.convolve(levels, two), np.convolve(np.convolve(levels, two), told)
        heard = IN_FOUR * _held(of_four) + (1 - IN_FOUR) * _held(of_three)
        if iteration % 4 == 3:
            belief = np.convolve(of_four, told)
            middle = len(belief) // 2
            wrong = float(belief[:middle].sum() + 0.5 * belief[middle])
            if wrong < 1e-6:
                break
    return wrong


def _told(heard: Density) -> Density:
    """Return what a check tells a bit by its others: the least magnitude, and the product of signs."""
    right, wrong = heard[MOST:], heard[MOST::-1]
    either, apart = right + wrong, right - wrong
    either[0] = heard[MOST]
    least = np.append(np.clip(np.cumsum(either[::-1])[::-1], 0, 1) ** OTHERS, 0.0)
    signed = np.append(np.cumsum(apart[::-1])[::-1] ** OTHERS, 0.0)
    of_least, of_signed = least[:-1] - least[1:], signed[:-1] - signed[1:]
    found = np.zeros(2 * MESSAGE_MOST + 1)
    np.add.at(found, MESSAGE_MOST + TOLD[1:], 0.5 * (of_least + of_signed)[1:])
    np.add.at(found, MESSAGE_MOST - TOLD[1:], 0.5 * (of_least - of_signed)[1:])
    found[MESSAGE_MOST] += of_least[0]
    found = np.maximum(found, 0)
    return np.asarray(found / found.sum())


def _held(values: Density) -> Density:
    """Return values with the ends standing for all beyond."""
    half = len(values) // 2
    if half <= MOST:
        return np.pad(values, MOST - half)
    found = values[half - MOST : half + MOST + 1].copy()
    found[0] += values[: half - MOST].sum()
    found[-1] += values[half + MOST + 1 :].sum()
    return found
