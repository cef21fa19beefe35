"""A run folder is whole or not there at all."""

import errno
import threading
from pathlib import Path

import pytest

from floatgate.errors import InputError
from floatgate.folder import atomically, own_file, own_folder, read_json, write_json


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
