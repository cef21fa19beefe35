"""The fit in words and rows: the same for the terminal and the report."""

from floatgate.lab.fit.endurance import QUANTILES
from floatgate.lab.fit.run import Fit, of_type, title
from floatgate.values import quantities as q

TIME_HEAD = ("time", "law", "new", "last", "pulse", "R2", "RMS residual", "points", "blocks", "fit")
RATE_HEAD = ("error rate", "law", "last", "explained", "RMS residual", "chi2/dof", "points", "blocks", "fit")
NUMBER_HEAD = ("parameter", "value", "95 %")


def verdict(good: bool) -> str:
    """Return what a fit is called."""
    return "good" if good else "POOR"


def times(done: Fit) -> list[tuple[str, ...]]:
    """Return a row for each fitted time."""
    return [
        (
            title(kind, done.part),
            fit.fitted.law.shape.formula,
            q.duration(float(fit.at(fit.wear[:1])[0])),
            q.duration(float(fit.at(fit.wear[-1:])[0])),
            q.duration(fit.pulse.ns) if fit.pulse else "none seen",
            "no change" if fit.fitted.goodness.r2 is None else f"{fit.fitted.goodness.r2:.4f}",
            q.duration(fit.fitted.goodness.rms),
            str(fit.fitted.goodness.points),
            str(fit.blocks),
            verdict(fit.good),
        )
        for kind, fit in done.times.items()
    ]


def rates(done: Fit) -> list[tuple[str, ...]]:
    """Return a row for each fitted error rate."""
    found: list[tuple[str, ...]] = []
    for kind, fit in done.rates.items():
        goodness = fit.goodness
        last = f"below {fit.below:.1e}" if fit.below is not None else f"{float(fit.law.at(fit.wear[-1])):.2e}"
        found.append(
            (
                f"errors{of_type(kind, done.part)}",
                "no error seen" if fit.below is not None else fit.law.formula,
                last,
                q.NOTHING if goodness.explained is None else f"{goodness.explained:.4f}",
                q.NOTHING if goodness.rms_decades is None else f"{goodness.rms_decades:.3f} decades",
                f"{goodness.scatter:.2f}",
                str(goodness.points),
                str(fit.blocks),
                verdict(goodness.good),
            )
        )
    return found


def endurance(done: Fit) -> str:
    """Say how long blocks live."""
    fit, lives = done.endurance, done.gathered.lives
    failed = sum(life.failed is not None for life in lives)
    if fit is None:
        return (
            f"{failed} of {len(lives)} blocks failed: too few, or too alike, for a distribution (expected 5)"
        )
    low, high = (q.count(end) for end in fit.intervals["0.5"])
    median, early = (q.count(fit.chosen.quantile(share)) for share in (0.5, QUANTILES[0]))
    return (
        f"{failed} of {len(lives)} blocks failed; {fit.chosen.name}, median {median} cycles "
        f"(95 %: {low} to {high}), 1 % by {early}; Kolmogorov-Smirnov distance {fit.distance:.3f}, "
        f"p = {fit.p:.3f}: {verdict(fit.good)}"
    )


def parameters(done: Fit) -> list[tuple[str, ...]]:
    """Return every fitted number with its interval."""
    groups = [
        *((title(k, done.part), f.fitted.law.parameters, f.fitted.intervals) for k, f in done.times.items()),
        *(
            (f"errors{of_type(k, done.part)}", f.law.parameters, f.intervals)
            for k, f in done.rates.items()
            if f.below is None
        ),
    ]
    if done.endurance:
        groups.append(("endurance", done.endurance.chosen.parameters, done.endurance.intervals))
    return [
        (f"{name}: {key}", f"{value:.5g}", _interval(ends.get(key)))
        for name, values, ends in groups
        for key, value in values.items()
    ]


def _interval(ends: tuple[float, float] | None) -> str:
    return "fewer than 5 blocks" if ends is None else f"{ends[0]:.5g} to {ends[1]:.5g}"


def remarks(done: Fit, model: bool) -> list[str]:
    """Say what a reader must know before using the numbers."""
    said = []
    if done.part is None:
        said.append("no chip known (--chip): all pages are taken as one type")
    if done.poor:
        said.append(f"do not follow their law: {', '.join(done.poor)}")
    if not model:
        missing = "programs of every page type, and erases"
        said.append(f"no tables: the logs do not tell the times of {missing}")
    return said
