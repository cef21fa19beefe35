"""A study from its specification to its folder: what is missing is run, what is there is kept."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from floatgate.extras import needed
from floatgate.study import folder as folders
from floatgate.study.check import check
from floatgate.study.conduct import Conductor, Listener
from floatgate.study.identity import changes
from floatgate.study.result import Study
from floatgate.study.rounds import Rounds
from floatgate.study.spec import SEARCHES, Spec
from floatgate.study.store import Outcome, Store
from floatgate.workers import crew

AGAIN = ("refused", "failed")


def run_study(
    spec: Spec,
    out: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    retry: bool = False,
    listener: Listener | None = None,
) -> Study:
    """Run what is missing of a study, and write its folder; `retry` runs again what was refused or failed.

    Raises InputError for what cannot be a study; a run that is refused or fails is a row with its reason.
    """
    listener, checked = listener or Listener(), check(spec)
    needed("pyarrow", "study")  # by the report, which comes after the last run
    with folders.opened(out) as before:
        folders.begin(out, checked, before)
        store, rounds = Store(out), Rounds(checked)
        store.tidy()
        outcomes = store.outcomes(spec.needed)
        if retry:
            outcomes = {key: one for key, one in outcomes.items() if one.status not in AGAIN}
        ended: str | None = "broken"
        is_new = True
        try:
            with (
                store.alone(held=spec.search.method in SEARCHES),
                crew(
                    workers=workers,
                    memory_bytes=checked.options.memory_bytes(),
                    scheduler=scheduler,
                    inputs=checked.files(),
                ) as team,
            ):
                deadline = None if spec.search.time_s is None else time.monotonic() + spec.search.time_s
                conductor = Conductor(checked, store, team, listener, outcomes, deadline)
                ended = _play(rounds, conductor, outcomes, before, listener)
        finally:
            store.close()
            store.tidy()
            is_new = folders.finish(out, checked, list(rounds.runs.values()), store, ended)
        done = Study.open(out)
        if is_new:
            folders.tell(done)
    return done


def _play(
    rounds: Rounds,
    conductor: Conductor,
    outcomes: Mapping[str, Outcome],
    before: Mapping[str, Any] | None,
    listener: Listener,
) -> str | None:
    """Run round after round. Return why that ended before its end; None where it did not."""
    first = True
    for runs in rounds:
        missing = [run for run in runs if run.key not in outcomes]
        if first:
            said = changes(before["inputs"], conductor.checked.inputs) if before and missing else []
            listener.began(len(runs) - len(missing), len(missing), said)
            first = False
        ended = conductor.play(runs, missing)
        if ended is not None:
            return ended
        rounds.told(outcomes)
    return None
