"""A few seeds of the command-line swarm; thousands by hand: FLOATGATE_CLI_SWARM=0..3000."""

import os
import shutil
from pathlib import Path

import pytest

from cli_swarm import KINDS, TINY, deal, play
from conftest import in_process

FIRST, BEYOND = (int(bound) for bound in os.environ.get("FLOATGATE_CLI_SWARM", "0..24").split(".."))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run folder, and the state that it saved beside it."""
    folder = tmp_path_factory.mktemp("done") / "done"
    words = ["run", TINY, "random-write", "--limit-requests", "50", "--no-report", "--out", str(folder)]
    words += ["--save-state", str(folder.with_name("state"))]
    assert in_process(*words).code == 0
    return folder


@pytest.mark.parametrize("seed", range(FIRST, BEYOND))
def test_whatever_befalls_a_command(seed: int, tmp_path: Path, done: Path) -> None:
    play(deal(seed), tmp_path, done)
    shutil.rmtree(tmp_path)


def test_the_swarm_deals_every_kind_and_trouble() -> None:
    cases = [deal(seed) for seed in range(2_000)]
    assert len({case.command[0] for case in cases}) >= len(KINDS)
    assert {(case.kill, case.there_before) for case in cases} >= {
        (kill, before) for kill in {case.kill for case in cases} for before in (True, False)
    }
