"""From a measured table of threshold voltages to a folder: `fit.json`, error tables, and a report."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.lab.fit import emit, error_tables, part as parts, voltages
from floatgate.lab.fit.emit import Source
from floatgate.lab.fit.part import Part
from floatgate.lab.fit.voltages import Growth, Rates, Table
from floatgate.results.folder import atomically, write_json
from floatgate.values.toml_list import listed

GROWTH_HEAD = ("growth with wear", "law", "R2", "RMS residual", "worst", "points", "fit")


@dataclass(frozen=True)
class VoltageFit:
    """What a table of threshold voltages says."""

    name: str
    source: Source
    table: Table
    rates: tuple[Rates, ...]
    growth: tuple[Growth, ...]
    part: Part | None
    version: str

    def rate_head(self) -> tuple[str, ...]:
        """Head of the rows of error rates."""
        pages = range(len(self.rates[0].best))
        best = (f"type {page}" for page in pages)
        return ("cycles, age", *best, "mean", f"fixed at {self.table.fixed.name}", "best over fixed")

    def rate_rows(self) -> list[tuple[str, ...]]:
        """Bit error rates with the best references by page type, their mean, and the mean with fixed ones."""
        rows = []
        for rates in self.rates:
            best, fixed = (sum(each) / len(each) for each in (rates.best, rates.fixed))
            shown = (f"{rate:.2e}" for rate in (*rates.best, best, fixed))
            rows.append((rates.row.name, *shown, f"{best / fixed:.2f}" if fixed else "-"))
        return rows

    def growth_rows(self) -> list[tuple[str, ...]]:
        """How well means and widths follow a law."""
        return [
            (
                "means of the states" if one.what == "mean" else "widths of the states",
                one.shape.formula,
                "no change" if one.goodness.r2 is None else f"{one.goodness.r2:.4f}",
                f"{one.goodness.rms:.3g}",
                f"{one.goodness.worst:.3g}",
                str(one.goodness.points),
                "good" if good(one) else "POOR",
            )
            for one in self.growth
        ]

    def document(self) -> dict[str, Any]:
        """Return every number, for programs."""
        return {
            "version": self.version,
            "source": vars(self.source),
            "states": list(self.table.states),
            "coding": self.table.coding,
            "fixed": self.table.fixed.name,
            "rates": [
                {
                    "pe_cycles": rates.row.pe_cycles,
                    "age": rates.row.age,
                    "references": list(rates.references),
                    "rate_best": list(rates.best),
                    "rate_fixed": list(rates.fixed),
                }
                for rates in self.rates
            ],
            "growth": [
                {
                    "what": one.what,
                    "law": one.shape.name,
                    "formula": one.shape.formula,
                    "bend": one.bend if one.shape.bend else None,
                    "linear": [list(state) for state in one.linear],
                    "r2": one.goodness.r2,
                    "rms": one.goodness.rms,
                    "points": one.goodness.points,
                    "good": good(one),
                }
                for one in self.growth
            ],
        }


def good(growth: Growth) -> bool:
    """Whether the law explains most of what moves."""
    return growth.goodness.good(0.0)


def fit_voltages(path: Path, chip: str | None = None) -> VoltageFit:
    """Turn a table into error rates and growth.

    Raises InputError for a table that is none, and for a chip with another number of states.
    """
    from floatgate._core import version

    part = parts.part(chip) if chip is not None else None
    table = voltages.read(path, ("one-shot" if part.one_shot else "two-step") if part else None)
    if part is not None and len(table.states) != 1 << part.bits:
        raise InputError(f"{path}: {len(table.states)} states: expected {1 << part.bits}, as {part.name} has")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    grown = (voltages.growth(table, what) for what in ("mean", "sigma"))
    source = Source(path.name, digest, len(table.rows) * len(table.states))
    rates = voltages.rates(table)
    return VoltageFit(path.stem, source, table, rates, tuple(one for one in grown if one), part, version())


def write(done: VoltageFit, out: Path, *, force: bool = False) -> list[str]:
    """Write the folder; return the names of its page-model files, the chip's last."""
    names = []
    with atomically(out, force=force) as partial:
        write_json(partial / "fit.json", done.document())
        if done.part is not None:
            lines = _lines(done, done.part)
            names = ["tables.toml", done.part.fitted]
            (partial / names[0]).write_text("\n".join(lines) + "\n", encoding="utf-8")
            (partial / names[1]).write_text(emit.chip_file(done.part.source, lines), encoding="utf-8")
        (partial / "report.html").write_text(_page(done), encoding="utf-8")
    return names


def _lines(done: VoltageFit, part: Part) -> list[str]:
    """Return the page model: times of the data sheet, as voltages tell none, and error rates."""
    times = [*part.t_prog] * (part.program_types // len(part.t_prog))
    return [
        "[tables]",
        "pe_cycles = [0]  # the data sheet's times: threshold voltages tell none",
        *listed("t_prog", (f'"{time}"' for time in times), "data sheet"),
        f't_bers = ["{part.t_bers}"]  # data sheet',
        *error_tables.errors(error_tables.of_voltages(done.table, done.rates)),
        *emit.provenance([done.source], done.version),
    ]


def _page(done: VoltageFit) -> str:
    from floatgate.lab.fit import voltage_figures as figures
    from floatgate.lab.fit.report import assemble
    from floatgate.report.sheet import Section

    table = done.table
    drawn = {"rate-wear": figures.by_wear(table, done.rates)}
    aged = figures.by_age(table, done.rates)
    if aged is not None:
        drawn["rate-age"] = aged
    sections = [
        Section(
            "Threshold voltages",
            "Density of cells by state, least worn and last row; best references of the first, dashed.",
            {"distributions": figures.distributions(table, done.rates)},
        ),
        Section(
            "Error rates",
            "Overlap of the states as normal distributions, every state alike often. Best references lie "
            f"where densities cross; fixed ones stay where they were best at {table.fixed.name}. "
            "Real tails are heavier.",
            drawn,
            done.rate_head(),
            done.rate_rows(),
        ),
        Section(
            "Growth with wear",
            "Each state has its own numbers, all share one bend. R2 is of what moves within each state.",
            {f"growth-{one.what}": figures.grown(table, one) for one in done.growth},
            GROWTH_HEAD,
            done.growth_rows(),
        ),
        Section(
            "Source",
            "; ".join(f"{key}: {value}" for key, value in table.head.items()),
            head=("file", "lines", "sha256"),
            rows=[(done.source.name, str(done.source.entries), done.source.sha256)],
        ),
    ]
    what = f"{len(table.states)} states, {len(table.rows)} conditions of wear and age"
    return assemble(done.name, what, f"coding: {table.coding}", [], sections)
