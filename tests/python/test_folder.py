"""A run folder is whole or not there at all."""

import errno
from pathlib import Path

import pytest

from floatgate.errors import InputError
from floatgate.folder import atomically, read_json, write_json


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
