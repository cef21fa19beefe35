"""`floatgate place`, and the rules that need a workload to tell something."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg
from conftest import in_process

SMALL: dict[str, Any] = {
    "nand.blocks_per_plane": 64,
    "ftl.user_capacity": "48MiB",
    "ftl.streams.name": "fdp",
    "ftl.streams.handles": 3,
}
TINY = Path(__file__).parents[2] / "tests" / "drives" / "tiny.toml"
COLUMNS = "time:us process op offset:bytes size:bytes volume"


def trace(folder: Path, *writes: tuple[int | str, int, int]) -> str:
    """Write a table of processes, pages and volumes, all of one page."""
    lines = [f"{n} {who} write {page * 4096} 4096 {volume}\n" for n, (who, page, volume) in enumerate(writes)]
    (folder / "t.txt").write_text("".join(lines), encoding="utf-8")
    return str(folder / "t.txt")


def placed(workload: str, rule: str, **options: Any) -> list[int]:
    """Return the pages that were written through each handle."""
    run = fg.run("slc", workload, set=SMALL, place=rule, check=True, columns=COLUMNS, **options)
    streams = run.ftl.streams
    assert streams is not None
    return [handle.bytes_written // 4096 for handle in streams.handles]


def test_processes_and_volumes_have_handles_of_their_own(tmp_path: Path) -> None:
    file = trace(tmp_path, (70, 0, 0), (9, 1, 1), (70, 2, 0), ("-", 3, 1), (8, 4, 0), (7, 5, 1))
    # 70, 9, 8 and 7 take handles 0, 1, 2 and again 0; what names no process goes through 0.
    assert placed(file, "process") == [4, 1, 1]
    assert placed(file, "process", sort=True) == [4, 1, 1]
    assert placed(file, "volume") == [3, 3, 0]


def test_hindsight_parts_lives_where_they_lie_apart(tmp_path: Path) -> None:
    often = [(1, 0, 0)] * 8  # seven die at once, the last lives on
    late = [(1, page, 0) for page in range(10, 1210)] * 2  # 1,200 die after as many others, 1,200 live on
    file = trace(tmp_path, *often, *late)
    assert placed(file, "hindsight") == [7, 1200, 1201]
    # Passes after the first know as much.
    assert placed(file, "hindsight", loop=2) == [14, 2400, 2402]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("process", "names no processes: expected a trace with them"),
        ("volume", "is no trace of several volumes: expected such a trace"),
    ],
)
def test_a_rule_without_what_it_goes_by_is_refused(tmp_path: Path, rule: str, said: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text("128166372003061629,hm,1,Write,0,4096,413\n", encoding="utf-8")
    for workload in ("fio --rw=write --bs=4k --size=8k --name=a", str(file)):
        with pytest.raises(fg.InputError, match=rf'host\.place\.name = "{rule}".*{said}') as error:
            fg.run("slc", workload, set=SMALL, place=rule)
        assert "\n" not in str(error.value)


# Two tenants: one overwrites a fiftieth of the drive at random, the other all the rest in order.
JOB = """[global]
bs=4k
norandommap
[hot]
rw=randwrite
size=2%
io_size=6m
[cold]
rw=write
offset=2%
bs=16k
io_size=3m
"""
OPTIONS: dict[str, Any] = {"set": {"nand.blocks_per_plane": 256}, "seeds": 2, "handles": 2, "workers": 1}


def test_rules_are_compared_seed_by_seed(tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text(JOB, encoding="utf-8")
    found = fg.place(TINY, job, cycles=3000, out=tmp_path / "o", **OPTIONS)
    assert [one.name for one in found.rules] == ["none", "job", "size", "address", "rate", "hindsight"]
    # Each of them is what `run` does; without a rule the drive has no handles.
    one = fg.run(TINY, job, seed=2, set=OPTIONS["set"], precondition="workload")
    assert found["none"].values[1]["waf"] == one.waf
    assert one.document.ftl.streams is None
    there = {"ftl.streams.name": "fdp", "ftl.streams.handles": 2, **OPTIONS["set"]}
    other = fg.run(TINY, job, seed=2, set=there, precondition="workload", place="job")
    assert found["job"].values[1]["waf"] == other.waf
    # A life of so many cycles is all that the flash takes, over write amplification.
    flash, values = 2 * 256 * 16 * 4096, found["none"].values[1]
    assert one.waf
    life, rate = flash * 3000 / one.waf, one.host.write.bandwidth_bytes_per_s
    assert rate
    assert values["tbw_bytes"] == pytest.approx(life)
    assert values["years"] == pytest.approx(life / rate / (365.25 * 86_400))
    assert values["erases_per_block"] == pytest.approx(one.document.wear.blocks_erased / 512)
    kept = json.loads((tmp_path / "o" / "place.json").read_text())
    assert kept == found.document()
    paired = found["job"].against(found["none"], "waf")
    assert paired is not None
    assert kept["rules"][1]["numbers"]["waf"]["difference_to_none"] == paired.difference
    assert kept["rules"][-1]["is_reference"]
    assert kept["best"] != "hindsight"
    rows = list(csv.DictReader((tmp_path / "o" / "place.csv").read_text().splitlines()))
    assert [(row["rule"], row["seed"]) for row in rows[:3]] == [("none", "1"), ("none", "2"), ("job", "1")]
    page = (tmp_path / "o" / "report.html").read_text()
    assert "no proven bound" in page
    assert "<script src" not in page
    assert "<table" in found._repr_html_()


def test_what_a_trace_does_not_tell_is_left_out_and_said(tmp_path: Path) -> None:
    file = trace(tmp_path, *[(1 + n % 2, n % 50, 0) for n in range(400)])
    found = fg.place(TINY, file, columns=COLUMNS, **OPTIONS | {"seeds": 1})
    names = [one.name for one in found.rules]
    assert names == ["none", "process", "size", "address", "rate", "hindsight"]
    (note,) = found.notes
    assert note.startswith("volume is left out: ")
    assert "several volumes" in note
    with pytest.raises(fg.InputError, match="several volumes"):
        fg.place(TINY, file, columns=COLUMNS, rules="volume", **OPTIONS)


def test_rules_of_ones_own_stand_beside_the_others(tmp_path: Path) -> None:
    job, mine = tmp_path / "job.fio", tmp_path / "mine.py"
    job.write_text(JOB, encoding="utf-8")
    mine.write_text(
        "import floatgate as fg\n\n\nclass Jobs(fg.host.place.Policy):\n"
        "    def place(self, view):\n        return view.job % view.handles\n",
        encoding="utf-8",
    )
    found = fg.place(TINY, job, rules=["job", f"{mine}:Jobs"], **OPTIONS)
    assert [one.name for one in found.rules] == ["none", "job", f"{mine}:Jobs"]
    assert found["job"].values == found.rules[2].values


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rules", "sise"], "expected one of address, job, hindsight, none, process, rate, size, volume"),
        (["--rules", "size,size"], "--rules size,size: size: expected names of rules"),
        (["--rules", "size,"], "an empty name"),
        (["--set", "host.place.name=size"], "expected --rules with its names"),
        (["--handles", "32"], "less than or equal to 31"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(tmp_path: Path, words: list[str], said: str) -> None:
    job = tmp_path / "job.fio"
    job.write_text(JOB, encoding="utf-8")
    ended = in_process("place", str(TINY), str(job), "--workers", "1", "--out", str(tmp_path / "o"), *words)
    assert ended.code == 2
    assert said in ended.err
    assert not (tmp_path / "o").exists()


def test_zones_of_the_same_flash_keep_as_many_blocks() -> None:
    """With and without a rule, and what the host copies is write amplification."""
    one_die = {"geometry.channels": 1, "geometry.ways": 1, "nand.blocks_per_plane": 76}
    tiny = {**one_die, "ftl.user_capacity": "64MiB", "ftl.buffer.size": "512KiB"}
    hot = "--name=hot --rw=randwrite --size=8m --io_size=48m"
    log = "--name=log --rw=write --size=54m --io_size=48m"
    jobs = f"fio --bs=4k {hot} {log}"
    done = fg.place("slc", jobs, rules="job", zones=True, handles=2, seeds=1, set=tiny, check=True)
    assert [one.name for one in done.rules] == ["none", "job", "zones", "zones:job"]
    waf = {one.name: one.all_of("waf")[0] for one in done.rules}
    assert 1.5 < waf["zones"] == pytest.approx(waf["none"], rel=0.15), waf
    assert waf["zones:job"] == pytest.approx(waf["job"], rel=0.15), waf
    assert waf["job"] < 0.8 * waf["none"], waf
