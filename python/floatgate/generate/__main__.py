"""`python -m floatgate.generate` writes everything that follows from a definition."""

from floatgate.generate.from_definitions import write

write()
