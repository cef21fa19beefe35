"""What a type checker and an editor know of `import floatgate as fg`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import type_checkers
from documents import blocks, pages

ROOT = Path(__file__).parents[2]

# Lines of a user's file, and what `mypy --strict` says of each: nothing, or a part of its message. Pyright
# finds the same lines, each once.
LINES = {
    'fg.run("tlc", "trace.csv", limit_requests=100, precondition="steady", volume=["1"])': None,
    'fg.run(Path("d.toml"), "x.fio", save_state=Path("s"), loop="until=waf:5%")': None,
    'fg.run("tlc", "x.fio", policies=[fg.gc.victim.DChoices(d=4), fg.ftl.wear.Static()])': None,
    "victim: fg.Policy = fg.gc.victim.Greedy()": None,
    'fg.run("tlc", "trace.csv", limit_reqests=100)': 'Unexpected keyword argument "limit_reqests"',
    'fg.run("tlc", "trace.csv", precondition=3)': 'Argument "precondition" to "run"',
    'fg.run("tlc", "trace.csv", precondition="stedy")': "Literal['stedy']",
    'fg.run("tlc", "trace.csv", seed="x")': 'Argument "seed" to "run" has incompatible type "str"',
    'fg.gc.victim.DChoices(dd="x")': 'Unexpected keyword argument "dd" for "DChoices"',
    'fg.gc.victim.DChoices(d="x")': 'Argument "d" to "DChoices" has incompatible type "str"',
    "fg.gc.victim.DChoice(d=4)": 'has no attribute "DChoice"',
    'found: list[fg.Key] = fg.keys("gc", drive=Path("d.toml"), set={"ftl.op_ratio": 0.1})': None,
    'fg.keys(drve="tlc")': 'Unexpected keyword argument "drve" for "keys"',
    "count: int = fg.keys()[0].help": "Incompatible types in assignment",
    "fg.bus.interface.NvDdr3(mode=12)": None,
    "fg.bus.interface.NvDdr3()": 'Missing named argument "mode"',
    'fg.ftl.slc_cache.Static(when_full="never")': "Literal['never']",
    'measured = fg.run("tlc", "trace.csv")': None,
    "p99: int | None = measured.latency.write.p99": None,
    "x: str = measured.latency.write.p99": 'expression has type "int | None", variable has type "str"',
    "y: str = measured.host.read.latency_ns.p99": 'expression has type "int | None", variable has type "str"',
    "measured.latency.wrte": '"Latencies" has no attribute "wrte"',
    'life: fg.Life = fg.age("tlc", hot="0.8/0.2", set={"ftl.op_ratio": 0.3})': None,
    'fg.age("tlc", jmp=0.1)': 'Unexpected keyword argument "jmp" for "age"',
    'fg.age_compare("tlc", 3)': 'Argument 2 to "age_compare"',
    'fg.repeat("tlc", "x.fio", "ten")': 'Argument 3 to "repeat"',
    'grid: fg.Grid = fg.grid("tlc", depth=[1, 8], op="read", precondition="instant")': None,
    'fg.grid("tlc", steady="sometimes")': "Literal['sometimes']",
    'planned: fg.Planned = fg.plan("w.toml", Path("p.toml"), out="o")': None,
    'fg.plan("w.toml")': 'Missing positional argument "prices"',
    'done: fg.Reproduced = fg.reproduce("desnoyers2012-wa", full=True)': None,
    "fg.reproduce(ful=True)": 'Unexpected keyword argument "ful"',
    'bench: fg.Characterized = fg.characterize("poster-mlc", blocks=8, experiment=["endurance"])': None,
    'errors: fg.PageErrors = fg.rber("nvme-tlc", wear=[0, 1000], age=["30d"], reads=0)': None,
    'fg.characterize("poster-mlc", model="cell")': "Literal['cell']",
    'model: fg.PageModel = fg.derive("poster-mlc", seed=2)': None,
    'fg.derive("poster-mlc", seed="2")': 'Argument "seed" to "derive"',
    'fit: fg.Fit = fg.fit("a.csv", Path("b.csv"), chip="poster-mlc")': None,
    'fg.fit("a.csv", voltages="v.csv")': 'Unexpected keyword argument "voltages" for "fit"',
    'fg.fit_voltages("v.csv", sampled="some")': 'Unexpected keyword argument "sampled"',
    'costs: fg.SnapshotCosts = fg.snapshots("tlc", keep=[1, 4], every="100ms")': None,
    'fg.snapshots("tlc", keep=1.5)': 'Argument "keep" to "snapshots"',
    'points: list[fg.BusPoint] = fg.bus.explore(chip=["tlc-3d-256g"])': None,
    "fg.bus.explore(chips=[])": 'Unexpected keyword argument "chips"',
    'signals: fg.Waveform = fg.bus.waveform("conv", operation="read", bytes=4)': None,
    "fg.bus.waveform()": "Too few arguments",
    'rate: float | None = fg.trace.info("t.csv", page_size="4KiB")[0].requests_per_s': None,
    'fg.trace.info("t.csv", speedup=2)': 'Unexpected keyword argument "speedup" for "info"',
    'written: int = fg.trace.convert("t.csv", "u.csv", to="msr")': None,
    'fg.trace.convert("t.csv")': 'Missing positional argument "out"',
    "words: tuple[str, str] = (fg.trace.formats()[0].units, fg.trace.volumes()[0].server)": None,
    "fg.trace.volumes(3)": 'Argument 1 to "volumes"',
    "fg.state.info(3)": 'Argument 1 to "info"',
    'where: Path = fg.report("out/run", out=Path("r.html"))': None,
    "fg.report()": 'Missing positional argument "folder"',
    'card: fg.Card = fg.drive("tlc", set={"ftl.op_ratio": 0.3})': None,
    'text: int = fg.chip("slc-16g").title': "Incompatible types in assignment",
    "fg.chip()": 'Missing positional argument "name"',
    'rules: list[str] = [one.rule for one in fg.policies("ftl.gc.victim")]': None,
    "fg.policies(nme=3)": 'Unexpected keyword argument "nme"',
    "titles: dict[str, str] = fg.examples()": None,
    "fg.examples(copi=3)": 'Unexpected keyword argument "copi"',
    "fg.schema(out=3)": 'Argument "out" to "schema"',
    "asked: tuple[str, str] = (fg.experiments()[0].question, fg.papers()[0].title)": None,
    "fg.experiments(1)": "Too many arguments",
}
HEAD = ["from pathlib import Path", "import floatgate as fg", "_ = Path()"]


def _unentered() -> dict[str, str]:
    """Return an environment in which no virtual one is entered: other packages' types are not looked at."""
    entered = {str(Path(sys.executable).parent), f"{os.environ.get('VIRTUAL_ENV', '')}/bin"}
    path = [folder for folder in os.environ["PATH"].split(os.pathsep) if folder not in entered]
    return {**{k: v for k, v in os.environ.items() if k != "VIRTUAL_ENV"}, "PATH": os.pathsep.join(path)}


def _pyright(folder: Path, *files: str) -> list[dict[str, Any]]:
    """What pyright says of files that use this checkout."""
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT / "python")], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    words = [sys.executable, "-m", "basedpyright", "--outputjson", *files]
    told = subprocess.run(
        words, cwd=folder, env=_unentered(), capture_output=True, text=True, check=False
    ).stdout
    found: list[dict[str, Any]] = json.loads(told)["generalDiagnostics"]
    return found


def test_a_type_checker_finds_what_is_wrong_and_no_more(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "mine.py").write_text("\n".join([*HEAD, *LINES]) + "\n")
    told = type_checkers.errors(tmp_path, "mine.py")
    errors = {int(line.split(":")[1]): line for line in told}
    wrong = [
        f"{line}: {errors.get(at)}: expected {said}"
        for at, (line, said) in enumerate(LINES.items(), len(HEAD) + 1)
        if (said is None) != (at not in errors) or (said or "") not in errors.get(at, "")
    ]
    assert not wrong, "\n".join([*wrong, *told])
    assert len(told) == sum(said is not None for said in LINES.values()), told


def test_pyright_finds_the_same_lines(tmp_path: Path) -> None:
    pytest.importorskip("basedpyright")
    (tmp_path / "mine.py").write_text("\n".join([*HEAD, *LINES]) + "\n")
    told = _pyright(tmp_path, "mine.py")
    found = [one["range"]["start"]["line"] + 1 for one in told]
    wrong = [at for at, said in enumerate(LINES.values(), len(HEAD) + 1) if said is not None]
    assert sorted(found) == wrong, told


# Of the documents' Python counts what is ours: wrong names and wrong arguments. Short examples do not ask
# whether a number is there (None) or what the stubs of pandas and polars make of a column.
OURS = {"call-arg", "arg-type", "attr-defined"}
OURS |= {"reportCallIssue", "reportArgumentType", "reportAttributeAccessIssue"}
OF_PANDAS = ("histogram[", "share >= ")


def test_the_python_of_the_documents_is_typed_right(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    pytest.importorskip("basedpyright")
    shown = {}
    for page in pages():
        text = "\n".join(block.text for block in blocks(page) if block.language == "python")
        if text:
            shown[f"{page.parent.name}_{page.stem}.py".replace("-", "_")] = text
    assert len(shown) > 5
    for name, text in shown.items():
        (tmp_path / name).write_text(text + "\n")
    told = type_checkers.errors(tmp_path, *shown)
    assert [line for line in told if line.rpartition("[")[2].rstrip("]") in OURS] == []
    left = []
    for one in _pyright(tmp_path, *shown):
        name, at = Path(one["file"]).name, one["range"]["start"]["line"]
        line = shown[name].splitlines()[at]
        if one.get("rule") in OURS and not any(word in line for word in OF_PANDAS):
            left.append(f"{name}: {line}: {one['message']}")
    assert left == []
