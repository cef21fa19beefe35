"""The table of `make portable`: a byte that differs is seen, and what cannot run says why."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

TABLE = Path(__file__).parents[1] / "portable.py"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.setenv("PORTABLE", str(tmp_path))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "targets", raising=False)
    spec = spec_from_file_location("portable", TABLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_differs_is_named(table: ModuleType) -> None:
    first = {"runs": {"slc none": "ab", "small-tlc instant": "cd"}, "packed": {"0.state": "12"}}
    assert table.told(first, first, "C")[1] == []
    other = {"runs": {"slc none": "ab", "small-tlc instant": "ce"}, "packed": {"0.state": "13"}}
    assert table.told(other, first, "C")[1] == ["runs: small-tlc instant", "packed: 0.state"]
    # Another codec packs otherwise.
    assert table.told(other, first, "plain Rust")[1] == ["runs: small-tlc instant"]


def test_a_digest_is_of_digits_and_not_of_the_machine(table: ModuleType) -> None:
    result = {"host": {"iops": 1.5}, "engine": {"wall_s": 3.0}}
    assert table.digest(result) == table.digest(result | {"engine": {"wall_s": 4.0}})
    assert table.digest(result) != table.digest(result | {"host": {"iops": 1.5000000000000002}})


def test_a_target_without_its_debian_says_what_to_do(table: ModuleType) -> None:
    missing = {target.name: target.made() for target in table.targets() if target.inside}
    assert len(missing) == 4
    assert all("tests/portable/chroot.sh make" in why for why in missing.values()), missing


def test_a_shuffled_trace_has_all_lines_out_of_order(table: ModuleType) -> None:
    text = "".join(f"{line}\n" for line in range(1000))
    found = table.shuffled(text).splitlines()
    assert found[:2] == ["999", "998"]
    assert sorted(found) == sorted(text.splitlines())
