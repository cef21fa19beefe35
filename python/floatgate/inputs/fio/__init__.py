"""fio's side of a run: its command line in, its result bins and its logs out."""

from floatgate.inputs.fio.command import Line, Translated, is_command, translate

__all__ = ["Line", "Translated", "is_command", "translate"]
