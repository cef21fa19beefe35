"""The drive that is simulated for a twin: the whole one where it is small, else a replica of a part of it."""

from typing import Any

from floatgate.twin.built import (
    LEFT_OUT,
    PARITY_LEAST,
    SECTORS,
    SUPERBLOCKS,
    WORDLINES,
    Shape,
    block_pages,
    is_mixed,
    keys_by_parameter,
    shape,
    sizes,
    starting,
    usable,
)
from floatgate.twin.parameters import TIMES, Base, Values, matter
from floatgate.twin.pattern import Setting
from floatgate.twin.simulated import Simulated
from floatgate.values.arguments import assignment

#: A drive up to this size is simulated as it is; a larger one by a replica of about this size.
WHOLE_BYTES = 6 << 30
PAGES_LEAST = 3 * WORDLINES  # of a block of a replica: a superblock then holds several programs of any chip
#: Dies that stand for all where writes keep all of them busy, and requests in flight that are left for each
#: that the replica has at least.
DIES_LEAST, DEPTH_LEAST = 4, 4
#: Programs of a die that a full buffer is bound to (fewer where programs take copies along), and the part of
#: the rest in which a second write finds the first: as counted on whole drives of 0.25 to 1 GB, with buffers
#: of 3 to 13 MB on 4 and 8 dies.
BOUND, BOUND_MIXED, FOUND_WAITING = 1.95, 1.0, 0.25
PROGRAMS_HELD = 3  # of a die, in a buffer that only has to keep it busy


def replica(base: Base, values: Values, capacity: float, setting: Setting, seed: int = 1) -> Simulated:
    """Return the drive that is simulated for these parameters and this setting.

    A replica has fewer and smaller superblocks. Superblocks without data, when writes are steady, are as
    many as on the whole drive. Where writes keep all dies busy it has fewer channels, too, and of the
    buffer, of the requests in flight and of what all channels share the same part.
    """
    known = {**starting(base), **_of_all(base), **values}
    whole = shape(base, values, capacity)
    small, width, held = whole, 1, 0.0
    if whole.capacity > WHOLE_BYTES:
        width, held = _width(known, setting), _held(base, known, setting)
        small = _smaller(base, whole, width, known)
    of_part = _part(values, known, width)
    if held:
        held /= width
        of_part = {**of_part, "buffer": held}
    set_over: dict[str, Any] = {key: value for key, value in LEFT_OUT.items() if key in base.config}
    for of_it in keys_by_parameter(base, of_part).values():
        set_over |= of_it
    set_over |= sizes(base, small)
    own = 1.0
    if width > 1 and known["parity"] >= PARITY_LEAST:
        # A stripe spans more dies than there are: what it costs is reckoned.
        own = known["parity"] / (known["parity"] - 1)
        set_over["ftl.parity.name"] = "none"
        set_over.pop("ftl.parity.stripe", None)
    overrides = tuple(assignment(key, value) for key, value in set_over.items())
    scale = whole.capacity / small.capacity
    caught = waiting(base, known) if held else 0.0
    return Simulated(base.drive, overrides, small.capacity, scale, seed, width, own, caught, held)


def _width(known: Values, setting: Setting) -> int:
    """Return how many channels one of the replica stands for."""
    pattern = setting.pattern
    is_sustained = pattern.is_write and not (pattern.burst_bytes or pattern.has_flushes)
    if not is_sustained or (pattern.state != "steady" and pattern.is_random):
        return 1
    channels, dies = round(known["channels"]), round(known["dies"])
    ways = max(1, round(dies / channels))
    fits = (
        width
        for width in range(channels, 0, -1)
        if channels % width == 0
        and channels // width * ways >= DIES_LEAST
        and setting.depth >= DEPTH_LEAST * width
    )
    return next(fits, 1)


def _held(base: Base, known: Values, setting: Setting) -> float:
    """Return a buffer that is just enough for all dies, where it only has to keep them busy; else 0."""
    return PROGRAMS_HELD * round(known["dies"]) * base.program_bytes if keeps_busy(setting) else 0.0


def waiting(base: Base, known: Values) -> float:
    """Return bytes of the buffer's data that what comes later finds waiting, and can take the place of.

    Data that are bound to a program stay in the buffer until it is done, but no longer wait.
    """
    programs = BOUND_MIXED if is_mixed(base, known) else BOUND
    bound = programs * round(known["dies"]) * base.program_bytes
    return FOUND_WAITING * max(0.0, known["buffer"] - bound)


def keeps_busy(setting: Setting) -> bool:
    """Whether the buffer does nothing but keep dies busy and catch what is written again."""
    pattern = setting.pattern
    is_closed = pattern.is_random and pattern.is_write and not pattern.is_mixed and not setting.offered
    return is_closed and pattern.state == "steady" and not (pattern.burst_bytes or pattern.has_flushes)


def depends(base: Base, values: Values, capacity: float, setting: Setting) -> list[str]:
    """Return the parameters that a setting's run depends on."""
    names = matter(setting)
    is_skewed = setting.pattern.distribution.startswith("zipf")
    if keeps_busy(setting) and not is_skewed and shape(base, values, capacity).capacity > WHOLE_BYTES:
        names.remove("buffer")
    return names


def _part(values: Values, known: Values, width: int) -> Values:
    """Return the parameters of one of `width` equal parts of a drive."""
    if width == 1:
        return values
    part = {
        **values,
        "channels": known["channels"] / width,
        "dies": known["dies"] / width,
        "buffer": known["buffer"] / width,
        "command_service": known["command_service"] * width,
    }
    if "link_rate" in values:
        part["link_rate"] = values["link_rate"] / width
    return part


def _of_all(base: Base) -> dict[str, float]:
    """Return what the base says of what all dies and all commands share."""
    has_parity = base.config.get("ftl.parity.name") == "rain"
    stripe = base.config.get("ftl.parity.stripe") or starting(base)["dies"] - 1
    return {
        "parity": float(stripe) + 1 if has_parity else 0.0,
        "command_service": base.measure("host.t_command_service", TIMES),
    }


def _smaller(base: Base, whole: Shape, width: int, known: Values) -> Shape:
    parity, mixed = known["parity"], is_mixed(base, known)
    superblocks = min(SUPERBLOCKS, whole.superblocks)
    wanted = block_pages(base, WHOLE_BYTES / (whole.dies * superblocks)) if width == 1 else 0
    pages = min(max(PAGES_LEAST, wanted), whole.pages)
    # Data take the same part of the superblocks that may hold some.
    part = whole.capacity / (usable(whole.superblocks, parity, mixed) * whole.pages)
    filled = part * usable(superblocks, parity if width == 1 else 0.0, mixed)
    capacity = int(filled * pages / width)
    return Shape(whole.dies // width, superblocks, pages, capacity // SECTORS * SECTORS)
