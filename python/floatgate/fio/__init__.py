"""fio's side of a run: its command line in, its result bins and its logs out."""

from floatgate.fio.command import Translated, is_command, translate

__all__ = ["Translated", "is_command", "translate"]
