"""Codes are measured: words are decoded until enough of them fail, and a table says what was counted."""

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Literal

import pytest

import floatgate as fg
from conftest import in_process
from floatgate import _core
from floatgate.ecc.channels import Seen
from floatgate.ecc.table import Measured, Point, Read, told
from floatgate.lab.simulated import SimulatedSource

ROOT = Path(__file__).parents[2]
SMALL = "wifi-648-540"
ELSEWHERE = ["--hard-ratio", "6", "--elsewhere"]
CELLS = ["--channel", "poster-mlc", "--words", "128", "--workers", "1"]


def test_codes_and_decoders_are_listed() -> None:
    names = {code.name: code for code in fg.ecc.codes()}
    assert (names["nand-4k-889"].bits, names["nand-4k-889"].data_bits) == (36_864, 32_768)
    assert "802.11n" in names[SMALL].origin
    shown = in_process("ecc", "codes")
    assert shown.code == 0
    assert all(word in shown.out for word in (*names, "min-sum-8", "sum-product"))
    assert len(json.loads(in_process("ecc", "codes", "--json").out)["codes"]) == len(names)


def test_failures_are_those_that_the_examples_count(tmp_path: Path) -> None:
    """The Wi-Fi code by flips: more errors, more failures, iterations and words that take the most."""
    found = fg.ecc.measure(SMALL, rate=[0.02, 0.01], failures=50, words=4096, out=tmp_path / "t.toml")
    many, few = found.points
    assert many.rate == pytest.approx(0.02)
    assert many.failures >= 50
    assert many.words < few.words
    assert many.failure > few.failure
    assert many.mean_iterations > few.mean_iterations
    assert sum(many.iterations) == many.words
    assert many.interval[0] < many.failure < many.interval[1]
    assert many.most_iterations <= 20
    assert "failure rate" in found._repr_html_()
    document = found.document()
    assert document["points"][0]["failures"] == many.failures
    assert document["laws"][0]["extrapolated"][0]["failure_rate"] == 1e-6


def test_the_table_has_what_was_counted_and_the_same_bytes_for_any_number_of_processes(
    tmp_path: Path,
) -> None:
    words = ["ecc", "measure", SMALL, "--rate", "0.03,0.02", "--words", "2048", "--seed", "3"]
    texts = []
    for workers in ("1", "2"):
        out = tmp_path / f"{workers}.toml"
        ended = in_process(*words, "--workers", workers, "--out", str(out))
        assert ended.code == 0, ended.err
        texts.append(out.read_text())
    assert texts[0] == texts[1]
    assert "Made by `floatgate ecc measure wifi-648-540 --rate 0.03,0.02 --words 2048 --seed 3" in texts[0]
    table = tomllib.loads(texts[0])
    read = table["soft_1"]
    assert (table["bits"], table["data_bits"], table["seed"]) == (648, 540, 3)
    assert read["rates"] == [0.03, 0.02]
    assert [sum(map(int, each.split())) for each in read["iterations"]] == read["words"]
    assert 0 < read["floor_most"] < 1
    assert read["law"][0] > 0
    other = in_process(*words[:-1], "4", "--workers", "1", "--out", str(tmp_path / "4.toml"))
    assert other.code == 0
    assert tomllib.loads((tmp_path / "4.toml").read_text())["soft_1"]["failures"] != read["failures"]


def test_rates_are_found_where_words_begin_to_fail(tmp_path: Path) -> None:
    found = fg.ecc.measure(SMALL, words=1024, failures=30, workers=1)
    points = found.points
    assert len(points) >= 3
    assert points[0].failure > 0.3
    assert points[-1].failure < 0.1
    assert [point.rate for point in points] == sorted((point.rate for point in points), reverse=True)


def test_more_soft_bits_fail_less_and_placement_matters() -> None:
    found = fg.ecc.measure(SMALL, channel="gauss", rate=[0.03], words=1024, failures=10**6, workers=1)
    one, two, three = found.points
    assert one.failure > two.failure > three.failure
    assert one.seen.information < two.seen.information < three.seen.information
    even = fg.ecc.measure(
        SMALL, channel="gauss", rate=[0.03], soft_bits=[2], placement="even", words=64, workers=1
    )
    # Noise that is the same on both sides has its references evenly.
    assert even.points[0].seen.information == pytest.approx(two.seen.information, rel=1e-3)


def test_a_page_of_cells_is_read_at_an_age() -> None:
    found = fg.ecc.measure(
        SMALL,
        channel="poster-mlc",
        pe_cycles=3000,
        page=1,
        age=["1d", "3650d"],
        soft_bits=[1, 3],
        words=64,
        workers=1,
    )
    old, new, soft_old, soft_new = found.points
    assert (old.seen.age_s, new.seen.age_s) == (3650 * 86_400, 86_400)
    assert old.rate > new.rate
    # Rates are those of a hard read, however a page is read.
    assert soft_old.rate == old.rate
    assert soft_new.seen.information > new.seen.information
    assert len(soft_old.seen.references_v) == len(old.seen.references_v) == 2
    assert "3000 program/erase cycles" in found.channel


def test_one_comparison_misreads_what_the_page_model_says_of_the_best_references() -> None:
    chip = SimulatedSource("tlc-3d-256g", 1).cells()
    (rates,) = chip.error_rates(3000, [(365 * 86_400.0, 0)], 40_000)
    for page, best in enumerate(rates.best):
        found = fg.ecc.measure(
            SMALL,
            channel="tlc-3d-256g",
            pe_cycles=3000,
            page=page,
            age=["365d"],
            soft_bits=[1],
            words=64,
            workers=1,
        )
        # Each block of the page model has its own; here they are those of the mean block.
        assert best < found.points[0].rate < 1.15 * best


def test_a_page_is_aged_until_it_has_a_rate() -> None:
    found = fg.ecc.measure(
        SMALL, channel="poster-mlc", pe_cycles=5000, rate=[0.001], soft_bits=[1], words=64, workers=1
    )
    assert found.points[0].rate == pytest.approx(0.001, rel=0.05)


def test_a_controller_that_knows_the_mean_block_alone_is_told_less() -> None:
    """A bad block, read by tables of its own and by those of the mean block."""

    def read(knows: Literal["page", "mean"]) -> Point:
        return fg.ecc.measure(
            SMALL,
            channel="tlc-3d-256g",
            pe_cycles=6000,
            age=["365d"],
            soft_bits=[2],
            rank=0.95,
            knows=knows,
            words=64,
            workers=1,
        ).points[0]

    own, mean = read("page"), read("mean")
    assert mean.seen.information < own.seen.information
    assert mean.seen.lost == pytest.approx(own.seen.information - mean.seen.information)
    assert own.seen.lost is None
    assert "tables of the mean block tell up to" in told(Read(648, 2, (mean,)))
    assert mean.rate >= own.rate
    assert mean.seen.ratios != own.seen.ratios


def test_states_of_tables_are_normal() -> None:
    found = fg.ecc.measure(
        SMALL, channel="derived/tlc-3d-256g", model="tables", rate=[0.01], soft_bits=[2], words=64, workers=1
    )
    assert found.points[0].rate == pytest.approx(0.01, rel=0.02)
    assert "normal states" in found.channel


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nand-4k-88"], 'code "nand-4k-88": expected a file, or one of'),
        ([SMALL, "--decoder", "min-sun"], 'decoder.name = "min-sun": expected one of'),
        ([SMALL, "--parameter", "iterations=0"], "decoder.iterations = 0: expected"),
        ([SMALL, "--parameter", "iteration=3"], 'did you mean "decoder.iterations"'),
        ([SMALL, "--soft-bits", "2"], "--soft-bits 2: nothing is known of flips but the bit"),
        ([SMALL, "--soft-bits", "4"], "--soft-bits 4: expected 1, 2 or 3"),
        ([SMALL, "--rate", "0.3"], "--rate 0.3: expected a rate from 1e-9 to 0.2"),
        ([SMALL, "--page", "1"], "--page 1: flips is no chip"),
        ([SMALL, "--placement", "even"], "--placement even: flips have no references"),
        ([SMALL, *CELLS, "--soft-bits", "2", "--hard-ratio", "6"], "--hard-ratio 6.0: no read is hard"),
        ([SMALL, "--elsewhere", "t.json"], "--elsewhere t.json: its hard reads were told with a ratio of 6"),
        ([SMALL, *ELSEWHERE, "t.json"], "t.json"),
        ([SMALL, "--channel", "nowhere"], "nowhere"),
        ([SMALL, *CELLS, "--page", "2"], "--page 2: poster-mlc has 2 bits a cell: expected 0 to 1"),
        ([SMALL, *CELLS, "--rate", "0.1"], "--rate 0.1: the page has"),
        ([SMALL, *CELLS, "--rate", "0.1", "--age", "1d"], "--age says already how old the page is"),
        ([SMALL, *CELLS, "--knows", "mean"], "--knows mean: the page is of the mean block already"),
        ([SMALL, *CELLS, "--age", "soon"], "--age soon"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = in_process("ecc", "measure", *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('    " 3 12 11', '    " 12 11', "mine.toml:8: rows: expected 24 shifts for 648 bits, got 23"),
        ("data_bits = 540", "data_bits = 513", "expected 5 rows for 135 parity bits, got 4"),
        ("circulant = 27", "circulant = 26", "expected a divisor of 648 and 540 bits"),
    ],
)
def test_a_matrix_that_is_not_what_its_file_says_is_one_line(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    text = (ROOT / "codes" / f"{SMALL}.toml").read_text()
    assert old in text
    mine = tmp_path / "mine.toml"
    mine.write_text(text.replace(old, new))
    ended = in_process("ecc", "measure", str(mine), "--out", str(tmp_path / "o.toml"))
    assert (ended.code, ended.out) == (2, "")
    assert f"{mine}:" in ended.err
    assert said in ended.err
    assert ended.err.count("\n") == 1


def test_a_matrix_of_lower_rank_is_one_line(tmp_path: Path) -> None:
    """Two checks that say the same of the parity leave more than the data open."""
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'standard = "none"\nbits = 12\ndata_bits = 6\ncirculant = 3\nrows = ["0 1 1 0", "2 0 1 0"]\n'
    )
    ended = in_process("ecc", "measure", str(mine), "--out", str(tmp_path / "o.toml"))
    assert ended.code == 2
    assert "data_bits = 6: expected 6 checks that settle the other 6 bits" in ended.err


def test_a_code_of_a_file_is_the_code_of_its_name(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text((ROOT / "codes" / f"{SMALL}.toml").read_text())
    one, other = (fg.ecc.measure(code, rate=[0.03], words=512, workers=1) for code in (mine, SMALL))
    assert (one.code, other.code) == ("mine", SMALL)
    assert one.points == other.points


def _point(rate: float, words: int, failures: int) -> Point:
    seen = Seen(rate, 0.9, (), (1 - rate, rate), (rate, 1 - rate), (3.0, -3.0))
    return Point(1, seen, words, failures, 0, (words,))


def test_what_is_extrapolated_is_called_so_and_a_floor_is_never_nothing() -> None:
    counted = [(0.009, 67_584, 21_744), (0.008, 67_584, 654), (0.0075, 946_176, 423), (0.0065, 13_719_552, 0)]
    read = Read(36_864, 1, tuple(_point(*one) for one in counted))
    assert read.lowest.rate == 0.0075
    assert 2.6e-7 < read.floor_most < 2.8e-7
    assert "extrapolated below 0.0075" in told(read)
    assert "a floor was not seen and is below 2.7e-07" in told(read)
    for target, rate, low, high in read.extrapolated():
        assert low < target < high
        assert 0.005 < rate < 0.0075
    alone = Read(36_864, 1, (_point(0.009, 1000, 300),))
    assert "nothing is extrapolated" in told(alone)
    assert alone.extrapolated() == []


def test_bits_of_hard_reads_are_told_with_one_ratio(tmp_path: Path) -> None:
    """The same words, whose integers no longer follow the rate; soft reads are told what they were."""
    out = tmp_path / "t.toml"

    def measured(out: Path | None = None, hard_ratio: float | None = None) -> Measured:
        return fg.ecc.measure(
            SMALL,
            channel="gauss",
            rate=[0.03],
            words=512,
            failures=512,
            hard_ratio=hard_ratio,
            out=out,
            workers=1,
        )

    found, own = measured(out, 6.0), measured()
    assert found.points[0].seen.ratios == (6.0, -6.0)
    assert found.points[0].iterations != own.points[0].iterations
    assert found.points[1:] == own.points[1:]
    table = tomllib.loads(out.read_text())
    assert table["hard_ratio"] == 6.0
    assert table["soft_1"]["ratios"] == ["6.0 -6.0"]
    assert table["command"].startswith(f"floatgate ecc measure {SMALL} --channel gauss")
    assert "--hard-ratio 6.0" in table["command"]
    assert found.document()["hard_ratio"] == 6.0


def _counted(**more: object) -> dict[str, object]:
    count = {"code": SMALL, "decoder": "min-sum-8", "channel": "hard", "point": 0.006, "seed": 7}
    return count | {"words": 64_000, "failures": 300, "undetected": 0, "iterations": 90_000} | more


def test_words_of_a_gpu_stand_beside_those_of_a_table(tmp_path: Path) -> None:
    """Of one seed the longest count, of two the sum, of other reads nothing."""
    counts = [
        _counted(),
        _counted(words=640, failures=3),
        _counted(seed=8),
        _counted(point=0.004, words=10**6, failures=0),
        _counted(channel="gauss", point=0.05),
    ]
    file, out = tmp_path / "counts.json", tmp_path / "t.toml"
    file.write_text(json.dumps({"counts": counts}))
    asked = ["ecc", "measure", SMALL, "--rate", "0.03,0.02", "--words", "512", "--workers", "1"]
    ended = in_process(*asked, *ELSEWHERE, str(file), "--out", str(out))
    assert ended.code == 0, ended.err
    assert "extrapolated below 0.006" in ended.out
    read = tomllib.loads(out.read_text())["soft_1"]
    assert read["elsewhere"] == ["0.006 128000 600 0 180000", "0.004 1000000 0 0 90000"]
    assert read["floor_most"] < 4e-6
    alone = in_process(*asked, "--out", str(out))
    assert alone.code == 0, alone.err
    assert tomllib.loads(out.read_text())["soft_1"]["law"] != read["law"]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"counts": 3}, "expected a list, as benches/gpu has it"),
        ({"counts": [{"point": 0.006}]}, "counts[0]: expected a point and whole numbers for seed, words"),
        ({"counts": [_counted(failures=10**6)]}, "counts[0]: expected words, of which no more failed"),
        ({"counts": [_counted(code="nand-4k-889")]}, f"expected counts of hard reads of {SMALL}"),
    ],
)
def test_counts_of_a_gpu_that_are_none_are_one_line(
    counts: dict[str, object], said: str, tmp_path: Path
) -> None:
    file = tmp_path / "counts.json"
    file.write_text(json.dumps(counts))
    ended = in_process("ecc", "measure", SMALL, *ELSEWHERE, str(file), "--out", str(tmp_path / "o.toml"))
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1


def test_ctrl_c_keeps_whole_points(tmp_path: Path) -> None:
    """The first point ends soon, the second never would."""
    out = tmp_path / "t.toml"
    words = ["ecc", "measure", SMALL, "--rate", "0.04,0.005", "--words", str(4 * 10**9), "--workers", "2"]
    # A process that counts the first point, and is told to stop in the second.
    code = (
        "import floatgate.ecc.conduct as c, os, signal\n"
        "asked = c.Counter.count\n"
        "def count(self, seen, tally, words):\n"
        "    if seen.rate < 0.01: os.kill(os.getpid(), signal.SIGINT)\n"
        "    asked(self, seen, tally, words)\n"
        "c.Counter.count = count\n"
        "from floatgate.shell import main\n"
        f"main({[*words, '--out', str(out)]!r})\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 130, done.stderr
    assert "interrupted after 1 points" in done.stderr
    assert "Interrupted: some points are missing." in out.read_text()
    assert tomllib.loads(out.read_text())["soft_1"]["rates"] == [0.04]
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def test_the_core_refuses_what_python_would_not_ask() -> None:
    with pytest.raises(_core.InputError, match="expected 1 to 4"):
        _core.EccPage.normal(5, 0, 0.01)
    with pytest.raises(_core.InputError, match="expected one that states side by side can have"):
        _core.EccPage.normal(1, 0, 0.3)
    page = _core.EccPage.normal(1, 0, 0.01)
    with pytest.raises(_core.InputError, match="placement"):
        page.seen(page, 1, "odd")
    with pytest.raises(_core.InputError, match="4 soft bits"):
        page.seen(page, 4, "even")
    assert _core.ecc_placements() == ["information", "even", "ratio"]


@pytest.mark.parametrize("name", ["nand-4k-889", "nand-4k-928"])
def test_what_drives_read_with_is_counted_again_as_it_stands(name: str) -> None:
    """Of a table the first point, by the command in the file: the same words, failures and iterations."""
    table = tomllib.loads((ROOT / "codes" / "tables" / f"{name}.toml").read_text())
    asked = f"floatgate ecc measure {name} --channel gauss"
    assert table["command"].startswith(asked)
    assert (table["code"], table["seed"]) == (name, 1)
    read = table["soft_1"]
    rate = float(f"{read['rates'][0]:.3g}")
    [point] = fg.ecc.measure(
        name, channel="gauss", soft_bits=[1], rate=[rate], words=read["words"][0], hard_ratio=6, workers=1
    ).points
    assert table["hard_ratio"] == 6
    assert (point.words, point.failures) == (read["words"][0], read["failures"][0])
    assert " ".join(map(str, point.iterations)) == read["iterations"][0]
    # Down to next to no errors, where a word takes an iteration or none.
    assert read["rates"][-1] < 1e-4
    assert _core.ecc_table(name, 1, read["rates"][-1])[1] < 1.1
    # The table goes through all points together, this one among them: its own count leaves as much to chance.
    chance = (point.failure * (1 - point.failure) / point.words) ** 0.5
    assert _core.ecc_table(name, 1, rate)[0] == pytest.approx(point.failure, abs=3 * chance)


def test_a_drive_says_what_its_reads_rest_on() -> None:
    shown = in_process("drives", "nvme-tlc")
    assert shown.code == 0
    assert "nand-4k-889, min-sum-8, 3 soft bits" in shown.out
    assert "extrapolated by a law" in shown.out
    card = json.loads(in_process("drives", "nvme-tlc", "--json").out)
    assert len(card["counted"]) == 3
    assert json.loads(in_process("drives", "mlc", "--json").out)["counted"] == []
    limited = in_process(
        "drives", "nvme-tlc", "--set", "ecc.decoder.clock=1GHz", "--set", "ecc.code.limits=[4e-3]"
    )
    assert limited.code == 0
    assert "extrapolated" not in limited.out


def test_noise_that_is_alike_to_a_page_has_its_rate_where_states_are_normal() -> None:
    """Of TLC nearly, whose ones and zeros err unlike often; a page with tails is worth less."""
    for bits, page, off in ((1, 0, 2e-3), (3, 1, 0.02)):
        for soft_bits in (1, 2, 3):
            normal = _core.EccPage.normal(bits, page, 0.015)
            _rate, _told, _volts, zero, one, ratios = normal.seen(normal, soft_bits, "information")
            assert _core.ecc_alike(soft_bits, zero, one, ratios) == pytest.approx(0.015, rel=off)
    chip = SimulatedSource("tlc-3d-256g").cells()
    [(two, three)] = chip.soft_rates(6000, [(3.2e8, 0)], 2000)
    [best] = [found.best for found in chip.error_rates(6000, [(3.2e8, 0)], 2000)]
    assert len(two) == len(three) == 3
    assert all(worth > 1.02 * rate for rates in (two, three) for worth, rate in zip(rates, best, strict=True))
