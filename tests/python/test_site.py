"""The documentation site builds without a warning, loads nothing from outside, and search finds names."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("material")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a link that leads nowhere ends it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr + done.stdout
    return folder


class _Loads(HTMLParser):
    """What a page makes a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in ("script", "img", "iframe", "source") and values.get("src"):
            self.found.append(str(values["src"]))
        if tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.found.append(str(values["href"]))


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        loads = _Loads()
        loads.feed(page.read_text(encoding="utf-8"))
        for target in loads.found:
            assert not re.match(r"(https?:)?//", target), f"{page.name}: {target}"
            if page.name != "404.html":
                assert (page.parent / target.split("?")[0]).exists(), f"{page.name}: {target}"


def _found(site: Path, words: str) -> list[dict[str, Any]]:
    """The sections whose title or text has these words, as the search index holds them."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    return [entry for entry in index["docs"] if words.lower() in f"{entry['title']} {entry['text']}".lower()]


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("p99.9 of reads", "how-to/data-frames.html"),
        ("wait_gc_ns", "reference/tables.html#requestsparquet"),
        ("d-choices", "reference/policies.html#ftlgcvictim-d-choices"),
        ("nvme-qlc", "reference/drives.html"),
        ("msr", "reference/formats.html"),
    ],
)
def test_search_finds_what_a_reader_asks(site: Path, asked: str, page: str) -> None:
    assert page in {entry["location"] for entry in _found(site, asked)}
