"""The page of a study: what was run, what is best, what did not end, with the sections between."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from floatgate.report.html import Card, render
from floatgate.results.flags import FLAGS, words
from floatgate.study.aggregate import Configuration
from floatgate.study.report import differences, fronts, sections
from floatgate.study.report.data import Data, read
from floatgate.study.report.effects import effects
from floatgate.study.report.part import Grid, Part, value
from floatgate.study.report.quantity import quantity
from floatgate.study.table import text
from floatgate.values import quantities as q

if TYPE_CHECKING:
    from floatgate.study.result import Study

REASONS_MOST = 12
CARDS_MOST = 4
METHODS = {
    "grid": "the full grid",
    "random": "a random sample",
    "lhs": "a Latin hypercube",
    "sobol": "a Sobol sequence",
    "saltelli": "Saltelli's design",
    "tpe": "a search (TPE)",
    "nsga2": "a search (NSGA-II)",
}
_ENDS = {
    "refused": "refused: no such drive can be",
    "failed": "failed: they broke off",
    "pruned": "ended early by the pruner",
    "missing": "not run yet",
}


def page(study: "Study") -> str:
    """Return the whole HTML text of a study's report."""
    data, front = read(study), study.front()
    whole = {key: effects(data, key, None) for key in data.keys}
    parts = [
        *sections.best(data, front),
        *differences.section(data),
        *sections.effects(data, whole),
        *sections.sobol(data),
        *sections.parallel(data, front, whole),
        *_remarked(data),
        *_not_done(data),
    ]
    return render(
        "study.html",
        styles=("style.css", "study.css"),
        figures={name: figure for part in parts for name, figure in part.figures.items()} or None,
        title=data.spec.name,
        what=headline(data, front),
        facts=list(_facts(data)),
        notices=list(_notices(data)),
        cards=list(_cards(data, front)),
        parts_of_page=parts,
    )


def headline(data: Data, front: Sequence[Configuration]) -> str:
    """Say in words what was run and what is best."""
    spec, runs = data.spec, _runs(data)
    done, total = runs.get("done", 0), sum(runs.values())
    drives = spec.drives[0] if len(spec.drives) == 1 else f"{len(spec.drives)} drives"
    said = (
        f"{done:,} of {q.several(total, 'run')} done: {METHODS[spec.search.method]} over "
        f"{q.several(len(spec.parameters), 'parameter')} of {drives}, on "
        f"{q.several(len(spec.workloads), 'workload')} with {q.several(len(spec.seeds), 'seed')} each."
    )
    return f"{said} {best_words(data, front)}"


def best_words(data: Data, front: Sequence[Configuration]) -> str:
    """Say which configurations are best, or why none is."""
    spec = data.spec
    if not spec.objectives:
        shown = " and ".join(quantity(key).title for key in data.keys)
        usual = f" Shown are {shown}; results.parquet has all numbers." if shown else ""
        return f"No objective was set, so none of the configurations is best.{usual}"
    if front and len(spec.objectives) > 1:
        it = "is on the front: none betters it" if len(front) == 1 else "are on the front: none betters them"
        return (
            f"{len(front):,} of {q.several(len(data.found), 'configuration')} {it} in one objective without "
            "being worse in another."
        )
    if front:
        one, key = front[0], spec.objectives[0].key
        equal = f", as have {len(front) - 1:,} others" if len(front) > 1 else ""
        name = fronts.named(data, one)
        number = f" (configuration {one.number})" if data.factors else ""
        return f"Best is {name}{number}: {quantity(key).title} {value(one, key)}{equal}."
    ended = sum(not one.missing for one in data.found)
    if not ended:
        return "No configuration has all its runs, so none can be best."
    if data.study.missed:
        return "No configuration keeps the bounds, so none is best."
    return "No configuration has a value of every objective, so none can be best."


def _runs(data: Data) -> Mapping[str, int]:
    return data.study.record["runs"] or {}


def _facts(data: Data) -> Iterator[str]:
    spec, record = data.spec, data.study.record
    yield q.several((record.get("design") or {}).get("points", len(data.found)), "configuration")
    yield "drive " + ", ".join(_some(spec.drives))
    yield "workload " + ", ".join(_some(spec.workloads))
    yield "seeds " + ", ".join(_some([str(seed) for seed in spec.seeds]))
    for key, given in {**spec.options, **spec.trace}.items():
        yield f"{key.replace('_', '-')} {text(given)}"
    for key, given in (*spec.fixed, *spec.env):
        yield f"{key} = {text(given)}"
    sampler = record.get("sampler") or {}
    if sampler.get("version"):
        yield f"chosen by {sampler.get('package') or sampler.get('name')} {sampler['version']}"
    yield f"simulated by Floatgate {record['version']}"


def _some(names: Sequence[str], most: int = 6) -> list[str]:
    return list(names) if len(names) <= most else [*names[:most], f"and {len(names) - most:,} more"]


def _notices(data: Data) -> Iterator[str]:
    """What a reader must know before the numbers."""
    runs, total = _runs(data), sum(_runs(data).values())
    if runs.get("missing"):
        yield (
            f"{runs['missing']:,} of {total:,} runs are missing: the study is not at its end, and the same "
            "command goes on with it. What is below covers what was done until then."
        )
    for status in ("failed", "refused"):
        if runs.get(status):
            reasons = data.study.reasons[status]
            first, many = next(iter(reasons.items()), ("", 0))
            why = f"{many:,} times: {first}" if len(reasons) > 1 else first
            yield f"{runs[status]:,} of {total:,} runs {_ENDS[status]}" + (f" ({why})." if why else ".")
    for one in data.study.missed:
        yield one.words(data.spec)
    for said in data.study.remarks:
        if said.kind in FLAGS:
            yield f"{said.runs:,} of {q.several(said.of, 'run')}: {FLAGS[said.kind].says}. {said.text}"
    lacking = [key for key in data.spec.needed if key not in data.keys]
    if lacking and runs.get("done"):
        yield f"No run has {', '.join(lacking)}."


def _cards(data: Data, front: Sequence[Configuration]) -> Iterator[Card]:
    """A card for each objective: its best value, and what the configuration has of the others."""
    objectives = data.spec.objectives
    for one in objectives[:CARDS_MOST] if front else ():
        sign = 1 if one.aim == "min" else -1
        best = min(front, key=lambda found: sign * (found.numbers[one.key] or 0.0))
        others = [(quantity(other.key).title, value(best, other.key)) for other in objectives if other != one]
        number, _, unit = quantity(one.key).show(best.numbers[one.key]).partition(" ")
        below = f"{'smallest' if one.aim == 'min' else 'largest'}: {fronts.named(data, best)}"
        flagged = words(best.flags(one.key))
        below += f": {flagged}" if flagged else ""
        yield Card("drive", quantity(one.key).title, number, unit, below, others)


def _remarked(data: Data) -> Iterator[Part]:
    """Show what runs remarked, in the words of the first, and what to do."""
    remarks = data.study.remarks
    if remarks:
        says = [
            "What to know before the numbers; where one makes a number something else than it is called, the "
            "number bears its words wherever it stands on this page."
        ]
        rows = [[one.kind, f"{one.runs:,} of {one.of:,}", one.text, one.advice] for one in remarks]
        grids = [Grid(["remark", "runs", "the first says", "advice"], rows, of_words=True)]
        yield Part("What the runs say", says, grids=grids)


def _not_done(data: Data) -> Iterator[Part]:
    runs = _runs(data)
    rows = []
    for status, reasons in data.study.reasons.items():
        shown = dict(list(reasons.items())[:REASONS_MOST])
        rows += [[status, f"{many:,}", reason] for reason, many in shown.items()]
        if len(reasons) > len(shown):
            left = sum(reasons.values()) - sum(shown.values())
            rows.append([status, f"{left:,}", f"{len(reasons) - len(shown):,} other reasons"])
    rows += [
        [status, f"{runs[status]:,}", _ENDS[status]] for status in ("pruned", "missing") if runs.get(status)
    ]
    if rows:
        yield Part("What did not end", [], grids=[Grid(["status", "runs", "why"], rows, of_words=True)])
