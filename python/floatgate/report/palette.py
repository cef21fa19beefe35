"""Colours: one per meaning, the same in every figure, told apart by colour-blind readers and in print.

The hues are those of the Okabe-Ito set. Waiting is shown in the colour of whom one waits for
(violet for a busy channel); service, in greys from dark (the flash array) to light (the host link).
Each has a sister for dark pages: hues as they are but lighter, greys turned round.
"""

from colorsys import hls_to_rgb, rgb_to_hls

INK = "#1f2933"
MUTED = "#6b7683"
GRID = "#e6e9ed"
PAPER = "#ffffff"

KINDS = {"read": "#0072b2", "write": "#d55e00", "trim": "#8a8f98", "flush": "#b9bdc4", "manage": "#a8861d"}

ORIGINS = {
    "host": "#56b4e9",
    "fill_up": "#b3dcf5",
    "gc": "#e69f00",
    "gc_debt": "#f3cf80",
    "wear": "#009e73",
    "read_modify_write": "#cc79a7",
    "rescue": "#8c564b",
    "padding": "#c4cad1",
    "rewrite": "#f0e442",
    "refresh": "#882255",
    "map": "#332288",
    "scrub": "#44aa99",
    "fold": "#aa4499",
    "parity": "#117733",
    "rebuild": "#999933",
    "read_ahead": "#88ccee",
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
    "channel": "#7a6fac",
    "wait_die": "#b9b2d6",
    "wait_host": ORIGINS["host"],
    "wait_gc": ORIGINS["gc"],
    "wait_wear": ORIGINS["wear"],
    "wait_other": OTHER,
}
ENERGY = {
    "controller": "#2f3e50",
    "bus": "#7a6fac",
    "read": KINDS["read"],
    "program": KINDS["write"],
    "erase": "#cc79a7",
    "copyback": "#e69f00",
    "standby": "#c4cad1",
}
SERVICE = STAGES["transfer"]  # plain bars
SERIES = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8c564b",
    "#6b7683",
    "#332288",
    "#999933",
)

# Low to high, readable in print and by colour-blind readers: Cividis, at nine places.
HEAT = (
    "#00224e",
    "#1d3765",
    "#434e6c",
    "#62646f",
    "#7d7c78",
    "#9b9476",
    "#bcae6c",
    "#dfca56",
    "#fee838",
)

DARK = {
    INK: "#e4e8ed",
    MUTED: "#9aa6b3",
    GRID: "#2b333d",
    PAPER: "#14181d",
    "#0072b2": "#3d9fe2",
    "#d55e00": "#f0812f",
    "#b9bdc4": "#6d747e",
    "#56b4e9": "#93d3f7",
    "#e69f00": "#f2b632",
    "#f3cf80": "#8a6a1f",
    "#009e73": "#2bc497",
    "#cc79a7": "#e295bf",
    "#8c564b": "#b98072",
    "#c4cad1": "#5b6672",
    "#882255": "#c0578d",
    "#332288": "#8577dd",
    "#44aa99": "#62cdbb",
    "#aa4499": "#d06fbf",
    "#117733": "#4cae6b",
    "#999933": "#bcbc4f",
    "#88ccee": "#bfe6fa",
    "#2f3e50": "#dde4ec",
    "#55677b": "#b4c1cf",
    "#8595a6": "#8d9db0",
    "#aab6c3": "#67788b",
    "#d0d8e0": "#455565",
    "#d9cbb2": "#756a55",
    "#7a6fac": "#9f94d6",
    "#b9b2d6": "#665f8f",
}
_LIGHT_ENOUGH = 0.55  # of 1: what is darker than this is made so light on a dark page


def origin(name: str) -> str:
    """The colour of an origin of page operations."""
    return ORIGINS.get(name, OTHER)


def dark(colour: str) -> str:
    """The sister of a colour (#rrggbb) on a dark page."""
    known = DARK.get(colour)
    if known is not None:
        return known
    hue, light, full = rgb_to_hls(*(int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)))
    lifted = hls_to_rgb(hue, max(light, _LIGHT_ENOUGH), full)
    return "#" + "".join(f"{round(255 * part):02x}" for part in lifted)
