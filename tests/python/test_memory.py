"""The drives of one command share its memory: as many at once as fit, and each gets its turn."""

import importlib
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from conftest import Command, one_line_error
from floatgate.grid import Asked, run_grid
from floatgate.grid.point import Setting
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import resolve
from floatgate.options import Options
from floatgate.runs.repeat import repeat
from floatgate.workers.memory import Memory

Watch = Callable[[str, int], list[Memory]]
SMALL = (
    "geometry.channels=1",
    "geometry.ways=1",
    "nand.blocks_per_plane=256",
    "ftl.user_capacity=192MiB",
)


def context() -> Any:
    return multiprocessing.get_context("spawn")


def plan(limit: int | None = None) -> Plan:
    return Plan("slc", resolve("random-write"), SMALL, Options(limit_requests=2000, memory_limit=limit))


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Let a module's commands share so much memory at most, and keep what they shared."""

    def begin(module: str, most: int) -> list[Memory]:
        made: list[Memory] = []

        def make(of: Any, limit: int | None = None) -> Memory:
            made.append(Memory(of, most if limit is None else limit))
            return made[-1]

        monkeypatch.setattr(importlib.import_module(module), "Memory", make)
        return made

    return begin


def test_who_comes_later_waits_until_there_is_room() -> None:
    shared = Memory(context(), 10)
    assert shared.take(6)
    assert not shared.take(5)
    assert shared.take(4)
    shared.give(6)
    assert shared.take(5)
    assert shared.most == 10


def test_a_drive_beyond_all_memory_is_not_waited_for() -> None:
    shared = Memory(context(), 10)
    assert shared.take(11)  # and the core says how much is too much


def test_many_that_fit_alone_all_get_their_turn() -> None:
    shared = Memory(context(), 10)

    def one(_number: int) -> bool:
        with shared.room(6):
            return shared.take(5)

    with ThreadPoolExecutor(4) as pool:
        assert not any(pool.map(one, range(8)))
    assert shared.take(10)  # all of it was given back


@pytest.mark.parametrize("at_once", [1, 2])
def test_repeated_runs_stay_within_the_memory_limit_together(
    at_once: int, watch: Watch, tmp_path: Path
) -> None:
    needed = plan().memory_bytes()
    shared = watch("floatgate.workers.local", 1 << 40)
    limit = needed * at_once + needed // 2
    done = repeat(plan(limit), 4, tmp_path / "limited", report=False, workers=4)
    assert needed <= shared[0].most <= needed * at_once
    free = repeat(plan(), 4, tmp_path / "free", report=False, workers=4)
    assert done.metrics == free.metrics


def test_points_of_a_grid_stay_within_what_the_machine_has_together(watch: Watch) -> None:
    needed = plan().memory_bytes()
    shared = watch("floatgate.workers.local", needed * 3 // 2)
    points = tuple(Setting("random", "read", 65536, depth) for depth in (1, 2, 4))
    asked = Asked("slc", points, SMALL, file_bytes=16 << 20)
    assert [point.state for point in run_grid(asked, workers=3).points] == ["steady"] * 3
    assert shared[0].most == needed


def test_a_drive_beyond_the_limit_is_refused_by_all_that_repeat_it(floatgate: Command) -> None:
    changes = [word for change in SMALL for word in ("--set", change)]
    limits = ["--repeat", "3", "--memory-limit", "100KiB", "--out", "out"]
    refused = floatgate("run", "slc", "random-write", *changes, "--limit-requests", "10", *limits)
    assert "--memory-limit allows 0.1 MiB" in one_line_error(refused)
