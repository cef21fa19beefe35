"""What the documents say one can type, can be typed."""

import gzip
import inspect
import json
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
import typer
from typer.main import get_command

import floatgate as fg
import mqsim_files
from conftest import in_process
from documents import blocks
from floatgate import _core, commands
from floatgate.commands.policies import SHOW, Group
from floatgate.files import shipped
from floatgate.inputs.plan import Plan
from floatgate.shell import app

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("papers/*/README.md")])
ENDS = ("|", ";", "&&", ">", "#", "done")  # of a command within a line of shell


def _blocks(text: str) -> Iterator[str]:
    """The lines of code blocks, fenced or indented, with continued lines joined."""
    fenced = False
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line.strip()


def _commands() -> Iterator[tuple[str, str]]:
    for document in DOCUMENTS:
        for line in _blocks(document.read_text(encoding="utf-8")):
            for match in re.finditer(r"(?:^|(?<!import)\s|;|\$ )(?:\.venv/bin/)?floatgate (\S.*)", line):
                if match[1][0].isalpha():  # not its version, asked for or shown
                    yield str(document.relative_to(ROOT)), match[1]


def _words(text: str) -> list[str]:
    """The words of the command, as a shell sees them, without what a synopsis calls optional."""
    words = []
    for word in shlex.split(re.sub(r"\[[^\]]*\](\.\.\.)?", "", text), comments=True):
        if word in ENDS:
            break
        words.append(word.rstrip(";"))
    return words


def test_there_are_many() -> None:
    assert len(list(_commands())) > 50


@pytest.mark.parametrize(("document", "text"), list(_commands()))
def test_a_documented_command_is_known(document: str, text: str) -> None:
    """Its words are parsed as the command parses them, options and their values included; nothing runs."""
    command, words = get_command(app), _words(text)
    if not words:
        return
    context = typer.Context(command, info_name="floatgate")
    while isinstance(command, typer.core.TyperGroup) and words:
        if isinstance(command, Group) and words[0] not in command.commands:
            words.insert(0, SHOW)
        found = command.get_command(context, words[0])
        assert found is not None, f"{document}: floatgate {text}: no command {words[0]}"
        command, words = found, words[1:]
    if "..." in words:
        words = words[: words.index("...")]
    command.make_context(command.name, [word for word in words if word], parent=context)


def test_python_that_the_package_shows_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of the documents are run by `test_documents.py`."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"((?:^    .*\n|^\n)+)", str(fg.__doc__), re.MULTILINE)
    shown = inspect.cleandoc(next(block for block in blocks if block.strip()))
    exec(compile(shown, "floatgate", "exec"), {})


JOB = "[x]\nrw=randrw\nbs=4k\nsize=64k\n"


def _make_theirs(folder: Path, text: str) -> None:
    """Write the files that a reader has and we have not, as his command takes them."""
    step = 100 if "--sampled 100" in text else 1
    cycles = [1, *range(step, 40 * step, step)] if step > 1 else range(1, 40)
    lines = [f"0,0,program,{n},300,ok\n0,,erase,{n},1500,ok\n" for n in cycles]
    trace = "128166372003061629,hm,1,Read,8192,4096,413\n" * 9
    (folder / "rig.csv").write_text("block,page,operation,cycle,latency_us,status\n" + "".join(lines))
    (folder / "trace.csv.gz").write_bytes(gzip.compress(trace.encode()))
    if text.startswith("study"):
        for name in ("hm_0.csv.gz", "prn_0.csv.gz"):
            (folder / name).write_bytes(gzip.compress(trace.encode()))
    (folder / "app.csv").write_text("0 1 write 0 4096\n1 2 write 4096 4096\n")
    (folder / "ycsb.csv").write_text("1,0,0,5,1,x\n2,0,1,6,1,x\n")
    (folder / "job.fio").write_text(JOB + ("filename=${DEV}\n" if "--env" in text else ""))
    if "--load-state" in text:
        (folder / "worn.state").write_bytes(b"")
    if text.startswith(("twin fit", "twin check")):
        (folder / "jobs").mkdir()
        side = {"total_ios": 9, "iops": 1000.0, "clat_ns": {"mean": 1e6}}
        job = {"jobname": "a", "job options": {"rw": "randread"}, "read": side}
        (folder / "jobs" / "1-a.json").write_text(json.dumps({"jobs": [job]}))
    if text.startswith("twin check"):
        (folder / "twin.toml").write_text('base = "tlc"\n')
    mqsim_files.write_drive(folder)
    scenarios = 3 if "--scenario" in text else 1
    mqsim_files.write_workload(folder, *scenarios * ((mqsim_files.flow("synthetic"),),))


# A synopsis names no file, or leaves something out; a recipe names what is to be made.
SYNOPSIS = re.compile(
    r"worn-choices|\b(DRIVE|FILE|WORKLOAD|PRICES|NAME)\b|\.\.\.|\$|/data/|\.\./shared/|out/chip-"
)
# Where the work itself begins, which takes seconds to hours.
WORK = (
    "floatgate.ageing.life.age",
    "floatgate.ecc.conduct.conduct",
    "floatgate.compare.work.read",
    "floatgate.runs.snapshot_costs.measure",
    "floatgate.grid.run._run_all",
    "floatgate.placing.work.measure",
    "floatgate.grid.run.cache_times",
    "floatgate.lab.run.characterize",
    "floatgate.lab.derive.derive",
    "floatgate.reproduce.run.reproduce",
    "floatgate.bus.explore._point",
    "floatgate.own.check._checked",
    "floatgate.runs.repeat.repeat",
    "floatgate.serve.drive._serve",
    "floatgate.study.run._play",
    "floatgate.runs.torture.spread",
    "floatgate.inputs.traces.measure._volume",
    "floatgate.twin.compared.check",
    "floatgate.twin.stages.fit",
    "floatgate._core.volume_convert",
)


class Begins(Exception):
    """All that was asked for is there, and right: the work would begin."""


@pytest.fixture
def readers_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a reader has it: the examples, papers, and room for files of his own."""
    for name in ("examples", "papers", "drives"):
        (tmp_path / name).symlink_to(ROOT / name)
    for path in (*(ROOT / "examples" / "study").iterdir(), *(ROOT / "examples" / "place").iterdir()):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    own = (ROOT / "docs" / "how-to" / "own-policies.md").read_text(encoding="utf-8")
    for file in ("mine.py", "drawn.py"):
        (tmp_path / file).write_text(own.split(f'title="{file}"\n')[1].split("```")[0])

    def begins(*_: object, **__: object) -> None:
        raise Begins

    def opens(plan: Plan, **_: object) -> None:
        _core.explain_drive(plan.drive, list(plan.overrides), shipped.folders())
        if plan.workload.kind in ("fio", "generator"):
            _core.fio_jobs(plan.workload.to_json())
        raise Begins

    def spreads(_one: object, lives: list[tuple[str, list[str], object]], **_: object) -> None:
        for drive, changes, _how in lives:
            _core.explain_drive(drive, list(changes), shipped.folders())
        raise Begins

    # What is imported for the first time while others are replaced would keep the replacements.
    for module in iter_modules(commands.__path__, "floatgate.commands."):
        import_module(module.name)
    for place in WORK:
        monkeypatch.setattr(place, begins)
    monkeypatch.setattr("floatgate.ageing.compare.spread", spreads)  # workers are processes of their own
    monkeypatch.setattr(Plan, "open", opens)
    return tmp_path


def _to_execute() -> list[tuple[str, str]]:
    # A tutorial goes from one command to the next: `test_documents.py` runs it as a whole.
    found = {text: where for where, text in reversed(list(_commands())) if "tutorials" not in where}
    return [(document, text) for text, document in found.items() if not SYNOPSIS.search(text.split(" #")[0])]


def test_most_commands_are_executed() -> None:
    assert len(_to_execute()) > 60


@pytest.mark.parametrize(("document", "text"), _to_execute())
def test_a_documented_command_runs_as_it_stands(document: str, text: str, readers_place: Path) -> None:
    """Every file, drive, chip, key, policy and option in it is there; the work itself is not done."""
    words = _words(text)
    _make_theirs(readers_place, text)
    for block in blocks(ROOT / document):
        if block.title:
            (readers_place / block.title).write_text(block.text + "\n")
    if "new" in words:  # what it makes is not there yet
        (readers_place / words[-1]).unlink()
    if words == ["examples", "--copy", "."]:
        (readers_place / "examples").unlink()
    for word in words:
        if word.endswith(".fio") and not (readers_place / word).exists():
            (readers_place / word).write_text(JOB)
    ended = in_process(*words, ends=Begins)
    assert ended.code == 0, f"{document}: floatgate {text}: {ended.err}"
