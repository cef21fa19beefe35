"""What the tests of the Python side share."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import fake_core
from floatgate.results import tables
from floatgate.results.folder import write_json

# The background job of a shell ignores Ctrl-C, and so would every command that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent

# Puts the stand-in core in the place of the real one, of which only the tables stay.
ON_FAKE = (
    f"import sys; sys.path.insert(0, {str(HERE)!r}); import fake_core, floatgate; "
    "sys.modules['floatgate._core'] = floatgate._core = fake_core"
)

Command = Callable[..., subprocess.CompletedProcess[str]]


def fake_command(*arguments: str) -> list[str]:
    """The command line that runs `floatgate` on the stand-in core."""
    return [sys.executable, "-c", f"{ON_FAKE}; from floatgate.shell import main; main()", *arguments]


@pytest.fixture
def fake(tmp_path: Path) -> Command:
    """Run `floatgate` on the stand-in core, in an empty folder."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            fake_command(*arguments), capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False
        )

    return run


@pytest.fixture
def floatgate(tmp_path: Path) -> Command:
    """Run the real `floatgate`, in an empty folder."""

    def run(*arguments: str, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "floatgate", *arguments],
            capture_output=True,
            text=True,
            cwd=cwd,
            timeout=300,
            check=False,
        )

    return run


@dataclass(frozen=True)
class Ended:
    """What came of a command line."""

    code: int
    out: str
    err: str


def in_process(*arguments: str, ends: type[BaseException] | None = None) -> Ended:
    """Run the real `floatgate` in this process, in the folder it works in.

    An `ends` that is raised on the way counts as success; its text is what was printed.
    """
    from floatgate import shell

    out, err = io.StringIO(), io.StringIO()
    sigterm, explain = signal.getsignal(signal.SIGTERM), shell._explain

    def explained(error: Exception) -> int:
        if ends is not None and isinstance(error, ends):
            out.write(str(error))
            return 0
        return explain(error)

    try:
        shell._explain = explained
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            shell.main(list(arguments))
    finally:
        shell._explain = explain
        signal.signal(signal.SIGTERM, sigterm)
    code = ended.value.code
    return Ended(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def one_line_error(result: subprocess.CompletedProcess[str]) -> str:
    """Return the error of a command that must have refused its input: one line, exit code 2."""
    assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
    errors = [line for line in result.stderr.splitlines() if line.startswith("floatgate: error: ")]
    assert len(errors) == 1, result.stderr
    assert result.stderr.rstrip("\n").endswith(errors[0]), result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    return errors[0].removeprefix("floatgate: error: ")


def made_up_run(folder: Path, change: Callable[[dict[str, Any]], None] = lambda _document: None) -> Path:
    """Write a run folder with the stand-in's numbers, changed as a test wants it."""
    workload = json.dumps({"kind": "generator", "name": "uniform-writes"})
    session = fake_core.Session("fake-tlc", [], [], workload, json.dumps({"seed": 7}))
    session.steps = session.total
    document = json.loads(session.result())
    document["interrupted"] = False
    change(document)
    folder.mkdir(parents=True)
    tables.write_latency(folder, document.pop("histogram"))
    tables.write_series(folder, document.pop("series"))
    write_json(folder / "run.json", document)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _caches_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests leave the user's cache alone."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base  # all workers find them out once
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLOATGATE_PILOTS", str(shared / "pilots"))
        patch.setenv("FLOATGATE_PAGES", str(tmp_path_factory.mktemp("pages")))
        yield
