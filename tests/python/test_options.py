"""Every option of every command, with the values that go wrong: each takes effect, or is refused in one line.

The options come from the command tree itself, so a new one is tried by itself.
"""

import json
import re
import resource
import shlex
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from conftest import Ended, in_process
from floatgate.reproduce.run import reproduce
from floatgate.shell import app

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "drives" / "tiny.toml")
PLAN = ROOT / "examples" / "plan"
HUGE = "9" * 30
VALUES = ("0", "", "-1", "nan", "inf", "-inf", "1e999", HUGE, "0.5", "\udcff")
NAMES = ("0", "", "/dev/null/x", "x" * 300, "\udcff")

JOB = "[job]\nrw=randrw\nbs=4k\nsize=64k\nnumber_ios=20\n"
# Three requests. An MSR trace tells time in ticks since 1601.
TRACE = "".join(
    f"{128166372003061629 + 10_000_000 * n},hm,1,{op},{offset},{size},413\n"
    for n, (op, offset, size) in enumerate((("Read", 8192, 4096), ("Write", 0, 8192), ("Write", 4096, 4096)))
)
CODE = "wifi-648-540"
MEASURED = """what,pattern,size,depth,value,unit,role
iops,randread,4KiB,1,10000,IOPS,calibrate
"""
LOG = "block,page,operation,cycle,busy_ns,pulses,status\n" + "".join(
    f"0,0,program,{cycle},300000,,ok\n0,0,read,{cycle},25000,,ok\n0,,erase,{cycle},1500000,,ok\n"
    for cycle in range(1, 40)
)
STUDY = f"""
[study]
drive = "{TINY}"
workload = "job.fio"
[parameters]
ftl.op_ratio = [0.2, 0.3]
[objectives]
waf = "min"
"""
# Large enough to be tortured as a smaller one.
LONG = Path(TINY).read_text().replace("pages_per_block = 16", "pages_per_block = 32")
MINE = (ROOT / "python" / "floatgate" / "own" / "skeletons" / "slc_cache.py").read_text()
MORTAL = (
    '--set nand.tables.pe_cycles=[0] --set \'nand.tables.t_prog=["200us", "400us"]\' '
    "--set 'nand.tables.t_bers=[\"1ms\"]' --set 'nand.tables.endurance.cycles=[150, 160, 170]' "
    "--set ftl.op_ratio=0.4"
)

# The shortest lines that do something, for each command.
BASES: dict[str, tuple[str, ...]] = {
    "run": (f"{TINY} job.fio --no-report --out o", f"{TINY} t.csv --no-report --out o"),
    "age": (f"{TINY} {MORTAL} --out o.html",),
    "serve": (f"{TINY} --image d.img --pace max --stop-after 0 --no-report --out o",),
    "torture": ("long.toml --cuts 3 --workers 1 --out o",),
    "drives": ("", "slc"),
    "chips": ("", "slc-16g"),
    "policies show": ("", "d-choices"),
    "policies check": ("mine.py",),
    "policies new": ("gc.victim new.py",),
    "keys": ("gc.victim", f"gc.victim --drive {TINY}"),
    "examples": ("",),
    "characterize": ("derived/mt29f4g08aac --model tables --experiment page-order --out o", "--list"),
    "rber": (
        "nvme-tlc --wear 0,1000 --age 30d --reads 1 --out o",
        "derived/mt29f4g08aac --model tables --wear 1000 --age 30d --reads 1 --out o",
        "poster-mlc --wear 1000 --age 30d --reads 1 --out o",
    ),
    "derive": ("mt29f4g08aac --out o.toml",),
    "fit": ("log.csv --out o",),
    "report": ("done --out o.html",),
    "schema": ("--out o.json",),
    "reproduce": ("chung2010-ddr --out o", "--list"),
    "grid": (
        f"{TINY} --block 4k --depth 1 --op read --pattern random --file-size 1MiB --time 100ms --out o",
    ),
    "study": ("study.toml --out o",),
    "compare": ("many other --out o",),
    "place": (
        f"{TINY} job.fio --rules size --handles 2 --seeds 1 --precondition fill --workers 1 --out o",
        f"{TINY} t.csv --rules size --handles 2 --seeds 1 --precondition fill --workers 1 --out o",
    ),
    "plan": (f"{PLAN / 'tpc-c-2007.toml'} {PLAN / 'gray2007-prices.toml'} --out o",),
    "snapshots": (f"{TINY} --set nand.blocks_per_plane=128 --time 20ms --every 5ms --keep 1 --out o.html",),
    "bus explore": ("--chip slc-16g --interface nv-ddr:5 --out o",),
    "bus waveform": ("--interface conv --out o", "--interface conv --operation erase --out o"),
    "ecc measure": (
        f"{CODE} --rate 0.03 --words 64 --workers 1 --out o.toml",
        f"{CODE} --channel gauss --rate 0.03 --soft-bits 1 --words 64 --workers 1 --out o.toml",
        f"{CODE} --channel poster-mlc --age 1d --soft-bits 1 --words 64 --workers 1 --out o.toml",
    ),
    "ecc codes": ("",),
    "twin jobs": ("1GB --out o",),
    "twin measure": (f"{TINY} --out o.csv",),
    "twin fit": ("twin.csv --out o.toml",),
    "twin check": (f"{TINY} twin.csv --out o",),
    "trace info": ("t.csv", "volume:prn_0,requests=200", "t.csv --constant-memory", "t.csv --out o"),
    "trace convert": ("t.csv new.csv", "volume:prn_0,requests=200 new.csv"),
    "trace formats": ("",),
    "trace volumes": ("", "prn_0"),
    "state info": ("s.state",),
}

# Work that takes too long for so many tries is not done: what it is asked for is the effect.
SLOW = {
    "derive": "floatgate.lab.derive.derive",
    "reproduce": "floatgate.reproduce.run.reproduce",
    "bus explore": "floatgate.bus.explore._point",
    "grid": "floatgate.grid.run._run_all",
    "place": "floatgate.placing.work.measure",
    "twin measure": "floatgate.twin.measured.measure",
    "twin fit": "floatgate.twin.stages.fit",
    "twin check": "floatgate.twin.compared.check",
}
AFTER = ("--out", "--report", "--format")  # what is asked of the result of such work

# Options that may be given without anything to be seen of it, and why.
SILENT = {
    "--force": "there is nothing to replace",
    "--retry": "nothing failed",
    "--workers": "what is found does not depend on their number",
    "--sort": "the trace is in order",
    "--skip-bad-lines": "the trace has none",
    "--quick": "it is the usual one",
    "--layout": "it is the usual one",
    "--report": "it is the usual one",
    "--policy-timeout": "no policy in Python is asked",
    "--socket": "no client comes in",
    "--port": "no client comes in",
    "--address": "no client comes in",
    "--stop-after": "no client comes in",
    "--metrics": "without a reader",
    "--watch": "without a terminal",
    "--limit-dwpd": "the drive ends before",
    "--threshold": "each page of the trace is only read or only written",
}


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if hasattr(command, "commands"):
        for name, below in command.commands.items():
            yield from _commands(below, (*path, name))
    else:
        yield " ".join(path), command


COMMANDS = dict(_commands(get_command(app)))


def _cases() -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    for name, command in COMMANDS.items():
        for base in BASES.get(name, ()):
            for parameter in command.params:
                if type(parameter).__name__ != "TyperOption" or "--help" in parameter.opts:
                    continue
                flags = (*parameter.opts, *parameter.secondary_opts)
                flags = tuple(flag for flag in flags if flag.startswith("--"))
                tries: list[tuple[str, ...]] = [(flag,) for flag in flags]
                if not parameter.is_flag:
                    names = parameter.metavar in ("FILE", "DIR")  # 0.5 is as good a name as -1
                    tries = [(flags[0], value) for value in (NAMES if names else VALUES)]
                elif set(flags) & set(base.split()):
                    continue
                yield from ((name, base, flags[0], words) for words in tries)


def test_every_command_is_tried() -> None:
    assert set(BASES) == set(COMMANDS)
    assert len(list(_cases())) > 900


class Reached(Exception):
    """Work that takes long would begin now, with these arguments."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the commands work on; what takes long is not done."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "job.fio": JOB,
        "t.csv": TRACE,
        "log.csv": LOG,
        "twin.csv": MEASURED,
        "mine.py": MINE,
        "study.toml": STUDY,
        "long.toml": LONG,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "done").symlink_to(_run_folder(), target_is_directory=True)
    (tmp_path / "s.state").symlink_to(_run_folder() / "s.state")
    for name in ("many", "other"):
        (tmp_path / name).symlink_to(_run_folder().with_name(name), target_is_directory=True)

    def reached(*arguments: Any, **named: Any) -> Any:
        shown = {key: value for key, value in named.items() if not callable(value)}
        raise Reached(repr([getattr(one, "__self__", one) for one in arguments]) + repr(shown))

    for slow in SLOW.values():
        monkeypatch.setattr(slow, reached)
    return tmp_path


@cache
def _run_folder() -> Path:
    from tempfile import mkdtemp

    folder = Path(mkdtemp(prefix="floatgate-options-"))
    (folder / "job.fio").write_text(JOB)
    words = ["run", TINY, str(folder / "job.fio"), "--out", str(folder / "done")]
    assert in_process(*words, "--save-state", str(folder / "s.state")).code == 0
    (folder / "s.state").rename(folder / "done" / "s.state")
    words = ["run", TINY, str(folder / "job.fio"), "--no-report", "--repeat", "5"]
    assert in_process(*words, "--out", str(folder / "many")).code == 0
    other = ["--set", "ftl.op_ratio=0.5", "--out", str(folder / "other")]
    assert in_process(*words, *other).code == 0
    return folder / "done"


@pytest.fixture(autouse=True, scope="module")
def _cleared() -> Iterator[None]:
    yield
    shutil.rmtree(_run_folder().parent)


def _without_times(path: Path, content: bytes) -> Any:
    if path.name != "run.json":
        return content
    document = json.loads(content)
    del document["engine"]
    return json.dumps(document)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_takes_effect_or_is_refused(name: str, place: Path) -> None:
    wrong = []
    usual: dict[str, tuple[Any, ...]] = {}
    for case, base, option, words in _cases():
        if case != name:
            continue
        if base not in usual:
            usual[base] = _try(place, name, base, ())[1]
            assert usual[base][0] == 0, (name, base, usual[base])
        ended, outcome = _try(place, name, base, words)
        if complaint := _complaint(name, ended, option, words, outcome == usual[base]):
            wrong.append(f"floatgate {name} {base} {shlex.join(words)}: {complaint}")
    assert not wrong, "\n".join(wrong)


def _try(place: Path, name: str, base: str, words: tuple[str, ...]) -> tuple[Ended, tuple[Any, ...]]:
    """Run a command line; nothing is left of it."""
    before = set(place.iterdir())
    stand = shlex.split(base)
    if words and words[0] in stand and len(words) > 1:
        stand[stand.index(words[0]) + 1] = words[1]
        words = ()
    ended = in_process(*name.split(), *stand, *words, ends=Reached)
    new = [path for path in place.iterdir() if path not in before]
    outcome = (ended.code, re.sub(r" in [\d.]+ s.*", "", ended.out), _files(new, place))
    for path in new:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert {path.name for path in place.iterdir()} == {path.name for path in before}
    return ended, outcome


def _files(new: list[Path], place: Path) -> dict[str, Any]:
    every = [path for top in new for path in (top, *top.rglob("*")) if path.is_file()]
    return {str(path.relative_to(place)): _without_times(path, path.read_bytes()) for path in every}


def _complaint(name: str, ended: Ended, option: str, words: tuple[str, ...], same: bool) -> str | None:
    if ended.code == 0:
        silent = option in SILENT or words[0] in SILENT or (name in SLOW and option in AFTER)
        return "nothing came of it, and nothing was said" if same and not silent else None
    if ended.code != 2:
        return f"exit {ended.code}: {ended.err.strip()[-300:]}"
    errors = [line for line in ended.err.splitlines() if line.startswith("floatgate: error: ")]
    if len(errors) != 1 or not ended.err.rstrip("\n").endswith(errors[0]):
        return f"not one line: {ended.err}"
    return f"printed {ended.out!r} before the error" if ended.out else None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("run {tiny} job.fio --speedup 0", "--speedup: job.fio is a fio job file: expected a trace"),
        ("run {tiny} t.csv --speedup 0", "--speedup 0: expected a number above 0"),
        ("run {tiny} t.csv --speedup nan", "--speedup nan: expected a finite number"),
        ("run {tiny} job.fio --precondition-fill 0", "--precondition-fill 0: expected a share above 0"),
        ("run {tiny} job.fio --precondition-fill 0.5", "nothing is written before: expected --precondition"),
        ("run {tiny} t.csv --action D", "--action D: the trace is msr"),
        ("run {tiny} t.csv --set ''", '--set "": nothing given'),
        ("run {tiny} t.csv --repeat 100000000", "--repeat"),
        ("drives --set ftl.op_ratio=0.5", "--set ftl.op_ratio=0.5: no drive is explained"),
        ("grid {tiny} --steady snia --time 5s", "--time 5s: --steady snia takes rounds"),
        ("grid {tiny} --precondition steady --load-state x", "--load-state gives the state already"),
        ("trace info t.csv --constant-memory --threshold 0.9", "--threshold 0.9: --constant-memory tells no"),
        ("characterize --list --seed 3", "--seed 3: --list runs nothing"),
        ("reproduce --list --full", "--full: --list runs nothing"),
        ("bus waveform --interface conv --operation erase --bytes 3", "--bytes 3: erase moves no data"),
        ("fit --voltages v.csv --sampled some", "--sampled some: --voltages is not a log of cycles"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(line: str, said: str, place: Path) -> None:
    ended = in_process(*shlex.split(line.format(tiny=TINY)))
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1


def test_a_seed_of_zero_is_a_seed(place: Path) -> None:
    assert in_process("run", TINY, "job.fio", "--seed", "0", "--no-report", "--out", "o").code == 0
    assert json.loads((place / "o" / "run.json").read_text())["seed"] == 0


def test_a_result_does_not_say_where_to_write(place: Path) -> None:
    """Running another person's run.json again keeps the files that it names."""
    assert in_process("run", TINY, "job.fio", "--no-report", "--save-state", "mine", "--out", "o").code == 0
    document = json.loads((place / "o" / "run.json").read_text())
    document["invocation"]["options"] |= {"save_state": str(place / "thesis")}
    (place / "o" / "run.json").write_text(json.dumps(document))
    (place / "thesis").write_text("ten years of work")
    before = (place / "mine").stat().st_mtime_ns
    assert in_process("run", "o/run.json", "--no-report", "--out", "p").code == 0
    assert (place / "thesis").read_text() == "ten years of work"
    assert (place / "mine").stat().st_mtime_ns == before


def test_since_counts_from_the_first_request(place: Path) -> None:
    """The clock of an MSR trace starts in 1601; the first of three requests a second apart is left out."""
    assert in_process("run", TINY, "t.csv", "--since", "10ms", "--no-report", "--out", "o").code == 0
    assert json.loads((place / "o" / "run.json").read_text())["host"]["submitted"]["total"] == 2


# Each place that a command writes to: a line, and a file that lies there already.
PLACES: dict[tuple[str, str], tuple[str, str]] = {
    ("run", "--out"): (BASES["run"][0], "o/thesis"),
    ("run", "--save-state"): (f"{BASES['run'][0]} --save-state mine", "mine"),
    ("torture", "--out"): (BASES["torture"][0], "o/thesis"),
    ("serve", "--out"): (BASES["serve"][0], "o/thesis"),
    ("serve", "--image"): (BASES["serve"][0], "d.img"),
    ("serve", "--record"): (f"{BASES['serve'][0]} --record mine", "mine"),
    ("grid", "--out"): (BASES["grid"][0], "o/thesis"),
    ("study", "--out"): (BASES["study"][0], "o/thesis"),
    ("compare", "--out"): (BASES["compare"][0], "o/thesis"),
    ("run", "--logs"): (f"{BASES['run'][0]} --logs mine", "mine/02h-smart.bin"),
    ("place", "--out"): (BASES["place"][0], "o/thesis"),
    ("plan", "--out"): (BASES["plan"][0], "o/thesis"),
    ("fit", "--out"): (BASES["fit"][0], "o/thesis"),
    ("characterize", "--out"): (BASES["characterize"][0], "o/thesis"),
    ("rber", "--out"): (BASES["rber"][0], "o/thesis"),
    ("reproduce", "--out"): (BASES["reproduce"][0], "o/thesis"),
    ("age", "--out"): (BASES["age"][0], "o.html"),
    ("age", "--save-state"): (f"{BASES['age'][0]} --save-state mine", "mine"),
    ("snapshots", "--out"): (BASES["snapshots"][0], "o.html"),
    ("derive", "--out"): (BASES["derive"][0], "o.toml"),
    ("derive", "--report"): (f"{BASES['derive'][0]} --report r.html", "r.html"),
    ("report", "--out"): (BASES["report"][0], "o.html"),
    ("examples", "--copy"): ("--copy o", "o/examples"),
    ("schema", "--out"): (BASES["schema"][0], "o.json"),
    ("bus explore", "--out"): (BASES["bus explore"][0], "o/front.svg"),
    ("bus waveform", "--out"): (BASES["bus waveform"][0], "o/conv-read.vcd"),
    ("ecc measure", "--out"): (BASES["ecc measure"][0], "o.toml"),
    ("twin jobs", "--out"): (BASES["twin jobs"][0], "o/thesis"),
    ("twin measure", "--out"): (BASES["twin measure"][0], "o.csv"),
    ("twin fit", "--out"): (BASES["twin fit"][0], "o.toml"),
    ("twin check", "--out"): (BASES["twin check"][0], "o/thesis"),
    ("trace info", "--out"): ("t.csv --out o", "o/traces.svg"),
    ("trace convert", "OUT"): ("t.csv new.csv", "new.csv"),
    ("policies new", "OUT"): ("gc.victim new.py", "new.py"),
}
READ = {  # and what is only read
    ("fit", "--voltages"),
    ("run", "--load-state"),
    ("grid", "--load-state"),
}


def test_every_place_that_is_written_to_is_tried() -> None:
    named = {
        (name, next((flag for flag in parameter.opts if flag.startswith("--")), str(parameter.metavar)))
        for name, command in COMMANDS.items()
        for parameter in command.params
        if parameter.metavar in ("FILE", "DIR", "OUT")
        and (type(parameter).__name__ == "TyperOption" or parameter.metavar == "OUT")
    }
    assert named == set(PLACES) | READ


@pytest.mark.parametrize(("name", "option"), PLACES)
def test_what_lies_where_a_command_writes_is_kept(
    name: str, option: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SLOW["reproduce"], reproduce)  # it is refused before anything takes long
    line, there = PLACES[name, option]
    (place / there).parent.mkdir(exist_ok=True)
    (place / there).write_text("ten years of work")
    ended = in_process(*name.split(), *shlex.split(line), ends=Reached)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("floatgate: error: ")
    assert ended.err.count("\n") == 1
    assert (place / there).read_text() == "ten years of work"


@pytest.mark.parametrize("name", ["bus waveform", "trace info", "trace convert"])
def test_a_file_goes_where_force_says_so(name: str, place: Path) -> None:
    line, there = next(where for (command, _), where in PLACES.items() if command == name)
    assert in_process(*name.split(), *shlex.split(line)).code == 0
    first = (place / there).read_bytes()
    (place / there).write_text("old")
    assert "or --force to replace it" in in_process(*name.split(), *shlex.split(line)).err
    assert in_process(*name.split(), *shlex.split(line), "--force").code == 0
    assert (place / there).read_bytes() == first


@pytest.mark.parametrize("command", ["age", "snapshots", "derive", "report"])
def test_a_file_of_somebody_else_is_not_replaced(command: str, place: Path) -> None:
    (place / "thesis").write_text("ten years of work")
    base = next(iter(BASES[command])).replace("o.html", "thesis").replace("o.toml", "thesis")
    ended = in_process(command, *shlex.split(base), ends=Reached)
    assert ended.code == 2
    assert "thesis: exists, and Floatgate did not write it" in ended.err
    assert (place / "thesis").read_text() == "ten years of work"


def test_the_folder_one_is_in_has_a_name(place: Path) -> None:
    assert in_process("examples", "--copy", ".").code == 0
    assert (place / "examples" / "random-write.fio").is_file()
    assert '--copy "": nothing given' in in_process("examples", "--copy", "").err
    assert '--copy "": nothing given' in in_process("examples", "--copy=").err


def test_a_converted_trace_is_as_readable_as_any_new_file(place: Path) -> None:
    assert in_process("trace", "convert", "t.csv", "new.csv").code == 0
    assert (place / "new.csv").stat().st_mode == (place / "t.csv").stat().st_mode


@pytest.mark.parametrize(
    "name", ["age", "snapshots", "report", "bus waveform", "trace info", "trace convert"]
)
def test_a_write_that_fails_leaves_what_was_there(name: str, place: Path) -> None:
    line, there = next(where for (command, _), where in PLACES.items() if command == name)
    words = [*name.split(), *shlex.split(line)]
    assert in_process(*words).code == 0
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60, hard))  # a full disk, as far as the command can tell
        ended = in_process(*words, *(["--force"] if " " in name else []))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert ended.code == 2, ended
    assert ended.err.strip().count("\n") == 0
    assert place / there in before
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_a_file_goes_where_its_link_leads(place: Path) -> None:
    words = ["age", *shlex.split(PLACES["age", "--out"][0])]
    (place / "elsewhere").mkdir()
    (place / "o.html").symlink_to(place / "elsewhere" / "page.html")
    for _ in range(2):
        assert in_process(*words).code == 0
        assert (place / "o.html").is_symlink()
        assert [path.name for path in (place / "elsewhere").iterdir()] == ["page.html"]
    (place / "elsewhere" / "page.html").chmod(0o640)
    assert in_process(*words).code == 0
    assert (place / "elsewhere" / "page.html").stat().st_mode & 0o777 == 0o640
