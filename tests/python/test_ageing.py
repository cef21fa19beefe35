"""Does a drive's life end where its blocks' lives say, and is what cannot be aged refused?"""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import floatgate as fg
from floatgate.ageing import end
from floatgate.ageing.compare import HEAD, compare, shown, values_of
from floatgate.ageing.life import Conditions, Life, age, page, remarks, sentence
from floatgate.errors import InputError
from floatgate.shell import app

TINY = str(Path(__file__).parents[1] / "drives" / "tiny.toml")
MORTAL = [
    "nand.blocks_per_plane=128",
    "nand.tables.pe_cycles=[0]",
    'nand.tables.t_prog=["200us", "400us"]',
    'nand.tables.t_bers=["1ms"]',
    "nand.tables.endurance.cycles=[150, 200, 210, 220, 290]",
    "ftl.op_ratio=0.4",
]


# What a year of a page of 0, 100, 200 and 400 cycles errs, a page of the upper type twice as much.
YEAR = [2e-3 * (1 + cycles / 50) for cycles in (0, 100, 200, 400)]
RATES = [rate * age * of for rate in YEAR for age in (0.1, 1.0) for of in (1, 2)]
ERRING = [
    *MORTAL[:4],
    "nand.tables.endurance.cycles=[1000, 1000]",
    "nand.errors.name=tables",
    "nand.tables.errors.steps=[1.0]",
    "nand.tables.errors.pe_cycles=[0, 100, 200, 400]",
    'nand.tables.errors.ages=["0s", "31557600s"]',
    "nand.tables.errors.reads=[0, 100000]",
    f"nand.tables.errors.rate={RATES}",
    f"nand.tables.errors.rate_best={RATES}",
    f"nand.tables.errors.rate_reads={[0.001] * 16}",
    "nand.tables.errors.activation_ev=1.1",
    "nand.tables.errors.reference_celsius=30.0",
    "ecc.code.name=ldpc",
    "ecc.code.limits=[4e-3, 8e-3, 1.2e-2]",
    "ecc.code.retries=0",
    "ftl.write_cost.retention=30d",
    "ftl.op_ratio=0.4",
]


@pytest.fixture(scope="module")
def life() -> Life:
    return age(TINY, MORTAL)


@pytest.fixture(scope="module")
def unread() -> Life:
    return age(TINY, ERRING, measure=0.0, years=0.5)


def test_a_life_ends_with_its_blocks(life: Life) -> None:
    assert life.ended
    assert life.rows[-1].pe_cycles_max <= 290 * 1.02
    assert life.bytes_written == pytest.approx(life.rows[-1].drive_writes * life.capacity_bytes)
    assert life.dwpd(5) == pytest.approx(life.rows[-1].drive_writes / (5 * 365.25))
    assert life.document(5)["ended"] is True


def test_a_life_says_what_ends_it(life: Life, unread: Life) -> None:
    assert "erases failed" in sentence(life, 5)
    assert remarks(life)[0] == "only failing erases end this life, errors are not in it: ecc.code.name = none"
    assert unread.ended
    assert unread.rows[-1].unreadable
    assert "UBER above 1e-15 at 1 year 30 C: block " in sentence(unread, 5)
    assert "page type upper, RBER 1.2" in sentence(unread, 5)
    assert unread.document(5)["judged"]["requirement"]["uber"] == 1e-15
    # A code of limits is in closed form.
    assert unread.judged.extrapolated is None
    assert unread.flash_bytes == pytest.approx(unread.bytes_written * unread.waf)


def test_the_margin_is_in_the_report(life: Life, unread: Life) -> None:
    assert "Margin of the code" in page(unread, 5)
    assert "Margin of the code" not in page(life, 5)
    left = [row.readability.worst.rber_left for row in unread.rows if row.readability]
    assert left == sorted(left)
    limit = unread.judged.rber_limit
    assert limit is not None
    assert left[-2] < 1.02 * limit < 1.05 * left[-1]


def test_data_that_are_too_old_in_use_are_said() -> None:
    cold = age(TINY, ERRING, hot="1/0.1", measure=0.0, years=20, duty=0, off_temperature=0)
    assert cold.in_use is not None
    assert cold.in_use.oldest_s == pytest.approx(20 * end.YEAR_S)
    assert "the oldest data are 20 years old" in remarks(cold)[0]
    hot = age(TINY, ERRING, hot="1/0.1", measure=0.0, years=20)
    assert "nand.tables.errors.ages[1] = 365d" in remarks(hot)[0]


def test_a_class_asks_for_its_own(unread: Life) -> None:
    enterprise = age(TINY, ERRING, measure=0.0, years=0.5, jedec="enterprise", jump=0.1)
    assert enterprise.judged.requirement.words() == "1e-16 at 3 months 40 C"
    assert enterprise.judged.mean_wear != unread.judged.mean_wear


def test_a_profile_is_refused_where_errors_end_no_life() -> None:
    with pytest.raises(
        InputError, match=r"--temperature 55: errors end no life here \(ecc.code.name = none\)"
    ):
        age(TINY, MORTAL, temperature=55)


def test_an_age_beyond_the_tables_is_refused_with_its_cell() -> None:
    short = 'nand.tables.errors.ages=["0s", "100d"]'
    with pytest.raises(InputError, match=r"nand\.tables\.errors\.ages\[1\] = 100d: 365d at 30 C"):
        age(TINY, [*ERRING, short])


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (end.YEAR_S, "1 year"),
        (end.YEAR_S / 4, "3 months"),
        (2.5 * 86_400, "2.5 days"),
        (60, "1.00 min"),
    ],
)
def test_ages_are_said_as_people_do(seconds: float, words: str) -> None:
    assert end.age_words(seconds) == words


def test_a_life_is_measured_on_its_way(life: Life) -> None:
    speeds = life.speeds()
    assert len(speeds) > 10
    assert speeds[0][0] == 0.0
    assert life.over_life("program_ns_mean") == pytest.approx(300_000, rel=0.01)
    assert life.over_life("erase_ns_mean") == pytest.approx(1e6)
    assert age(TINY, MORTAL, measure=0.0).speeds() == []
    assert life.years_at_one_a_day == pytest.approx(life.rows[-1].drive_writes / 365.25)


def test_hot_data_keep_write_amplification_other_than_uniform(life: Life) -> None:
    hot = age(TINY, MORTAL, hot="0.9/0.1")
    assert hot.rows[0].waf != pytest.approx(life.rows[0].waf, rel=0.02)


def test_ageing_can_be_stopped() -> None:
    assert not age(TINY, MORTAL, stopped=lambda: True).ended


def test_ageing_ends_after_so_many_drive_writes(life: Life, tmp_path: Path) -> None:
    """At the first window after them, and until there it is the same life."""
    half = life.rows[-1].drive_writes / 2
    state = tmp_path / "half.state"
    early = age(TINY, MORTAL, limit_writes=half, save_state=str(state))
    assert early.rows == life.rows[: len(early.rows)]
    assert early.rows[-2].drive_writes < half <= early.rows[-1].drive_writes
    assert not early.ended
    assert f"{early.rows[-1].drive_writes:,.0f} drive writes" in sentence(early, 5.0)
    kept = fg.state.info(state)["aged_drive_writes"]
    assert kept == pytest.approx(early.rows[-1].drive_writes)


def test_ageing_ends_after_years_of_so_many_drive_writes_a_day(tmp_path: Path) -> None:
    changes = [part for change in MORTAL for part in ("--set", change)]
    words = ["age", TINY, *changes, "--years", "2", "--limit-dwpd", "0.05", "--measure", "0"]
    done = CliRunner().invoke(app, [*words, "--format", "json", "--out", str(tmp_path / "age.html")])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    before, last = (row["drive_writes"] for row in found["windows"][-2:])
    assert before < 2 * 365.25 * 0.05 <= last
    assert not found["ended"]
    with pytest.raises(InputError, match=r"--limit-writes 9\.0: --limit-dwpd says the same: expected one"):
        fg.age(TINY, limit_writes=9, limit_dwpd=1)


@pytest.mark.parametrize("hot", ["0.9", "2/0.1", "a/b", "0.9/1"])
def test_shares_that_are_none_are_refused(hot: str) -> None:
    with pytest.raises(InputError, match="expected shares"):
        age(TINY, MORTAL, hot=hot)


def test_a_drive_without_endurance_is_refused() -> None:
    with pytest.raises(InputError, match=r"nand\.tables\.endurance: missing"):
        age("tlc")


def test_the_command_writes_a_report(tmp_path: Path) -> None:
    out = tmp_path / "age.html"
    changes = [part for change in MORTAL for part in ("--set", change)]
    done = CliRunner().invoke(app, ["age", TINY, *changes, "--out", str(out), "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["ended"] is True
    assert "TBW" in out.read_text()


def test_lives_are_compared(tmp_path: Path) -> None:
    out = tmp_path / "compare.html"
    changes = [part for change in MORTAL for part in ("--set", change)]
    asked = ["--compare", "ftl.wear.name=dynamic,static,wear-out", "--hot", "1/0.1", "--format", "json"]
    done = CliRunner().invoke(app, ["age", TINY, *changes, *asked, "--out", str(out)])
    assert done.exit_code == 0, done.output
    lives = json.loads(done.stdout)
    assert list(lives) == ["dynamic", "static", "wear-out"]
    assert lives["static"]["drive_writes"] > 1.5 * lives["dynamic"]["drive_writes"]
    assert "static lives longest" in out.read_text()


def test_the_oldest_data_are_as_old_whatever_the_window() -> None:
    """What a jump skips makes no data older: blocks that a short window left out were erased in it, too."""
    found = {}
    for window in (1.0, 0.1):
        life = age(TINY, ERRING, measure=0.0, years=0.5, window=window, jump=0.05)
        assert life.in_use is not None
        each_s = 0.5 * 365.25 * 86_400 / life.rows[-1].drive_writes  # a drive write
        found[window] = life.in_use.oldest_s / each_s
    exact = age(TINY, ERRING, measure=0.0, years=0.5, window=0.1, jump=0.0)
    assert exact.in_use is not None
    right = exact.in_use.oldest_s / (0.5 * 365.25 * 86_400 / exact.rows[-1].drive_writes)
    for window, oldest in found.items():
        assert abs(oldest - right) <= window + 0.5 * right, (window, found, right)


def test_data_that_are_never_written_again_are_as_old_as_the_drive() -> None:
    life = age(TINY, ERRING, measure=0.0, years=0.5, hot="1/0.1", jump=0.05)
    assert life.in_use is not None
    assert life.in_use.oldest_s == pytest.approx(0.5 * 365.25 * 86_400, rel=0.01)


def test_a_life_that_errors_end_is_measured_as_often_as_was_asked(life: Life) -> None:
    errs = age(TINY, ERRING, measure=0.1, years=0.5)
    assert "UBER" in sentence(errs, 5)
    assert len(errs.speeds()) >= 7
    seldom = age(TINY, ERRING, measure=0.9, years=0.5)
    assert [said for said in remarks(seldom) if "a smaller one shows more" in said]
    assert not [said for said in remarks(errs) if "a smaller one shows more" in said]


def test_tails_that_improve_have_the_reason_beside_them(life: Life) -> None:
    speeds = [speed for _, speed in life.speeds()]
    said = [text for text in remarks(life) if "are answered sooner at the end" in text]
    better = min(
        speeds[-1].read_ns_p99 / speeds[0].read_ns_p99, speeds[-1].write_ns_p99 / speeds[0].write_ns_p99
    )
    assert bool(said) == (better < 0.95)
    assert said or better >= 0.95


def test_a_worn_drive_goes_on_in_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    changes = dict(setting.split("=", 1) for setting in ERRING)
    life = fg.age(TINY, set=changes, measure=0, years=0.5, hot="1/0.1", save_state="worn.state")
    assert fg.state.info("worn.state")["aged_drive_writes"] == pytest.approx(life.rows[-1].drive_writes)
    job = "[r]\nrw=randread\nbs=4k\nnumber_ios=2000\nio_size=1g\n"
    Path("job.fio").write_text(job)
    worn = fg.run(TINY, "job.fio", set=changes, load_state="worn.state", check=True)
    new = fg.run(TINY, "job.fio", set=changes, precondition="fill", check=True)
    assert worn.document.wear.pe_cycles_mean == pytest.approx(life.rows[-1].pe_cycles_mean, rel=0.02)
    # Nine tenths of its data are half a year old, on worn cells, and are read in vain at first.
    means = [outcome.latency.read.mean for outcome in (worn, new)]
    assert means[0] is not None
    assert means[1] is not None
    assert means[0] > 1.2 * means[1]
    for other in ({"nand.blocks_per_plane": 64}, {"nand.tables.endurance.cycles": None}):
        settings = {key: value for key, value in (changes | other).items() if value is not None}
        with pytest.raises(InputError, match="of a drive of another shape"):
            fg.run(TINY, "job.fio", set=settings, load_state="worn.state")
    with pytest.raises(InputError, match="exists"):
        fg.age(TINY, set=changes, save_state="worn.state")
    with pytest.raises(InputError, match="one state cannot stand for several lives"):
        fg.age_compare(TINY, "ftl.wear.name=none,static", set=changes, save_state="other.state")


def test_a_drive_that_died_says_why_it_takes_no_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    changes = dict(setting.split("=", 1) for setting in MORTAL)
    life = fg.age(TINY, set=changes, measure=0, save_state="dead.state")
    assert life.rows[-1].read_only
    Path("job.fio").write_text("[w]\nrw=randwrite\nbs=4k\nsize=1m\nnumber_ios=100\n")
    run = fg.run(TINY, "job.fio", set=changes, load_state="dead.state", check=True)
    assert run.document.host.write.requests == 0
    (said,) = [remark for remark in run.document.remarks if remark.kind == "read_only"]
    assert "worn out before the run" in said.text
    assert f"{run.document.host.failed.write:,} writes were answered with an error" in said.text


HALF_A_YEAR = Conditions(
    hot=None,
    jump=0.05,
    window=1.0,
    measure=0.0,
    seed=1,
    jedec=None,
    years=0.5,
    duty=None,
    temperature=None,
    off_temperature=None,
    limit_writes=None,
)


def test_a_comparison_says_what_ended_each_life() -> None:
    settings = [setting for setting in ERRING if not setting.startswith("ecc.code")]
    lives = compare(TINY, settings, "ecc.code.name=none,ldpc+ecc.code.retries=0", HALF_A_YEAR)
    end = HEAD.index("ended by")
    assert [row[end] for row in shown(lives, 5)] == ["erases", "code"]


@pytest.mark.parametrize("asked", ["ftl.wear.name", "ftl.wear.name=static", "=a,b", "k=a,,b", "k=a,a"])
def test_a_comparison_of_nothing_is_refused(asked: str) -> None:
    with pytest.raises(InputError, match="two different values"):
        values_of(asked)
