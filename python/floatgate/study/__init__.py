"""Studies: hundreds and thousands of runs from one file, in a folder that goes on where it was ended."""

from floatgate import callable_room

callable_room.answers(__name__, "floatgate.commands.study")
