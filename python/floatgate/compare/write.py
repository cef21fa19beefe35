"""The folder of a comparison: compare.json, compare.csv, report.html."""

from pathlib import Path

from floatgate.compare.show import csv_head, csv_rows, head, others, pairs_words, row, title
from floatgate.compare.work import Compared, Comparison
from floatgate.files import write_rows
from floatgate.report.differences import Row, differences
from floatgate.report.plot import Figure
from floatgate.report.sheet import Section, sheet
from floatgate.results.folder import atomically, write_json
from floatgate.results.paired import NO_NOTE, VERDICTS
from floatgate.study.report.quantity import quantity
from floatgate.study.show import shown
from floatgate.values import quantities as q

COMPARED = "compare.json"
FIGURES_MOST = 12


def write(of: Compared, out: Path, *, force: bool) -> None:
    """Write the folder. Raises InputError where it cannot be."""
    with atomically(out, force=force) as folder:
        write_json(folder / COMPARED, of.document())
        write_rows(folder / "compare.csv", csv_head(of), csv_rows(of))
        (folder / "report.html").write_text(page(of), encoding="utf-8")


def page(of: Compared) -> str:
    """Return the report: one self-contained HTML page."""
    counts = {verdict: sum(one.verdict == verdict for one in of.comparisons) for verdict in VERDICTS}
    facts = [f"A {of.a}", f"B {of.b}", *(f"{many} {verdict}" for verdict, many in counts.items() if many)]
    says = (
        "Each point is a pair of runs with the same seed, the diamond their mean with its 95 % interval "
        "(Student's t), in percent of A's mean. Where the interval leaves out 0, one is lower; of twenty "
        f"comparisons without any difference one does so by chance. {NO_NOTE}"
    )
    sections = [Section("Paired differences", says, _figures(of))] if _figures(of) else []
    table = [row(of, one) for one in of.comparisons]
    sections.append(Section("Numbers", f"{pairs_words(of)}.", head=head(of), rows=table))
    sides = (("A", of.remarks_a), ("B", of.remarks_b))
    rows = [
        [side, f"{said.runs} of {said.of}", said.text, said.advice]
        for side, all_of_it in sides
        for said in all_of_it
    ]
    if rows:
        sections.append(
            Section("What the runs say", "", head=["", "runs", "the first says", "advice"], rows=rows)
        )
    flagged = sum(bool(one.flags) for one in of.comparisons)
    notices = [f"{note}." for note in of.notes]
    if flagged:
        notices.insert(0, f"{flagged} of {len(of.comparisons)} comparisons are of numbers with flags.")
    return sheet("Floatgate comparison", _names(of), title(of), facts, sections, " ".join(notices))


def _names(of: Compared) -> str:
    return f"{of.a.name or of.a} and {of.b.name or of.b}"


def _figures(of: Compared) -> dict[str, Figure]:
    """A picture of all numbers; where there are several combinations, one of each number."""
    if not others(of):
        rows = [_row(one, quantity(one.metric).title) for one in of.comparisons if one.found]
        found = differences({"": rows})
        return {"differences": found} if found else {}
    figures = {}
    for place, metric in enumerate(list(dict.fromkeys(one.metric for one in of.comparisons))[:FIGURES_MOST]):
        mine = [one for one in of.comparisons if one.metric == metric and one.found]
        drawn = differences({"": [_row(one, _cell(one, of)) for one in mine]}, quantity(metric).title)
        if drawn:
            figures[f"differences-{place}"] = drawn
    return figures


def _row(one: Comparison, name: str) -> Row:
    assert one.found is not None, "rows without pairs have no picture"
    return Row(name, one.found, one.flags)


def _cell(one: Comparison, of: Compared) -> str:
    """Name a combination by what tells it apart."""
    varied = [name for name in others(of) if len({each.of.get(name) for each in of.comparisons}) > 1]
    return ", ".join(shown(one.of.get(name)) for name in varied or others(of)) or q.NOTHING
