"""The flash disk of 2007: what its drive files say, and how its parts act together."""

import json
from pathlib import Path

import pytest

from conftest import Command
from floatgate import _core
from floatgate.files import shipped
from floatgate.grid import Setting, measure_one

SMALL = ("nand.blocks_per_plane=1024", "ftl.user_capacity=800MB")
FILE = 256 << 20


def test_a_random_write_copies_a_superblock_and_a_map_of_sectors_none() -> None:
    setting = Setting("random", "write", 8192, 1)
    failing = measure_one("gray2007-flash-disk", setting, overrides=SMALL, file_bytes=FILE)
    remedied = measure_one("gray2007-remedy", setting, overrides=SMALL, file_bytes=FILE)
    assert failing.waf == pytest.approx((1 << 20) / 8192, rel=0.02)
    assert remedied.waf == pytest.approx(1.0, rel=0.01)
    assert failing.iops is not None
    assert remedied.iops is not None
    assert remedied.iops > 1100 > 40 * failing.iops
    assert failing.stages_ns["wait_gc"] > 0.9 * (failing.latency_ns_mean or 0.0)


def test_the_remedy_differs_in_the_mapping_alone() -> None:
    def values(drive: str) -> dict[str, str]:
        card = json.loads(_core.explain_drive(drive, [], shipped.folders()))
        return {entry["key"]: entry["value"] for entry in card["entries"]}

    failing, remedied = values("gray2007-flash-disk"), values("gray2007-remedy")
    shared = failing.keys() & remedied.keys()
    changed = {key for key in shared if failing[key] != remedied[key]}
    assert changed == {"title", "ftl.mapping.name", "ftl.gc.read_ahead"}


@pytest.mark.parametrize(("gather", "pieces"), [("4KiB", 16), ("64KiB", 1)])
def test_a_read_gathers_before_it_goes_on(
    floatgate: Command, tmp_path: Path, gather: str, pieces: int
) -> None:
    """Alone on the drive, what crosses the link after the last page is the last piece, in full."""
    line = "diskspd -c64K -b64K -o1 -d1 -W0 a"
    options = ("--set", f"host.read_frame={gather}", "--precondition", "fill", "--check", "--no-report")
    result = floatgate("run", "slc", line, *options, "--out", "out")
    assert result.returncode == 0, result.stderr
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    link_ns = document["stages"]["read"]["link"]
    assert link_ns >= (64 << 10) / pieces / 550e6 * 1e9 * 0.999
    if pieces == 1:
        assert link_ns == pytest.approx((64 << 10) / 550e6 * 1e9, rel=0.01)
