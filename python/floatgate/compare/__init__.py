"""Two sets of runs that differ in one key, compared seed by seed."""

from floatgate import called

called.answers(__name__, "floatgate.api.compare")
