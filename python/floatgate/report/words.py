"""What the names in a result mean, in words: labels in figures, definitions in footnotes."""

STAGES = {
    "queue": ("host queue", "until the drive took the request up"),
    "command": ("command overhead", "until the drive had understood the request"),
    "buffer": ("write buffer", "waiting for room in the write buffer, or in it until acknowledged"),
    "wait_host": ("behind host", "in the die's queue behind other host requests"),
    "wait_gc": ("behind GC", "in the die's queue behind garbage collection"),
    "wait_wear": ("behind wear levelling", "in the die's queue behind wear levelling"),
    "wait_other": ("behind others", "in the die's queue behind any other origin"),
    "wait_die": ("die queue", "in the die's queue while the die switched or waited for its channel"),
    "channel": ("behind channel", "at the die, waiting for a channel that carried something else"),
    "array": ("flash array", "the die reads, programs or erases"),
    "transfer": ("transfer", "command, address and data cycles on the channel"),
    "ecc": ("ECC", "decoding, with its retries"),
    "link": ("host link", "data on the host link"),
}
WAITING = ("wait_host", "wait_gc", "wait_wear", "wait_other", "wait_die", "channel")

ORIGINS = {
    "host": "host",
    "fill_up": "filling up units",
    "gc": "garbage collection",
    "gc_debt": "collection owed before the run",
    "wear": "wear levelling",
    "read_modify_write": "read-modify-write",
    "rescue": "rescue from failed programs",
    "padding": "padding",
    "map": "map on flash",
    "rewrite": "re-writes",
    "refresh": "refresh of old data",
    "scrub": "patrol scrub",
    "fold": "folding of the SLC cache",
    "parity": "parity",
    "rebuild": "reads for what was lost",
    "read_ahead": "reads ahead of the host",
    "other": "others",
}

DEFINITIONS = (
    (
        "latency",
        "from the arrival of a request to its completion; what the ramp-up handed out is not counted",
    ),
    (
        "p99.9",
        "what 99.9 % of the latencies did not exceed; from a histogram of bounded relative error",
    ),
    ("IOPS, bandwidth", "requests and bytes completed in the measured time, divided by that time"),
    (
        "write amplification",
        "bytes programmed to the flash by all origins, divided by the bytes that the host wrote; not settled "
        "where more than 3 % of these are still in the buffer",
    ),
    (
        "write amplification in the long run",
        "what it comes to while the drive stays as this run found it, from the moves for each unit of room "
        "that collecting gained; with the interval that holds it in 95 of 100 such runs",
    ),
    (
        "collection owed before the run",
        "what was moved for room that was missing when the run began and that its writes did not use",
    ),
    (
        "share of an origin",
        "bytes that this origin programmed, divided by the bytes that the host wrote",
    ),
    (
        "read retries",
        "attempts beyond the first to read a page: with more references between the states, then with "
        "shifted ones",
    ),
    ("utilisation", "share of the measured time in which a channel or die was busy"),
    ("P/E cycles", "program and erase cycles of a block, since the drive was new"),
)


def stage(name: str) -> str:
    """The label of a stage."""
    return STAGES[name][0] if name in STAGES else name.replace("_", " ")


def origin(name: str) -> str:
    """The label of an origin."""
    return ORIGINS.get(name, name.replace("_", " "))


def energy(part: str) -> str:
    """Return what a part of the energy is called."""
    named = {"controller": "controller", "bus": "wires", "standby": "flash at rest"}
    return named.get(part, f"flash {part}s" if part != "copyback" else "flash copybacks")
