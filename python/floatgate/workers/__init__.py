"""Many independent pieces of work, spread over processes: the one place of the package that starts any.

The processes are those of this machine, or those of a Dask cluster that is there already. Work and what goes
in and out of it are the same on both: work is a function of a module, items and results can be pickled.
"""

from floatgate.workers.arriving import writing
from floatgate.workers.crews import Crew, crew
from floatgate.workers.here import note, stopping, wait_for_stop
from floatgate.workers.spreading import How, spread

__all__ = ["Crew", "How", "crew", "note", "spread", "stopping", "wait_for_stop", "writing"]
