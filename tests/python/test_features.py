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


def test_no_feature_is_named_more_often_outside_its_room() -> None:
    found = counts.mentions()
    assert {name: count for name, count in found.items() if count > MENTIONS[name]} == {}
