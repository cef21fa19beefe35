"""The laboratory, on a chip that is not ours: what it asks, what it logs, what it makes of the answers."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fake_chip import FakeChip, FakeSource, ProbedChip, identity
from floatgate.errors import InputError
from floatgate.lab import errors, patterns
from floatgate.lab.bench import Bench, OutOfBlocksError
from floatgate.lab.chip import CellProbe, Chip, Entry
from floatgate.lab.experiments import chosen, every
from floatgate.lab.lives import life
from floatgate.lab.log import read_log, write_log
from floatgate.lab.run import characterize, measure
from floatgate.report.draw import spec

SLC, MLC = identity(1, 64, 100), identity(2, 64, 100)


def test_the_fake_speaks_the_protocol() -> None:
    assert isinstance(FakeChip(), Chip)
    assert not isinstance(FakeChip(), CellProbe)
    assert isinstance(ProbedChip(), CellProbe)


# Experiments: every one that is registered, on every kind of chip.


@pytest.mark.parametrize("experiment", every(), ids=lambda one: one.name)
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_every_experiment_answers_or_says_why_not(experiment, bits) -> None:  # type: ignore[no-untyped-def]
    done = measure(Bench(FakeSource(bits), 10), [experiment])
    (outcome,) = done.outcomes
    if outcome.result is None:
        assert outcome.state == "not possible"
        assert bits == 1
        assert "one bit" in outcome.reason
        return
    assert outcome.state == "done"
    assert outcome.result.says.endswith(".")
    json.dumps(outcome.result.numbers, allow_nan=False)
    for table in outcome.result.tables:
        assert {len(row) for row in table.rows} == {len(table.head)}
    for figure in outcome.result.figures.values():
        json.dumps(spec(figure), allow_nan=False)
        assert figure.panels[0].marks


def test_the_same_chip_gives_the_same_answers() -> None:
    first, second = (
        measure(Bench(FakeSource(2), 8), chosen(["endurance", "prediction", "state-errors", "voltages"]))
        for _ in range(2)
    )
    assert first.document() == second.document()


def test_an_experiment_finds_the_same_alone_and_among_others() -> None:
    alone = measure(Bench(FakeSource(), 8), chosen(["temperature"]))
    among = measure(Bench(FakeSource(), 8), chosen([]))
    numbers = {one.experiment.name: one.result.numbers for one in among.outcomes if one.result}
    assert alone.outcomes[0].result is not None
    assert alone.outcomes[0].result.numbers == numbers["temperature"]


def test_what_the_fake_was_made_to_do_is_what_the_experiments_find() -> None:
    done = measure(Bench(FakeSource(), 16), every())
    found = {one.experiment.name: one.result.numbers for one in done.outcomes if one.result}
    assert found["endurance"]["early_failures"] == 1  # block 0
    assert found["temperature"]["ratio"]["5 C"] == pytest.approx(0.5, abs=0.02)
    assert found["temperature"]["ratio"]["80 C"] == 1
    assert found["all-pages"]["ratio"]["all pages"] == pytest.approx(1 / 1.5, abs=0.01)
    assert found["erase-only"]["ratio"]["erase only"] == 1
    assert found["page-order"]["enforced"] is True
    assert found["read-order"]["spread"] == 0
    assert found["life"]["erase_factor"] == 5
    assert found["latency"]["measured_ns"]["read"]["mean"] == 24_000


def test_without_vendor_commands_only_the_voltages_are_missing() -> None:
    done = measure(Bench(FakeSource(2, probed=False), 8), every())
    missing = [one.experiment.name for one in done.outcomes if one.result is None]
    assert missing == ["pulse-response", "acceleration", "voltage-plans", "voltages", "ispp"]


def test_unknown_experiment_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"^endurence: no such experiment: .*did you mean endurance\?"):
        chosen(["endurence"])


# The bench.


def test_real_silicon_gives_each_test_blocks_of_its_own_until_none_are_left() -> None:
    bench = Bench(FakeSource(renewable=False, blocks=16), 4)
    _, first = bench.sample(8, "a")
    _, second = bench.sample(7, "b")
    assert not set(first) & set(second)
    assert 3 not in first + second  # marked bad by the factory
    with pytest.raises(OutOfBlocksError, match="needs 1 unused blocks, found 0"):
        bench.sample(1, "c")


def test_a_chip_that_runs_out_of_blocks_says_so_and_keeps_what_it_has() -> None:
    done = measure(Bench(FakeSource(renewable=False, blocks=16), 10), chosen(["endurance", "temperature"]))
    endurance, temperature = done.outcomes
    assert endurance.state == "done"
    assert temperature.state == "not possible"
    assert "unused blocks" in temperature.reason


def test_more_blocks_than_the_chip_has_are_refused() -> None:
    with pytest.raises(InputError, match=r"^--blocks 65: fake-1bit has 64 blocks: expected 1 to 64$"):
        Bench(FakeSource(), 65)


def test_a_life_is_the_same_in_one_call_and_in_single_cycles() -> None:
    whole = FakeChip().cycle(5, 10_000)
    chip = FakeChip()
    single: list[Entry] = []
    while not single or single[-1].status == "ok":
        single += chip.cycle(5, 1)
    assert single == whole


def test_stopping_keeps_the_lives_that_ended() -> None:
    looks = 0

    def stopped() -> bool:
        nonlocal looks
        looks += 1
        return looks > 20

    done = measure(Bench(FakeSource(), 16, stopped=stopped), chosen(["endurance", "life", "temperature"]))
    assert [one.state for one in done.outcomes] == ["interrupted", "not run", "not run"]
    assert done.outcomes[0].result is not None
    assert 0 < len(done.outcomes[0].result.numbers["cycles"]) < 16
    assert done.interrupted


# Lives.


def made_up_life(cycles: int = 100) -> list[Entry]:
    return [
        Entry(7, 0, "program", 1, 300, 3, "ok"),
        Entry(7, None, "erase", 1, 1000, 1, "ok"),
        Entry(7, 0, "program", 11, 200, 2, "ok"),
        Entry(7, None, "erase", 51, 2000, 2, "ok"),
        Entry(7, None, "erase", cycles + 1, 3000, 3, "fail"),
    ]


def test_a_busy_time_holds_until_the_next_entry() -> None:
    one = life(7, made_up_life(), 10_000)
    assert one.cycles == 100
    assert one.failed == "erase"
    assert [one.busy_ns("program", cycle) for cycle in (1, 10, 11, 100)] == [300, 300, 200, 200]
    assert one.mean_ns("program", 20) == (10 * 300 + 10 * 200) / 20
    assert one.mean_ns("erase", 1_000_000) == (50 * 1000 + 50 * 2000) / 100
    assert one.extremes_ns("erase") == (1000, 2000)  # the erase that failed is no time of the block's life


def test_sampled_entries_do_not_change_a_life() -> None:
    entries = made_up_life()
    sampled = sorted([*entries, Entry(7, 0, "program", 30, 200, 2, "ok")], key=lambda entry: entry.cycle)
    assert life(7, sampled, 10_000).steps("program") == life(7, entries, 10_000).steps("program")


# Logs.


def test_a_log_reads_back_as_it_was_written(tmp_path: Path) -> None:
    entries = (*FakeChip().cycle(5, 10_000), Entry(6, 2, "read", 1, 24_000, None, "ok", 3))
    head = {"chip": "fake-1bit", "seed": "1", "temperature": "25 C", "version": "0"}
    write_log(tmp_path / "log.csv", head, entries)
    log = read_log(tmp_path / "log.csv")
    assert log.entries == entries
    assert log.head == head


HEAD = "block,page,operation,cycle,busy_ns,pulses,status,error_bits\n"
GOOD = HEAD + "1,0,program,1,300,,ok,\n1,,erase,1,900,,ok,\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ":1: expected the columns block,page"),
        ("# no value\n" + GOOD, ":1: # no value: expected '# key: value'"),
        (GOOD.replace("busy_ns", "busy_us"), ":1: expected the columns"),
        (GOOD + "1,0,program,2,300,,ok\n", ":4: 7 fields: expected 8"),
        (GOOD + "1,0,program,2,fast,,ok,\n", ":4: busy_ns = fast: expected a whole number"),
        (GOOD + "1,0,program,2,,,ok,\n", ":4: busy_ns = nothing: expected a whole number"),
        (GOOD + "1,0,program,2,-3,,ok,\n", ":4: busy_ns = -3: expected a whole number"),
        (GOOD + "1,0,write,2,300,,ok,\n", ":4: operation = write: expected one of read, program, erase"),
        (GOOD + "1,0,program,2,300,,maybe,\n", ":4: status = maybe: expected one of ok, fail, protected"),
        (GOOD + "1,0,program,0,300,,ok,\n", ":4: cycle = 0: expected 1 or more"),
        (GOOD + "1,3,erase,2,300,,ok,\n", ":4: page = 3: expected a page, and none for an erase"),
        (
            GOOD + "2,0,program,8,300,,ok,\n",
            ":4: block 2, program, cycle 8: a gap: expected its log to begin",
        ),
        (
            GOOD + "1,,erase,9,900,,fail,\n1,,erase,10,900,,ok,\n",
            ":5: block 1, erase, cycle 10: a gap: its erase failed in cycle 9",
        ),
        (
            GOOD + "1,0,program,9,300,,ok,\n1,0,program,8,300,,ok,\n",
            ":5: block 1, program, cycle 8: cycles run backwards: expected 9 or later",
        ),
        (HEAD, ": no entries: expected at least one operation"),
    ],
)
def test_a_faulty_log_is_refused_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_log(path)
    assert complaint in str(refused.value)
    assert str(refused.value).startswith(str(path))


# Patterns and states.


def test_pages_of_a_state_spell_it() -> None:
    for state in MLC.states:
        data = [patterns.page_of_state(MLC, page, state) for page in MLC.pages_of(3)]
        assert set(patterns.states_of(MLC, data).tolist()) == {MLC.states.index(state)}


def test_states_of_a_wordline_survive_the_way_into_bytes_and_back() -> None:
    mix = patterns.state_mix("11=40%,10=20%,00=20%,01=20%", MLC)
    states = patterns.mixed_states(MLC, mix, seed=1)
    data = patterns.wordline_of_states(MLC, states)
    assert [len(page) for page in data] == [MLC.whole_page_bytes] * 2
    assert np.array_equal(patterns.states_of(MLC, data), states)
    shares = np.bincount(states) / len(states)
    assert shares == pytest.approx([0.4, 0.2, 0.2, 0.2], abs=1e-3)


def test_a_state_mix_is_read_exactly() -> None:
    assert patterns.state_mix("1=1/3,0=2/3", SLC) == {"1": Fraction(1, 3), "0": Fraction(2, 3)}
    assert patterns.state_mix("01=100%", MLC)["11"] == 0


@pytest.mark.parametrize(
    ("mix", "complaint"),
    [
        ("11=40%,10=20%,00=20%,01=10%", "the shares add up to 90 %: expected 100 %"),
        ("11=0.5,11=0.5", "11: given twice"),
        ("11=0.5,12=0.5", "12: no state of fake-2bit (mlc): expected one of 11, 10, 00, 01"),
        ("11", "expected STATE=SHARE"),
        ("11=much", "much: expected a share"),
        ("11=150%,10=-50%", "150%: expected a share from 0 to 1"),
        ("", "expected STATE=SHARE"),
    ],
)
def test_a_mix_that_does_not_add_up_is_refused(mix: str, complaint: str) -> None:
    with pytest.raises(InputError) as refused:
        patterns.state_mix(mix, MLC)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [("zeroes", "did you mean zeros?"), ("state:2", "no state of fake-1bit"), ("", "no such data pattern")],
)
def test_unknown_patterns_are_refused(pattern: str, complaint: str) -> None:
    with pytest.raises(InputError) as refused:
        patterns.check_pattern(pattern, SLC)
    assert complaint in str(refused.value)


# Errors.


class _Flipping(FakeChip):
    """Reads the second digit of every cell of wordline 2 wrong."""

    def read(self, block, page):  # type: ignore[no-untyped-def]
        found = super().read(block, page)
        clean = self._blocks[block].pages.get(page, found.data)
        if page == MLC.pages_of(2)[1]:
            clean = bytes(byte ^ 0xFF for byte in clean)
        return replace(found, data=clean)


def test_errors_are_counted_by_state_and_page_type() -> None:
    found = errors.collect(_Flipping(2), MLC, 5, seed=1)
    assert found is not None
    cells = MLC.whole_page_bytes * 8
    assert sum(found.cells) == 8 * cells
    assert found.bits == (0, cells)
    assert found.total == cells
    assert found.per_million == pytest.approx(1e6 / 8)
    for wrong, written in pairwise(found.wrong):
        assert wrong == pytest.approx(written, rel=0.2)  # a quarter each


# The folder.


def test_the_recorder_counts_cycles_and_wrong_bits() -> None:
    bench = Bench(FakeSource(), 1)
    chip, (block,) = bench.sample(1, "by hand")
    data = patterns.random_page(SLC, 1)
    for _ in range(2):
        chip.program(block, 0, data)
        read = chip.read(block, 0)
        chip.erase(block)
    chip.cycle(block, 10)
    chip.erase(block)
    entries = bench.logs["by hand-by hand"].entries
    assert [(e.operation, e.cycle) for e in entries[-2:]][-1] == ("erase", 13)
    assert [e.cycle for e in entries if e.operation == "read" and e.error_bits is not None] == [1, 2]
    wrong = (int.from_bytes(data) ^ int.from_bytes(read.data)).bit_count()
    assert [e.error_bits for e in entries if e.operation == "read"][-1] == wrong


def test_the_folder_holds_report_numbers_and_logs(tmp_path: Path) -> None:
    out = tmp_path / "chip"
    done = characterize(FakeSource(2), every(), 8, out)
    document = json.loads((out / "characterize.json").read_text())
    assert document["chip"] == "fake-2bit"
    assert list(document["experiments"]) == [one.name for one in every()]
    page = (out / "report.html").read_text()
    for outcome in done.outcomes:
        assert outcome.experiment.title in page
    assert "src=" not in page.split("<script>")[0]  # nothing from elsewhere
    logs = {path.name: read_log(path) for path in (out / "logs").iterdir()}
    assert {"lives-zeros-first-25C.csv", "lives-zeros-first-5C.csv", "page-order.csv"} <= set(logs)
    assert logs["lives-zeros-first-5C.csv"].head["temperature"] == "5 C"
    assert set(logs["page-order.csv"].head) == {"chip", "seed", "temperature", "sampled", "version"}
    reads = [entry for entry in logs["state-errors.csv"].entries if entry.operation == "read"]
    assert any(entry.error_bits for entry in reads)


def test_a_folder_of_something_else_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "thesis"
    out.mkdir()
    (out / "chapter1.tex").write_text("dear to somebody")
    with pytest.raises(InputError, match="holds files that are no run"):
        characterize(FakeSource(), chosen(["page-order"]), 1, out, force=True)
    assert (out / "chapter1.tex").exists()


def test_the_documentation_lists_every_experiment() -> None:
    text = (Path(__file__).parents[2] / "docs" / "how-to" / "laboratory.md").read_text()
    listed = [line for line in text.splitlines() if line.startswith("| `")]
    assert listed == [f"| `{one.name}` | {one.question} | {one.source} |" for one in every()]
