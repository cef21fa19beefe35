"""The sections of a study's page: what is best, main effects, Sobol indices, all configurations together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from floatgate.extras import needed
from floatgate.results import flags
from floatgate.results.flags import words
from floatgate.study.aggregate import Configuration
from floatgate.study.design import sampled
from floatgate.study.drive_files import BEST, MOST, commands, name as file_name
from floatgate.study.report import effect_figures, fronts, parallel as lines, sensitivity
from floatgate.study.report.data import Data
from floatgate.study.report.effects import Effect
from floatgate.study.report.part import Grid, Part, Runs, value
from floatgate.study.report.quantity import quantity
from floatgate.study.show import shown
from floatgate.study.spec import Spec
from floatgate.study.store import REMARKS
from floatgate.values import quantities as q

FRONT_MOST = 40  # rows of the table of the front
RUNS_MOST = 400  # runs that are listed behind them


def best(data: Data, front: Sequence[Configuration]) -> Iterator[Part]:
    """Show the front, and the runs behind each of its points; nothing where nothing is best."""
    spec = data.spec
    if not front:
        if data.study.missed:
            yield Part("The bounds", list(_missed_words(data)), fronts.fronts(data, front))
        return
    several = len(spec.objectives) > 1
    shown = front[:FRONT_MOST]
    says = [_meaning(spec)]
    if words := fronts.cell_words(data):
        says.append(words)
    if len(spec.objectives) * (len(spec.objectives) - 1) // 2 > fronts.PAIRS_MOST:
        says.append(f"Of all pairs of objectives the first {fronts.PAIRS_MOST} are drawn.")
    all_of_them = "It is" if len(front) == 1 else "All are"
    which = all_of_them if len(front) <= MOST else f"The first {MOST} are"
    says.append(f"{which} in the folder {BEST}/ as drive file{'s' if len(front) > 1 else ''}.")
    if len(front) > len(shown):
        says.append(f"The table has the first {len(shown)} of {len(front):,}; results.parquet has all.")
    behind, left_out = _behind(data, shown)
    if left_out:
        says.append(f"Runs are listed for the first {len(behind)} of them.")
    yield Part(
        "The front" if several else "The best",
        says,
        fronts.fronts(data, front),
        [Grid(_front_head(spec), [_front_row(spec, rank, one) for rank, one in enumerate(shown)])],
        behind,
    )


def _missed_words(data: Data) -> Iterator[str]:
    """Say which bounds no configuration keeps, and how the run of what comes nearest is repeated."""
    spec = data.spec
    for one in data.study.missed:
        again = commands(spec, one.nearest).of(spec.workloads[0], spec.seeds[0])
        yield f"{one.words(spec)} One of its runs again: {again}"


def _meaning(spec: Spec) -> str:
    """Say what a value is, and what its interval."""
    how = {"mean": "the mean", "worst": "the worst"}[spec.search.over]
    several = f"; over workloads {how} counts" if len(spec.workloads) > 1 else ""
    if len(spec.seeds) == 1:
        return f"Each value is that of one seed, so nothing is known of its spread{several}."
    return (
        f"Each value is a mean over {len(spec.seeds)} seeds with its 95 % interval (Student's t){several}. "
        "Intervals may reach beyond a figure."
    )


def _front_head(spec: Spec) -> list[str]:
    drives = ["drive"] if len(spec.drives) > 1 else []
    titles = [quantity(key).title for key in spec.needed]
    return ["configuration", *titles, *drives, *(one.name for one in spec.parameters), "drive file"]


def _front_row(spec: Spec, rank: int, one: Configuration) -> list[str]:
    drives = [one.drive] if len(spec.drives) > 1 else []
    values = [shown(one.values.get(each.name)) for each in spec.parameters]
    file = file_name(rank, one) if rank < MOST else q.NOTHING
    return [str(one.number), *(value(one, key) for key in spec.needed), *drives, *values, file]


def _behind(data: Data, shown: Sequence[Configuration]) -> tuple[list[Runs], bool]:
    """Return the runs behind configurations, with their commands, and whether some were left out."""
    spec = data.spec
    fit = [one for place, one in enumerate(shown) if (place + 1) * spec.runs_each <= RUNS_MOST] or shown[:1]
    wanted = {one.number for one in fit}
    arrow = needed("pyarrow")
    mask = needed("pyarrow.compute").is_in(data.table["configuration"], value_set=arrow.array(sorted(wanted)))
    rows: dict[int, list[Mapping[str, Any]]] = {}
    for row in data.table.filter(mask).to_pylist():
        rows.setdefault(row["configuration"], []).append(row)
    head = ["workload", "seed", *(quantity(key).title for key in data.keys), "command"]
    found = []
    for one in fit:
        said = commands(spec, one)
        cells = [
            [
                row["workload"],
                str(row["seed"]),
                *(_of_run(row, key) for key in data.keys),
                said.of(row["workload"], row["seed"]),
            ]
            for row in rows.get(one.number, ())
        ]
        found.append(Runs(f"Configuration {one.number}: {q.several(len(cells), 'run')}", head, cells))
    return found, len(fit) < len(shown)


def _of_run(row: Mapping[str, Any], key: str) -> str:
    """Return a number of one run with its flags."""
    flagged = words(flags.flagged(key, flags.kinds_of([row.get(REMARKS) or ()])))
    said = quantity(key).show(row[key])
    return f"{said} ({flagged})" if flagged else said


def effects(data: Data, whole: Mapping[str, Sequence[Effect]]) -> Iterator[Part]:
    """Show what each parameter does to each number; `whole` are the effects over all workloads."""
    shown = {key: found for key, found in whole.items() if any(one.levels for one in found)}
    if not shown:
        return
    figures = {
        f"effects-{place}": figure
        for place, (key, found) in enumerate(shown.items())
        if (figure := effect_figures.effect_figure(data, key, found))
    }
    evened = all(one.evened for found in shown.values() for one in found)
    yield Part("Main effects", list(_effect_words(data, evened=evened)), figures, [_effect_grid(shown)])


def _effect_words(data: Data, *, evened: bool) -> Iterator[str]:
    """Say what the means and their intervals are of."""
    spec, several = data.spec, len(data.factors) > 1
    yield (
        "The mean over all configurations that have a value, over all other parameters; a number of a "
        "configuration is its mean over the seeds."
    )
    if several and evened:
        yield (
            "What each other parameter does by itself is taken out (least squares), so that values compare "
            "even where they stand beside different others. The bar is the 95 % interval (Student's t) of "
            "the mean, over configurations and seeds: it holds what parameters do together, and the seeds. "
            "The variance explained is that of the parameter by itself (omega squared)."
        )
    elif several:
        yield (
            "The bar is the 95 % interval (Student's t) of the mean, over configurations and seeds: it holds "
            "all that the other parameters do, and the seeds; there are too few configurations to take out "
            "what each other parameter does by itself. The variance explained is epsilon squared."
        )
    if any(one.binned for one in data.factors):
        yield "Ranges are cut into parts of equally many configurations; a point stands at their mean."
    if any((one.levels >= 0).sum() <= len(one.labels) for one in data.factors):
        yield "Where one configuration alone has a value, the bar is its interval over the seeds."
    if any(one.missing for one in data.found) or data.study.runs.get("missing"):
        yield (
            "Some configurations lack runs and do not count: values may stand beside different others, and "
            "what parameters do together may then look like what one does."
        )
    if spec.search.method in ("tpe", "nsga2"):
        yield (
            "A search looks more often where it found good values: these means are over what it looked at, "
            "not over the whole space."
        )
    if len(data.workloads) > effect_figures.WORKLOADS_MOST:
        yield f"Of {len(data.workloads)} workloads the {spec.search.over} is drawn."
    if len(data.factors) > effect_figures.PANELS_MOST:
        yield f"Drawn are the {effect_figures.PANELS_MOST} parameters that explain most."
    alone = {one.name for one in spec.parameters} - {one.name for one in data.factors}
    if alone:
        yield f"One value only: {', '.join(sorted(alone))}."


def _effect_grid(whole: Mapping[str, Sequence[Effect]]) -> Grid:
    """The lowest and the highest mean of each parameter, and the share of variance that it explains."""
    rows = []
    for key, found in whole.items():
        said = quantity(key)
        for one in found:
            if not one.levels:
                continue
            ends = [pick(one.levels, key=lambda level: level.mean) for pick in (min, max)]
            cells = [cell for end in ends for cell in (said.show(end.mean, end.half), end.label)]
            share = q.NOTHING if one.share is None else f"{100 * one.share:.0f} %"
            rows.append([said.title, one.factor.name, *cells, share])
    return Grid(
        ["number", "parameter", "lowest mean", "at", "highest mean", "at", "variance explained"], rows
    )


def sobol(data: Data) -> Iterator[Part]:
    """Show Sobol indices, or say why the design for them has none."""
    if data.spec.search.method != "saltelli" or not data.study.runs.get("done"):
        return
    title, reason = "Sobol indices", sensitivity.why_not(data)
    if reason:
        yield Part(title, [reason])
        return
    figures, rows, same = {}, [], []
    for place, key in enumerate(data.keys):
        for drive, drive_name in enumerate(data.spec.drives):
            of = quantity(key).title + (f" of {drive_name}" if len(data.spec.drives) > 1 else "")
            found = sensitivity.indices(data, key, drive, None)
            if found is None:
                same.append(of)
                continue
            rows += [
                [of, one.parameter, _pm(one.first, one.first_half), _pm(one.total, one.total_half)]
                for one in found
            ]
            shown = {of: found}
            if len(effect_figures.lines(data)) > 1:
                each = {
                    f"{of}, {workload}": sensitivity.indices(data, key, drive, number)
                    for number, workload in enumerate(data.workloads)
                }
                shown = {name: one for name, one in each.items() if one} or shown
            figures[f"sobol-{place}-{drive}"] = effect_figures.index_figure(shown)
    points = len(sampled(data.spec))
    says = [
        "The share of the variance that a parameter brings by itself (first order), and together with all "
        f"that it does with others (total); a gap between both is interaction. From {points:,} points; "
        f"bars are 95 % intervals of {sensitivity.RESAMPLES} bootstrap samples."
    ]
    if same:
        says.append(f"Without indices, as all values are the same or some are missing: {', '.join(same)}.")
    yield Part(
        title, says, figures, [Grid(["number", "parameter", "first order", "total"], rows)] if rows else []
    )


def _pm(value: float, half: float) -> str:
    return f"{value:.3f} ± {half:.3f}"


def parallel(
    data: Data, front: Sequence[Configuration], whole: Mapping[str, Sequence[Effect]]
) -> Iterator[Part]:
    """Show every configuration as a line over all that it is and came to."""
    if len(data.factors) + len(data.keys) < 3:
        return
    far = len(data.factors) + len(data.keys) > 7
    figure = lines.parallel(data, front, next(iter(whole.values()), ()))
    if figure is None:
        return
    key = lines.first(data)
    of = quantity(key).title
    says = [f"Each line is a configuration; lines through one value are spread in the order of {of}."]
    behind, ahead = lines.chosen(data, front, key)
    known = len(data.found) - int((data.totals[key] != data.totals[key]).sum())
    if len(behind) + len(ahead) < known:
        best = f"{len(ahead):,} of the front, and " if ahead else ""
        says.append(
            f"Drawn are {len(behind) + len(ahead):,} of {known:,}: {best}those at equal distances in that "
            "order."
        )
    if len(data.factors) + len(data.keys) > lines.AXES_MOST:
        says.append(f"Of {len(data.factors)} parameters those explaining most have an axis.")
    yield Part("All together", says, {"parallel": figure}, how="scrolls far" if far else "scrolls")
