"""From a rig's logs to a page model: refuses logs with gaps, fits laws, shows how good they are.

A third source of a chip's tables, beside its data sheet and its cells: `floatgate fit`.
"""

from floatgate.lab.fit.run import Fit, fit_logs, write

__all__ = ["Fit", "fit_logs", "write"]
