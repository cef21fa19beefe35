"""Every key that takes a list, on drives that read it: an odd list is refused in one line, or runs."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg

TINY = str(Path(__file__).parents[1] / "drives" / "tiny.toml")
#: What a list of each type may hold, in ascending order.
ITEMS: dict[str, list[Any]] = {
    "time": ["1us", "2us", "1s"],
    "voltage": ["100mV", "200mV", "3V"],
    "number": [0.001, 0.5, 2.0],
    "whole number": [1, 2, 4_000_000_000],
    "size": ["4KiB", "64KiB", "1GiB"],
    "text": ["a", "b", "conv"],
}
WRONG = [True, "", "-1us", -1, "1parsec", 1e308, []]


def item_type(key: fg.Key) -> str:
    """The type of the items of a key's list."""
    return re.sub(r"^one (.*) or a list of .*$", r"\1", key.type)


ALL = fg.keys()
LISTS = sorted({key.key for key in ALL if " or a list of " in key.type})


def test_all_types_of_items_are_known() -> None:
    assert len(LISTS) > 40
    assert {item_type(key) for key in ALL if key.key in LISTS} == set(ITEMS)


@cache
def on_drives() -> dict[str, list[tuple[str, str | None]]]:
    """The drives on which each key means something, with its value there; small drives last.

    A cut of power takes a drive of 240 GB a second, and a list may ask for forty.
    """
    found: dict[str, list[tuple[str, str | None]]] = {key: [] for key in LISTS}
    by_size = sorted(fg.drives(), key=lambda name: fg.drive(name).capacity_bytes or 0, reverse=True)
    for drive in [TINY, *by_size]:
        for key in fg.keys(drive=drive):
            if key.key in found and key.off is None:
                found[key.key].append((drive, key.value))
    return found


def needs(key: str) -> dict[str, Any]:
    """What a key needs beside it, as far as names say it: of the first way."""
    [first, *_] = [one for one in fg.keys(key) if one.key == key]
    parts = first.needs.split("; or ")[0].split(" and ")
    named = (part.split(" = ") for part in parts if " = " in part)
    return {of: names.split(",")[0].strip() for of, names in named}


def odd_lists(items: list[Any], own: str | None) -> list[Any]:
    """Lists that no one would write, and some that one might."""
    least, more, most = items
    found: list[Any] = [
        [],
        [least],
        [most],
        items,
        items[::-1],
        [more, more],
        [least] * 40,
        [most, least, more],
    ]
    found += [[least, wrong] for wrong in WRONG] + [[wrong] for wrong in WRONG] + WRONG
    whole = re.findall(r'"[^"]*"|[-+.\de]+', own or "")
    own_items = [
        one[1:-1] if one.startswith('"') else float(one) if "." in one or "e" in one else int(one)
        for one in whole
    ]
    if own_items:
        found += [own_items[::-1], own_items[:1], own_items[:-1], [*own_items, own_items[-1]]]
    return found


@pytest.mark.parametrize("key", LISTS)
def test_an_odd_list_is_refused_in_one_line_or_runs(key: str) -> None:
    if any(part.isupper() for part in key.split(".")):
        key = key.replace("PLAN", "normal").replace("SET", "fast")
    [listed, *_] = [one for one in ALL if one.key in LISTS and item_type(one) and _fits(one.key, key)]
    places = on_drives().get(listed.key) or [(TINY, None)]
    for drive, own in (places[0], places[-1]):
        for value in odd_lists(ITEMS[item_type(listed)], own):
            settings = (needs(listed.key) if own is None else {}) | {key: value}
            try:
                fg.run(drive, "random-write", set=settings, limit_requests=5, limit_time="1ms")
            except fg.InputError as error:
                said = str(error)
                assert "\n" not in said
                assert "panic" not in said, f"{drive}, {settings}: {said}"


def _fits(pattern: str, key: str) -> bool:
    return pattern.replace("PLAN", "normal").replace("SET", "fast") == key


def test_a_list_without_items_says_nothing_and_is_refused() -> None:
    for key in ("ftl.snapshots.at", "power.cut.at", "power.cut.after", "nand.interfaces", "nand.t_prog"):
        with pytest.raises(fg.InputError, match=re.escape(key)) as error:
            fg.drive(TINY, set={key: []})
        assert "at least one" in str(error.value)
    fg.drive(TINY, set={"nand.device_id": []})  # as without the key
