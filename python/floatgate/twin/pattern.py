"""What a measurement did to its drive: fio's words, read from a table and written as a job."""

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches

READS, WRITES, MIXES = ("read", "randread"), ("write", "randwrite"), ("rw", "randrw")
WORDS = READS + WRITES + MIXES
#: What may stand behind the word, as `KIND:VALUE` or alone, and what it means.
MODIFIERS = {
    "zipf": "zipf:THETA, fio's Zipf law over the space",
    "zoned": "zoned:ACCESS/SPACE:..., fio's zones, the hottest first",
    "mix": "mix:PERCENT, reads of all requests",
    "of": "of:PERCENT, the part of the data that is accessed; the rest is there",
    "scattered": "scattered, that part lies everywhere between the rest",
    "empty": "empty, nothing was written before",
    "burst": "burst:SIZE, so many bytes after the drive was idle",
    "flush": "flush, after each write",
    "poisson": "poisson, requests that are offered come at random moments",
    "filled": "filled, the data were written once and in order, not overwritten",
}
EXPECTED = "one of " + ", ".join(WORDS) + ", and behind it " + "; ".join(MODIFIERS.values())
_SIZE = re.compile(r"([0-9]+)(KiB|MiB|GiB)")
_FACTORS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


@dataclass(frozen=True)
class Pattern:
    """Which requests, and what was on the drive before."""

    rw: str
    distribution: str = ""  # fio's `random_distribution`; nothing for a uniform one
    mix: int = 100  # percent of a mixed pattern's requests that read
    part: float = 1.0  # of the data that is accessed
    is_scattered: bool = False  # that part lies everywhere between the rest
    is_poisson: bool = False  # offered at random moments, else evenly
    burst_bytes: int = 0  # written after a pause; 0: for as long as it takes
    has_flushes: bool = False  # one after each write
    before: str = ""  # what was on the drive: empty, filled, steady

    @property
    def is_write(self) -> bool:
        """Whether something is written."""
        return self.rw not in READS

    @property
    def is_mixed(self) -> bool:
        """Whether it reads and writes."""
        return self.rw in MIXES

    @property
    def is_random(self) -> bool:
        """Whether addresses are drawn."""
        return self.rw.startswith("rand")

    @property
    def state(self) -> str:
        """What was on the drive: random writes last until they are steady, all else finds data in order."""
        return self.before or ("steady" if self.is_write and self.is_random else "filled")

    def __str__(self) -> str:
        words = [self.rw]
        words += [self.distribution] if self.distribution else []
        words += [f"mix:{self.mix}"] if self.is_mixed else []
        words += [f"of:{100 * self.part:g}"] if self.part < 1 else []
        words += ["scattered"] if self.is_scattered else []
        words += ["poisson"] if self.is_poisson else []
        words += [f"burst:{_short(self.burst_bytes)}"] if self.burst_bytes else []
        words += ["flush"] if self.has_flushes else []
        words += [self.before] if self.before else []
        return " ".join(words)


@dataclass(frozen=True)
class Setting:
    """What was asked of a drive: numbers that share it come of one run."""

    pattern: Pattern
    size: int  # of a request, in bytes
    depth: int  # requests in flight
    used: float | None = None  # bytes that hold data; none: the whole drive
    offered: float | None = None  # requests a second; none: as many as the depth allows

    def __str__(self) -> str:
        words = [str(self.pattern), f"{self.size // 1024} KiB", f"depth {self.depth}"]
        words += [f"{self.used / 1e9:.4g} GB used"] if self.used else []
        words += [f"{self.offered:g} IOPS offered"] if self.offered else []
        return ", ".join(words)


def _short(size: int) -> str:
    unit, factor = next(pair for pair in reversed(_FACTORS.items()) if size % pair[1] == 0)
    return f"{size // factor}{unit}"


def read_pattern(text: str) -> Pattern:
    """Read a pattern as a table has it: `randwrite zipf:0.8`. Raises ValueError."""
    first, *rest = text.split() or [""]
    if first not in WORDS:
        near = get_close_matches(first, WORDS, n=1)
        raise ValueError(f"expected {EXPECTED}" + (f"; did you mean {near[0]}?" if near else ""))
    found = Pattern(first)
    for word in rest:
        found = _modified(found, word)
    if found.is_mixed and found.mix == Pattern.mix:
        raise ValueError("a mixed pattern says how much of it reads: expected mix:PERCENT, such as mix:70")
    return found


def _modified(pattern: Pattern, word: str) -> Pattern:
    kind, _, value = word.partition(":")
    if kind in ("zipf", "zoned") and value and pattern.is_random:
        return replace(pattern, distribution=word)
    if kind == "mix" and pattern.is_mixed and value.isdecimal() and 0 < int(value) < 100:
        return replace(pattern, mix=int(value))
    if kind == "of" and re.fullmatch(r"[0-9]+(\.[0-9]+)?", value) and 0 < float(value) <= 100:
        return replace(pattern, part=float(value) / 100)
    size = _SIZE.fullmatch(value)
    if kind == "burst" and size and pattern.is_write:
        return replace(pattern, burst_bytes=int(size[1]) * _FACTORS[size[2]])
    if word == "flush" and pattern.rw in WRITES:
        return replace(pattern, has_flushes=True)
    if word == "scattered" and pattern.is_random and pattern.part < 1 and not pattern.distribution:
        return replace(pattern, is_scattered=True)
    if word == "poisson":
        return replace(pattern, is_poisson=True)
    if word == "filled" or (word == "empty" and not pattern.is_write):
        return replace(pattern, before=word)
    near = get_close_matches(kind, MODIFIERS, n=1)
    said = MODIFIERS[near[0]] if near else ", ".join(MODIFIERS.values())
    raise ValueError(f"{word} does not go with {pattern.rw}: expected {said}")
