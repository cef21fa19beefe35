"""A feature is named in its own room: what is not there yet may only become less."""

import feature_counts as counts

#: What each feature is still named outside its room.
MENTIONS = {
    "costs": 18,
    "demand": 2,
    "parity": 26,
    "snapshots": 11,
    "sectors": 2,
    "slc_cache": 1,
    "trims": 0,
}

#: Types with more than 60 methods.
METHODS = {"Media": 86, "BlockMapped": 97, "PageMapped": 73, "Core": 96, "Stripes": 77}


def test_no_feature_is_named_more_often_outside_its_room() -> None:
    found = counts.mentions()
    assert {name: count for name, count in found.items() if count > MENTIONS[name]} == {}


def test_no_type_has_more_methods() -> None:
    many = {name: count for name, count in counts.methods().items() if count > 60}
    assert set(many) <= set(METHODS)
    assert {name: count for name, count in many.items() if count > METHODS[name]} == {}
