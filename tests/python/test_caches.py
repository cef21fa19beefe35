"""What is kept between runs is kept for what it follows from, and never fails a command."""

from pathlib import Path

import pytest

from floatgate.files import caches
from floatgate.report import html, kept


def page() -> str:
    """A page made in a process that knows nothing yet."""
    html._environment.cache_clear()
    kept.library.cache_clear()
    return html.render(
        "sheet.html", figures={}, kind="k", title="t", what="w", facts=[], sections=[], notice=""
    )


def test_it_is_kept_for_its_key(tmp_path: Path) -> None:
    one = caches.Cache(tmp_path / "deep" / "down")
    assert one.read("name", "key") is None
    one.write("name", "key", b"a\nb")
    assert one.read("name", "key") == b"a\nb"
    assert one.read("name", "another key") is None
    assert [path.name for path in (tmp_path / "deep" / "down").iterdir()] == ["name"]


def test_what_is_damaged_is_none(tmp_path: Path) -> None:
    one = caches.Cache(tmp_path)
    one.write("name", "key", b"content")
    whole = (tmp_path / "name").read_bytes()
    for place in range(len(whole)):
        (tmp_path / "name").write_bytes(whole[:place])
        assert one.read("name", "key") is None
        (tmp_path / "name").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert one.read("name", "key") is None


def test_a_place_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file" / "below", None):
        one = caches.Cache(place)
        one.write("name", "key", b"content")
        assert one.read("name", "key") is None
    assert (tmp_path / "file").read_text() == "mine"


def test_a_page_is_the_same_with_and_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kept.VARIABLE, caches.OFF)
    without = page()
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path))
    first = page()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert "library" in names
    assert len(names) == 4  # and the template with the two that it needs
    monkeypatch.setattr(html, "packed_library", lambda _path: pytest.fail("packed again"))
    assert page() == first == without


def test_a_changed_template_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path / "kept"))
    (tmp_path / "a.html").write_text("one")
    monkeypatch.setattr(html, "_TEMPLATES", tmp_path)
    for text in ("one", "two"):
        (tmp_path / "a.html").write_text(text)
        html._environment.cache_clear()
        assert html._environment().get_template("a.html").render() == text
    html._environment.cache_clear()
