"""Studies: hundreds and thousands of runs from one file, in a folder that goes on where it was ended."""

from floatgate import called

called.answers(__name__, "floatgate.api.study")
