"""What to buy: arithmetic by hand, the article's own figures, and files that are not right."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Command, one_line_error
from floatgate.errors import InputError
from floatgate.plan import Planned, plan, read_prices, read_workload
from floatgate.plan.show import sentences

TINY = Path(__file__).parents[1] / "drives" / "tiny.toml"
EXAMPLES = Path(__file__).parents[2] / "examples" / "plan"
TPC_C, TPC_C_2012 = EXAMPLES / "tpc-c-2007.toml", EXAMPLES / "tpc-c-2012.toml"
PRICES = EXAMPLES / "gray2007-prices.toml"

WORKLOAD = """
title = "one"
year = 2020
life = "2y"
block = "4KiB"
capacity = "10TB"
[iops]
random_read = 1000
random_write = 500
"""
LIST = """
title = "list"
currency = "EUR"
[energy]
per_kwh = 0.25
cooling = 0.5
[[drives]]
name = "a"
price = 100
capacity = "1TB"
endurance = "100TB"
power_active = "10W"
power_idle = "2W"
[drives.iops]
random_read = 1000
random_write = 500
"""

Planner = Callable[..., Planned]


@pytest.fixture
def planned(tmp_path: Path) -> Planner:
    def make(workload: str = WORKLOAD, prices: str = LIST) -> Planned:
        (tmp_path / "w.toml").write_text(workload)
        (tmp_path / "p.toml").write_text(prices)
        asked = read_workload(tmp_path / "w.toml")
        return plan(asked, read_prices(tmp_path / "p.toml", asked))

    return make


def examples(workload: Path) -> Planned:
    asked = read_workload(workload)
    return plan(asked, read_prices(PRICES, asked))


def test_the_article_asks_for_ten_and_a_half_flash_disks() -> None:
    scsi, measured, sequence = examples(TPC_C).choices
    assert scsi.drives == 90
    assert sequence.limits["iops"] == pytest.approx(9000 / 2804 + 9000 / 1233)
    assert sequence.limits["iops"] == pytest.approx(10.5, abs=0.02)
    assert sequence.mix_iops == pytest.approx(1713, abs=0.5)
    assert sequence.binds == "capacity"
    assert measured.binds == "iops"
    assert [offer.binds for offer in sequence.offers] == ["capacity"] * 5 + ["iops"]
    assert sequence.offers[-1].year == 2012


def test_the_article_saves_over_a_kilowatt_and_as_much_in_cooling() -> None:
    scsi, _, sequence = examples(TPC_C_2012).choices
    assert sequence.drives == 11
    assert scsi.power_w is not None
    assert sequence.power_w is not None
    assert scsi.power_w - sequence.power_w == pytest.approx(90 * 14 - 11 * 0.9)
    assert (scsi.cooling_w, sequence.cooling_w) == (scsi.power_w, sequence.power_w)
    assert sequence.years[0].price == 11 * 400


def test_cost_by_hand(planned: Planner) -> None:
    (choice,) = planned().choices
    assert (choice.drives, choice.binds) == (10, "capacity")
    watts = 10 * 2 + 2 * 8  # two drives' worth of work spread over ten
    assert choice.power_w == pytest.approx(watts)
    written_tb = 500 * 4096 * 8766 * 3600 / 1e12
    year = choice.years[1]
    assert (year.bought, choice.years[0].bought) == (0, 10)
    assert year.energy == pytest.approx(watts / 1000 * 8766 * 0.25)
    assert year.cooling == pytest.approx(year.energy / 2)
    assert year.replacement == pytest.approx(100 * written_tb / 100)
    assert choice.cost == pytest.approx(1000 + 2 * year.total)


def test_wear_is_a_limit_where_drives_must_last(planned: Planner) -> None:
    (choice,) = planned(WORKLOAD.replace("[iops]", 'worn = "avoid"\n[iops]')).choices
    assert choice.limits["wear"] == pytest.approx(2 * 500 * 4096 * 8766 * 3600 / 100e12)
    assert choice.years[0].replacement == 0


AGED = {"ended": True, "drive_writes": 500.0, "waf": 4.0, "capacity_bytes": 3e9}


@pytest.mark.parametrize(("own", "terabytes"), [("", 500.0), ("write_amplification = 2.0", 1000.0)])
def test_endurance_comes_from_a_life_at_the_workloads_own_write_amplification(
    planned: Planner, tmp_path: Path, own: str, terabytes: float
) -> None:
    (tmp_path / "life.json").write_text(json.dumps(AGED))
    aged = LIST.replace('endurance = "100TB"', f'aged = "life.json"\n{own}')
    made = planned(WORKLOAD.replace("[iops]", 'worn = "avoid"\n[iops]'), aged)
    # A drive of 1 TB in the list, whatever the size of the one that was aged.
    assert made.prices.drives[0].endurance == pytest.approx(terabytes * 1e12)
    written = 2 * 500 * 4096 * 8766 * 3600
    assert made.choices[0].limits["wear"] == pytest.approx(written / (terabytes * 1e12))
    assert f"write amplification of {2 if own else 4}." in " ".join(sentences(made))


@pytest.mark.parametrize(
    ("life", "said"),
    [
        ({**AGED, "ended": False}, "stopped before its end"),
        ({"ended": True, "waf": 4.0}, "drive_writes is missing"),
        ({**AGED, "waf": 0}, "waf = 0: expected a number above 0"),
    ],
)
def test_a_life_that_is_none_is_refused(
    planned: Planner, tmp_path: Path, life: dict[str, object], said: str
) -> None:
    (tmp_path / "life.json").write_text(json.dumps(life))
    with pytest.raises(InputError, match=r"p\.toml:11: .*life\.json: .*" + said):
        planned(prices=LIST.replace('endurance = "100TB"', 'aged = "life.json"'))


def test_a_life_of_whole_units_says_nothing_of_parts_of_them(planned: Planner, tmp_path: Path) -> None:
    """Writes of 4 KiB to units of 16 KiB program at least four times what they write."""
    (tmp_path / "life.json").write_text(json.dumps(AGED | {"mapping_unit_bytes": 16384}))
    aged = LIST.replace('endurance = "100TB"', 'aged = "life.json"')
    with pytest.raises(
        InputError, match=r"p\.toml:11: .*units of 16.0 KiB.* 4.00 KiB: expected write_amplification"
    ):
        planned(prices=aged)
    named = planned(prices=aged.replace('"life.json"', '"life.json"\nwrite_amplification = 16.0'))
    assert named.prices.drives[0].endurance == pytest.approx(125e12)
    whole = planned(WORKLOAD.replace('"4KiB"', '"16KiB"'), aged)
    assert whole.prices.drives[0].endurance == pytest.approx(500e12)


def test_a_run_whose_write_amplification_is_not_settled_is_named(
    planned: Planner, tmp_path: Path, floatgate: Command
) -> None:
    (tmp_path / "short.fio").write_text("[job]\nrw=randwrite\nbs=4k\nsize=256k\nnumber_ios=40\n")
    run = [str(TINY), str(tmp_path / "short.fio"), "--no-report", "--out", str(tmp_path / "run")]
    assert floatgate("run", *run).returncode == 0
    (tmp_path / "life.json").write_text(json.dumps(AGED))
    prices = LIST.replace('endurance = "100TB"', 'aged = "life.json"\nwrite_amplification = "run"')
    said = " ".join(sentences(planned(prices=prices)))
    assert re.search(r"not settled, nor is its endurance: .* is still in the buffer", said)
    (tmp_path / "life.json").write_text(json.dumps(AGED))
    run[1] = str(tmp_path / "shorter.fio")
    (tmp_path / "shorter.fio").write_text("[job]\nrw=write\nbs=4k\nsize=256k\nnumber_ios=2\n")
    assert floatgate("run", *run, "--force").returncode == 0
    with pytest.raises(
        InputError, match="a run that programmed nothing: 100 % of what the host wrote is still"
    ):
        planned(prices=prices)


@pytest.mark.parametrize(
    ("wear", "said"),
    [
        ("", "expected endurance"),
        ('endurance = "1TB"\naged = "x.json"', "and not both"),
        ('endurance = "1TB"\nwrite_amplification = 2.0', "write_amplification without aged"),
    ],
)
def test_wear_is_said_one_way(planned: Planner, wear: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        planned(prices=LIST.replace('endurance = "100TB"', wear))


# Ten drives of the list bear 150 requests a second each.
POINTS = """
[[drives.p99]]
iops = 100
read = "1ms"
write = "3ms"
[[drives.p99]]
iops = 200
read = "2ms"
write = "9ms"
"""


@pytest.mark.parametrize(
    ("asked", "points", "why"),
    [
        ('read = "2ms"', POINTS, None),
        (
            'read = "1500us"',
            POINTS,
            "p99 of reads is 2 ms at 200 requests/s each, the workload asks for 1.5 ms; "
            "15 drives at 100 each would keep it",
        ),
        ('read = "2ms"\nwrite = "2ms"', POINTS, "p99 of writes is 9 ms at 200 .*; no measured load keeps it"),
        ('write = "10ms"', "", "the list gives no p99 of writes"),
        (
            'read = "2ms"',
            POINTS.replace("200", "149"),
            "p99 at 150 requests/s each is not known: measured up to 149",
        ),
    ],
)
def test_a_drive_that_misses_a_latency_is_no_choice(
    planned: Planner, asked: str, points: str, why: str | None
) -> None:
    made = planned(f"{WORKLOAD}[p99]\n{asked}\n", LIST + points)
    (choice,) = made.choices
    if why is None:
        assert (choice.drives, choice.not_reached) == (10, None)
        assert "p99 of reads 2 ms of 2 ms asked, at 200 requests/s (150 are needed)" in " ".join(
            sentences(made)
        )
    else:
        assert (choice.drives, made.best) == (None, None)
        assert re.search(why, choice.not_reached or "")
        assert re.search(why, " ".join(sentences(made)))


def test_latencies_and_write_amplification_may_be_those_of_a_run(
    planned: Planner, tmp_path: Path, floatgate: Command
) -> None:
    (tmp_path / "mix.fio").write_text(
        "[job]\nrw=randrw\nrwmixread=67\nbs=4k\nsize=256k\nnorandommap\nio_size=60m\n"
    )
    run = [str(TINY), str(tmp_path / "mix.fio"), "--no-report", "--out", str(tmp_path / "run")]
    assert floatgate("run", *run).returncode == 0
    (tmp_path / "life.json").write_text(json.dumps(AGED))
    prices = LIST.replace('endurance = "100TB"', 'aged = "life.json"\nwrite_amplification = "run"')
    made = planned(f'{WORKLOAD}[p99]\nread = "1s"\n', prices + '[[drives.p99]]\nrun = "run"\n')
    host = json.loads((tmp_path / "run" / "run.json").read_text())
    kept = made.choices[0].p99
    assert kept is not None
    assert kept.read == pytest.approx(host["host"]["read"]["latency_ns"]["p99"] / 1e6)
    assert made.prices.drives[0].endurance == pytest.approx(500e12 * 4.0 / host["waf"])
    reads = WORKLOAD.replace("random_write = 500", "")
    with pytest.raises(InputError, match="of its requests are reads: expected about 100%"):
        planned(f'{reads}[p99]\nread = "1s"\n', LIST + '[[drives.p99]]\nrun = "run"\n')


def test_growth_buys_more_each_year(planned: Planner) -> None:
    (choice,) = planned(WORKLOAD + "[growth]\ncapacity = 0.5\n").choices
    assert [year.drives for year in choice.years] == [10, 15]
    assert choice.years[1].bought == 5


def test_bandwidth_is_a_limit(planned: Planner) -> None:
    (choice,) = planned(
        prices=LIST.replace("[drives.iops]", 'read_bandwidth = "100kB/s"\n[drives.iops]')
    ).choices
    assert choice.limits["bandwidth"] == pytest.approx(1000 * 4096 / 1e5)
    assert choice.drives == 41


@pytest.mark.parametrize(
    ("budget", "why"),
    [('power = "95W"', "power budget is enough for 9"), ("drives = 3", "places for 3")],
)
def test_an_impossible_requirement_is_not_reached(planned: Planner, budget: str, why: str) -> None:
    (choice,) = planned(WORKLOAD + f"[budget]\n{budget}\n").choices
    assert (choice.drives, choice.years, choice.cost) == (None, (), None)
    assert choice.not_reached is not None
    assert why in choice.not_reached


def test_a_kind_without_a_rate_is_not_reached(planned: Planner) -> None:
    made = planned(prices=LIST.replace("random_write = 500", ""))
    assert made.best is None
    assert made.choices[0].not_reached == "the list gives no rate for random write"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('currency = "EUR"', "", "p.toml: currency is missing: expected the currency"),
        ('"10W"', "10", "p.toml:12: drives.power_active = 10: expected a number with its unit, such as 0.9W"),
        (
            "random_write",
            "random_wirte",
            "p.toml:16: drives.iops.random_wirte: unknown key (did you mean random_write?)",
        ),
        (
            "random_write = 500",
            "random_write = -5",
            "p.toml:14: drives.iops: random_write = -5: expected a rate above 0",
        ),
        (
            "random_write = 500",
            'random_write = "x"',
            "no such folder: expected one that floatgate grid or run wrote",
        ),
        ("[energy]", "[energy", "expected a TOML file"),
        ("price = 100", "price = -1", "p.toml:9: drives.price = -1: expected a number in the currency"),
    ],
)
def test_a_faulty_price_list_is_one_line(
    floatgate: Command, tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in LIST
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "p.toml").write_text(LIST.replace(old, new))
    assert said in one_line_error(floatgate("plan", "w.toml", "p.toml"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"2y"', '"2.5y"', "w.toml:4: life = 2.5y"),
        ('"2y"', '"100000y"', "w.toml:4: life = 100000y"),
        ('"10TB"', '"10"', "w.toml:6: capacity = "),
        ("random_read = 1000\nrandom_write = 500", "", "expected at least one kind of request"),
        ("[iops]", "[iopps]", "(did you mean iops?)"),
    ],
)
def test_a_faulty_workload_is_one_line(
    floatgate: Command, tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in WORKLOAD
    (tmp_path / "w.toml").write_text(WORKLOAD.replace(old, new))
    (tmp_path / "p.toml").write_text(LIST)
    assert said in one_line_error(floatgate("plan", "w.toml", "p.toml")).replace('"', "")


def test_the_command_writes_a_folder(floatgate: Command, tmp_path: Path) -> None:
    result = floatgate("plan", str(TPC_C), str(PRICES), "--out", "out")
    assert result.returncode == 0, result.stderr
    assert "capacity binds until 2012, then iops" in result.stdout
    document = json.loads((tmp_path / "out" / "plan.json").read_text())
    assert [choice["drives"] for choice in document["choices"]] == [90, 337, 102]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "http:" not in page.split("<script>")[0]
    assert len((tmp_path / "out" / "plan.csv").read_text().splitlines()) == 1 + 3 * 6
    again = floatgate("plan", str(TPC_C), str(PRICES), "--out", "out")
    assert "holds a run already" in one_line_error(again)


def test_nothing_reached_exits_with_1(floatgate: Command, tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD + "[budget]\ndrives = 1\n")
    (tmp_path / "p.toml").write_text(LIST)
    result = floatgate("plan", "w.toml", "p.toml")
    assert result.returncode == 1, result.stderr
    assert "not reached" in result.stdout


def test_rates_come_from_a_grid(planned: Planner, tmp_path: Path) -> None:
    (tmp_path / "grid").mkdir()
    (tmp_path / "grid" / "grid.csv").write_text(
        "pattern,op,block_bytes,depth,state,iops\n"
        "random,read,4096,4,steady,2000\nrandom,write,4096,4,steady,250\n"
    )
    named = LIST.replace("random_read = 1000", 'random_read = "grid"').replace("= 500", '= "grid"')
    (choice,) = planned(prices=named).choices
    assert choice.limits["iops"] == pytest.approx(1000 / 2000 + 500 / 250)
