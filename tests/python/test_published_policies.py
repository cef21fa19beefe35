"""The published policies of the examples: their rules by hand, the contract, and what they bring."""

import csv
import random
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import floatgate as fg
from floatgate.own import check, found
from floatgate.report.draw import svg

np = pytest.importorskip("numpy")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "policies"
MDC, GREEDY_MP = FOLDER / "mdc.py", FOLDER / "greedy_mp.py"

SMALL = {
    "nand.blocks_per_plane": 64,
    "nand.pages_per_block": 12,
    "geometry.channels": 1,
    "geometry.ways": 2,
    "ftl.op_ratio": 0.6,
    "ftl.buffer.size": "256KiB",
}


def policy(file: Path, name: str, **parameters: float) -> Any:
    return found.policies_in(str(file))[name](**parameters)


def view(**arrays: Any) -> SimpleNamespace:
    """A die of which all superblocks are candidates, unless said otherwise."""
    arrays = {name: np.asarray(value) if isinstance(value, list) else value for name, value in arrays.items()}
    return SimpleNamespace(**({"candidates": np.arange(len(arrays["pe_cycles"]))} | arrays))


@pytest.mark.parametrize("file", [MDC, GREEDY_MP], ids=lambda file: file.name)
def test_they_pass_the_check(file: Path) -> None:
    checked = check.check(str(file))
    assert checked
    assert [one.fault for one in checked] == [None] * len(checked)


# Minimum declining cost.


def mdc(valid: list[int], updated: list[int], **parameters: int) -> int:
    """Who is picked, of superblocks with 100 units whose units the host updated in this order."""
    mine = policy(MDC, "Mdc", **parameters)
    mine.attach(len(valid), 100)
    for superblock in range(len(valid)):
        mine.on_close(superblock, 100)
    for superblock in updated:
        mine.on_invalidate(superblock, 0)
    picked: int = mine.pick(view(pe_cycles=[0] * len(valid), valid_units=valid))
    return picked


def test_mdc_waits_for_what_is_still_being_updated() -> None:
    assert mdc([50, 50], [1, 1, 0, 0]) == 1, "as much to gain: the one whose updates lie further back"
    assert mdc([48, 50], [0, 0, 1, 1]) == 0
    assert mdc([50, 48], [0] * 2 + [1] * 9) == 0, "little more to gain by waiting for the other"


def test_mdc_weighs_gain_against_frequency_as_the_paper_does() -> None:
    # After 9 updates: spans 9 and 2 of the update before the last. The rule: valid / (invalid^2 * span).
    order = [0, 0, 1, 1, 1, 1, 1, 1, 1]
    for valid in range(5, 96):
        mine, other = valid / ((100 - valid) ** 2 * 9), 50 / (50**2 * 2)
        assert mdc([valid, 50], order) == (0 if mine < other else 1), valid


def test_mdc_takes_what_is_empty_first_and_what_is_full_last() -> None:
    assert mdc([60, 0, 60], [0, 0, 2, 2, 1, 1]) == 1
    assert mdc([100, 99], [0, 0, 1, 1]) == 1
    assert mdc([100, 100], []) in (0, 1)


def test_mdc_measures_over_as_many_updates_as_it_is_told() -> None:
    order = [0] * 6 + [1] * 3 + [0] * 2  # the second to last: 0 is the more frequent; over 8: 1 never had 8
    assert mdc([50, 50], order, updates=2) == 1
    assert mdc([50, 50], [1] * 8 + [0] * 8 + [1, 1], updates=2) == 0
    assert mdc([50, 50], [1] * 8 + [0] * 8 + [1, 1], updates=8) == 1


@pytest.fixture
def hot_and_cold(tmp_path: Path) -> Path:
    """Random writes of 16 KiB to 240 MB, four of five of them to its first fifth."""
    rng, places = random.Random(1), 15_000
    lines = [f"{n},h,0,Write,{n * 65536},65536,1\n" for n in range(places // 4)]
    for n in range(len(lines), 50_000):
        place = rng.randrange(places // 5) if rng.random() < 0.8 else rng.randrange(places // 5, places)
        lines.append(f"{n},h,0,Write,{place * 16384},16384,1\n")
    path = tmp_path / "hot-and-cold.csv"
    path.write_text("".join(lines))
    return path


def test_the_comparison_shows_what_mdc_gains(hot_and_cold: Path, tmp_path: Path) -> None:
    """The script of the page, on a trace of ours: runs, table and figure."""
    script = runpy.run_path(str(FOLDER / "compare.py"))
    script["compare"].__globals__["OVER_PROVISIONING"] = (0.25,)
    rows = script["compare"]("victim", [hot_and_cold], 2, 2)
    waf = {row.case.name: script["interval"](row.waf)[0] for row in rows}
    assert waf["MDC"] < 0.96 * waf["greedy"]
    assert waf["MDC"] < 0.9 * waf["fifo"]
    script["table"](rows, tmp_path / "table.csv")
    with (tmp_path / "table.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [(line["policy"], line["seed"]) for line in lines[:3]] == [
        ("MDC", "1"),
        ("MDC", "2"),
        ("greedy", "1"),
    ]
    assert float(lines[0]["waf_long_run"]) == rows[0].waf[0]
    drawn = svg(script["victim_figure"](rows))
    assert drawn == svg(script["victim_figure"](rows))
    assert all(name in drawn for name in waf)


# Greedy-MP.


def test_greedy_mp_moves_the_coldest_data_after_a_worn_superblock_was_erased() -> None:
    wear = policy(GREEDY_MP, "Wear", threshold=10)
    cycles = [40, 12, 5, 5, 30]  # mean 18.4
    seen: dict[str, Any] = {"pe_cycles": cycles, "closed_at": [9, 1, 8, 3, 2], "candidates": [1, 2, 3]}
    assert wear.relocate(view(erased=0, **seen)) == 3, "the least worn; of these the one closed first"
    assert wear.relocate(view(erased=1, **seen)) is None, "not worn"
    assert wear.relocate(view(erased=4, **seen)) == 3, "30 is more than 10 above the mean"
    assert wear.relocate(view(erased=0, **(seen | {"candidates": []}))) is None
    assert policy(GREEDY_MP, "Wear", threshold=12).relocate(view(erased=4, **seen)) is None


def test_greedy_mp_opens_the_worn_superblock_next() -> None:
    wear = policy(GREEDY_MP, "Wear", threshold=10)
    assert wear.free_rank(0, 40, 1) == 41, "nothing was erased yet: by wear alone"
    wear.relocate(view(erased=1, pe_cycles=[40, 12, 5, 5, 30], closed_at=[0] * 5, candidates=[]))
    assert wear.free_rank(0, 29, 1) == 0
    assert wear.free_rank(1, 28, 1) == 29
    assert wear.free_rank(2, 0, 1) > 0, "behind the worn one"


def rested(**parameters: float) -> Any:
    mine = policy(GREEDY_MP, "Victim", **({"threshold": 10} | parameters))
    mine.attach(3, 100)
    return mine


def test_greedy_mp_lets_a_worn_superblock_rest_until_the_others_have_caught_up() -> None:
    mine = rested()
    assert mine.pick(view(pe_cycles=[30, 10, 10], valid_units=[60, 70, 80])) == 1, "13 above the mean: rests"
    assert mine.pick(view(pe_cycles=[30, 25, 25], valid_units=[60, 70, 80])) == 1, "above the mean: still"
    assert mine.pick(view(pe_cycles=[30, 30, 30], valid_units=[60, 70, 80])) == 0, "caught up"
    assert rested().pick(view(pe_cycles=[30, 25, 25], valid_units=[60, 70, 80])) == 0, "never beyond it"


def test_greedy_mp_rests_for_cold_data_alone_and_not_where_the_drive_needs_room() -> None:
    worn = [30, 10, 10]
    assert rested().pick(view(pe_cycles=worn, valid_units=[49, 70, 80])) == 0, "half of it was overwritten"
    assert rested(cold=0).pick(view(pe_cycles=worn, valid_units=[49, 70, 80])) == 1
    assert rested().pick(view(pe_cycles=worn, valid_units=[60, 94, 99])) == 0, "the others gain too little"
    assert rested().pick(view(pe_cycles=worn, valid_units=[60, 0, 0], candidates=[0])) == 0, "no other"


def test_greedy_mp_levels_the_wear_of_a_drive_with_cold_data(tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[a]\nrw=randwrite\nbs=4k\niodepth=8\nsize=25%\nnorandommap\nio_size=3g\n")

    def ran(settings: dict[str, Any]) -> Any:
        return fg.run("tlc", job, set=SMALL | settings, precondition="fill").document

    own: dict[str, Any] = {"ftl.wear.name": f"{GREEDY_MP}:Wear", "ftl.gc.victim.name": f"{GREEDY_MP}:Victim"}
    own |= {"ftl.wear.threshold": 5, "ftl.gc.victim.threshold": 5}
    levelled, left = ran(own), ran({"ftl.wear.name": "none"})
    assert levelled.ftl.wear.relocations > 10
    assert levelled.wear.pe_cycles_min > 0 == left.wear.pe_cycles_min, "cold data moves, or stays for ever"
    spread = levelled.wear.pe_cycles_max - levelled.wear.pe_cycles_mean
    assert spread < 0.5 * (left.wear.pe_cycles_max - left.wear.pe_cycles_mean)
