"""Policies of the user's own that lead nowhere: every command ends, with a line that names what is wrong."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import Ended, in_process

pytest.importorskip("numpy")

KINDS = ("none", "fill", "steady", "instant", "workload")
JOB = "[a]\nrw=randwrite\nbs=4k\niodepth=8\nsize=100%\nnorandommap=1\nio_size=12m\n"
SMALL = (
    "nand.blocks_per_plane=24",
    "nand.pages_per_block=24",
    "nand.planes=1",
    "geometry.channels=2",
    "geometry.ways=1",
    "ftl.op_ratio=0.8",
    "ftl.buffer.size=256KiB",
)


@dataclass(frozen=True)
class Seam:
    """A decision, the question that it asks, and what the drive needs for it to be asked."""

    name: str
    question: str
    useless: tuple[str, ...]  # answers that are no use, as lines
    needs: tuple[str, ...] = ()
    more: str = ""  # what else a class must define
    lends: bool = False
    compiled: bool = False


SEAMS = (
    Seam(
        "gc.victim",
        "pick(self, view)",
        (
            "return view.candidates[0]",
            "return view.candidates[view.valid_units[view.candidates].argmax()]",
        ),
        lends=True,
    ),
    Seam(
        "gc.trigger",
        "foreground(self, view)",
        ("return False", "return True"),
        more="    def foreground_limit(self):\n        return 2\n",
    ),
    Seam(
        "wear",
        "relocate(self, view)",
        ("return view.candidates[0] if len(view.candidates) else None",),
        more="    def free_rank(self, superblock, pe_cycles, erases):\n        return 0\n",
        lends=True,
    ),
    Seam(
        "slc_cache",
        "most(self, view)",
        ("return 0", "return view.superblocks"),
        ("nand.slc_mode.t_r=20us", "nand.slc_mode.t_prog=100us", "nand.cell=mlc"),
    ),
    Seam(
        "refresh.order",
        "next(self, view)",
        ("return view.candidates[-1]",),
        ("ftl.refresh.age=30d", "ecc.code.name=ldpc", "nand.errors.name=power-law"),
        lends=True,
    ),
    Seam(
        "ftl.snapshots.expiry",
        "expire(self, view)",
        ("return view.serials[-1]",),
        ("ftl.snapshots.every=1ms", "ftl.snapshots.keep=2"),
    ),
    Seam("placement", "choose(self, view)", ("return None", "return view.next_eligible(0)"), compiled=True),
    Seam("buffer.eviction", "choose(self, view)", ("return -1",), compiled=True),
)


def policy(seam: Seam, answer: str) -> str:
    """Return the text of a file with a policy that answers so."""
    mark = "@fg.compiled\n" if seam.compiled else ""
    base = seam.name.removeprefix("ftl.") if seam.name.count(".") < 2 else seam.name
    body = "\n".join("        " + line for line in answer.splitlines())
    head = f"import os, signal\n\nimport floatgate as fg\n\n\n{mark}class Mine(fg.{base}.Policy):\n"
    return f"{head}    def {seam.question}:\n{body}\n\n{seam.more}"


def words(seam: Seam, kind: str) -> list[str]:
    """Return the command that runs a small drive with the policy of `mine.py`."""
    key = "ftl." + seam.name.removeprefix("ftl.")
    settings = [*SMALL, *seam.needs, f"{key}.name=mine.py:Mine"]
    changes = [word for setting in settings for word in ("--set", setting)]
    line = ["run", "slc", "job.fio", *changes, "--precondition", kind, "--out", "o", "--no-report"]
    return [*line, "--policy-timeout", "2s"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.fio").write_text(JOB)


def ended(seam: Seam, kind: str, answer: str) -> Ended:
    """Run with such a policy. Its outcome is one line, and no folder where it failed."""
    Path("mine.py").write_text(policy(seam, answer))
    shutil.rmtree("o", ignore_errors=True)
    end = in_process(*words(seam, kind))
    assert end.code in (0, 2), end.err
    if end.code == 2:
        assert end.err.count("floatgate: error: ") == 1, end.err
        assert end.err.splitlines()[-1].startswith("floatgate: error: "), end.err
        assert not Path("o").exists()
    return end


CASES = [pytest.param(seam, kind, id=f"{seam.name}-{kind}") for seam in SEAMS for kind in KINDS]


@pytest.mark.parametrize(("seam", "kind"), CASES)
def test_an_answer_that_leads_nowhere_ends_the_run(seam: Seam, kind: str) -> None:
    for answer in seam.useless:
        end = ended(seam, kind, answer)
        reasons = ("came nearer to its end", "mine.py:", "expected")
        assert end.code == 0 or any(reason in end.err for reason in reasons), end.err


def test_victims_that_gain_no_room_are_the_same_error_in_time_and_without() -> None:
    for kind in KINDS:
        end = ended(SEAMS[0], kind, SEAMS[0].useless[1])
        assert end.code == 2
        assert "no request of the host's came nearer to its end" in end.err
        assert "free 2, candidates" in end.err or "die 0: live" in end.err


@pytest.mark.parametrize(("seam", "kind"), CASES)
def test_an_exception_is_told_with_its_line(seam: Seam, kind: str) -> None:
    end = ended(seam, kind, "raise RuntimeError('mine')")
    # What is compiled has a line more, and is refused before it is asked where it can answer nothing at all.
    lines = (
        ("mine.py:9: RuntimeError", "mine.py:8: choose returns None") if seam.compiled else ("mine.py:8: ",)
    )
    assert end.code == 0 or any(line in end.err for line in lines), end.err
    assert end.code == 2 or seam.name in ("refresh.order", "buffer.eviction", "slc_cache"), "never asked"


@pytest.mark.parametrize(
    ("seam", "kind"), [case for case in CASES if isinstance(case.values[0], Seam) and case.values[0].lends]
)
def test_a_kept_view_is_told_at_once(seam: Seam, kind: str) -> None:
    answer = "return view.candidates[0] if len(view.candidates) else None"
    keeping = f"global kept\nkept = view.valid_units\n{answer}"
    end = ended(seam, kind, keeping)
    assert end.code == 0 or "kept an array of its view" in end.err, end.err
    assert end.code == 2 or seam.name == "refresh.order", "never asked"


SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143}
TELL = "os.write(int(os.environ['TOLD']), b'.')\n"
HANGING = {
    "loops": TELL + "while True: pass",
    "catches": TELL + "while True:\n    try:\n        while True: pass\n    except: pass",
    "slow": TELL + "sum(range(10_000_000))\nreturn view.candidates[0]",
}


@pytest.mark.parametrize(
    ("how", "sent", "kind"),
    [
        ("loops", signal.SIGINT, "instant"),
        ("loops", signal.SIGTERM, "none"),
        ("catches", signal.SIGINT, "none"),
        ("catches", signal.SIGTERM, "steady"),
        ("slow", signal.SIGINT, "steady"),
        ("slow", signal.SIGTERM, "workload"),
    ],
)
def test_a_signal_ends_a_command_in_the_middle_of_an_answer(
    how: str, sent: signal.Signals, kind: str
) -> None:
    """It is not the policy's fault, and no answer is waited for."""
    Path("mine.py").write_text(policy(SEAMS[0], HANGING[how]))
    line = [sys.executable, "-m", "floatgate", *words(SEAMS[0], kind)]
    line[line.index("--policy-timeout") + 1] = "1h"
    read, write = os.pipe()
    with subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=(write,),
        env={**os.environ, "TOLD": str(write)},
        # A shell that runs the tests in the background may ignore Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        os.close(write)
        asked = os.read(read, 1)
        process.send_signal(sent)
        try:
            _, err = process.communicate(timeout=120)
        finally:
            process.kill()
    os.close(read)
    assert asked, err
    assert process.returncode == SIGNALS[sent], err
    if sent == signal.SIGTERM:
        assert err.endswith("floatgate: ended by SIGTERM\n")
    assert "mine.py" not in err
    assert not Path("o").exists()
