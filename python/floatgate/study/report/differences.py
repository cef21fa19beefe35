"""The section of paired differences: which of two values is lower, for each combination of the other keys."""

from collections.abc import Iterator, Mapping, Sequence

from floatgate.report.differences import ROWS_MOST, Row, differences as drawn
from floatgate.report.plot import Figure
from floatgate.results.paired import LEAST, Verdict
from floatgate.study.differences import WORKLOAD, Difference, differences, name
from floatgate.study.report.data import Data
from floatgate.study.report.paired import TOO_FEW, ratio, signed
from floatgate.study.report.part import Grid, Part
from floatgate.study.report.quantity import quantity
from floatgate.study.show import shown
from floatgate.values import quantities as q

FIGURES_MOST = 8
ROWS_LISTED = 200
VERDICTS: tuple[Verdict, ...] = ("A lower", "B lower", "cannot be told")


def section(data: Data) -> Iterator[Part]:
    """Show the section; where there are too few seeds, say so."""
    spec = data.spec
    if not data.factors or not data.study.runs.get("done") or spec.search.method != "grid":
        return
    title = "Paired differences"
    if len(spec.seeds) < LEAST:
        yield Part(
            title,
            [
                f"Which of two values is lower is told by pairs of runs with the same seed, at least "
                f"{LEAST}; this study has {len(spec.seeds)} (seeds = {LEAST})."
            ],
        )
        return
    rows = data.table.to_pylist()
    found = {key: list(differences(spec, rows, key)) for key in data.keys}
    found = {key: several for key, several in found.items() if several}
    if found:
        yield Part(title, list(_says(found)), dict(_figures(found)), [_summary(found), _listed(found)])


def _says(found: Mapping[str, Sequence[Difference]]) -> Iterator[str]:
    yield (
        "Two values of a key with the same other keys, workload and seeds: a point is a pair of runs with "
        "one seed, the diamond their mean B - A with its 95 % interval (Student's t), in percent of A's "
        "mean. Where the interval leaves out 0, one is lower; of twenty comparisons without any difference "
        "one does so by chance."
    )
    total = sum(map(len, found.values()))
    if total > ROWS_LISTED:
        yield f"Listed are the first {ROWS_LISTED} of {total:,} comparisons; the counts are over all of them."
    flagged = sum(bool(one.flags) for several in found.values() for one in several)
    if flagged:
        yield f"{flagged:,} of {total:,} comparisons are of numbers with flags."


def _figures(found: Mapping[str, Sequence[Difference]]) -> Iterator[tuple[str, Figure]]:
    """A picture for each number and key, as many as fit."""
    place = 0
    for metric, several in found.items():
        for key in dict.fromkeys(one.key for one in several):
            mine = [one for one in several if one.key == key and one.found]
            groups: dict[str, list[Row]] = {}
            for one in mine:
                if one.found:
                    row = Row(_others(one, mine), one.found, one.flags)
                    groups.setdefault(f"A {name(one.a)}, B {name(one.b)}", []).append(row)
            more = f", the first {ROWS_MOST} of {len(mine)}" if len(mine) > ROWS_MOST else ""
            figure = drawn(groups, f"{quantity(metric).title}{more}")
            if figure is not None and place < FIGURES_MOST:
                yield f"paired-{place}", figure
                place += 1


def _others(one: Difference, among: Sequence[Difference]) -> str:
    """Name a combination by what tells it apart among others; the workload, which may be long, comes last."""
    keys = sorted(one.of, key=lambda key: key == WORKLOAD)
    varied = [key for key in keys if len({each.of.get(key) for each in among}) > 1]
    return ", ".join(shown(one.of[key]) for key in varied) or q.NOTHING


def _summary(found: Mapping[str, Sequence[Difference]]) -> Grid:
    """In how many combinations which value is lower."""
    rows = []
    for metric, several in found.items():
        groups: dict[tuple[str, str, str], list[Difference]] = {}
        for one in several:
            groups.setdefault((one.key, name(one.a), name(one.b)), []).append(one)
        for (key, a, b), mine in groups.items():
            verdicts = [one.found.verdict if one.found else None for one in mine]
            counts = [f"{verdicts.count(each)}" for each in (*VERDICTS, None)]
            rows.append([quantity(metric).title, key, a, b, *counts])
    return Grid(["number", "key", "A", "B", *VERDICTS, "too few pairs"], rows)


def _listed(found: Mapping[str, Sequence[Difference]]) -> Grid:
    """Every comparison with its numbers, as many as are listed."""
    every = [(metric, one) for metric, several in found.items() for one in several][:ROWS_LISTED]
    others = list(dict.fromkeys(key for _, one in every for key in one.of))
    varied = [key for key in others if len({one.of.get(key) for _, one in every}) > 1] or others[:1]
    has_flags = any(one.flags for _, one in every)
    rows = []
    for metric, one in every:
        said = quantity(metric)
        cells = [said.title, one.key, name(one.a), name(one.b), *(shown(one.of.get(key)) for key in varied)]
        cells += [str(one.pairs), *_measured(metric, one)]
        rows.append([*cells, one.flags] if has_flags else cells)
    head = ["number", "key", "A", "B", *varied, "pairs", "mean of A", "B - A", "B / A", "verdict"]
    return Grid([*head, "flags"] if has_flags else head, rows)


def _measured(metric: str, one: Difference) -> list[str]:
    if one.found is None:
        return [q.NOTHING] * 3 + [TOO_FEW]
    said = quantity(metric)
    return [said.show(one.found.mean_a), signed(metric, one.found), ratio(one.found), one.found.verdict]
