"""`floatgate trace info`: shares of a trace made by hand, real traces against a plain count, bad input."""

import csv
import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from floatgate.report import trace_volumes

TRACES = Path(os.environ.get("FLOATGATE_TRACES", Path(__file__).parents[3] / "shared" / "traces"))

# Time in ticks of 100 ns, host, disk, operation, offset, size, response.
HAND = """\
1000,h,0,Read,0,4096,0
1010,h,0,Read,0,8192,0
1020,h,0,Write,8192,4096,0
1030,h,0,Write,8192,4096,0
1040,h,0,Read,12288,4096,0
1140,h,0,Write,12288,4096,0
"""
# Page 0: two reads; page 1: one read; page 2: two writes; page 3: one of each.


def _info(floatgate: Command, *arguments: str) -> list[dict[str, Any]]:
    done = floatgate("trace", "info", *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.fixture
def hand(tmp_path: Path) -> str:
    path = tmp_path / "hand.csv"
    path.write_text(HAND, encoding="utf-8")
    return str(path)


def test_shares_of_a_trace_made_by_hand(floatgate: Command, hand: str) -> None:
    (found,) = _info(floatgate, hand)
    access = found["access"]
    assert access["pages"] == {"read_only": 2, "write_only": 1, "interleaved": 1}
    assert access["read_shares"] == {"read_only": 3 / 4, "write_only": 0.0, "interleaved": 1 / 4}
    assert access["write_shares"] == {"read_only": 0.0, "write_only": 2 / 3, "interleaved": 1 / 3}
    # Without the one read of page 1, which is never accessed again.
    assert access["reused_read_shares"] == {"read_only": 2 / 3, "write_only": 0.0, "interleaved": 1 / 3}
    assert access["reused_write_shares"] == access["write_shares"]
    assert access["accesses_per_page"] == 7 / 4
    assert (access["pages_accessed_once"], access["pages_read_and_written"]) == (1, 1)
    assert found["footprint_pages"] == 4
    assert found["footprint_exact"]
    # The third begins where the second ended; the fifth where the fourth did.
    assert found["sequential_fraction"] == 2 / 6
    assert found["read_sizes"]["mean_bytes"] == 16384 / 3
    assert found["write_sizes"]["p99_bytes"] == 4096
    assert found["size_bins"] == [
        {"up_to_bytes": 4096, "read": 2, "write": 3},
        {"up_to_bytes": 8192, "read": 1, "write": 0},
    ]
    gaps = found["gaps"]
    assert (gaps["mean_ns"], gaps["p50_ns"]) == (2800.0, 1000)
    # Four gaps of 1000 ns and one of 10000 ns: variance 0.8 * 1800^2 + 0.2 * 7200^2 = 3600^2.
    assert gaps["variation"] == pytest.approx(3600 / 2800)


def test_page_size_and_threshold_are_adjustable(floatgate: Command, hand: str) -> None:
    (found,) = _info(floatgate, hand, "--page-size", "8KiB")
    # Page 0: two reads; page 1: one read, three writes.
    assert found["access"]["pages"] == {"read_only": 1, "write_only": 0, "interleaved": 1}
    assert found["footprint_pages"] == 4, "the footprint keeps its unit"
    (found,) = _info(floatgate, hand, "--page-size", "8KiB", "--threshold", "0.74")
    assert found["access"]["pages"] == {"read_only": 1, "write_only": 1, "interleaved": 0}
    (found,) = _info(floatgate, hand, "--page-size", "8KiB", "--threshold", "0.75")
    assert found["access"]["pages"]["interleaved"] == 1, "three of four are not more than 75 %"


def test_constant_memory_tells_no_pages_apart(floatgate: Command, hand: str) -> None:
    (found,) = _info(floatgate, hand, "--constant-memory")
    assert found["access"] is None
    assert not found["footprint_exact"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--page-size", "4096"), "--page-size 4096: the unit is missing"),
        (("--page-size", "3KiB"), "--page-size: 3072 bytes: expected a power of two"),
        (("--threshold", "0.4"), "--threshold: 0.4: expected a share of accesses from 0.5 to 1"),
        (("--threshold", "95%"), "--threshold 95%: not such a share"),
        (("--threshold", "0.95000001"), "--threshold 0.95000001: not such a share"),
        (("--seed", "3"), "is no synthetic volume"),
    ],
)
def test_bad_options_are_one_line(
    floatgate: Command, hand: str, arguments: tuple[str, ...], message: str
) -> None:
    done = floatgate("trace", "info", hand, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("1150,h,0,Rad,0,4096,0", ":7: operation is"),
        ("1150,h,0,Read,0,4097,0", ":7: size 4097 is not a whole number of sectors"),
        ("1150,h,0,Read,0", ":7: "),
        ("1150,h,0,Read,0,0,0", ":7: a request of size 0"),
    ],
)
def test_bad_lines_have_their_place(floatgate: Command, hand: str, line: str, place: str) -> None:
    Path(hand).write_text(HAND + line + "\n", encoding="utf-8")
    done = floatgate("trace", "info", hand)
    assert done.returncode == 2
    assert place in done.stderr
    assert done.stderr.count("\n") == 1
    (found,) = _info(floatgate, hand, "--skip-bad-lines")
    assert (found["skipped_lines"], found["requests"]["read"]) == (1, 3)


def test_several_at_once_are_a_row_each_and_one_picture(
    floatgate: Command, hand: str, tmp_path: Path
) -> None:
    out = tmp_path / "o"
    volume = "volume:wdev_0,requests=2000"
    done = floatgate("trace", "info", hand, volume, "--out", str(out))
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    assert rows[1].startswith("hand ")
    assert rows[2].startswith("wdev_0,requests=2000 (synthetic) ")
    picture = (out / "traces.svg").read_text(encoding="utf-8")
    assert picture.count("(synthetic)") >= 2
    assert [found["path"] for found in json.loads((out / "traces.json").read_text())] == [hand, volume]
    again = floatgate("trace", "info", hand, volume, "--out", str(out), "--force")
    assert again.returncode == 0, again.stderr
    assert (out / "traces.svg").read_text(encoding="utf-8") == picture, "the same numbers, the same bytes"


@pytest.mark.parametrize("name", ["msr-rsrch_1.csv.gz", "msr-hm_0-slice.csv.gz", "msr-rsrch_0-head.csv.gz"])
@pytest.mark.parametrize("page", [4096, 16384])
def test_real_traces_agree_with_a_plain_count(floatgate: Command, name: str, page: int) -> None:
    path = TRACES / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    accesses: dict[str, Counter[int]] = {"Read": Counter(), "Write": Counter()}
    with gzip.open(path, "rt") as lines:
        for _, _, _, kind, offset, size, _ in csv.reader(lines):
            last = (int(offset) + int(size) - 1) // page
            accesses[kind].update(range(int(offset) // page, last + 1))
    reads, writes = accesses["Read"], accesses["Write"]
    expected = {kind: dict.fromkeys(("read_only", "write_only", "interleaved"), 0) for kind in "prw"}
    for at in reads.keys() | writes.keys():
        share = 100 * reads[at] / (reads[at] + writes[at])
        kind = "read_only" if share > 95 else "write_only" if share < 5 else "interleaved"
        for what, count in (("p", 1), ("r", reads[at]), ("w", writes[at])):
            expected[what][kind] += count
    (found,) = _info(floatgate, str(path), "--page-size", f"{page}B")
    access = found["access"]
    assert {"p": access["pages"], "r": access["reads"], "w": access["writes"]} == expected


def test_a_long_name_breaks_and_has_room_beside_its_bars() -> None:
    found = [{"path": "volume:src1_0,requests=1000000,interleaved=0.9,burst=20", "access": None}]
    drawn = trace_volumes.shares(found)
    ticks = drawn.panels[0].y.ticks
    assert ticks is not None
    (name,) = ticks.values()
    assert name.replace("\n", " ") == "src1_0,requests=1000000, interleaved=0.9,burst=20 (synthetic)"
    assert drawn.widths is not None
    assert drawn.widths[0] - drawn.widths[1] > 6 * max(map(len, name.splitlines()))
    assert sum(drawn.widths) == pytest.approx(trace_volumes._WIDTH)
