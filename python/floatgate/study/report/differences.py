"""The section of paired differences: which of two values is lower, for each combination of the other keys."""

from collections.abc import Iterator, Mapping, Sequence

from floatgate.report.differences import ROWS_MOST, Row, differences as drawn
from floatgate.report.plot import Figure
from floatgate.results.paired import LEAST, NO_NOTE, VERDICTS, Paired
from floatgate.study.differences import WORKLOAD, Difference, Value, differences, name
from floatgate.study.report.data import Data
from floatgate.study.report.paired import TOO_FEW, ratio, signed
from floatgate.study.report.part import Grid, Part
from floatgate.study.report.quantity import quantity
from floatgate.study.show import shown
from floatgate.study.spec import Spec
from floatgate.values import quantities as q

FIGURES_MOST = 8
ROWS_LISTED = 200


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
        says = [*_answers(spec, found), *_says(found)]
        yield Part(title, says, dict(_figures(found)), [_summary(found), _listed(found)])


def _answers(spec: Spec, found: Mapping[str, Sequence[Difference]]) -> Iterator[str]:
    """Say of each number which value of each key is best, in how many combinations, by how much."""
    aims = {one.key: one.aim for one in spec.objectives}
    for metric, several in found.items():
        for key in dict.fromkeys(one.key for one in several):
            mine = [one for one in several if one.key == key and one.found]
            if mine:
                word = "higher" if aims.get(metric) == "max" else "lower"
                title = quantity(metric).title
                yield f"{title[:1].upper()}{title[1:]}: {_answer(mine, word)}"


def _answer(of: Sequence[Difference], word: str) -> str:
    """Compare the value that is most often better with each other value of the key."""
    wins: dict[Value, int] = {}
    for one in of:
        for better in _better(one, word):
            wins[better] = wins.get(better, 0) + 1
    if not wins:
        return f"no value of {of[0].key} can be told from another."
    best = max(wins, key=lambda value: wins[value])
    said = []
    for other in dict.fromkeys(value for one in of for value in (one.a, one.b) if value != best):
        pairs = [one for one in of if {one.a, one.b} == {best, other}]
        if pairs:
            won = [one for one in pairs if best in _better(one, word)]
            lost = sum(other in _better(one, word) for one in pairs)
            how = f"{word} than {name(other)} in {len(won)} of {len(pairs)}{_by(won, best)}"
            said.append(f"{how}, the other way round in {lost}" if lost else how)
    return f"{of[0].key} {name(best)} is {'; '.join(said)} combinations of the other keys."


def _better(one: Difference, word: str) -> list[Value]:
    """Return the value that is surely better; none where that cannot be told."""
    lower = {"A lower": [one.a], "B lower": [one.b]}.get(one.found.verdict, []) if one.found else []
    return lower if word == "lower" or not lower else [one.b if lower == [one.a] else one.a]


def _by(won: Sequence[Difference], best: Value) -> str:
    """Say by what part of the other value's mean a value is better, from the least to the most."""
    parts = [_part(one.found, is_a=one.a == best) for one in won if one.found]
    parts = [part for part in parts if part]
    if not parts:
        return ""
    low, high = (f"{100 * part:.3g} %" for part in (min(parts), max(parts)))
    return f" (by {low})" if low == high else f" (by {low} to {high})"


def _part(found: Paired, *, is_a: bool) -> float:
    """Return the difference as a part of the other value's mean; 0 where that mean is 0."""
    other = found.mean_b if is_a else found.mean_a
    return abs(found.difference / other) if other else 0.0


def _says(found: Mapping[str, Sequence[Difference]]) -> Iterator[str]:
    yield (
        "Two values of a key with the same other keys, workload and seeds: a point is a pair of runs with "
        "one seed, the diamond their mean B - A with its 95 % interval (Student's t), in percent of A's "
        "mean. Where the interval leaves out 0, one is lower; of twenty comparisons without any difference "
        f"one does so by chance. {NO_NOTE}"
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
