"""`floatgate snapshots`: what is drawn must be what was simulated, and nonsense is one line."""

import pytest

from floatgate.errors import InputError
from floatgate.runs.snapshot_costs import Asked, measure, page, sentence, shown

SMALL = ("nand.blocks_per_plane=32", "ftl.op_ratio=0.4", "geometry.channels=2")


def asked(**changes: object) -> Asked:
    """A small question, with changes."""
    usual = {"every": ("20ms",), "keep": (1, 2), "span": 0.2, "time": "100ms", "seed": 1}
    return Asked("slc", SMALL, **(usual | changes))  # type: ignore[arg-type]


def test_snapshots_cost_room_and_the_copy_reads_all_of_its_span() -> None:
    found = measure(asked())
    off, one, two = found.cases
    assert off.kept_bytes == 0
    assert off.take_ns is None
    assert 0 < one.kept_bytes < two.kept_bytes
    assert one.take_bytes >= found.capacity_bytes // 1024
    assert found.copy.bytes == pytest.approx(0.2 * found.capacity_bytes, rel=0.01)
    assert len(shown(found)) == 3
    assert "a copy of" in sentence(found)
    assert 'id="waf"' in page(found)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [({"span": 0.7}, "--span 0.7"), ({"every": ("0ms",)}, "ftl.snapshots.every"), ({"keep": (0,)}, "keep")],
)
def test_what_cannot_be_asked_is_refused(changes: dict[str, object], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        measure(asked(**changes))
