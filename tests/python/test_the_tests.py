"""The tests themselves: Rust's are all compiled, documented `cargo test` lines name some, none sleeps."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALL = sorted(ROOT.glob("crates/*/tests/all/main.rs"))
PARTS = sorted(ROOT.glob("crates/*/tests/all/*/mod.rs"))
TEXTS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
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


def test_a_crate_has_one_binary_of_tests() -> None:
    """Linked singly, files cost more than their tests; the swarm and what counts allocations stand apart."""
    found: dict[str, set[str]] = {}
    for path in [*ROOT.glob("crates/*/tests/*.rs"), *ROOT.glob("crates/*/tests/*/main.rs")]:
        crate, _, name = path.relative_to(ROOT / "crates").parts[:3]
        found.setdefault(crate, set()).add(name)
    assert found.pop("sim") == {"all", "allocations", "swarm"}
    assert set(found) >= {"bus", "ftl", "host", "nand", "testkit"}
    assert {crate: names for crate, names in found.items() if names != {"all"}} == {}


def test_a_crate_whose_sources_hold_no_test_is_not_compiled_for_any() -> None:
    """Compiled once more it has nothing to run; a library that has tests must not be left out."""
    crates = [*sorted(ROOT.glob("crates/*")), ROOT / "tests" / "portable"]
    for crate in crates:
        manifest = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))
        targets = [manifest.get("lib", {}), *manifest.get("bin", [])]
        texts = [path.read_text(encoding="utf-8") for path in (crate / "src").rglob("*.rs")]
        has_tests = any(re.search(r"#\[(?:\w+::)?test\]|#!?\[cfg\(test\)\]", text) for text in texts)
        assert {target.get("test", True) for target in targets if target} == {has_tests}, crate.name


@pytest.mark.parametrize("main", ALL + PARTS, ids=lambda path: "-".join(path.parts[-4:-1]))
def test_no_file_of_tests_is_left_out(main: Path) -> None:
    # A module with a path of its own is shared with others.
    named = set(re.findall(r"(?<!\]\n)^mod (\w+);", main.read_text(encoding="utf-8"), re.MULTILINE))
    parts = {path.parent.name for path in main.parent.glob("*/mod.rs")}
    assert named == {path.stem for path in main.parent.glob("*.rs")} - {"main", "mod"} | parts


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


def test_what_mutants_are_made_of_is_there() -> None:
    settings = tomllib.loads((ROOT / ".cargo" / "mutants.toml").read_text(encoding="utf-8"))
    assert [glob for glob in settings["examine_globs"] if not list(ROOT.glob(glob))] == []
    assert [name for name in settings["test_package"] if not (ROOT / "crates" / name).is_dir()] == []
