"""From logs to a folder: `fit.json`, the page model, and the report that shows how good it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.files import digest as file_digest
from floatgate.lab.fit import emit, endurance, error_tables, part as parts, rates, sampling, times
from floatgate.lab.fit.columns import read_head
from floatgate.lab.fit.emit import Row, Source
from floatgate.lab.fit.endurance import EnduranceFit
from floatgate.lab.fit.gather import Gathered, Gatherer, Kind
from floatgate.lab.fit.part import Part
from floatgate.lab.fit.rates import RateFit
from floatgate.lab.fit.times import TimeFit
from floatgate.results.folder import atomically, write_json

DOCUMENT, REPORT, TABLES = "fit.json", "report.html", "tables.toml"
ORDER = {"program": 0, "erase": 1, "read": 2}


@dataclass(frozen=True)
class Fit:
    """Everything that was fitted to some logs."""

    part: Part | None
    sources: tuple[Source, ...]
    gathered: Gathered
    times: dict[Kind, TimeFit]
    rates: dict[int, RateFit]
    endurance: EnduranceFit | None
    rows: list[Row]
    version: str

    @property
    def name(self) -> str:
        """What the fit is called: its part, or its first log."""
        return self.part.name if self.part else self.sources[0].name.partition(".")[0]

    @property
    def poor(self) -> list[str]:
        """What does not follow its law."""
        found = [title(kind, self.part) for kind, fit in self.times.items() if not fit.good]
        found += [
            f"errors{of_type(kind, self.part)}" for kind, fit in self.rates.items() if not fit.goodness.good
        ]
        return found + (["endurance"] if self.endurance and not self.endurance.good else [])

    def lines(self) -> list[str]:
        """Return the page model; empty when the logs do not tell all times."""
        if not self.rows:
            return []
        grid = error_tables.of_laws(self.rates, self.part.bits if self.part else 1)
        return [
            *emit.tables(self.rows, self.times),
            *(error_tables.errors(grid) if grid else []),
            *(error_tables.endurance(self.endurance) if self.endurance else []),
            *emit.provenance(self.sources, self.version),
        ]

    def document(self) -> dict[str, Any]:
        """Return every number, for programs."""
        return {
            "version": self.version,
            "chip": self.part.name if self.part else None,
            "logs": [vars(one) for one in self.sources],
            "blocks": len(self.gathered.lives),
            "times": [_time(fit) for fit in self.times.values()],
            "error_rates": [_rate(fit) for fit in self.rates.values()],
            "endurance": _endurance(self.endurance),
            "poor": self.poor,
            "tables": [vars(row) | {"t_prog_ns": list(row.t_prog_ns)} for row in self.rows],
        }


def of_type(kind: int, part: Part | None) -> str:
    """Return how a page type is shown; nothing where there is one only."""
    return f", page type {kind}" if part is not None and part.bits > 1 else ""


def title(kind: Kind, part: Part | None) -> str:
    """Return how a time is shown."""
    one = kind[0] == "erase" or (part is not None and kind[0] == "program" and part.one_shot)
    return f"{kind[0]} time{'' if one else of_type(kind[1], part)}"


def _time(fit: TimeFit) -> dict[str, Any]:
    goodness = fit.fitted.goodness
    return {
        "operation": fit.kind[0],
        "page_type": fit.kind[1],
        "law": fit.fitted.law.shape.name,
        "formula": fit.fitted.law.shape.formula,
        "parameters": fit.fitted.law.parameters,
        "ci95": {name: list(ends) for name, ends in fit.fitted.intervals.items()},
        "pulse_ns": fit.pulse.ns if fit.pulse else None,
        "pulse_coherence": fit.pulse.coherence if fit.pulse else None,
        "points": goodness.points,
        "blocks": fit.blocks,
        "r2": goodness.r2,
        "rms_ns": goodness.rms,
        "worst_ns": goodness.worst,
        "aicc": {name: _finite(one.aicc) for name, one in fit.fitted.candidates.items()},
        "good": fit.good,
        "pe_cycles": fit.wear.tolist(),
        "mean_ns": fit.mean_ns.tolist(),
        "residual_ns": fit.residual_ns.tolist(),
    }


def _rate(fit: RateFit) -> dict[str, Any]:
    goodness = fit.goodness
    return {
        "page_type": fit.page_type,
        "law": fit.law.name,
        "formula": fit.law.formula,
        "parameters": fit.law.parameters,
        "ci95": {name: list(ends) for name, ends in fit.intervals.items()},
        "points": goodness.points,
        "blocks": fit.blocks,
        "deviance_explained": goodness.explained,
        "rms_decades": goodness.rms_decades,
        "scatter": goodness.scatter,
        "qaicc": {name: _finite(one.qaicc) for name, one in fit.candidates.items()},
        "good": goodness.good,
        "below": fit.below,
        "pe_cycles": fit.wear.tolist(),
        "error_bits": fit.errors.tolist(),
        "bits_read": fit.bits.tolist(),
    }


def _endurance(fit: EnduranceFit | None) -> dict[str, Any] | None:
    if fit is None:
        return None
    return {
        "distribution": fit.chosen.name,
        "parameters": fit.chosen.parameters,
        "quantiles": {f"{share:g}": fit.chosen.quantile(share) for share in endurance.QUANTILES},
        "ci95": {name: list(ends) for name, ends in fit.intervals.items()},
        "blocks": len(fit.cycles),
        "failures": int(fit.failed.sum()),
        "ks_distance": fit.distance,
        "ks_p": fit.p,
        "aicc": dict(fit.aicc),
        "good": fit.good,
        "cycles": fit.cycles.tolist(),
        "failed": fit.failed.tolist(),
    }


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def fit_logs(
    logs: Sequence[Path],
    chip: str | None = None,
    sampled: str | None = None,
    progress: Callable[[float], None] = lambda _fraction: None,
) -> Fit:
    """Fit logs of one part.

    Raises InputError, naming file and line, for a log that is none or has gaps, and for one given twice.
    """
    from floatgate._core import version

    if not logs:
        raise InputError("no log given: expected `floatgate fit LOG...` (or --voltages FILE)")
    heads = [read_head(path) for path in logs]
    part = parts.chosen(chip, {head.path: head.said.get("chip") for head in heads})
    rule = sampling.parse("--sampled", sampled) if sampled is not None else None
    gatherer = Gatherer(part)
    sources: list[Source] = []
    for index, head in enumerate(heads):
        digest = file_digest(head.path)
        same = next((one for one in sources if one.sha256 == digest), None)
        if same is not None:
            raise InputError(f"{head.path}: the same bytes as {same.name}: expected each log once")
        own = rule or sampling.parse(f"{head.path}", head.said.get("sampled", "every"))
        sources.append(Source(head.path.name, digest, gatherer.take(head, own)))
        progress((index + 1) / (len(heads) + 1))
    found = gatherer.found
    fitted = {
        kind: times.fit(kind, seen, found.levels[kind])
        for kind, seen in sorted(found.times.items(), key=lambda item: (ORDER[item[0][0]], item[0][1]))
        if (seen.weight > 0).any()
    }
    return Fit(
        part,
        tuple(sources),
        found,
        fitted,
        {kind: rates.fit(kind, seen) for kind, seen in sorted(found.errors.items())},
        endurance.fit(found.lives),
        emit.rows(fitted, part.program_types if part else 1),
        version(),
    )


def write(done: Fit, out: Path, *, force: bool = False) -> list[str]:
    """Write the folder; return the names of its page-model files, the chip's last."""
    from floatgate.lab.fit.report import page

    names = []
    with atomically(out, force=force) as partial:
        write_json(partial / DOCUMENT, done.document())
        lines = done.lines()
        if lines:
            names.append(TABLES)
            (partial / TABLES).write_text("\n".join(lines) + "\n", encoding="utf-8")
        if lines and done.part:
            names.append(done.part.fitted)
            text = emit.chip_file(done.part.source, lines)
            (partial / names[-1]).write_text(text, encoding="utf-8")
        (partial / REPORT).write_text(page(done, names), encoding="utf-8")
    return names
