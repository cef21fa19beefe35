"""`floatgate.fit` and `floatgate.fit_voltages`: the page model of a chip from what a rig measured."""

from os import PathLike
from pathlib import Path
from typing import Unpack

from floatgate._generated.keywords import FitKeywords, FitVoltagesKeywords
from floatgate.lab.fit import measured
from floatgate.lab.fit.measured import VoltageFit
from floatgate.lab.fit.run import Fit, fit_logs, write
from floatgate.options.lab import FitOptions
from floatgate.options.taking import offered, take


@offered(FitOptions, but=("voltages",))
def fit(*logs: str | PathLike[str], **options: Unpack[FitKeywords]) -> Fit:
    """Fit times, error rates and endurance to the logs (CSV) of a test rig.

    The fit has laws of program and erase times in ns over wear in program/erase cycles, of error rates and
    of endurance, each with how well it holds (`poor` names the laws that do not); `document()` holds every
    number. With `out`, report.html, fit.json, tables.toml and, for a known chip, a chip file with the fitted
    tables are written to that folder.

    Raises InputError, naming file and line, for a log that is none or has gaps.
    """
    asked = take(FitOptions, options, logs=logs)
    done = fit_logs([Path(log) for log in asked.logs], asked.chip, asked.sampled)
    if asked.out is not None:
        write(done, asked.out, force=asked.force)
    return done


@offered(FitOptions, but=("logs", "sampled"))
def fit_voltages(voltages: str | PathLike[str], **options: Unpack[FitVoltagesKeywords]) -> VoltageFit:
    """Turn measured threshold voltages (CSV: pe_cycles, age, state, mean, sigma) into error rates.

    The fit has bit error rates by page type, with the best references and with fixed ones, and how means and
    widths in volts grow with wear. With `out`, the same files as those of `floatgate.fit` are written.

    Raises InputError for a table that is none, and for a chip with another number of states.
    """
    asked = take(FitOptions, options, voltages=voltages)
    assert asked.voltages is not None
    done = measured.fit_voltages(asked.voltages, asked.chip)
    if asked.out is not None:
        measured.write(done, asked.out, force=asked.force)
    return done
