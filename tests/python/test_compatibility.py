"""Features that do not go together: one line with place, both keys, reason and change; exit code 2."""

from pathlib import Path

import pytest

from conftest import Command

ROOT = Path(__file__).parents[2]
TINY = (ROOT / "tests" / "drives" / "tiny.toml").read_text(encoding="utf-8")
JOB = "[x]\nrw=randwrite\nbs=4k\nsize=64k\nnumber_ios=10\n"
PARITY = '\n[ftl.parity]\nname = "rain"\n'
BLOCKS = '\n[ftl.mapping]\nname = "bast"\n'


def line_of(text: str, part: str) -> int:
    """Return the number of the line that has this in it."""
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("arguments", "more", "blamed", "said"),
    [
        (
            ["run", "drive.toml", "job.fio"],
            PARITY + "\n[controller]\ncopyback = true\n",
            'name = "rain"',
            'ftl.parity.name = "rain": cannot be combined with controller.copyback = true: parity is '
            "computed from data that passes through the controller, which copyback data never does; expected "
            "controller.copyback = false, or "
            "ftl.parity.name = none",
        ),
        (
            ["run", "drive.toml", "job.fio", "--set", "ftl.gc.victim.name=fifo"],
            BLOCKS,
            None,
            'ftl.gc.victim.name = "fifo": has no effect with ftl.mapping.name = "bast": the address '
            "determines where data goes, and merges replace garbage collection; expected "
            "ftl.mapping.name = page, ",
        ),
        (
            ["run", "drive.toml", "job.fio"],
            BLOCKS + '\n[ftl.placement]\nname = "static"\n',
            'name = "static"',
            'ftl.placement.name = "static": has no effect with ftl.mapping.name = "bast": ',
        ),
        (
            ["age", "drive.toml"],
            "\n[ftl.reading]\nreclaim = true\n",
            "reclaim = true",
            'ftl.reading.reclaim = true: has no effect with ecc.code.name = "none": without a code, ',
        ),
        (
            ["run", "drive.toml", "job.fio"],
            '\n[ftl.refresh]\nage = "30d"\n',
            'age = "30d"',
            'ftl.refresh.age = "30d": needs ecc.code.name: ',
        ),
    ],
)
def test_what_does_not_go_together_is_one_line(
    floatgate: Command, tmp_path: Path, arguments: list[str], more: str, blamed: str | None, said: str
) -> None:
    text = TINY.replace("channels = 2", "channels = 4").replace("op_ratio = 0.25", "op_ratio = 2.0") + more
    (tmp_path / "drive.toml").write_text(text, encoding="utf-8")
    (tmp_path / "job.fio").write_text(JOB, encoding="utf-8")
    done = floatgate(*arguments)
    assert done.returncode == 2, done.stderr
    assert "\n" not in done.stderr.strip(), done.stderr
    place = "--set" if blamed is None else f"drive.toml:{line_of(text, blamed)}"
    assert f"{place}: {said}" in done.stderr
    assert "; expected " in done.stderr


@pytest.mark.parametrize("more", [["ftl.mapping.name=fast"], ["ecc.code.name=none"]])
def test_what_a_drive_says_is_kept_when_it_says_nothing_any_more(
    floatgate: Command, tmp_path: Path, more: list[str]
) -> None:
    text = TINY.replace("op_ratio = 0.25", "op_ratio = 2.0")
    text += '\n[ecc.code]\nname = "ldpc"\n[ftl.reading]\nreclaim = true\n[ftl.placement]\nname = "static"\n'
    (tmp_path / "drive.toml").write_text(text, encoding="utf-8")
    (tmp_path / "job.fio").write_text(JOB, encoding="utf-8")
    done = floatgate("run", "drive.toml", "job.fio", *(f"--set={line}" for line in more))
    assert done.returncode == 0, done.stderr
