"""`floatgate characterize`, on simulated chips."""

import json
from math import exp
from pathlib import Path

import pytest

from conftest import Command, one_line_error
from ctrl_c import ctrl_c
from floatgate.lab.bench import Bench
from floatgate.lab.chip import CellProbe, Chip
from floatgate.lab.experiments import chosen
from floatgate.lab.log import read_log
from floatgate.lab.run import measure
from floatgate.lab.simulated import SimulatedSource

MLC = "poster-mlc"


def test_the_simulated_chip_speaks_the_protocol() -> None:
    chip = SimulatedSource(MLC).open()
    assert isinstance(chip, Chip)
    assert isinstance(chip, CellProbe)
    identity = chip.identify()
    assert identity.states == ("11", "10", "00", "01")
    assert len(identity.wordlines) == identity.pages_per_block
    assert identity.pages_of(0) == (0, 1)


def test_a_life_is_the_same_in_one_call_and_in_many() -> None:
    """The laboratory cuts a life where Ctrl-C may come: that must not show."""
    bench = Bench(SimulatedSource("mt29f8g08maawc"), 1)
    (life,) = bench.lives()
    whole = SimulatedSource("mt29f8g08maawc").open().cycle(life.block, bench.most_cycles)
    assert list(life.entries) == whole


def test_heat_speeds_charge_loss_up_as_arrhenius_says() -> None:
    (outcome,) = measure(Bench(SimulatedSource("hy27us08121a"), 1), chosen(["acceleration"])).outcomes
    assert outcome.result is not None
    factors = outcome.result.numbers["factor"]
    for celsius in (40, 55, 70, 85, 120):
        inverse = 1 / 298.15 - 1 / (celsius + 273.15)
        assert factors[f"{celsius} C"] == pytest.approx(exp(1.1 / 8.617333e-5 * inverse), rel=0.01)


def test_the_same_sample_gives_the_same_folder(floatgate: Command, tmp_path: Path) -> None:
    asked = [
        "--blocks",
        "8",
        "--experiment",
        "endurance",
        "--experiment",
        "state-errors",
        "--experiment",
        "ispp",
    ]
    for out in ("one", "two"):
        done = floatgate("characterize", MLC, *asked, "--out", out, "--format", "json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == json.loads((tmp_path / out / "characterize.json").read_text())
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) > 4
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    for log in (tmp_path / "one" / "logs").iterdir():
        assert read_log(log).head["chip"] == MLC


def test_another_seed_is_another_sample(floatgate: Command, tmp_path: Path) -> None:
    found = []
    for seed in ("1", "2"):
        asked = ("--experiment", "endurance", "--blocks", "4", "--seed", seed, "--out", seed)
        assert floatgate("characterize", MLC, *asked).returncode == 0
        document = json.loads((tmp_path / seed / "characterize.json").read_text())
        found.append(document["experiments"]["endurance"]["numbers"]["cycles"])
    assert found[0] != found[1]


def test_the_list_names_every_experiment(floatgate: Command) -> None:
    listed = json.loads(floatgate("characterize", "--list", "--format", "json").stdout)
    assert {"endurance", "life", "state-wear", "voltages"} <= {entry["name"] for entry in listed}
    assert floatgate("characterize", "--list").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "no chip given: expected `floatgate characterize CHIP`"),
        (("poster-mlk",), 'poster-mlk: unknown chip; did you mean "poster-mlc"?'),
        ((MLC, "--experiment", "endurence"), "did you mean endurance?"),
        ((MLC, "--blocks", "1000000"), "--blocks 1000000: poster-mlc has 2048 blocks: expected 1 to 2048"),
        ((MLC, "--blocks", "0"), "--blocks"),
        ((MLC, "--format", "xml"), "--format"),
    ],
)
def test_bad_input_is_one_line(
    floatgate: Command, tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in one_line_error(floatgate("characterize", *arguments))
    assert not list(tmp_path.iterdir())


def test_an_earlier_result_is_replaced_only_on_request(floatgate: Command, tmp_path: Path) -> None:
    asked = ("characterize", MLC, "--experiment", "page-order", "--blocks", "1", "--out", "out")
    assert floatgate(*asked).returncode == 0
    assert "--force" in one_line_error(floatgate(*asked))
    assert floatgate(*asked, "--force").returncode == 0


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("characterize", MLC, "--workers", "1", "--out", str(out))
    # The second experiment has begun: the first is done.
    bar, second = "floatgate.shell.bar:Bar.show", "count, **_: not count.startswith('1/')"
    result = ctrl_c(tmp_path, *arguments, method=bar, when=second)
    assert result.returncode == 130, result.stderr
    assert "Endurance of blocks" in result.stdout
    assert result.stderr.strip().endswith(f"interrupted: {out} holds the measurements made so far")
    document = json.loads((out / "characterize.json").read_text())
    states = [entry["state"] for entry in document["experiments"].values()]
    assert document["interrupted"]
    assert states[0] == "done"
    assert states[-1] == "not run"
    assert "Interrupted" in (out / "report.html").read_text()
