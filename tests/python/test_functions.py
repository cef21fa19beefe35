"""What the commands do, functions of `floatgate` do: with the same names, and typed results."""

from pathlib import Path
from typing import Any

import pytest

import floatgate as fg

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "drives" / "tiny.toml")
PLAN = ROOT / "examples" / "plan"
LOOSE: Any = fg  # calls that a type checker refuses
MORTAL: dict[str, Any] = {
    "nand.blocks_per_plane": 128,
    "nand.tables.pe_cycles": [0],
    "nand.tables.t_prog": ["200us", "400us"],
    "nand.tables.t_bers": ["1ms"],
    "nand.tables.endurance.cycles": [15, 16, 17],
    "ftl.op_ratio": 0.4,
}


def test_a_drive_is_aged(tmp_path: Path) -> None:
    life = fg.age(TINY, set=MORTAL, measure=0.5, out=tmp_path / "life.html")
    assert life.ended
    assert "TBW" in shows(life)
    assert "TBW" in (tmp_path / "life.html").read_text()


def test_lives_are_compared_by_value() -> None:
    lives = fg.age_compare(TINY, "ftl.wear.name=none,static", set=MORTAL, measure=0)
    assert list(lives) == ["none", "static"]
    assert all(life.ended for life in lives.values())


def test_a_purchase_is_planned(tmp_path: Path) -> None:
    planned = fg.plan(PLAN / "tpc-c-2007.toml", PLAN / "gray2007-prices.toml", out=tmp_path / "plan")
    assert planned.best is not None
    assert planned.best.drive in shows(planned)
    assert (tmp_path / "plan" / "plan.json").exists()


JOB = "[job]\nrw=randrw\nbs=4k\nsize=64k\nnumber_ios=20\n"
TRACE = "".join(
    f"{128166372003061629 + 10_000_000 * n},hm,1,{op},{offset},4096,413\n"
    for n, (op, offset) in enumerate((("Read", 8192), ("Write", 0), ("Write", 4096)))
)
LOG = "block,page,operation,cycle,busy_ns,pulses,status\n" + "".join(
    f"0,0,program,{cycle},300000,,ok\n0,0,read,{cycle},25000,,ok\n0,,erase,{cycle},1500000,,ok\n"
    for cycle in range(1, 40)
)


def shows(result: Any) -> str:
    """What a notebook shows of it."""
    html: str = result._repr_html_()
    assert html.startswith(("<table>", "<svg"))
    return html


def test_seeds_are_repeated(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(JOB)
    repeated = fg.repeat(TINY, tmp_path / "job.fio", 2, seed=5, out=tmp_path / "runs")
    assert repeated.seeds == (5, 6)
    assert (tmp_path / "runs" / "seed-6" / "run.json").exists()
    with pytest.raises(fg.InputError, match="one state cannot stand for several seeds"):
        fg.repeat(TINY, tmp_path / "job.fio", 2, save_state=tmp_path / "s")


def test_a_grid_is_measured(tmp_path: Path) -> None:
    grid = fg.grid(
        TINY,
        block=["4k"],
        depth=[1, 2],
        op="read",
        pattern="random",
        file_size="1MiB",
        time="100ms",
        workers=1,
        out=tmp_path / "grid",
    )
    assert [point.setting.depth for point in grid.points] == [1, 2]
    assert (tmp_path / "grid" / "grid.parquet").exists()
    assert "random read, 4.00 KiB, depth 2" in shows(grid)


def test_snapshots_are_counted(tmp_path: Path) -> None:
    found = fg.snapshots(
        TINY,
        set={"nand.blocks_per_plane": 128},
        time="20ms",
        every="5ms",
        keep=[1],
        out=tmp_path / "s.html",
    )
    assert [case.keep for case in found.cases] == [0, 1]
    assert "5ms" in shows(found)
    assert (tmp_path / "s.html").exists()


def test_a_chip_is_put_on_the_bench(tmp_path: Path) -> None:
    assert "endurance" in {experiment.name for experiment in fg.experiments()}
    bench = fg.characterize("derived/mt29f4g08aac", model="tables", experiment=["page-order"], blocks=1)
    assert bench.outcomes[0].result is not None
    assert bench.outcomes[0].experiment.title in shows(bench)
    kept = fg.characterize(
        "derived/mt29f4g08aac", model="tables", experiment=("page-order",), blocks=1, out=tmp_path / "chip"
    )
    assert kept.document() == bench.document()
    assert (tmp_path / "chip" / "report.html").exists()


def test_a_page_model_is_derived_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from floatgate.lab import derive

    asked = derive.derive

    def quickly(sample: Any, progress: Any) -> Any:
        return asked(sample, progress, steps=(1.0,), cells=100)

    monkeypatch.setattr(derive, "derive", quickly)
    model = fg.derive("mt29f4g08aac", out=tmp_path / "chip.toml")
    assert model.endurance.cycles
    assert fg.chip(tmp_path / "chip.toml")["nand.tables.t_bers"].value


def test_logs_are_fitted(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(LOG)
    fit = fg.fit(tmp_path / "log.csv", out=tmp_path / "fit")
    assert fit.document()["blocks"] == 1
    assert (tmp_path / "fit" / "fit.json").exists()
    with pytest.raises(fg.InputError, match="no log given"):
        fg.fit()
    with pytest.raises(fg.InputError, match=r"v\.csv"):
        fg.fit_voltages(tmp_path / "v.csv")


def test_a_paper_is_reproduced() -> None:
    assert "jedec2010-retention" in {paper.key for paper in fg.papers()}
    done = fg.reproduce("jedec2010-retention", workers=1)
    assert done.rows
    assert not done.interrupted
    assert "jedec2010-retention" in shows(done)


def test_wires_are_explored_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from floatgate.bus import explore

    monkeypatch.setattr(explore, "WAYS", (1,))
    monkeypatch.setattr(explore, "CHANNELS", ())
    points = fg.bus.explore(chip=["slc-16g"], interface=["nv-ddr:5"])
    assert [(point.chip, point.op) for point in points] == [("slc-16g", "read"), ("slc-16g", "write")]
    signals = fg.bus.waveform("conv", out=tmp_path / "waves")
    assert signals.interface == "conv"
    assert (tmp_path / "waves" / "conv-read.vcd").exists()
    assert "svg" in shows(signals)
    with pytest.raises(fg.InputError, match="erase moves no data"):
        fg.bus.waveform("conv", operation="erase", bytes=3)


def test_traces_are_looked_at_and_rewritten(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TRACE)
    one, made = fg.trace.info(tmp_path / "t.csv", "volume:prn_0,requests=200", out=tmp_path / "found")
    assert (one.requests.read, one.requests.write) == (1, 2)
    assert made.requests.read + made.requests.write == 200
    assert (tmp_path / "found" / "traces.json").exists()
    assert fg.trace.convert(tmp_path / "t.csv", tmp_path / "u.csv", to="msr") == 3
    assert fg.trace.info(tmp_path / "u.csv", since="1500ms")[0].requests.read == 0
    assert {one.name for one in fg.trace.formats()} >= {"msr", "alibaba"}
    assert fg.trace.volumes("prn_0")[0].reads.source
    with pytest.raises(fg.InputError, match="no trace given"):
        fg.trace.info()


def test_what_there_is_is_told_with_its_sources() -> None:
    drive = fg.drive("tlc", set={"ftl.op_ratio": 0.3})
    assert drive["ftl.op_ratio"].value == "0.3"
    assert drive.capacity_bytes
    assert "ftl.op_ratio" in shows(drive)
    assert fg.chip("slc-16g")["nand.title"].value == '"Generic SLC NAND, 16 Gbit"'
    (card,) = fg.policies("d-choices")
    assert (card.seam, card.parameters[0].key) == ("ftl.gc.victim", "d")
    with pytest.raises(fg.InputError, match="did you mean greedy"):
        fg.policies("gredy")


def test_files_are_made_again(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(JOB)
    fg.run(TINY, tmp_path / "job.fio", out=tmp_path / "run", save_state=tmp_path / "state")
    assert fg.report(tmp_path / "run", out=tmp_path / "r.html") == tmp_path / "r.html"
    assert "tiny" in str(fg.state.info(tmp_path / "state"))
    assert "properties" in fg.schema(out=tmp_path / "schema.json")
    assert (tmp_path / "schema.json").exists()
    assert "examples/random-write.fio" in fg.examples(copy=tmp_path)
    assert (tmp_path / "examples" / "random-write.fio").exists()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: LOOSE.age(TINY, jmp=0.1), TypeError, r"age\(\) has no option 'jmp' \(did you mean jump\?\)"),
        (lambda: LOOSE.age(TINY, jump="much"), TypeError, "jump = 'much': expected a finite number"),
        (lambda: LOOSE.age(TINY, jump=0.5), fg.InputError, "--jump 0.5: expected a number from 0 to 0.2"),
        (lambda: LOOSE.age(TINY, compare="x=1,2"), TypeError, "no option 'compare'"),
        (lambda: LOOSE.age(None), TypeError, "drive = None"),
        (lambda: LOOSE.plan("x.toml", "y.toml", ot="z"), TypeError, "did you mean out?"),
    ],
)
def test_what_a_function_does_not_take_is_refused_by_name(call: Any, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        call()


def test_policies_and_modules_of_one_name_are_found_together() -> None:
    import floatgate.bus.explore  # noqa: F401 - from then on Python has the module under that name

    assert fg.bus.interface.NvDdr3(mode=12).overrides() == [
        "bus.interface.name=nv-ddr3",
        "bus.interface.mode=12",
    ]
