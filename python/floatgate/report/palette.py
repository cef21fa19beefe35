"""Colours: one per meaning, the same in every figure, told apart by colour-blind readers and in print.

The hues are those of the Okabe-Ito set. Waiting is shown in the colour of whom one waits for
(violet for a busy channel); service, in greys from dark (the flash array) to light (the host link).
"""

INK = "#1f2933"
MUTED = "#6b7683"
GRID = "#e6e9ed"
PAPER = "#ffffff"

KINDS = {"read": "#0072B2", "write": "#D55E00", "trim": "#8a8f98", "flush": "#b9bdc4"}

ORIGINS = {
    "host": "#56B4E9",
    "gc": "#E69F00",
    "gc_debt": "#f3cf80",
    "wear": "#009E73",
    "read_modify_write": "#CC79A7",
    "rescue": "#8C564B",
    "padding": "#c4cad1",
    "rewrite": "#F0E442",
    "refresh": "#882255",
    "map": "#332288",
    "scrub": "#44AA99",
    "fold": "#AA4499",
    "parity": "#117733",
    "rebuild": "#999933",
    "read_ahead": "#88CCEE",
}
OTHER = "#9aa3ad"

STAGES = {
    "array": "#2f3e50",
    "transfer": "#55677b",
    "ecc": "#8595a6",
    "command": "#aab6c3",
    "link": "#d0d8e0",
    "queue": "#b3a488",
    "buffer": "#d9cbb2",
    "channel": "#7A6FAC",
    "wait_die": "#b9b2d6",
    "wait_host": ORIGINS["host"],
    "wait_gc": ORIGINS["gc"],
    "wait_wear": ORIGINS["wear"],
    "wait_other": OTHER,
}
ENERGY = {
    "controller": "#2f3e50",
    "bus": "#7A6FAC",
    "read": KINDS["read"],
    "program": KINDS["write"],
    "erase": "#CC79A7",
    "copyback": "#E69F00",
    "standby": "#c4cad1",
}
SERVICE = STAGES["transfer"]  # plain bars

HEAT = "Cividis"


def origin(name: str) -> str:
    """The colour of an origin of page operations."""
    return ORIGINS.get(name, OTHER)


def faint(colour: str, alpha: float) -> str:
    """`colour` (#rrggbb) let through by `alpha`."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"
