"""Comparisons as rows of text: on a terminal, in a notebook, on a page, in CSV."""

from collections.abc import Sequence
from typing import Any

from floatgate.compare.work import Compared, Comparison
from floatgate.files import ten_digits
from floatgate.study.report.paired import TOO_FEW, ratio, signed
from floatgate.study.report.quantity import quantity
from floatgate.study.show import shown
from floatgate.values import quantities as q


def title(of: Compared) -> str:
    """Say what is compared in one line."""
    return " and ".join(f"{key.name}: A {shown(key.a)}, B {shown(key.b)}" for key in of.keys[:3]) + (
        f" and {len(of.keys) - 3} more keys" if len(of.keys) > 3 else ""
    )


def pairs_words(of: Compared) -> str:
    """Say what pairs are, and how many there are."""
    counts = [one.pairs for one in of.comparisons]
    many = f"{max(counts)} pairs" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)} pairs"
    return (
        f"{many} of runs with the same seed; B - A and B / A have the 95 % interval of paired differences"
        " (Student's t), each row for itself"
    )


def others(of: Compared) -> list[str]:
    """Return the other keys by which comparisons are told apart."""
    return list(dict.fromkeys(name for one in of.comparisons for name in one.of))


def head(of: Compared) -> list[str]:
    """Return the heads of the columns."""
    flagged = ["flags"] if any(one.flags for one in of.comparisons) else []
    return ["metric", *others(of), "A", "B", "B - A", "B / A", "verdict", *flagged]


def row(of: Compared, one: Comparison) -> list[str]:
    """Return the cells of a comparison."""
    said, found = quantity(one.metric), one.found
    cells = [said.title, *(shown(one.of.get(name)) for name in others(of))]
    if found is None:
        cells += [q.NOTHING] * 4 + [TOO_FEW]
    else:
        cells += [said.show(found.mean_a), said.show(found.mean_b)]
        cells += [signed(one.metric, found), ratio(found), found.verdict]
    return [*cells, one.flags] if any(each.flags for each in of.comparisons) else cells


COLUMNS = (
    *("metric", "pairs", "a", "b", "difference", "difference_low", "difference_high"),
    *("ratio", "ratio_low", "ratio_high", "verdict"),
)


def csv_head(of: Compared) -> list[str]:
    """Return the heads of the columns of compare.csv."""
    return [*others(of), *COLUMNS, "flags"]


def csv_rows(of: Compared) -> Sequence[list[Any]]:
    """Return the rows of compare.csv."""
    found = []
    for one in of.comparisons:
        document = one.document()
        cells = [*(one.of.get(name) for name in others(of)), *(document[name] for name in COLUMNS)]
        found.append([*map(ten_digits, cells), one.flags])
    return found
