"""The commands, a file each: what it takes, what it does as a function and in a shell, what it prints.

A file defines the options once, as a class; the function of `floatgate`, made of them with `offered`; and the
command of the shell, made of the same with `takes` and called `NAME_in_shell`. `floatgate` finds each at its
first use, and the shell imports only the command that is asked for: a file imports at its top what is cheap,
and everything else where it is used.
"""

# The functions that do what a command does, where that is not the one of the command's own name.
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "run": ("run", "repeat"),
    "age": ("age", "age_compare"),
    "drives": ("drives", "drive"),
    "chips": ("chips", "chip"),
    "characterize": ("characterize", "experiments"),
    "fit": ("fit", "fit_voltages"),
    "policies show": ("policies",),
    "policies check": ("check_policies",),
    "policies new": ("new_policy",),
    "reproduce": ("reproduce", "papers"),
}


def functions(command: str) -> tuple[str, ...]:
    """Return the functions of a command by their names in `floatgate`: `trace.info` of `trace info`."""
    return FUNCTIONS.get(command, (command.replace(" ", "."),))
