"""A paper's folder: what it claims (`paper.toml`), its numbers, what its README explains."""

import importlib
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

from floatgate import files
from floatgate.errors import InputError, nearest
from floatgate.reproduce import expected as published
from floatgate.reproduce.case import Case, Concluded, Finding, Found
from floatgate.reproduce.expected import Expected

PAPER, README = "paper.toml", "README.md"
_SCALES = ("linear", "log")


@dataclass(frozen=True)
class Axes:
    """How an exhibit is drawn."""

    x: str = ""
    y: str = ""
    x_scale: str = "linear"
    y_scale: str = "linear"
    band: tuple[float, float] | None = None  # y from and to that the paper claims, shaded


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper, and how near to it we must come."""

    key: str
    title: str
    claim: str  # what it says, in a sentence
    where: str  # where in the paper it stands
    unit: str = ""
    tolerance: float | None = None  # relative
    range: tuple[float, float] | None = None  # instead of it: of simulated over published, ends included
    needs_traces: bool = False  # in full form, cases that are not simulated are no misses
    figure: Axes = Axes()

    @property
    def qualitative(self) -> bool:
        """Whether it claims a shape or an order, which holds or not, not numbers."""
        return self.tolerance is None and self.range is None

    def allows(self, deviation: float, uncertainty: float = 0.0) -> bool:
        """Whether all of an interval around a relative deviation is as near as the exhibit asks for."""
        if self.range is not None:
            least, most = self.range
            return least <= 1 + deviation - uncertainty and 1 + deviation + uncertainty <= most
        return self.tolerance is not None and abs(deviation) + uncertainty <= self.tolerance


@dataclass(frozen=True)
class Explained:
    """Misses that the README explains."""

    exhibit: str
    case: str  # a name, or a pattern with * and ?
    heading: str  # the README's heading under which the reason stands
    bound: tuple[float, float]  # the deviations, or measures of claims, that the reason covers
    experiment: tuple[str, str] | None = None  # exhibit and case, or a pattern, that show the reason

    def covers(self, exhibit: str, case: str, found: float) -> bool:
        """Whether it speaks of this case, and of a miss by so much."""
        least, most = self.bound
        return self.exhibit == exhibit and fnmatchcase(case, self.case) and least <= found <= most

    def shown_by(self, case: Case) -> bool:
        """Whether a case is an experiment that shows the reason."""
        if self.experiment is None:
            return False
        exhibit, name = self.experiment
        return case.exhibit == exhibit and fnmatchcase(case.name, name)


@dataclass(frozen=True)
class Paper:
    """A paper that is reproduced."""

    key: str  # the folder's name
    folder: Path
    title: str
    authors: str
    venue: str
    doi: str
    exhibits: Mapping[str, Exhibit]
    explained: tuple[Explained, ...]
    expected: Mapping[tuple[str, str], Expected] = field(repr=False)

    def explanation(self, exhibit: str, case: str, found: float | None) -> str | None:
        """Return the heading of the README that explains a miss of this case by this much."""
        if found is None:
            return None
        return next((one.heading for one in self.explained if one.covers(exhibit, case, found)), None)

    def cases(self, full: bool) -> list[Case]:
        """Return what is to be simulated."""
        return list(self.program().cases(full))

    def causes(self) -> list[Case]:
        """Return the experiments that the explanations of misses name."""
        return [case for case in self.cases(True) if any(one.shown_by(case) for one in self.explained)]

    def run(self, case: Case, full: bool) -> Finding:
        """Simulate one case."""
        finding: Finding = self.program().run(case, full)
        return finding

    def conclude(self, found: Found) -> list[Concluded]:
        """Return what follows from several cases together."""
        conclude = getattr(self.program(), "conclude", None)
        concluded: Iterable[Concluded] = conclude(found) if conclude else ()
        return list(concluded)

    def program(self) -> ModuleType:
        """Import `run.py` as part of a package of its own, so that papers may use the same file names."""
        folder = str(self.folder.resolve())
        package = f"floatgate_papers.at_{crc32(folder.encode()):08x}"
        if package not in sys.modules:
            for name, path in (("floatgate_papers", []), (package, [folder])):
                module = ModuleType(name)
                module.__path__ = path
                sys.modules.setdefault(name, module)
        return importlib.import_module(package + ".run")


def discover(folder: Path) -> list[str]:
    """Return the names of the papers below `folder`."""
    return sorted(path.parent.name for path in folder.glob(f"*/{PAPER}"))


def find(names: Iterable[str], folder: Path) -> list[Paper]:
    """Load the papers called `names`, all of them when none is named.

    Raises InputError for an unknown name or a faulty folder.
    """
    known = discover(folder)
    for name in names:
        if name not in known:
            hint = nearest(name, known, f"papers: {', '.join(known)}", cutoff=0.4)
            raise InputError(f"{name}: no such paper: expected one of those in {folder} ({hint})")
    return [load(folder / name) for name in dict.fromkeys(names) or known]


def load(folder: Path) -> Paper:
    """Read one paper's folder.

    Raises InputError, naming the place, when something in it is missing, unknown or contradicts the rest.
    """
    place = folder / PAPER
    _, table = files.read_toml(place, "a paper's description in TOML")
    reader = Reader(place, table)
    exhibits = {key: _exhibit(place, key, value) for key, value in reader.tables("exhibits").items()}
    explained = tuple(_explained(place, entry, exhibits, folder) for entry in reader.list("explained"))
    texts = {key: reader.text(key) for key in ("title", "authors", "venue", "doi")}
    reader.finish()
    qualitative = {key: exhibit.qualitative for key, exhibit in exhibits.items()}
    expected = published.read(folder / published.EXPECTED, qualitative)
    return Paper(folder.name, folder, **texts, exhibits=exhibits, explained=explained, expected=expected)


def _exhibit(place: Path, key: str, table: dict[str, Any]) -> Exhibit:
    reader = Reader(place, table, f"exhibits.{key}.")
    figure = _axes(place, key, reader.table("figure"))
    kind = reader.text("kind")
    if kind not in ("quantitative", "qualitative"):
        raise reader.refuse("kind", kind, "quantitative or qualitative")
    tolerance, span = _nearness(reader, kind)
    unit = reader.text("unit") if kind == "quantitative" else ""
    texts = {name: reader.text(name) for name in ("title", "claim", "where")}
    needs_traces = reader.take("needs_traces") or False
    if not isinstance(needs_traces, bool):
        raise reader.refuse("needs_traces", needs_traces, "true or false")
    reader.finish()
    return Exhibit(
        key,
        **texts,
        unit=unit,
        tolerance=tolerance,
        range=span,
        needs_traces=needs_traces,
        figure=figure,
    )


def _nearness(reader: "Reader", kind: str) -> tuple[float | None, tuple[float, float] | None]:
    """Return the tolerance or the range that a quantitative exhibit asks for; a qualitative one none."""
    tolerance, span = reader.take("tolerance"), reader.take("range")
    if kind == "qualitative":
        for name, value in (("tolerance", tolerance), ("range", span)):
            if value is not None:
                raise reader.refuse(name, value, f"no {name} in a qualitative exhibit")
        return None, None
    if span is not None:
        if tolerance is not None:
            raise reader.refuse("tolerance", tolerance, "none, as there is a range")
        return None, reader.pair("range", span)
    if not (isinstance(tolerance, float | int) and 0 <= tolerance < 1):
        raise reader.refuse("tolerance", tolerance, "a relative tolerance from 0 to 1, such as 0.01")
    return float(tolerance), None


def _axes(place: Path, key: str, table: dict[str, Any]) -> Axes:
    reader = Reader(place, table, f"exhibits.{key}.figure.")
    texts: dict[str, str] = {name: reader.text(name) for name in ("x", "y") if name in table}
    for name in ("x_scale", "y_scale"):
        if name in table:
            texts[name] = reader.text(name)
            if texts[name] not in _SCALES:
                raise reader.refuse(name, texts[name], " or ".join(_SCALES))
    band = reader.take("band")
    reader.finish()
    return Axes(**texts, band=None if band is None else reader.pair("band", band))


def _explained(
    place: Path, table: dict[str, Any], exhibits: Mapping[str, Exhibit], folder: Path
) -> Explained:
    reader = Reader(place, table, "explained.")
    exhibit = reader.text("exhibit")
    if exhibit not in exhibits:
        raise reader.refuse("exhibit", exhibit, f"one of {', '.join(exhibits)}")
    bound = "measure" if exhibits[exhibit].qualitative else "deviation"
    span = reader.pair(bound, reader.take(bound))
    experiment = _experiment(reader, exhibits)
    entry = Explained(exhibit, reader.text("case"), reader.text("heading"), span, experiment)
    readme = files.read_text(folder / README, "a README") if (folder / README).is_file() else ""
    if entry.heading not in re.findall(r"^#+ +(.*\S)", readme, re.MULTILINE):
        raise reader.refuse("heading", entry.heading, f"a heading of {folder / README}")
    reader.finish()
    return entry


def _experiment(reader: "Reader", exhibits: Mapping[str, Exhibit]) -> tuple[str, str] | None:
    text = reader.take("experiment")
    if text is None:
        return None
    exhibit, colon, case = text.partition(": ") if isinstance(text, str) else ("", "", "")
    if not colon or exhibit not in exhibits:
        known = ", ".join(exhibits)
        raise reader.refuse("experiment", text, f'an exhibit and its case, such as "x: y"; exhibits: {known}')
    return exhibit, case


class Reader:
    """Takes keys out of a TOML table; keys that are left over are unknown."""

    def __init__(self, place: Path, table: dict[str, Any], path: str = "") -> None:
        self._place, self._table, self._path = place, dict(table), path
        self._known: list[str] = []

    def take(self, key: str) -> Any:
        """Take a value out; None where there is none."""
        self._known.append(key)
        return self._table.pop(key, None)

    def text(self, key: str) -> str:
        """Take a text."""
        value = self.take(key)
        if not isinstance(value, str):
            raise self.refuse(key, value, "a text in quotes")
        return value

    def pair(self, key: str, value: Any) -> tuple[float, float]:
        """Take two numbers, the lesser one first."""
        if not (isinstance(value, list) and len(value) == 2 and all(isinstance(y, float) for y in value)):
            raise self.refuse(key, value, "two numbers with a decimal point, such as [11.0, 35.0]")
        if value[0] > value[1]:
            raise self.refuse(key, value, "the lesser number first")
        return value[0], value[1]

    def table(self, key: str) -> dict[str, Any]:
        """Take a table, empty where there is none."""
        value = self.take(key)
        if value is not None and not isinstance(value, dict):
            raise self.refuse(key, value, "a table")
        return value or {}

    def tables(self, key: str) -> dict[str, dict[str, Any]]:
        """Take a table of tables."""
        value = self.table(key)
        for name, item in value.items():
            if not isinstance(item, dict):
                raise self.refuse(f"{key}.{name}", item, "a table")
        return value

    def list(self, key: str) -> list[dict[str, Any]]:
        """Take a list of tables."""
        value = self.take(key) or []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.refuse(key, value, f"tables: [[{self._path}{key}]]")
        return value

    def refuse(self, key: str, value: Any, expected: str) -> InputError:
        """Return the error that a value deserves."""
        shown = "is missing" if value is None else f"= {value}"
        return InputError(f"{self._place}: {self._path}{key} {shown}: expected {expected}")

    def finish(self) -> None:
        """Refuse keys that were not taken."""
        for key in self._table:
            hint = nearest(key, self._known, f"known here: {', '.join(self._known)}")
            raise InputError(f"{self._place}: {self._path}{key}: unknown key ({hint})")
