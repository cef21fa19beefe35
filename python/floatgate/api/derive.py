"""`floatgate.derive`: the page model of a chip from its cells."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Unpack

from floatgate import _core
from floatgate._generated.keywords import DeriveKeywords
from floatgate.files import shipped, write_whole
from floatgate.lab import derive as deriving
from floatgate.lab.derive import PageModel
from floatgate.lab.derive.report import page
from floatgate.lab.simulated import SimulatedSource
from floatgate.options.lab import DeriveOptions
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_file


@offered(DeriveOptions)
def derive(chip: str | PathLike[str], **options: Unpack[DeriveKeywords]) -> PageModel:
    """Derive the page model of `chip` from its cells: what whole drives with that chip work with.

    The model has program and erase times in ns by wear in program/erase cycles, bit error rates by page
    type, wear, age and reads, and the cycles after which blocks fail. With `out`, a chip file with these
    tables is written, with `report` a page that draws them.

    Raises InputError for a chip without cells or rated cycles, TypeError for an unknown option. It takes
    about a minute.
    """
    asked = take(DeriveOptions, options, chip=chip)
    return derived(asked, asked.out)


def derived(
    asked: DeriveOptions, out: Path | None, progress: Callable[[float], None] = lambda _part: None
) -> PageModel:
    """Derive what was asked for, and write the chip file to `out` and the page."""
    source = SimulatedSource(asked.chip, asked.seed)
    part = source.cells()
    name = Path(asked.chip).stem
    with ExitStack() as opened:
        for path in (out, asked.report):
            if path is not None:
                opened.enter_context(own_file(path, path))
        model = deriving.derive(source.cells, progress)
        provenance = f"floatgate derive {name} --seed {asked.seed}, version {_core.version()}"
        identity = part.identify()
        if out is not None:
            one_shot = _fact(asked.chip, "nand.program") == '"one-shot"'
            write_whole(out, deriving.chip_file(model, name, identity.title, one_shot, provenance))
        if asked.report is not None:
            write_whole(asked.report, page(model, identity, provenance))
    return model


def _fact(chip: str, key: str) -> str:
    """The value of a key of a chip, as TOML has it."""
    entries = json.loads(_core.explain_chip(chip, shipped.folders()))["entries"]
    return next(str(entry["value"]) for entry in entries if entry["key"] == key)
