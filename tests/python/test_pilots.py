"""What preconditioning's pilots find out is kept between runs, and a run is the same with and without it."""

import json
from pathlib import Path

import pytest

from conftest import Command
from floatgate.files import caches, pilots

RUN = ("run", "chung2010/slc", "random-write", "--limit-requests", "200", "--precondition", "instant")


def _files(run: Path) -> dict[str, bytes | str]:
    """The files of a run, without what it says about the machine and the report that shows it."""
    document = json.loads((run / "run.json").read_text())
    del document["engine"]
    return {"run.json": json.dumps(document)} | {
        name: (run / name).read_bytes() for name in ("requests.parquet", "latency.parquet", "series.parquet")
    }


def test_a_run_is_the_same_with_kept_answers_and_without(
    floatgate: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "pilots"

    def run(name: str, kept: str) -> dict[str, bytes | str]:
        monkeypatch.setenv(pilots.VARIABLE, kept)
        done = floatgate(*RUN, "--requests", "--no-report", "--out", name)
        assert done.returncode == 0, done.stderr
        return _files(tmp_path / name)

    without = run("without", caches.OFF)
    assert not place.exists()
    assert run("first", str(place)) == without
    entries = sorted(place.iterdir())
    assert entries
    assert run("second", str(place)) == without
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:-1])
    assert run("damaged", str(place)) == without
    assert sorted(place.iterdir()) == entries


def test_the_folder_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(pilots.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert pilots.folder() == tmp_path / "floatgate" / "pilots"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert pilots.folder() == tmp_path / "home" / ".cache" / "floatgate" / "pilots"
    monkeypatch.setenv(pilots.VARIABLE, str(tmp_path / "mine"))
    assert pilots.folder() == tmp_path / "mine"
    monkeypatch.setenv(pilots.VARIABLE, caches.OFF)
    assert pilots.folder() is None
    assert pilots.kept() is None


def test_a_short_run_imports_no_validators(floatgate_modules: set[str]) -> None:
    assert "pydantic" not in floatgate_modules
    assert "floatgate.commands.run" in floatgate_modules


@pytest.fixture
def floatgate_modules(tmp_path: Path) -> set[str]:
    """What a run with a report imports."""
    import subprocess
    import sys

    words = ["run", "chung2010/slc", "random-read", "--limit-requests", "10", "--out", str(tmp_path / "run")]
    code = (
        "import sys\nfrom floatgate.shell import main\ntry:\n    main(sys.argv[1:])\nfinally:\n"
        "    print('\\n'.join(sys.modules), file=open(sys.argv[-1] + '.modules', 'w'))"
    )
    subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, timeout=120)
    return set((tmp_path / "run.modules").read_text().split())
