"""What trims forget: the mapping units that they cover as a whole; and what a result says of the rest."""

import json
from pathlib import Path

import pytest

import floatgate as fg
from floatgate.results import versions

TINY = Path(__file__).parents[1] / "drives" / "tiny.toml"


def trims(folder: Path, unit: str, extents: list[tuple[int, int]]) -> fg.Run:
    """Write 64 KiB, then trim these bytes and lengths; every rule is checked."""
    lines = [
        "0 write 0 65536",
        *(f"{100 + at} trim {begin} {size}" for at, (begin, size) in enumerate(extents)),
    ]
    trace = folder / "trims.txt"
    trace.write_text("".join(line + "\n" for line in lines))
    columns, changes = (
        "time:ms op offset:bytes size:bytes",
        {"ftl.mapping_unit": unit, "nand.page_size": unit},
    )
    return fg.run(TINY, trace, columns=columns, check=True, set=changes)


@pytest.mark.parametrize(
    ("unit", "extents", "forgotten", "without", "outside"),
    [
        ("4KiB", [(0, 16384)], 4, 0, 0),
        ("4KiB", [(512, 4096)], 0, 1, 4096),
        ("4KiB", [(3584, 512)], 0, 1, 512),
        ("4KiB", [(512, 8192), (4096, 4096)], 1, 0, 4096),  # the second finds nothing left
        ("8KiB", [(4096, 8192), (0, 8192), (4096, 16384)], 2, 1, 8192 + 8192),
        ("8KiB", [(512, 1024), (512, 1024), (8192, 8192)], 1, 2, 2048),
    ],
)
def test_a_trim_forgets_whole_units_and_the_rest_is_counted(
    tmp_path: Path, unit: str, extents: list[tuple[int, int]], forgotten: int, without: int, outside: int
) -> None:
    run = trims(tmp_path, unit, extents)
    assert run.ftl.buffer.units_trimmed == forgotten
    assert run.host.trim.requests == len(extents)
    assert (run.host.trim.requests_without_unit, run.host.trim.bytes_outside_units) == (without, outside)


def test_an_older_result_does_not_say(tmp_path: Path) -> None:
    run = trims(tmp_path, "4KiB", [(0, 4096)])
    older = json.loads((run.folder / "run.json").read_text()) | {"schema": 4}
    for name in ("requests_without_unit", "bytes_outside_units"):
        del older["host"]["trim"][name]
    found = versions.current(older, tmp_path / "run.json")
    assert found["host"]["trim"]["requests_without_unit"] is None
    assert found["host"]["trim"]["requests"] == 1
