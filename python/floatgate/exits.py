"""With which code the command ends. Imports nothing: it is there before anything else of the command is."""

INPUT = 2
BROKEN = 70
INTERRUPTED = 130  # by Ctrl-C
