"""The recipe for Slurm, as far as it can be tried without Slurm; `make cluster` runs it whole."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cluster"))

import slurm  # noqa: E402


def _called(name: str) -> dict[str, object]:
    """Return the keywords of a call in the recipe that are constants."""
    calls = (one for one in ast.walk(ast.parse(slurm.recipe())) if isinstance(one, ast.Call))
    (call,) = (one for one in calls if ast.unparse(one.func).endswith(name))
    return {str(one.arg): one.value.value for one in call.keywords if isinstance(one.value, ast.Constant)}


def test_what_runs_is_the_page_with_smaller_numbers() -> None:
    assert "# of a job" in slurm.recipe()
    assert _called("SLURMCluster")["cores"] == 1


def test_a_lost_job_is_asked_for_again_only_where_it_has_one_process() -> None:
    assert _called("SLURMCluster")["processes"] == 1


def test_dask_asks_for_jobs_although_it_sees_two_tasks_for_each_processor() -> None:
    """What a scheduler would want of workers that are as full as Floatgate fills them, with short runs."""
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'floatgate[cluster]'")
    from floatgate.workers.cluster import AHEAD, LEAST_S

    duration_s = float(str(_called("adapt")["target_duration"]).removesuffix("ms")) / 1000
    for processors in (1, 16, 128):
        seconds_of_work = AHEAD * processors * LEAST_S
        assert seconds_of_work / duration_s > processors, "a second job"
        assert seconds_of_work / 5 < processors, "Dask's usual 5 s leave it at one"
