"""A feature is named in its own room: what is not there yet may only become less."""

import feature_counts as counts

#: What each feature is still named outside its room, and all of them among the guards.
MENTIONS = {
    "costs": 18,
    "demand": 290,
    "parity": 26,
    "snapshots": 11,
    "sectors": 2,
    "slc_cache": 1,
    "trims": 0,
}
GUARDED = 51

#: Types with more than 60 methods.
METHODS = {"Media": 90, "BlockMapped": 109, "PageMapped": 104, "Core": 96, "Stripes": 77}


def test_no_feature_is_named_more_often_outside_its_room() -> None:
    found = counts.mentions()
    assert {name: count for name, count in found.items() if count > MENTIONS[name]} == {}
    assert counts.guarded() <= GUARDED


def test_no_type_has_more_methods() -> None:
    many = {name: count for name, count in counts.methods().items() if count > 60}
    assert set(many) <= set(METHODS)
    assert {name: count for name, count in many.items() if count > METHODS[name]} == {}
