"""Programs that the chip refuses."""

from floatgate.lab import patterns
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table


def run(bench: Bench) -> Result:
    """Try what the data sheet forbids: a page twice, a page before its turn."""
    chip, (block,) = bench.sample(1, "")
    data = patterns.random_page(bench.identity, block)
    last = bench.identity.pages_per_block - 1
    attempts = (
        ("page 0 of an erased block", 0, "ok"),
        ("page 1 after page 0", 1, "ok"),
        ("page 0 once more", 0, "fail"),
        (f"page {last} before its turn", last, "fail"),
    )
    rows, wrong = [], []
    for what, page, expected in attempts:
        status = chip.program(block, page, data).status
        rows.append((what, "accepted" if status == "ok" else "refused", status))
        if (status == "ok") != (expected == "ok"):
            wrong.append(what)
    chip.erase(block)
    status = chip.program(block, 0, data).status
    rows.append(("page 0 after an erase", "accepted" if status == "ok" else "refused", status))
    if status != "ok":
        wrong.append("page 0 after an erase")
    says = (
        "A page can be programmed once, in its turn, until the block is erased; all else is refused by "
        "status."
        if not wrong
        else f"Against the data sheet: {', '.join(wrong)}."
    )
    return Result(
        says,
        {"enforced": not wrong, "attempts": {what: status for what, _, status in rows}},
        (Table(("program", "", "status"), tuple(rows)),),
    )


EXPERIMENT = Experiment(
    "page-order",
    "Page order is enforced",
    "Does the chip refuse to program a page twice or out of order?",
    "Desnoyers 2009, section 3.3",
    run,
)
