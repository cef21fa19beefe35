"""A drive that clients use over a socket: `floatgate serve`."""

from floatgate import callable_room

callable_room.answers(__name__, "floatgate.commands.serve")
