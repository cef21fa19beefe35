"""`floatgate.study`: many runs from one description, kept in a folder."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from floatgate._generated.keywords import StudyKeywords
from floatgate.options.study import StudyOptions
from floatgate.options.taking import offered, take
from floatgate.results.temporary import Temporary
from floatgate.runs.session import interruptible
from floatgate.study.conduct import Listener
from floatgate.study.result import Study
from floatgate.study.run import run_study
from floatgate.study.spec import of, read


@offered(StudyOptions)
def study(study: str | PathLike[str] | Mapping[str, Any], **options: Unpack[StudyKeywords]) -> Study:
    """Run every run that a study asks for, as many at once as there are cores, and return what came out.

    `study` is a TOML file, or a mapping of the same shape: `{"study": {"drive": "tlc", ...}, "parameters":
    {"ftl.op_ratio": [0.07, 0.28]}, "objectives": {"waf": "min"}}`. With `out`, what that folder holds of the
    study is not run again. Ctrl-C keeps what was done (`interrupted`). A run that is refused or fails is a
    row with its reason; `problem` says so.

    Raises InputError for a study that cannot be: an unknown key, number, drive or workload.
    """
    given = isinstance(study, Mapping)
    asked = take(StudyOptions, options, study=Path("study") if given else study)
    spec = of(study) if isinstance(study, Mapping) else read(asked.study)
    held = Temporary() if asked.out is None else None
    folder = held.folder / "study" if held is not None else Path(str(asked.out))
    with interruptible() as interrupt:
        done = run_study(
            spec,
            folder,
            workers=asked.workers,
            scheduler=asked.scheduler,
            retry=asked.retry,
            listener=Listener(stopped=interrupt),
        )
    return done.holding(held)
