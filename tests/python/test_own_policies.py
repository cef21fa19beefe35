"""Policies in Python: found, checked, asked, refused; and results that bring them along."""

import json
import re
from pathlib import Path

import pytest

import floatgate as fg
import skeletons
from conftest import Command
from floatgate.own.check import run_of_a_check
from floatgate.own.compiled import Compiled
from floatgate.own.found import policies_in
from floatgate.own.seams import SEAMS

pytest.importorskip("numpy")

SMALL = {
    "nand.blocks_per_plane": 64,
    "nand.pages_per_block": 12,
    "geometry.channels": 1,
    "geometry.ways": 2,
    "ftl.op_ratio": 0.6,
    "ftl.buffer.size": "256KiB",
}
JOB = "[a]\nrw=randwrite\nbs=4k\niodepth=8\nio_size=160m\n"

GREEDY = """
import floatgate as fg

class Mine(fg.gc.victim.Policy):
    tie: int = 0

    def pick(self, view):
        valid = view.valid_units[view.candidates]
        return view.candidates[valid == valid.min()][-self.tie]
"""

SELDOM = [seam for seam, (base, _) in SEAMS.items() if not issubclass(base, Compiled)]


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "job.fio"
    path.write_text(JOB)
    return path


def run(job: Path, name: str, **more: object) -> fg.Run:
    return fg.run("tlc", job, set=SMALL | {"ftl.gc.victim.name": name} | more, check=True, requests=True)


def _requests(run: fg.Run) -> bytes:
    return (run.folder / "requests.parquet").read_bytes()


def victim(body: str, head: str = "") -> str:
    lines = "\n".join("        " + line for line in body.splitlines())
    top = f"import floatgate as fg\n{head}\nclass Mine(fg.gc.victim.Policy):\n"
    return f"{top}    def pick(self, view):\n{lines}\n"


def refused(job: Path, text: str, **more: object) -> str:
    Path("mine.py").write_text(text)
    with pytest.raises(fg.InputError) as error:
        run(job, "mine.py:Mine", **more)
    return str(error.value)


def test_the_rule_of_the_catalogue_in_python_does_the_same(job: Path) -> None:
    Path("mine.py").write_text(GREEDY.replace("[-self.tie]", "[0]"))
    built_in = run(job, "greedy")
    own = run(job, "mine.py:Mine")
    assert own.waf == pytest.approx(built_in.waf, rel=0.05)
    assert own.ftl.gc.victims > 50


def test_the_same_seed_gives_the_same_bytes_and_random_numbers_come_from_the_view(job: Path) -> None:
    Path("mine.py").write_text(victim("return view.candidates[view.random.below(len(view.candidates))]"))
    first, again = run(job, "mine.py:Mine"), run(job, "mine.py:Mine")
    assert _requests(first) == _requests(again)


def test_parameters_are_checked_as_those_of_the_catalogue(job: Path) -> None:
    Path("mine.py").write_text(GREEDY)
    assert run(job, "mine.py:Mine", **{"ftl.gc.victim.tie": 1}).document.config["ftl.gc.victim.tie"] == 1
    assert "tie" in refused(job, GREEDY, **{"ftl.gc.victim.tia": 1})
    assert "expected a whole number" in refused(job, GREEDY, **{"ftl.gc.victim.tie": 0.5})
    assert "missing" in refused(job, GREEDY.replace("tie: int = 0", "tie: int"))
    assert "at least 0" in refused(job, GREEDY.replace("tie: int = 0", "tie: int = -1"))
    assert "expected int, float, bool or str" in refused(job, GREEDY.replace("int = 0", "list = []"))


def test_an_object_chooses_itself(job: Path) -> None:
    Path("mine.py").write_text(GREEDY)
    from floatgate.own import found

    mine = found.policies_in("mine.py")["Mine"]
    done = fg.run("tlc", job, set=SMALL, policies=[mine(tie=1)])
    assert done.document.config["ftl.gc.victim.name"] == "mine.py:Mine"
    assert done.document.config["ftl.gc.victim.tie"] == 1
    for wrong, said in (({"tia": 1}, "did you mean tie?"), ({"tie": "one"}, "expected a whole number")):
        with pytest.raises(fg.InputError, match=said.replace("?", "\\?")):
            mine(**wrong)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (victim("return 1 // 0"), "mine.py:5: ZeroDivisionError"),
        (victim("return None"), "mine.py:4: pick returned None: expected one of view.candidates"),
        (victim("return 'a'"), "pick returned 'a': expected one of view.candidates"),
        (victim("return 10**9"), "pick returned 1000000000: expected one of view.candidates"),
        (victim("view.pe_cycles[0] = 1\nreturn view.candidates[0]"), "mine.py:5: ValueError"),
        (victim("self.a = view.pe_cycles\nreturn view.candidates[0]"), "pick kept an array of its view"),
        (victim("self.a = view.pe_cycles[1:]\nreturn view.candidates[0]"), "pick kept an array of its view"),
        (
            victim(
                "old, self.a = getattr(self, 'a', None), view.random\n"
                "return view.candidates[old.below(1) if old else 0]"
            ),
            "valid during the call",
        ),
        ("import floatgate as fg\n1 +\n", "mine.py:2: SyntaxError"),
        ("import pandas.no_such_part\n", "mine.py:1: pandas is not installed, which this needs: pip install"),
        ("x = 1\n", "mine.py: no policy Mine"),
        ("raise OSError('gone')\n", "mine.py:1: OSError: gone"),
        (victim("return 0").replace("def pick", "def pock"), "expected a method pick"),
        (victim("return 0").replace("gc.victim.Policy", "wear.Policy"), "a policy for ftl.wear"),
        (
            victim("return 0") + "    def attach(self, *told): return 1\n",
            "attach returned 1: expected nothing",
        ),
        (
            victim("return 0") + "    def on_close(self, *told): return 5\n",
            "on_close returned 5: expected nothing",
        ),
        (victim("return 0") + "    def __init__(self): ...\n", "state is made in attach"),
    ],
)
def test_what_a_policy_does_wrong_ends_the_run_with_its_line(job: Path, text: str, said: str) -> None:
    message = refused(job, text)
    assert said in message
    assert "\n" not in message
    assert not Path("out").exists()


def test_a_policy_that_does_not_end_is_ended(job: Path) -> None:
    Path("mine.py").write_text(
        victim("while True:\n    try:\n        while True: pass\n    except Exception: pass")
    )
    with pytest.raises(fg.InputError, match=r"mine.py:4: pick took longer than 200ms.*--policy-timeout"):
        fg.run("tlc", job, set=SMALL | {"ftl.gc.victim.name": "mine.py:Mine"}, policy_timeout="200ms")


def test_a_file_that_is_not_there_is_named(job: Path) -> None:
    with pytest.raises(fg.InputError, match=r"no\.py: no such file"):
        run(job, "no.py:Mine")


def test_a_seam_that_takes_none_says_so(job: Path) -> None:
    Path("mine.py").write_text(GREEDY)
    with pytest.raises(fg.InputError, match="too often for Python"):
        fg.run("tlc", job, set=SMALL | {"ftl.read_ahead.name": "mine.py:Mine"})


def test_a_name_that_is_none_is_told_of_classes(job: Path) -> None:
    for seam in SEAMS:
        beside = {"ftl.snapshots.every": "1s"} if seam == "ftl.snapshots.expiry" else {}
        with pytest.raises(fg.InputError, match=r"or FILE\.py:CLASS for one of your own"):
            fg.run("tlc", job, set=SMALL | beside | {f"{seam}.name": "greeedy"})
    with pytest.raises(fg.InputError, match=r"read_ahead\.name") as error:
        fg.run("tlc", job, set=SMALL | {"ftl.read_ahead.name": "greeedy"})
    assert "FILE.py" not in str(error.value)


# A question of each seam that the drives of `policies check` must come to.
QUESTIONS = {
    "ecc.flow": "next",
    "ftl.gc.trigger": "background",
    "ftl.gc.victim": "pick",
    "ftl.refresh.order": "next",
    "ftl.slc_cache": "most",
    "ftl.snapshots.expiry": "expire",
    "ftl.streams": "join",
    "ftl.wear": "relocate",
    "host.place": "place",
}


@pytest.mark.parametrize("seam", SELDOM)
def test_the_drives_of_a_check_ask_the_policy(seam: str, job: Path) -> None:
    fg.new_policy(seam.removeprefix("ftl."), "mine.py")
    begins = re.compile(rf"(    def {QUESTIONS[seam]}\(.*:\n)")
    text, found = begins.subn(r'\1        raise ValueError("asked")\n', Path("mine.py").read_text())
    Path("mine.py").write_text(text)
    ((name, cls),) = policies_in("mine.py").items()
    with pytest.raises(fg.InputError, match="asked"):
        run_of_a_check(f"mine.py:{name}", cls, job, seed=1)
    assert found == 1


@pytest.mark.parametrize("seam", SELDOM)
def test_each_skeleton_passes_its_checks(seam: str, job: Path) -> None:
    del job
    skeletons.passes(seam)


@pytest.mark.parametrize(
    ("seam", "old", "new", "said"),
    [
        ("ftl.gc.victim", "return int(victim)", "return view.candidates[0]", "never picked"),
        (
            "ftl.gc.victim",
            "return int(victim)",
            "import random; return random.choice(list(candidates))",
            "same seed",
        ),
        ("ftl.gc.victim", ".argmin()", ".argmax()", "only superblock with garbage"),
        (
            "ftl.slc_cache",
            "return min(self.reserved(view) +",
            "return min(1 + self.reserved(view) +",
            "full drive",
        ),
        (
            "ftl.gc.trigger",
            "return view.free <= self.low",
            "return view.free == self.low",
            "stops as space runs out",
        ),
        (
            "ftl.refresh.order",
            "return int(view.candidates[view.pe_cycles[view.candidates].argmax()])",
            "import random; return random.choice(list(view.candidates))",
            "same seed",
        ),
        (
            "ftl.refresh.order",
            "return int(view.candidates[view",
            "return 100 + int(view.candidates[view",
            "one of",
        ),
        (
            "ftl.snapshots.expiry",
            "return others[0] if others else view.serials[0]",
            "import random; return random.choice(view.serials)",
            "same history",
        ),
        ("ftl.snapshots.expiry", "return others[0]", "return max(others) + 1", "one of view.serials"),
        ("ftl.streams", "return 2", "return 0", "takes such data"),
        ("ecc.flow", "return 0, view.first", "return None", "expected (step, soft_bits)"),
        (
            "ecc.flow",
            "return (step, soft_bits + 1) if",
            "return (step, soft_bits + 1) if 1 or",
            "soft bits of 1 to",
        ),
        ("ecc.flow", "if soft_bits < view.soft_bits else None", "if 0 else (step, 1)", "does not give up"),
        (
            "ecc.flow",
            "return 0, view.first",
            "self.turn = 3 - getattr(self, 'turn', 1); return 0, self.turn if view.soft_bits > 1 else 1",
            "asked again",
        ),
        (
            "ftl.streams",
            "return 0 if view.age is not None and view.age < self.young else 1",
            "self.turn = 1 - getattr(self, 'turn', 0); return self.turn",
            "asked again",
        ),
        ("ftl.wear", "del superblock, erases", "return superblock", "stayed free"),
    ],
)
def test_a_broken_rule_is_found(seam: str, old: str, new: str, said: str, job: Path) -> None:
    del job
    skeletons.is_found_broken(seam, old, new, said)


def test_a_result_brings_its_policy_and_asks_whether_it_is_trusted(job: Path, floatgate: Command) -> None:
    Path("mine.py").write_text(GREEDY)
    words = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
    first = floatgate(
        "run", "tlc", str(job), *words, "--set", "ftl.gc.victim.name=mine.py:Mine", "--out", "first"
    )
    assert first.returncode == 0, first.stderr
    document = json.loads(Path("first/run.json").read_text())
    assert document["invocation"]["policies"][0]["source"] == GREEDY
    Path("mine.py").unlink()
    refused = floatgate("run", "first/run.json", "--out", "again")
    assert refused.returncode == 2
    assert "--trust-policies" in refused.stderr
    again = floatgate("run", "first/run.json", "--trust-policies", "--out", "again")
    assert again.returncode == 0, again.stderr
    repeated = json.loads(Path("again/run.json").read_text())
    assert repeated["host"] == document["host"]
    document["invocation"]["policies"][0]["source"] += "# changed"
    Path("first/run.json").write_text(json.dumps(document))
    changed = floatgate("run", "first/run.json", "--trust-policies", "--out", "other")
    assert changed.returncode == 2
    assert "sha256" in changed.stderr


def test_workers_find_the_policy_too(job: Path) -> None:
    Path("mine.py").write_text(GREEDY)
    repeated = fg.repeat("tlc", job, 2, set=SMALL | {"ftl.gc.victim.name": "mine.py:Mine"})
    assert len(repeated.seeds) == 2
