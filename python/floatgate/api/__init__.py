"""The functions of `floatgate`: what a command does, a function does, with the same names and options.

`floatgate` finds each of them here at its first use; a file imports only what its functions need.
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
