"""The tests themselves: Rust's are all compiled, documented `cargo test` lines name some, none sleeps."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALL = sorted(ROOT.glob("crates/*/tests/all/main.rs"))
TEXTS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("crates/*/src/**/*.rs"),
    *ROOT.glob("crates/*/tests/**/*.rs"),
    *ROOT.glob("fuzz/fuzz_targets/*.rs"),
]
TYPED = sorted(
    {
        match.groups()
        for path in TEXTS
        for match in re.finditer(
            r"cargo test [^`\n]*-p (\w+) --test (\w+)(?: (\w+)::)?", path.read_text(encoding="utf-8")
        )
    },
    key=str,
)


@pytest.mark.parametrize("main", ALL, ids=lambda path: path.parts[-4])
def test_no_file_of_tests_is_left_out(main: Path) -> None:
    # A module with a path of its own is shared with others.
    named = set(re.findall(r"(?<!\]\n)^mod (\w+);", main.read_text(encoding="utf-8"), re.MULTILINE))
    assert named == {path.stem for path in main.parent.glob("*.rs")} - {"main"}


def test_some_are_typed() -> None:
    assert len(ALL) >= 3
    assert len(TYPED) >= 5


@pytest.mark.parametrize(("crate", "binary", "module"), TYPED)
def test_a_documented_cargo_test_is_there(crate: str, binary: str, module: str | None) -> None:
    tests = ROOT / "crates" / crate / "tests"
    assert (tests / f"{binary}.rs").is_file() or (tests / binary / "main.rs").is_file()
    assert module is None or (tests / binary / f"{module}.rs").is_file()
    assert module is not None or binary != "all", "expected the file of which the line speaks"


def test_no_test_sleeps() -> None:
    """A fixed time is too short on a busy machine: a test waits for a sign."""
    sleep = re.compile(r"\bsleep\(|^sleep \d", re.MULTILINE)
    texts = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("crates/*/tests/**/*.rs")]
    found = {path.name for path in texts if path != Path(__file__) and sleep.search(path.read_text())}
    assert found <= {"fake_core.py"}  # where a step of a made-up run takes time
