"""Find the fitted parameters anew: `python papers/chung2010-ddr/fit.py`, some minutes.

Four parameters, all classes together and with each class left out in turn. What is made small is the mean
absolute deviation; a cell outside its class's tolerance counts with what it lies outside by, so that no class
is given up for another. A plain descent along the axes: the surface has no second valley worth the name.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parents[1]))

STEPS = {"drain_mb_per_s": 32.0, "slc_t_prog_us": 4.0, "mlc_t_prog_us": 16.0, "mlc_first": 0.1}
START = {"drain_mb_per_s": 600.0, "slc_t_prog_us": 200.0, "mlc_t_prog_us": 800.0, "mlc_first": 1.0}
HALVINGS = 3
# What a class alone determines; without it the data sheet's value stays.
OWN = {"slc-write": {"slc_t_prog_us"}, "mlc-write": {"mlc_t_prog_us", "mlc_first"}}


def main() -> None:
    """Print the best parameters for all classes, then without each one."""
    from importlib import import_module

    grid = import_module("chung2010-ddr.grid")
    paper = import_module("chung2010-ddr.run")
    fitted = import_module("chung2010-ddr.fitted")

    def loss(parameters: Mapping[str, float], kinds: Sequence[str]) -> float:
        deviations = []
        outside = 0.0
        for kind in kinds:
            for cell in grid.cells(kind):
                if cell.capped:
                    continue
                measured = grid.measure(cell, fitted.changes(parameters, kind)).mb_per_s
                deviation = abs(measured / paper.PUBLISHED[cell.exhibit, cell.name] - 1)
                deviations.append(deviation)
                if (cell.exhibit, cell.name) != paper.OUTLIER:
                    outside += max(0.0, deviation - grid.TOLERANCE + 0.002)
        return fmean(deviations) + outside

    def descend(kinds: Sequence[str], fixed: set[str]) -> tuple[dict[str, float], float]:
        best, parameters = loss(START, kinds), dict(START)
        steps = {name: step for name, step in STEPS.items() if name not in fixed}
        for _ in range(HALVINGS):
            moved = True
            while moved:
                moved = False
                for name, step in steps.items():
                    for change in (step, -step):
                        tried = parameters | {name: parameters[name] + change}
                        if (value := loss(tried, kinds)) < best:
                            best, parameters, moved = value, tried, True
                            break
            steps = {name: step / 2 for name, step in steps.items()}
        return parameters, best

    for left_out in (None, *grid.CLASSES):
        kinds = [kind for kind in grid.CLASSES if kind != left_out]
        fixed = OWN.get(left_out or "", set())
        parameters, value = descend(kinds, fixed)
        print(f"{left_out or 'nothing'} left out: {parameters}, loss {value:.3%}", flush=True)


if __name__ == "__main__":
    main()
