"""The estimator of remaining life, on lives whose end is known."""

import random

import pytest

from floatgate.lab.chip import Entry
from floatgate.lab.lives import Life, life
from floatgate.lab.prediction import EraseCounter, LatencyEstimator, errors, steps_of

LEVELS = (0.1, 0.2, 0.4, 0.7)  # shares of a life at which erases take a pulse more


def worn(block: int, cycles: int, levels: tuple[float, ...] = LEVELS) -> Life:
    entries = [
        Entry(block, 0, "program", 1, 300, None, "ok"),
        Entry(block, None, "erase", 1, 1000, None, "ok"),
    ]
    for index, level in enumerate(levels):
        entries.append(Entry(block, None, "erase", round(level * cycles), 2000 + index * 1000, None, "ok"))
    entries.append(Entry(block, None, "erase", cycles + 1, 9000, None, "fail"))
    return life(block, entries, 10**9)


def population(seed: int, blocks: int = 20, noise: float = 0.0) -> list[Life]:
    draw = random.Random(seed)
    return [
        worn(
            block,
            round(10_000 * draw.lognormvariate(0, 0.4)),
            tuple(level * draw.lognormvariate(0, noise) for level in LEVELS),
        )
        for block in range(blocks)
    ]


def test_steps_that_come_at_fixed_shares_of_a_life_tell_it_exactly() -> None:
    estimator = LatencyEstimator.train(population(1))
    for one in population(2):
        cycle = round(0.45 * one.cycles)
        assert estimator.remaining(one, cycle) == pytest.approx(one.cycles - cycle, rel=0.01)


def test_nothing_after_the_cycle_asked_about_is_looked_at() -> None:
    estimator = LatencyEstimator.train(population(1, noise=0.1))
    one = population(2)[0]
    cycle = round(0.5 * one.cycles)
    cut = Life(one.block, tuple(e for e in one.entries if e.cycle <= cycle), one.cycles, one.failed)
    assert steps_of(cut, cycle) == steps_of(one, cycle)
    assert estimator.remaining(cut, cycle) == estimator.remaining(one, cycle)


def test_before_any_step_the_estimate_is_that_of_the_population() -> None:
    lives = population(1, blocks=200)
    estimator = LatencyEstimator.train(lives)
    mean = sum(one.cycles for one in lives) / len(lives)
    assert estimator.remaining(lives[0], 1) == pytest.approx(mean, rel=0.05)


def test_a_block_that_outlives_every_belief_is_not_given_up() -> None:
    estimator = LatencyEstimator.train(population(1))
    ancient = worn(99, 10**7, levels=())
    assert 0 < estimator.remaining(ancient, 9 * 10**6) < float("inf")


def test_an_early_failure_is_seen_coming_by_latency_and_not_by_the_counter() -> None:
    train = population(1)
    weak = worn(99, 500)
    latency = errors(LatencyEstimator.train(train), [weak], [0.5])[0]
    counter = errors(EraseCounter.train(train), [weak], [0.5])[0]
    assert latency.mean < 0.05
    assert counter.mean > 10


def test_with_noisy_steps_latency_still_beats_the_counter() -> None:
    train, test = population(1, noise=0.15), population(2, noise=0.15)
    latency = errors(LatencyEstimator.train(train), test, [0.3, 0.5, 0.8])
    counter = errors(EraseCounter.train(train), test, [0.3, 0.5, 0.8])
    for ours, theirs in zip(latency, counter, strict=True):
        assert ours.mean < theirs.mean / 2


def test_one_life_is_too_few_to_learn_from() -> None:
    with pytest.raises(ValueError, match="expected two or more"):
        LatencyEstimator.train(population(1, blocks=1))
