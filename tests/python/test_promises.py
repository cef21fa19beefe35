"""`docs/promises.md`: every promise names the tests that hold it, and these exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
PROMISES = [" ".join(text.split()) for text in re.findall(r"^- (.*(?:\n  .*)*)", PAGE, re.MULTILINE)]
NAMED = sorted(set(re.findall(r"`([^`\s]+\.(?:py|rs))::(\w+)`", PAGE)))


def test_every_promise_names_a_test() -> None:
    assert len(PROMISES) > 20
    assert [text for text in PROMISES if not re.search(r"::\w+`", text)] == []


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_a_named_test_exists(path: str, name: str) -> None:
    assert (ROOT / path).is_file()
    assert re.search(rf"^\s*(def|fn) {name}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
