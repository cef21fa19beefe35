"""Compiled policies: the same answers as the built-in rules, and what they may not do."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg
import skeletons
from conftest import Command
from floatgate.own.compiled import Compiled
from floatgate.own.seams import SEAMS

pytest.importorskip("numba")

SMALL = {
    "nand.blocks_per_plane": 64,
    "nand.pages_per_block": 12,
    "geometry.channels": 2,
    "geometry.ways": 2,
    "ftl.op_ratio": 0.6,
    "ftl.buffer.size": "1MiB",
}
JOB = "[a]\nrw=randrw\nbs=4k\niodepth=64\nrandom_distribution=zipf:1.1\nio_size=96m\n"

LRU = """
import numpy as np
import floatgate as fg

@fg.compiled
class Mine(fg.buffer.eviction.Policy):
    def attach(self, slots, block_units):
        self.before = np.full(slots, -1)
        self.after = np.full(slots, -1)
        self.first = self.last = -1

    def push(self, slot):
        self.before[slot], self.after[slot] = self.last, -1
        if self.last < 0:
            self.first = slot
        else:
            self.after[self.last] = slot
        self.last = slot

    def take_out(self, slot):
        before, after = self.before[slot], self.after[slot]
        if before < 0:
            self.first = after
        else:
            self.after[before] = after
        if after < 0:
            self.last = before
        else:
            self.before[after] = before

    def on_keep(self, slot, lpn, is_dirty):
        self.push(slot)

    def on_use(self, slot, lpn, is_write):
        self.take_out(slot)
        self.push(slot)

    def on_leave(self, slot, lpn):
        self.take_out(slot)

    def choose(self, view):
        return self.first
"""

# As its window of clean units asks of the view what the buffer holds, and a parameter how much.
CFLRU = LRU.replace(
    "        return self.first\n",
    """        slot, left = self.first, int(view.kept * self.window_ratio)
        while left > 0 and slot >= 0:
            if not view.is_dirty(slot):
                return slot
            slot, left = self.after[slot], left - 1
        return self.first
""",
).replace("    def attach", "    window_ratio: float = 0.25\n\n    def attach")

AGCR = """
import floatgate as fg

@fg.compiled
class Mine(fg.regulator.Policy):
    def bits_per_unit(self):
        return 2

    def costs(self, steps):
        return [steps.high(), steps.medium(), steps.low()]

    def after(self, bits, first, write):
        if first:
            return write
        return (bits << 1 | write) & 1

    def choose(self, view, bits):
        history = bits & 1
        if view.origin == self.HOST:
            chosen = 0 if view.first else 2 if history else 1
            history = self.after(bits, view.first, 1)
        elif view.origin == self.REWRITE or view.first or history == 0:
            chosen = 0
        else:
            chosen = view.previous if view.previous >= 0 else 1
        return chosen, history | (2 if chosen == 2 else 0)

    def on_read(self, view, bits):
        read_only = view.first or bits & 1 == 0
        return read_only and bits & 2 != 0, self.after(bits, view.first, 0) | bits & 2
"""

ROUND_ROBIN = """
import floatgate as fg

@fg.compiled
class Mine(fg.placement.Policy):
    def attach(self, dies):
        self.next = 0

    def choose(self, view):
        die = view.next_eligible(self.next)
        if die < 0:
            return None
        self.next = 0 if die + 1 == view.dies else die + 1
        return die
"""

READ_PRIORITY = """
import floatgate as fg

@fg.compiled
class Mine(fg.controller.scheduler.Policy):
    max_wait_ns: int = 20_000_000
    suspend_program: bool = True
    suspend_limit: int = 8

    def hastens_collection(self):
        return True

    def pick(self, view):
        oldest = view.oldest(self.ALL)
        if oldest != self.HOST_READ and view.queued_ns[oldest] + self.max_wait_ns < view.now_ns:
            return oldest
        if view.is_ready(self.HOST_READ):
            return self.HOST_READ
        if view.urgent:
            internal = view.oldest(1 << self.INTERNAL_READ | 1 << self.INTERNAL_PROGRAM | 1 << self.ERASE)
            if internal >= 0:
                return internal
        return oldest

    def suspends(self, running, remaining_ns, times):
        may = self.suspend_program and running == self.RUNNING_PROGRAM or running == self.RUNNING_ERASE
        return may and times < self.suspend_limit
"""

TURNS = """
import floatgate as fg

@fg.compiled
class Mine(fg.controller.arbitration.Policy):
    def attach(self, dies):
        self.next = 0

    def pick(self, view):
        if view.commands:
            die, want = view.next_in(view.commands, self.next), self.COMMAND
        else:
            die, want = view.next_in(view.outs | view.ins, self.next), self.DATA
        self.next = (die + 1) % 64
        return die, want
"""

# One die and many requests: else there is nothing to schedule.
BUSY = {
    "geometry.channels": 1,
    "geometry.ways": 1,
    "controller.cache_read": False,
    "controller.cache_program": False,
}

# Seam, the built-in policy and the same rule as a compiled class, and what else the drive needs.
SAME: dict[str, tuple[str, str, dict[str, Any]]] = {
    "lru": ("ftl.buffer.eviction", LRU, {"ftl.buffer.read_cache": True}),
    "cflru": ("ftl.buffer.eviction", CFLRU, {"ftl.buffer.read_cache": True}),
    "agcr": ("ftl.regulator", AGCR, {"ecc.code.name": "ldpc"}),
    "round-robin": ("ftl.placement", ROUND_ROBIN, {}),
    "read-priority": ("controller.scheduler", READ_PRIORITY, BUSY),
    "turns": ("controller.arbitration", TURNS, {}),
}
OFTEN = sorted(seam for seam, (base, _) in SEAMS.items() if issubclass(base, Compiled))


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "job.fio"
    path.write_text(JOB)
    return path


def run(job: Path, seam: str, name: str, **more: Any) -> fg.Run:
    return fg.run("tlc", job, set=SMALL | {f"{seam}.name": name} | more, requests=True)


def _requests(run: fg.Run) -> bytes:
    return (run.folder / "requests.parquet").read_bytes()


def refused(job: Path, text: str, seam: str = "ftl.buffer.eviction", **options: Any) -> str:
    Path("mine.py").write_text(text)
    more: dict[str, Any] = {"ftl.buffer.read_cache": True, "ecc.code.name": "ldpc"}
    more |= BUSY if seam == "controller.scheduler" else {}
    with pytest.raises(fg.InputError) as error:
        fg.run("tlc", job, set=SMALL | {f"{seam}.name": "mine.py:Mine"} | more, **options)
    message = str(error.value)
    assert "\n" not in message
    assert not Path("out").exists()
    return message


def eviction(body: str, more: str = "") -> str:
    lines = "\n".join("        " + line for line in body.splitlines())
    return LRU.replace("        return self.first\n", f"{lines}\n\n{more}\n")


@pytest.mark.parametrize("rule", SAME)
def test_the_same_rule_compiled_does_the_same(rule: str, job: Path) -> None:
    seam, text, more = SAME[rule]
    Path("mine.py").write_text(text)
    built_in = run(job, seam, {"turns": "round-robin"}.get(rule, rule), **more)
    own = run(job, seam, "mine.py:Mine", **more)
    assert _requests(own) == _requests(built_in)
    assert own.document.host == built_in.document.host


@pytest.mark.parametrize("seam", OFTEN)
def test_each_skeleton_passes_its_checks(seam: str, job: Path) -> None:
    del job
    skeletons.passes(seam)


@pytest.mark.parametrize(
    ("seam", "old", "new", "said"),
    [
        ("ftl.buffer.eviction", "self.visited[slot] = 1\n", "self.visited[slot] = np.random.rand() < 0.5\n", "same"),
        ("ftl.regulator", "return 1 if is_cheap else 0", "return 1 if np.random.rand() < 0.5 else 0", "other units"),
        ("ftl.placement", "        return best\n", "        return view.next_eligible(0)\n", "shares"),
        ("controller.scheduler", "self.passed < self.row", "self.passed >= 0", "starves"),
        ("controller.arbitration", "self.oldest(view, view.commands, self.COMMAND)", "view.next_in(view.commands, 0)", "passed by"),
    ],
)  # fmt: skip
def test_a_broken_rule_is_found(seam: str, old: str, new: str, said: str, job: Path) -> None:
    del job
    skeletons.is_found_broken(seam, old, new, said, first="import numpy as np\n")


def test_random_numbers_come_from_the_view_and_repeat_with_the_seed(job: Path) -> None:
    draw = (
        "slot = view.random.below(len(view.lpn))\n"
        "while not view.is_kept(slot):\n"
        "    unit, bits = view.random.unit(), view.random.bits()\n"
        "    assert 0 <= unit < 1\n"
        "    slot = int(unit * len(view.lpn)) if bits & 1 else view.random.below(len(view.lpn))\n"
        "return slot"
    )
    Path("mine.py").write_text(eviction(draw))
    seam, more = "ftl.buffer.eviction", {"ftl.buffer.read_cache": True}
    first, again = (run(job, seam, "mine.py:Mine", **more) for _ in range(2))
    other = fg.run("tlc", job, set=SMALL | {f"{seam}.name": "mine.py:Mine"} | more, seed=2, requests=True)
    assert _requests(first) == _requests(again)
    assert _requests(first) != _requests(other)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 // (self.first - self.first)", "mine.py:41: ZeroDivisionError"),
        ("if self.first >= 0:\n    raise ValueError('no')\nreturn 0", "mine.py:43: ValueError: no"),
        ("return self.before[10**6]", "mine.py:41: IndexError"),
        ("return view.random.below(0)", "ValueError: below: expected a bound of at least 1"),
        ("return -1", "mine.py:41: choose returned -1: expected a slot that is kept"),
        ("return 10**12", "choose returned 1000000000000: expected a slot that is kept"),
        ("return None", "mine.py:41: choose returns None: expected a whole number"),
        ("return 0.5", "choose returns a number with a fraction: expected a whole number"),
        (
            "return self.foo",
            "mine.py:42: choose cannot become machine code: self has no foo: there are before",
        ),
        ("return view.foo", "mine.py:42: choose cannot become machine code: view has no foo: there are kept"),
        ("import os\nreturn os.getpid()", "mine.py:42: choose cannot become machine code"),
        ("return {'a': []}['a']", "choose cannot become machine code"),
        (
            "self.first = 0.5\nreturn 0",
            "mine.py:42: choose cannot become machine code: self.first was made as int64",
        ),
        ("self.first += 0.5\nreturn 0", "self.first was made as int64 and cannot hold float64"),
        ("self.before = self.after\nreturn 0", "self.before cannot be set"),
        ("self.fresh = 1\nreturn 0", "mine.py:42: choose cannot become machine code: self has no fresh"),
        ("view.lpn[0] = 1\nreturn 0", "mine.py:42: choose cannot become machine code"),
    ],
)
def test_what_a_compiled_policy_does_wrong_ends_the_run_with_its_line(
    body: str, said: str, job: Path
) -> None:
    assert said in refused(job, eviction(body))


def test_functions_of_the_file_are_compiled_too_and_blamed_at_their_own_line(job: Path) -> None:
    Path("mine.py").write_text(eviction("return first(self)", "def first(policy):\n    return policy.first"))
    seam, more = "ftl.buffer.eviction", {"ftl.buffer.read_cache": True}
    own = run(job, seam, "mine.py:Mine", **more)
    assert _requests(own) == _requests(run(job, seam, "lru", **more))
    wrong = eviction("return first(self)", "def first(policy):\n    return policy.foo")
    assert "mine.py:45: choose cannot become machine code: self has no foo" in refused(job, wrong)


@pytest.mark.parametrize(
    ("seam", "text", "old", "new", "said"),
    [
        ("ftl.regulator", AGCR, "return chosen, history", "return chosen + 3, history", "choose returned 3: expected a cost from 0 to 2"),
        ("ftl.regulator", AGCR, "return chosen, history", "return chosen, 4 + history", "choose returned bits"),
        ("ftl.regulator", AGCR, "[steps.high(), steps.medium(), steps.low()]", "[]", "expected 1 to 8 fg.regulator.WriteCost"),
        ("ftl.regulator", AGCR, "return 2\n", "return 7\n", "bits_per_unit returned 7: expected a whole number from 0 to 6"),
        ("ftl.placement", ROUND_ROBIN, "return die\n", "return die + 4\n", "expected a die that is eligible, or None"),
        ("controller.scheduler", READ_PRIORITY, "return self.HOST_READ", "return 7", "expected a class that is ready"),
        ("controller.arbitration", TURNS, "return die, want", "return die, 1 - want", "expected a die that waits for it"),
        ("controller.arbitration", TURNS, "return die, want", "return die, 2", "expected COMMAND or DATA"),
        ("controller.arbitration", TURNS, "return die, want", "return die", "pick returns int64: expected a whole number and a whole number"),
        ("ftl.buffer.eviction", LRU, "        self.take_out(slot)\n\n    def choose", "        return slot\n\n    def choose", "on_leave returns int64: expected nothing"),
    ],
)  # fmt: skip
def test_answers_are_checked(seam: str, text: str, old: str, new: str, said: str, job: Path) -> None:
    assert old in text
    assert said in refused(job, text.replace(old, new), seam)


@pytest.mark.parametrize(
    "body",
    [
        "while self.first >= 0:\n    pass\nreturn 0",
        "while self.first >= 0:\n    try:\n        while True:\n            self.last += 1\n    except Exception:\n        pass\nreturn 0",
        "x = 0\nfor i in range(10**18):\n    x ^= i\nreturn x",
        "return helped(3)",
    ],
)
def test_a_loop_without_end_is_ended(body: str, job: Path) -> None:
    helped = "def helped(x):\n    while x == 3:\n        pass\n    return 1"
    said = refused(job, eviction(body, helped), policy_timeout="200ms")
    assert "mine.py:41: choose took longer than 200ms: expected an answer before (--policy-timeout)" in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("@fg.compiled\n", "", "asked for each request or unit: expected @fg.compiled before it"),
        (
            "np.full(slots, -1)\n        self.after",
            "[1]\n        self.after",
            "self.before: a list: expected a number or",
        ),
        (
            "np.full(slots, -1)\n        self.after",
            "1 // 0\n        self.after",
            "mine.py:8: ZeroDivisionError",
        ),
        ("buffer.eviction.Policy", "wear.Policy", "ftl.wear takes plain Python: expected no @fg.compiled"),
        ("(fg.buffer.eviction.Policy)", "", "expected a class of fg.regulator.Policy or another seam's"),
        ("def choose", "def chose", "expected a method choose"),
    ],
)
def test_a_class_that_cannot_be_one_is_refused(old: str, new: str, said: str, job: Path) -> None:
    assert old in LRU
    assert said in refused(job, LRU.replace(old, new, 1))


def test_parameters_are_those_of_any_policy(job: Path) -> None:
    Path("mine.py").write_text(CFLRU)
    seam, more = "ftl.buffer.eviction", {"ftl.buffer.read_cache": True}
    wide = run(job, seam, "mine.py:Mine", **more, **{f"{seam}.window_ratio": 1})
    narrow = run(job, seam, "mine.py:Mine", **more, **{f"{seam}.window_ratio": 0})
    assert wide.document.config[f"{seam}.window_ratio"] == 1
    assert _requests(wide) != _requests(narrow)
    with pytest.raises(fg.InputError, match="window_ratio"):
        run(job, seam, "mine.py:Mine", **more, **{f"{seam}.window_ration": 1})


def test_a_text_and_constants_of_the_class_can_be_asked_for(job: Path) -> None:
    text = eviction("if self.mode == 'first' and self.LIMIT == 3:\n    return self.first\nreturn -1")
    text = text.replace("    def attach", "    mode: str = 'first'\n    LIMIT = 3\n\n    def attach")
    Path("mine.py").write_text(text)
    seam, more = "ftl.buffer.eviction", {"ftl.buffer.read_cache": True}
    own = run(job, seam, "mine.py:Mine", **more)
    assert _requests(own) == _requests(run(job, seam, "lru", **more))
    assert "choose returned -1" in refused(job, text.replace("str = 'first'", "str = 'last'"))


def test_without_numba_the_extra_is_named(job: Path) -> None:
    Path("mine.py").write_text(LRU)
    text = (
        "import sys; sys.modules['numba'] = None\n"
        "import floatgate as fg\n"
        "fg.run('tlc', 'job.fio', set={'ftl.buffer.eviction.name': 'mine.py:Mine'}, limit_requests=10)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert "numba is not installed, which this needs: pip install 'floatgate[compiled]'" in done.stderr


def test_importing_the_package_and_naming_a_class_leave_numba_alone(job: Path) -> None:
    Path("mine.py").write_text(LRU)
    text = "import sys, floatgate as fg, mine\nassert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", text], check=True)


def test_a_result_brings_a_compiled_policy_along(job: Path, floatgate: Command) -> None:
    Path("mine.py").write_text(LRU)
    first = run(job, "ftl.buffer.eviction", "mine.py:Mine", **{"ftl.buffer.read_cache": True})
    document = json.loads((first.folder / "run.json").read_text())
    assert document["invocation"]["policies"][0]["source"] == LRU
    Path("mine.py").unlink()
    again = floatgate("run", str(first.folder / "run.json"), "--trust-policies", "--out", "again")
    assert again.returncode == 0, again.stderr
    assert json.loads(Path("again/run.json").read_text())["host"] == document["host"]
