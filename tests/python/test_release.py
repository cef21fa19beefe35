"""What a release needs beside code that works: one version everywhere, and the terms of everything inside."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "release"))

import licences  # noqa: E402

TERMS = (ROOT / "THIRD-PARTY-LICENSES.txt").read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^version: (.+)$", citation, re.MULTILINE)
    first = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    assert found is not None
    assert first is not None
    assert found[1] == first[1] == cargo["workspace"]["package"]["version"]


def test_every_crate_inside_is_listed_with_its_terms() -> None:
    linked = {f"{name} {version}" for name, version in licences.linked()}
    assert len(linked) > 60
    assert set(re.findall(r"^  (\S+ [0-9]\S*): ", TERMS, re.MULTILINE)) == linked, (
        "expected `make licences` after a change of crates"
    )


@pytest.mark.parametrize(
    ("terms", "taken"),
    [
        ("MIT OR Apache-2.0", ["MIT"]),
        ("Unlicense OR MIT", ["MIT"]),
        ("MIT/Apache-2.0", ["MIT"]),
        ("Apache-2.0 AND MIT", ["Apache-2.0", "MIT"]),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", ["MIT", "Unicode-3.0"]),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", ["MIT"]),
        ("BSD-3-Clause AND BSD-2-Clause", ["BSD-3-Clause", "BSD-2-Clause"]),
    ],
)
def test_of_terms_to_choose_from_the_shortest_are_taken(terms: str, taken: list[str]) -> None:
    assert licences.chosen(terms) == taken


@pytest.mark.parametrize("terms", ["MPL-2.0", "GPL-3.0-only", "MIT AND LGPL-2.1-or-later", "", "MIT AND"])
def test_other_terms_are_refused(terms: str) -> None:
    with pytest.raises(ValueError, match=r"expected one of 0BSD, MIT"):
        licences.chosen(terms)
