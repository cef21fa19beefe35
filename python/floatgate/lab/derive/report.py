"""The page model as pictures: one self-contained page."""

from floatgate.lab import figures
from floatgate.lab.chip import Identity
from floatgate.lab.derive.rates import AGES_S, DAY, HOUR, YEAR
from floatgate.lab.derive.write import PageModel
from floatgate.report.plot import Axis, Figure
from floatgate.report.sheet import Section, sheet
from floatgate.values import quantities as q

RATE_LEAST = 1e-12  # below it nothing is to be seen
AGE_NAMES = {0.0: "new", HOUR: "1 hour", DAY: "1 day", 30 * DAY: "30 days"}


def page(model: PageModel, identity: Identity, provenance: str) -> str:
    """Return the whole HTML text."""
    return sheet(
        "page model",
        identity.name,
        identity.title,
        (identity.cell.upper(), f"made by {provenance}"),
        (_times(model, identity), _wear(model, identity), _steps(model, identity), _lives(model)),
    )


def _worst(rates: tuple[float, ...]) -> float | None:
    """Return the rate of the worst page type; none where it is too small to draw."""
    worst = max(rates)
    return worst if worst >= RATE_LEAST else None


def _lines(series: dict[str, tuple[list[float], list[float | None]]], x: Axis, y: str) -> Figure:
    """Lines on a logarithmic axis of rates, without the points that are too small."""
    kept = {
        name: ([at for at, rate in zip(xs, ys, strict=True) if rate], [rate for rate in ys if rate])
        for name, (xs, ys) in series.items()
    }
    return figures.lines(kept, x, Axis(y, log=True, format="power"))


def _times(model: PageModel, identity: Identity) -> Section:
    wear = [float(row.pe_cycles) for row in model.rows]
    kind = identity.bits - 1
    series = {
        f"step {step:g}": (wear, [row.t_prog[index][kind] / 1e3 for row in model.rows])
        for index, step in enumerate(model.steps)
    }
    programs = figures.lines(
        series, figures.cycles_axis(), figures.time_axis("program time, last page", "us")
    )
    erases = figures.lines(
        {"erase": (wear, [row.t_bers / 1e6 for row in model.rows])},
        figures.cycles_axis(),
        figures.time_axis("erase time", "ms"),
        steps=True,
    )
    return Section(
        "Times over wear",
        "Trapped charge speeds programs up and slows erases down; a larger program step takes fewer pulses.",
        {"programs": programs, "erases": erases},
    )


def _wear(model: PageModel, identity: Identity) -> Section:
    rates, wears = model.rates, [float(wear) for wear in model.rates.pe_cycles]
    by_age = {
        AGE_NAMES.get(age, f"{age / YEAR:g} years" if age > YEAR else "1 year"): (
            wears,
            [_worst(rates.rates[1.0, wear][place].usual) for wear in rates.pe_cycles],
        )
        for place, age in enumerate(AGES_S)
    }
    year = AGES_S.index(YEAR)
    found = [rates.rates[1.0, wear][year] for wear in rates.pe_cycles]
    gained = {
        f"page {kind + 1} of {identity.bits}, {name}": (
            wears,
            [rate if (rate := getattr(at, name)[kind]) >= RATE_LEAST else None for at in found],
        )
        for kind in range(identity.bits)
        for name in ("usual", "best")
    }
    return Section(
        "Bit errors over wear",
        f"First the worst page type, by age at {rates.reference_celsius:g} C, with the usual references; "
        "then, after a year, each page type with these and with the best ones, which retries look for.",
        {
            "by-age": _lines(by_age, figures.cycles_axis(), "bit error rate"),
            "by-page": _lines(gained, figures.cycles_axis(), "bit error rate after a year"),
        },
    )


def _steps(model: PageModel, identity: Identity) -> Section:
    rates, rated = model.rates, identity.rated.pe_cycles or 0
    year = AGES_S.index(YEAR)
    wear = min(rates.pe_cycles, key=lambda cycles: abs(cycles - rated))
    series = {
        name: (list(model.steps), [_worst(rates.rates[step, wear][place].usual) for step in model.steps])
        for name, place in (("new", 0), ("1 year", year))
    }
    usual, kind = model.steps.index(1.0), identity.bits - 1
    row = min(model.rows, key=lambda row: abs(row.pe_cycles - wear))
    faster = {
        "program time": (
            list(model.steps),
            [row.t_prog[index][kind] / row.t_prog[usual][kind] for index in range(len(model.steps))],
        )
    }
    x = Axis("program step, of the usual one")
    return Section(
        "What a write costs",
        f"After {q.count(wear)} cycles: a finer program step makes states narrower and programs longer. "
        "Regulators of cost choose along these two lines.",
        {
            "step-errors": _lines(series, x, "bit error rate, worst page"),
            "step-times": figures.lines(faster, x, Axis("program time, of the usual one", zero=True)),
        },
    )


def _lives(model: PageModel) -> Section:
    cycles = model.endurance.cycles
    share = [1 - index / (len(cycles) - 1) for index in range(len(cycles))]
    alive = figures.lines(
        {"blocks": ([float(c) for c in cycles], share)},
        figures.cycles_axis(zero=True),
        Axis("blocks still alive", format="percent", low=0, high=1.04),
    )
    return Section(
        "When blocks fail, and what data do",
        "Blocks of a drive draw their rank on this line. Below: each pattern of data on all cells.",
        {"alive": alive},
        (
            "pattern",
            "program time, last page (us)",
            "wear of a cycle",
            f"cells misread after {model.states.age_s / YEAR:g} y",
        ),
        [
            (row.pattern, f"{row.t_prog[-1] / 1e3:.0f}", f"{row.stress:.2f}", f"{row.misread:.1e}")
            for row in model.states.rows
        ],
    )
