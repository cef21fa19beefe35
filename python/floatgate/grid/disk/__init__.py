"""A magnetic disk by its service times, for comparison; alone or with flash as its write cache."""

from floatgate.grid.disk.model import Disk, read_disk
from floatgate.grid.disk.simulate import Completed, run

__all__ = ["Completed", "Disk", "read_disk", "run"]
