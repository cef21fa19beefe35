"""A feature is named in its own room: what is not there yet may only become less."""

import feature_counts as counts

#: What each feature is still named outside its room, and all of them among the guards.
MENTIONS = {
    "regulation": 174,
    "demand": 293,
    "parity": 28,
    "snapshots": 11,
    "sectors": 2,
    "slc_cache": 1,
    "trims": 0,
}
GUARDED = 83

#: Types with more than 60 methods.
METHODS = {"Media": 105, "BlockMapped": 109, "PageMapped": 105, "Core": 90, "Stripes": 77}


def test_no_feature_is_named_more_often_outside_its_room() -> None:
    found = counts.mentions()
    assert {name: count for name, count in found.items() if count > MENTIONS[name]} == {}
    assert counts.guarded() <= GUARDED


def test_no_type_has_more_methods() -> None:
    many = {name: count for name, count in counts.methods().items() if count > 60}
    assert set(many) <= set(METHODS)
    assert {name: count for name, count in many.items() if count > METHODS[name]} == {}
