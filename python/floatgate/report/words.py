"""What the names in a result mean, in words: labels in figures, definitions in footnotes."""

STAGES = {
    "queue": ("host queue", "waiting in the host's queue for the drive to take the request"),
    "buffer": ("write buffer", "in the write buffer, or waiting for room in it"),
    "wait_host": ("behind host", "waiting for a die or channel that served other host requests"),
    "wait_gc": ("behind GC", "waiting for a die or channel that served garbage collection"),
    "wait_wear": ("behind wear levelling", "waiting for a die or channel that served wear levelling"),
    "wait_other": ("behind others", "waiting for a die or channel that served any other origin"),
    "channel": ("commands", "command and address cycles on the channel"),
    "array": ("flash array", "the die reads, programs or erases"),
    "transfer": ("data transfer", "data on the channel"),
    "ecc": ("ECC", "decoding, with its retries"),
    "link": ("host link", "command overhead and data on the host link"),
}

ORIGINS = {
    "host": "host",
    "gc": "garbage collection",
    "wear": "wear levelling",
    "rewrite": "re-writes",
    "mapping": "mapping",
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
        "mapping units programmed by all origins, divided by the mapping units that the host wrote",
    ),
    (
        "share of an origin",
        "write amplification split in proportion to the flash pages that each origin programmed",
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
