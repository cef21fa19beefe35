"""Two sets of runs that differ in one key, compared seed by seed."""

from floatgate import callable_room

callable_room.answers(__name__, "floatgate.commands.compare")
