"""Noise of wear and of the rig, and predictors of remaining life under it."""

import random
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

import pytest

from floatgate.lab.bench import Bench
from floatgate.lab.chip import Entry
from floatgate.lab.experiments.prediction import CHIPS, COUNTER, LATENCY, OTHER_CHIPS, compare, run
from floatgate.lab.levels import Levels
from floatgate.lab.lives import Life
from floatgate.lab.prediction import EraseCounter, LatencyEstimator, Predictor
from floatgate.lab.scores import Score, score
from floatgate.lab.simulated import SimulatedSource

CHIP = "29f16g08canc1"
WEAR = ("cells.wear.block_spread=0.0523", "cells.wear.cycle_spread=0.187")
RIG = ("rig.resolution=1us", "rig.jitter=1us", "rig.lines=0.1")
SHARES = (0.2, 0.5, 0.8)


def lives(*settings: str, blocks: int = 12, seed: int = 1) -> tuple[Life, ...]:
    return Bench(SimulatedSource(CHIP, seed, settings), blocks).lives()


def test_noise_is_off_by_default_and_the_same_seed_is_the_same_noise() -> None:
    exact = lives()
    assert exact == lives("cells.wear.cycle_spread=0", "rig.jitter=0s", "rig.resolution=0s")
    noisy = lives(*WEAR, *RIG)
    assert noisy == lives(*WEAR, *RIG)
    assert noisy != exact
    assert noisy != lives(*WEAR, *RIG, seed=2)


def test_a_rig_s_jitter_moves_times_and_not_lives() -> None:
    exact, jittery = lives(*WEAR), lives(*WEAR, *RIG)
    assert [life.cycles for life in exact] == [life.cycles for life in jittery]
    off = [
        abs(entry.busy_ns - life.busy_ns("erase", entry.cycle))
        for life, measured in zip(exact, jittery, strict=True)
        for entry in measured.entries
        if entry.operation == "erase" and entry.status == "ok"
    ]
    assert all(ns % 1000 == 0 for life in jittery for ns in (entry.busy_ns for entry in life.entries))
    assert 500 < fmean(off) < 1200, "a microsecond's jitter on a microsecond's clock"


def test_levels_give_back_the_steps_that_an_exact_rig_sees() -> None:
    exact, jittery = lives(*WEAR), lives(*WEAR, *RIG)
    levels = Levels.learn(jittery)
    for truth, measured in zip(exact, jittery, strict=True):
        read = levels.read(measured).steps("erase")
        steps = truth.steps("erase")
        assert len(read) == len(steps)
        for (cycle, busy), (seen_at, seen) in zip(steps, read, strict=True):
            assert abs(seen - busy) < 1000
            assert cycle <= seen_at <= cycle * 1.1 + 1, "the next line of the log"


def test_levels_look_at_nothing_that_comes_later() -> None:
    jittery = lives(*WEAR, *RIG)
    levels = Levels.learn(jittery)
    one = jittery[3]
    half = one.cycles // 2
    cut = replace(one, entries=tuple(entry for entry in one.entries if entry.cycle <= half))
    whole = [entry for entry in levels.read(one).entries if entry.cycle <= half]
    assert list(levels.read(cut).entries) == whole


def test_an_exact_rig_s_lives_are_left_as_they_are() -> None:
    exact = lives(*WEAR)
    levels = Levels.learn(exact)
    assert all(levels.read(life) is life for life in exact)


def test_predictors_are_asked_about_blocks_that_they_have_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    learned: list[set[int]] = []
    asked: list[set[int]] = []
    train = LatencyEstimator.train

    def learning(of: Sequence[Life]) -> LatencyEstimator:
        learned.append({life.block for life in of})
        return train(of)

    def asking(
        latency: Predictor,
        counter: Predictor,
        survival: Predictor,
        of: Sequence[Life],
        shares: Sequence[float],
    ) -> Score:
        asked.append({life.block for life in of})
        return score(latency, counter, survival, of, shares)

    monkeypatch.setattr(LatencyEstimator, "train", learning)
    monkeypatch.setattr("floatgate.lab.experiments.prediction.score", asking)
    found = run(Bench(SimulatedSource(CHIP, 1, (*WEAR, *RIG)), 12)).numbers
    (taught,) = learned
    on_this_chip = asked[:-1]
    assert len(on_this_chip) == 4
    assert all(not taught & blocks for blocks in on_this_chip)
    assert set(found["trained_on"]).isdisjoint(found["tested_on"])
    assert found["scores"][OTHER_CHIPS]["blocks"] == 12 * CHIPS
    assert {LATENCY, COUNTER, LATENCY + OTHER_CHIPS} <= set(found["errors"])


def test_irregular_wear_costs_latency_its_certainty() -> None:
    """Errors grow with the noise of the cycles; a rig that sees no pulses leaves nothing to learn from."""
    regular = compare(lives(*RIG, "cells.wear.cycle_spread=0", blocks=24))
    noisy = compare(lives(*RIG, *WEAR, blocks=24))
    wild = compare(lives(*RIG, *WEAR, "cells.wear.cycle_spread=0.6", blocks=24))
    assert regular.latency < 0.03
    assert 1.5 * regular.latency < noisy.latency < wild.latency
    assert regular.nearer == "latency"
    assert compare(lives(*WEAR, "rig.jitter=1ms", "rig.lines=0.1", blocks=24)).nearer == "neither"


def counted(block: int, cycles: int) -> Life:
    return Life(block, (Entry(block, None, "erase", 1, 1000, None, "ok"),), cycles, "erase")


def test_a_score_s_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Counters that know the mean and one that is off by a share of it, on lives drawn again and again."""
    draw = random.Random(1)
    # The median of a normal deviation of 0.2 is 0.135.
    right, low = EraseCounter(10_000), EraseCounter(13_000)
    held = 0
    for trial in range(60):
        of = [counted(block, round(10_000 * draw.lognormvariate(0, 0.2))) for block in range(30)]
        found = score(right, low, low, of, SHARES, trial)
        assert found == score(right, low, low, of, SHARES, trial), "the same draws"
        held += found.latency_ci95[0] <= 0.135 <= found.latency_ci95[1]
        assert found.nearer in ("latency", "neither")
        assert found.latency_ci95[0] <= found.latency <= found.latency_ci95[1]
    assert held >= 50, f"{held} of 60"


def test_a_predictor_against_itself_is_never_nearer() -> None:
    of = [counted(block, 9_000 + 100 * block) for block in range(20)]
    one = EraseCounter(10_000)
    assert score(one, one, one, of, SHARES).nearer == "neither"
    with pytest.raises(ValueError, match="expected two or more"):
        score(one, one, one, of[:1], SHARES)
