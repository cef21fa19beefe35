"""One run inside a case."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from floatgate.reproduce import changes
from floatgate.workers import stopping

if TYPE_CHECKING:
    from floatgate.results.run import Run


def simulate(
    drive: str | Path,
    job: str,
    *,
    seed: int = 1,
    set: Mapping[str, Any] | None = None,  # noqa: A002 - the command line's word
    **options: Any,
) -> "Run":
    """Run the fio job file `job` (its text) on `drive`, with the options of `floatgate.run`.

    Raises InputError or Fault as `floatgate.run` does, KeyboardInterrupt when the reproduction was stopped.
    """
    with TemporaryDirectory(prefix="floatgate-") as folder:
        path = Path(folder) / "job.fio"
        path.write_text(job, encoding="utf-8")
        return simulate_files(drive, path, seed=seed, set=set, **options)


def simulate_files(drive: str | Path, workload: str | Path, **options: Any) -> "Run":
    """Run a workload on `drive`, with the options of `floatgate.run`; raises as `simulate` does."""
    from floatgate.commands.run import run

    if stopping():
        raise KeyboardInterrupt
    options["set"] = {**(options.get("set") or {}), **changes.now().drive}
    finished = run(drive, workload, **options)
    if finished.document["interrupted"]:
        raise KeyboardInterrupt
    return finished
