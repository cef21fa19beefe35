"""Words that make a reader guess, refused in what the project says: `GLOSSARY.md` lists better ones."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADING = "## Words that are not used"
#: A word may be parted by the end of a line and the sign of a comment.
PARTED = r"\s+(?:(?://[/!]?|#)\s*)?"
#: An author, not a pronoun.
NAMES = re.compile(r"(?:,| and) He\b(?=,| and)")


def pattern(heading: str) -> re.Pattern[str]:
    """Return what finds the words on the left of the glossary's table under a heading."""
    table = (ROOT / "GLOSSARY.md").read_text().partition(heading)[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    words = [word for row in rows for word in re.findall("`(.+?)`", row)]
    found = "|".join(PARTED.join(map(re.escape, word.split())) for word in words)
    return re.compile(rf"\b(?:{found})\b", re.IGNORECASE)


PATTERN = pattern(HEADING)
SUFFIXES = (".rs", ".py", ".pyi", ".md", ".toml", ".sh", ".json")


def files() -> list[str]:
    """Return the texts of the project but for its tests in Python, which hold names of their own."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    texts = [name for name in listed.splitlines() if name.endswith(SUFFIXES)]
    return [name for name in texts if not name.startswith("tests/python/")]


def hits(text: str) -> list[str]:
    """Return each refused word of a text with its line."""
    text = NAMES.sub("", text)
    return [f"{text.count(chr(10), 0, hit.start()) + 1}: {hit[0]}" for hit in PATTERN.finditer(text)]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("/// Programs under way.", 1),
        ("/// Programs under\n/// way, and nobody waits.", 2),
        ("# Whoever asks", 1),
        ("pages in flight, requests that wait, the way under the bridge", 0),
        ("those of a cluster", 0),
        ("Whatever he asks", 2),
        ("the ones\nthat move, and today's", 2),
        ("What the header offers; those of a client; the ones complement", 0),
        ("Wu and He, Xie, He and Zhang, as He says", 1),
    ],
)
def test_the_rule_finds_what_it_is_for(text: str, count: int) -> None:
    assert len(hits(text)) == count


def test_texts_name_their_nouns() -> None:
    found = []
    for name in files():
        text = (ROOT / name).read_text()
        text = text.partition(HEADING)[0] if name == "GLOSSARY.md" else text
        found += [f"{name}:{hit}" for hit in hits(text)]
    assert not found, "GLOSSARY.md has better words: " + "; ".join(found)
