"""The documentation site builds without a warning, loads nothing from outside, and search finds names."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg

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
            if page.name != "404.html" and not target.startswith("data:"):
                assert (page.parent / re.split("[?#]", target)[0]).exists(), f"{page.name}: {target}"


def _found(site: Path, asked: str) -> list[dict[str, Any]]:
    """The sections that have each of these words, which end where the search's own words end."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    separator = index["config"]["separator"]

    def words(text: str) -> set[str]:
        return set(re.split(separator, re.sub(r"<[^>]*>", " ", text).lower()))

    return [
        entry for entry in index["docs"] if words(asked) <= words(f"{entry['title']} {entry['text']}") | {""}
    ]


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        # What a newcomer to Floatgate asks.
        ("p99.9 of reads DataFrame", "how-to/data-frames.html"),
        ("ftl.gc.free_at_choice_mean", "reference/results.html#ftlgc"),
        ("gc.free_at_choice_mean", "reference/results.html#ftlgc"),
        ("free_at_choice_mean", "reference/results.html#ftlgc"),
        ("nvme-qlc off", "reference/drives/nvme-qlc.html#keys-that-are-off-on-nvme-qlc"),
        (
            "nvme-qlc ftl.parity.stripe",
            "reference/drives/nvme-qlc.html#keys-that-are-off-on-nvme-qlc",
        ),
        ("nvme-qlc", "reference/drives/nvme-qlc.html"),
        ("wait_gc_ns", "reference/tables.html#requestsparquet"),
        ("d-choices", "reference/policies/ftl.gc.victim.html#ftlgcvictim-d-choices"),
        ("nvme-qlc", "reference/drives.html"),
        ("msr", "reference/formats.html"),
    ],
)
def test_search_finds_what_a_reader_asks(site: Path, asked: str, page: str) -> None:
    assert page in {entry["location"] for entry in _found(site, asked)}


def test_a_drives_page_has_each_of_its_keys(site: Path) -> None:
    page = (site / "reference" / "drives" / "nvme-qlc.html").read_text(encoding="utf-8").replace("<wbr>", "")
    off, on = page.split('id="keys-in-force-on-nvme-qlc"')
    for key in fg.keys(drive="nvme-qlc"):
        assert f"<code>{key.key}</code>" in (on if key.off is None else off), key.key
