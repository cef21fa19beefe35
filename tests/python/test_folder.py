"""A run folder is whole or not there at all."""

import errno
import fcntl
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from floatgate.errors import InputError
from floatgate.results import marker
from floatgate.results.folder import atomically, check_state_file, own_file, own_folder, read_json, write_json


def _write_run(folder: Path, text: str) -> None:
    write_json(folder / "run.json", {"text": text})


def test_a_finished_block_becomes_the_folder(tmp_path: Path) -> None:
    with atomically(tmp_path / "a" / "run") as partial:
        _write_run(partial, "new")
        assert not (tmp_path / "a" / "run").exists()
    assert read_json(tmp_path / "a" / "run" / "run.json") == {"text": "new"}
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["run"]


@pytest.mark.parametrize("error", [InputError("bad line"), KeyboardInterrupt(), ValueError("a bug")])
def test_a_failed_block_leaves_nothing(tmp_path: Path, error: BaseException) -> None:
    def fail() -> None:
        with atomically(tmp_path / "run") as partial:
            _write_run(partial, "half")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    def fill() -> None:
        with atomically(tmp_path / "run") as partial:
            _write_run(partial, "half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(
        InputError, match=r"run: cannot be written: no space left on device \(free some space"
    ):
        fill()
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_run_is_kept_unless_forced(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with atomically(out) as partial:
        _write_run(partial, "old")
    with pytest.raises(InputError, match=r"holds a run already.*--force"), atomically(out):
        pass
    assert read_json(out / "run.json") == {"text": "old"}
    with atomically(out, force=True) as partial:
        _write_run(partial, "new")
    assert read_json(out / "run.json") == {"text": "new"}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_failed_replacement_keeps_the_earlier_run(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with atomically(out) as partial:
        _write_run(partial, "old")

    def fail() -> None:
        with atomically(out, force=True) as partial:
            _write_run(partial, "half")
            raise InputError("bad line")

    with pytest.raises(InputError):
        fail()
    assert read_json(out / "run.json") == {"text": "old"}


def test_force_never_removes_what_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("years of work")
    with (
        pytest.raises(InputError, match="holds files that are no run"),
        atomically(tmp_path / "home", force=True),
    ):
        pass
    assert (tmp_path / "home" / "thesis.tex").read_text() == "years of work"


@pytest.mark.parametrize("name", ["results.csv", "run.json", "grid.json"])
def test_a_result_among_other_files_makes_no_run_of_them(name: str, tmp_path: Path) -> None:
    """Results kept beside a thesis leave the thesis whole: only the marker says that a folder may go."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / name).write_text("{}")
    (tmp_path / "home" / "thesis.tex").write_text("years of work")

    def replace() -> None:
        with atomically(tmp_path / "home", force=True) as partial:
            _write_run(partial, "new")

    with pytest.raises(InputError):
        replace()
    assert (tmp_path / "home" / "thesis.tex").read_text() == "years of work"
    assert (tmp_path / "home" / name).read_text() == "{}"


def test_what_an_earlier_version_put_aside_is_not_in_the_way(tmp_path: Path) -> None:
    _run_into(tmp_path / "run")
    for old in (f".run.partial-{os.getpid()}.old", ".run.old"):
        (tmp_path / old).mkdir()
        (tmp_path / old / "run.json").write_text("{}")
    with atomically(tmp_path / "run", force=True) as partial:
        _write_run(partial, "newer")
    assert read_json(tmp_path / "run" / "run.json") == {"text": "newer"}


def test_force_never_removes_a_file_that_floatgate_did_not_write(tmp_path: Path) -> None:
    _run_into(tmp_path / "run")
    (tmp_path / "run" / "notes").mkdir()
    (tmp_path / "run" / "notes" / "thesis.tex").write_text("years of work")
    with (
        pytest.raises(InputError, match=r"notes/thesis\.tex: Floatgate did not write this file"),
        atomically(tmp_path / "run", force=True),
    ):
        pass
    assert (tmp_path / "run" / "notes" / "thesis.tex").read_text() == "years of work"


def test_a_file_that_comes_while_the_run_goes_on_is_kept(tmp_path: Path) -> None:
    _run_into(tmp_path / "run")

    def replace() -> None:
        with atomically(tmp_path / "run", force=True) as partial:
            _write_run(partial, "new")
            (tmp_path / "run" / "late.txt").write_text("kept")

    with pytest.raises(InputError, match="did not write"):
        replace()
    assert (tmp_path / "run" / "late.txt").read_text() == "kept"


def test_of_many_commands_into_one_folder_one_wins(tmp_path: Path) -> None:
    ready, said = threading.Barrier(8), []

    def run(number: int) -> None:
        try:
            with atomically(tmp_path / "run") as partial:
                _write_run(partial, str(number))
                ready.wait()
        except InputError as error:
            said.append(str(error))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 7
    named = {Path(line.rsplit(" ", 1)[1]) for line in said}
    texts = {read_json(folder / "run.json")["text"] for folder in named | {tmp_path / "run"}}
    assert texts == set(map(str, range(8)))
    assert len(list(tmp_path.iterdir())) == 8


def test_a_folder_that_is_just_begun_is_not_taken_for_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another command looks between the making of the marker and its lock."""
    lock, seen = fcntl.flock, []

    def look_then_lock(file: Any, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        seen.append(marker.is_abandoned(tmp_path))
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", look_then_lock)
    with marker.locked(tmp_path):
        assert seen == [False]
        assert not marker.is_abandoned(tmp_path)
    assert marker.is_abandoned(tmp_path)


def test_a_run_put_aside_comes_back_after_a_crash(tmp_path: Path) -> None:
    _run_into(tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / ".run.aside-0123")
    with pytest.raises(InputError, match="bad line"), atomically(tmp_path / "run", force=True):
        raise InputError("bad line")
    assert read_json(tmp_path / "run" / "run.json") == {"text": "new"}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_links(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    with atomically(tmp_path / "link") as partial:
        _write_run(partial, "new")
    assert read_json(tmp_path / "there" / "run.json") == {"text": "new"}
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match="a link that leads nowhere"), atomically(tmp_path / "nowhere"):
        pass


def test_a_refused_run_leaves_no_parents(tmp_path: Path) -> None:
    with pytest.raises(InputError), atomically(tmp_path / "a" / "b" / "run"):
        raise InputError("bad line")
    assert list(tmp_path.iterdir()) == []


def test_a_report_made_later_is_floatgates_own(tmp_path: Path) -> None:
    _run_into(tmp_path / "run")
    (tmp_path / "run" / "report.html").write_text("a report")
    marker.add(tmp_path / "run" / "report.html")
    assert marker.foreign(tmp_path / "run") == []


def test_a_saved_state_is_replaced_only_on_request(tmp_path: Path) -> None:
    state = tmp_path / "state"
    check_state_file(state, force=False)
    state.write_bytes(b"FLGATESN and more")
    with pytest.raises(InputError, match=r"exists: expected a new file, or --force"):
        check_state_file(state, force=False)
    check_state_file(state, force=True)
    with pytest.raises(InputError, match="is no regular file"):
        check_state_file(tmp_path, force=True)
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match="is no regular file"):
        check_state_file(tmp_path / "link", force=True)
    (tmp_path / "thesis").write_bytes(b"ten years of work")
    with pytest.raises(InputError, match="is no saved state"):
        check_state_file(tmp_path / "thesis", force=True)


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace here")
def test_a_saved_state_is_on_the_disk_before_it_has_its_name(tmp_path: Path) -> None:
    tiny = Path(__file__).parents[1] / "drives" / "tiny.toml"
    run = f"-m floatgate run {tiny} random-write --limit-requests 5 --no-report --save-state s.state --out o"
    calls = ["strace", "-f", "-y", "-o", "calls", "-e", "trace=fsync,rename,renameat,renameat2"]
    done = subprocess.run(
        [*calls, sys.executable, *run.split()], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if "ptrace" in done.stderr:
        pytest.skip("strace may not look here")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "calls").read_text()
    named = re.search(r'rename\w*\(.*?"[^"]*?([^"/]+)", .*"s\.state"', text)
    assert named is not None, text
    synced = re.search(rf"fsync\(\d+<{re.escape(str(tmp_path / named[1]))}>\) += 0", text)
    assert synced is not None, text
    assert synced.start() < named.start()


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("x")
    with pytest.raises(InputError, match="is a file"), atomically(tmp_path / "run"):
        pass
    with (
        pytest.raises(InputError, match=r"cannot be written: .*part of the path"),
        atomically(tmp_path / "run" / "b"),
    ):
        pass


@pytest.mark.parametrize("damage", ["", "{", "[]", "\x00\x01"])
def test_a_damaged_document_is_refused(tmp_path: Path, damage: str) -> None:
    (tmp_path / "run.json").write_text(damage)
    with pytest.raises(InputError, match="expected a result that floatgate wrote"):
        read_json(tmp_path / "run.json")


def test_a_document_without_meaningful_numbers_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "run.json", {"waf": float("nan")})


def _run_into(folder: Path) -> str:
    with own_folder(None, folder) as out, atomically(out) as partial:
        _write_run(partial, "new")
    return out.name


def test_usual_folders_are_numbered(tmp_path: Path) -> None:
    usual = tmp_path / "out" / "tlc-volume-a,fit=0.5"  # a point in a name begins no suffix
    assert [_run_into(usual) for _ in range(3)] == [usual.name, usual.name + "-2", usual.name + "-3"]
    assert {path.name for path in usual.parent.iterdir()} == {usual.name + end for end in ("", "-2", "-3")}


def test_runs_at_the_same_time_have_folders_of_their_own(tmp_path: Path) -> None:
    names: list[str] = []
    threads = [
        threading.Thread(target=lambda n=number: names.append(_claim_and_hold(tmp_path / "run", n)))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(names) == sorted({"run", *(f"run-{number}" for number in range(2, 9))})
    assert {read_json(tmp_path / name / "run.json")["text"] for name in names} == set(map(str, range(8)))


def _claim_and_hold(usual: Path, number: int) -> str:
    with own_folder(None, usual) as out:
        _write_run(out, str(number))
        return out.name


def test_a_failed_run_gives_its_folder_back(tmp_path: Path) -> None:
    with pytest.raises(InputError), own_folder(None, tmp_path / "out" / "run") as out, atomically(out):
        raise InputError("bad line")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_named_is_taken_as_it_is(tmp_path: Path) -> None:
    _run_into(tmp_path / "run")
    with own_folder(tmp_path / "run", tmp_path / "usual") as out, pytest.raises(InputError), atomically(out):
        pass
    with own_folder(None, tmp_path / "run", force=True) as out:
        assert out == tmp_path / "run"


def test_usual_files_are_numbered(tmp_path: Path) -> None:
    usual = tmp_path / "out" / "age-tlc.html"
    for name in ("age-tlc.html", "age-tlc-2.html"):
        with own_file(None, usual) as file:
            file.write_text(name)
    with own_file(None, usual):
        pass  # nothing is written
    assert {path.name: path.read_text() for path in usual.parent.iterdir()} == {
        "age-tlc.html": "age-tlc.html",
        "age-tlc-2.html": "age-tlc-2.html",
    }


@pytest.mark.parametrize("out", [".", "..", "../work", "../../{above}/work"])
def test_the_working_folder_is_not_replaced(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def write() -> None:
        with atomically(Path(out.format(above=tmp_path.name))):
            raise AssertionError("nothing is begun")

    with pytest.raises(InputError, match="is the working folder, or one around it"):
        write()
    with atomically(Path("run")) as partial:
        _write_run(partial, "below it")
    assert (work / "run" / "run.json").is_file()
