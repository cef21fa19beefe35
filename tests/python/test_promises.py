"""Each promise and each invariant of the documents names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "promises.md").read_text(encoding="utf-8")
PROMISES = [" ".join(text.split()) for text in re.findall(r"^- (.*(?:\n  .*)*)", PAGE, re.MULTILINE)]
HOUSE = (ROOT / "docs" / "contributing" / "invariants.md").read_text(encoding="utf-8")
INVARIANTS = re.findall(r"^(\d+)\. (.*(?:\n   .*)*)", HOUSE, re.MULTILINE)
NAMED = sorted(set(re.findall(r"`([^`\s]+\.(?:py|rs))::(\w+)`", PAGE + HOUSE)))


def test_every_promise_names_a_test() -> None:
    assert len(PROMISES) > 20
    assert [text for text in PROMISES if not re.search(r"::\w+`", text)] == []


def test_every_invariant_names_a_test() -> None:
    assert [int(number) for number, _ in INVARIANTS] == list(range(1, len(INVARIANTS) + 1))
    assert len(INVARIANTS) >= 16
    assert [number for number, text in INVARIANTS if not re.search(r"::\w+`", text)] == []


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_a_named_test_exists(path: str, name: str) -> None:
    assert (ROOT / path).is_file()
    text = (ROOT / path).read_text(encoding="utf-8")
    # A function that is called so and is no test holds nothing.
    attribute = r"#\[test\]\n(?:\s*#\[.*\]\n)*" if path.endswith(".rs") else ""
    assert re.search(rf"{attribute}\s*(def|fn) {name}\b", text)
