"""Test grids: a drive asked for every block size, depth, pattern and operation, each to a steady value."""

from floatgate import callable_room
from floatgate.grid.point import Point, Setting, settings
from floatgate.grid.run import Asked, Grid, measure_one, run_grid

__all__ = ["Asked", "Grid", "Point", "Setting", "measure_one", "run_grid", "settings"]

callable_room.answers(__name__, "floatgate.commands.grid")
