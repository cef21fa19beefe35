"""Write amplification in closed form.

One frontier shared by the host and garbage collection, page mapping, the long run of independent random
writes. Throughout, alpha = T/U >= 1: T the blocks that can hold data (the open one and those kept free are
left out), U the blocks that the user's data would fill; b the pages of a block. Every function returns
A = pages written by all origins / pages written by the host.
"""

from collections.abc import Sequence
from math import exp, expm1

from scipy.optimize import brentq, minimize_scalar
from scipy.special import lambertw


def random_victim(alpha: float) -> float:
    """Any closed block, blindly: it holds the average number of valid pages. Exact."""
    return alpha / (alpha - 1)


def fifo(alpha: float) -> float:
    """The block closed longest ago (Desnoyers 2012, Eq. 4; the same as LRU).

    A = alpha / (alpha + W(-alpha exp(-alpha))) with the principal branch of Lambert's function.
    """
    return float(alpha / (alpha + lambertw(-alpha * exp(-alpha)).real))


def greedy_approximation(alpha: float, b: int) -> float:
    """The block with the fewest valid pages, by a correction of FIFO (Desnoyers 2012, Eq. 12)."""
    k = 1 + 1 / (2 * b)
    return fifo(k * alpha) / k


def greedy(alpha: float, b: int) -> float:
    """The block with the fewest valid pages, for blocks of `b` pages and many of them. Exact.

    Victims hold j valid pages with probability p and j + 1 otherwise. Between them, blocks of i > j valid
    pages are as frequent as 1/i, the time they spend there; together they must hold the user's pages.
    """
    valid = b / alpha  # valid pages of an average block
    harmonic = 1 / b  # H_b - H_{j+1}
    for j in range(b - 2, -1, -1):
        # Solve b - (j+1) + p = valid [harmonic + p / (j+1)] for p; it lies in [0, 1] for one j only.
        slope = 1 - valid / (j + 1)
        p = (valid * harmonic - b + j + 1) / slope if slope else -1.0
        if 0 <= p <= 1:
            return b / (b - j - 1 + p)
        harmonic += 1 / (j + 1)
    return 1.0  # so much spare space that a block has no valid page left when its turn comes


def d_choices(alpha: float, b: int, d: int) -> float:
    """The block with the fewest valid pages among `d` drawn at random (Van Houdt's mean field).

    S_k, the fraction of blocks with at least k valid pages, follows from the top downwards for a given rate c
    at which a valid page is overwritten: S_k - S_{k+1} = (1 - S_k^d) / (c k). The right c is the one for
    which the blocks hold the user's pages, sum of S_k = b / alpha. d = 1 is the random victim.
    """
    c = brentq(lambda c: b / alpha - sum(_occupancy(c, b, d)), 1e-9, alpha)
    valid_in_victim = sum(s**d for s in _occupancy(c, b, d))
    return b / (b - valid_in_victim)


def _occupancy(c: float, b: int, d: int) -> list[float]:
    """S_b down to S_1 of `d_choices`."""
    fractions = [0.0]
    for k in range(b, 0, -1):
        fractions.append(_level(fractions[-1], c * k, d))
    return fractions[1:]


def _level(above: float, rate: float, d: int) -> float:
    """Solve s - above = (1 - s^d) / rate for s."""
    return float(brentq(lambda s: s - above - (1 - s**d) / rate, above, 1.0))


def fifo_classes(alpha: float, shares: Sequence[tuple[float, float]]) -> float:
    """FIFO with classes of pages in one stream (Desnoyers 2012, Eq. 14).

    `shares` holds (r, f) for each class: the fraction r of the writes goes to the fraction f of the pages.
    """

    def excess(a: float) -> float:
        return a - 1 - sum(r / expm1(min(r * alpha / (f * a), 700.0)) for r, f in shares)

    return float(brentq(excess, 1.0, 1e6))


def fifo_hot_cold(alpha: float, r: float, f: float) -> float:
    """FIFO where the fraction `r` of the writes goes to the fraction `f` of the pages, in one stream."""
    return fifo_classes(alpha, ((r, f), (1 - r, 1 - f)))


def greedy_hot_cold_approximation(alpha: float, b: int, r: float, f: float) -> float:
    """Greedy with hot and cold pages in one stream (Desnoyers 2012, Eq. 16): good to 2 % for b = 64."""
    k = 1 + 1 / (2 * b)
    return fifo_hot_cold(k * alpha, r, f) / k


def separated(alpha: float, b: int, r: float, f: float) -> tuple[float, float]:
    """Hot and cold pages in two greedy pools of their own (Desnoyers 2012, Eqs. 20 to 22, pools by Eq. 12).

    Returns the least A and the share p of the spare space that gives it to the hot pool.
    """

    def total(p: float) -> float:
        hot = greedy_approximation(1 + p * (alpha - 1) / f, b)
        cold = greedy_approximation(1 + (1 - p) * (alpha - 1) / (1 - f), b)
        return r * hot + (1 - r) * cold

    best = minimize_scalar(total, bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
    return float(best.fun), float(best.x)


SEQUENTIAL = 1.0  # whole blocks become invalid before they are collected: nothing is ever moved
