"""A feature is named in its own room and in the list of features alone."""

import feature_counts as counts


def test_no_feature_is_named_outside_its_room() -> None:
    assert counts.mentions() == dict.fromkeys(counts.FEATURES, 0)
