"""Reads a DiskSpd command line: `diskspd -b8K -r -o4 -w100 -d10 file.dat`."""

import re
from dataclasses import replace

from floatgate.errors import InputError
from floatgate.files import whole
from floatgate.inputs.diskspd.distribution import Range, zones
from floatgate.inputs.diskspd.model import RATE_MOST, Profile, Span, Target

NO_EFFECT = {
    "a": "affinity",
    "C": "cool-down",
    "D": "interval of statistics",
    "e": "event tracing",
    "I": "I/O priority",
    "l": "large pages",
    "L": "latency statistics",
    "n": "affinity",
    "p": "parallel start offsets",
    "P": "progress",
    "R": "result format",
    "v": "verbose",
    "x": "completion routines",
    "y": "events",
    "Z": "write content",
}
HONOURED = "bBcdfFgijoOrsStTwWz"
# What takes a number and no more: whose, what, and the least; or a size.
_NUMBERS = {
    "d": ("span", "duration_s", 1),
    "F": ("span", "threads", 1),
    "i": ("target", "burst", 1),
    "j": ("target", "think_ms", 1),
    "o": ("target", "depth", 1),
    "O": ("span", "thread_depth", 1),
    "t": ("target", "threads", 1),
    "W": ("span", "warmup_s", 0),
}
_SIZES = {"c": "file_size", "T": "thread_stride"}
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_TOKEN = re.compile(r'"([^"]*)"|(\S+)')


def read_command(text: str, source: str) -> Profile:
    """Read a command line. Raises InputError, naming the argument."""
    words = [quoted or plain for quoted, plain in _TOKEN.findall(text)]
    return _Reader(words[1:], source).read()


class _Reader:
    """Takes arguments one by one."""

    def __init__(self, arguments: list[str], source: str) -> None:
        self.source, self.arguments = source, arguments
        self.profile = Profile(source)
        self.span = Span(source)
        self.target = Target("", source)
        self.place = source

    def read(self) -> Profile:
        targets = [word for word in self.arguments if not _is_flag(word)]
        if not targets:
            raise InputError(f"{self.source}: no target: expected a file or a disk after the options")
        # Sizes in blocks (4b) need the block size, wherever it stands.
        flags = list(enumerate(self.arguments, 1))
        for number, word in sorted(flags, key=lambda item: not item[1].startswith("-b")):
            self.place = f"{self.source}: argument {number} ({word})"
            if _is_flag(word):
                if any(not _is_flag(before) for before in self.arguments[: number - 1]):
                    raise InputError(f"{self.place}: an option after a target: expected options first")
                self.take(word[1:2], word[2:])
        if self.span.threads is not None and self.target.threads != 1:
            raise InputError(f"{self.source}: both -t and -F: expected one of them")
        self.span.targets = [replace(self.target, path=path) for path in targets]
        self.profile.spans.append(self.span)
        return self.profile

    def take(self, flag: str, value: str) -> None:
        if flag in NO_EFFECT and not (flag == "p" and value):
            self.profile.ignore(f"-{flag} ({NO_EFFECT[flag]})")
            return
        if flag == "X":
            raise InputError(
                f"{self.place}: a profile: expected it as the workload itself: floatgate run DRIVE FILE.xml"
            )
        if flag == "h" and not value:
            self.target.write_through = True  # an old spelling of -Sh
            return
        if flag in _NUMBERS:
            owner, name, least = _NUMBERS[flag]
            setattr(getattr(self, owner), name, self.number(value, least))
            return
        if flag in _SIZES:
            setattr(self.target, _SIZES[flag], self.size(value))
            return
        method = getattr(self, f"_{flag}", None) if flag in HONOURED else None
        if method is None:
            other = flag.swapcase()
            known = other in HONOURED or other in NO_EFFECT
            hint = (
                f"did you mean -{other}?"
                if known
                else f"known: {' '.join(sorted(HONOURED + ''.join(NO_EFFECT)))}"
            )
            raise InputError(f"{self.place}: no such option: expected one of DiskSpd's ({hint})")
        method(value)

    def number(self, text: str, least: int = 0, most: int = 1 << 62) -> int:
        value = whole(text)
        if value is None or not least <= value <= most:
            limits = f"from {least} to {most}" if most < 1 << 62 else f"of at least {least}"
            raise InputError(f"{self.place}: expected a whole number {limits}")
        return value

    def size(self, text: str, *, blocks: bool = True) -> int:
        found = re.fullmatch(r"([0-9]{1,18})([KMGTkmgt]?|b|B)", text)
        if found is None or (found[2] in ("b", "B") and not blocks) or not int(found[1]):
            raise InputError(f"{self.place}: expected a size such as 8K, 1M or 2G")
        if found[2] in ("b", "B"):
            return int(found[1]) * self.target.block
        return int(found[1]) * _UNITS[found[2].upper()]

    def _b(self, value: str) -> None:
        self.target.block = self.size(value, blocks=False)

    def _B(self, value: str) -> None:  # noqa: N802 - named after its flag
        base, colon, length = value.partition(":")
        self.target.base = 0 if base == "0" else self.size(base)
        if colon:
            self.target.most = self.target.base + self.size(length)

    def _f(self, value: str) -> None:
        if value and set(value) <= set("rst"):
            self.profile.ignore("-f (access hints)")
        else:
            self.target.most = self.size(value)

    def _g(self, value: str) -> None:
        if value.endswith("i"):
            self.target.iops, self.target.bytes_per_ms = self.number(value[:-1], 1, RATE_MOST), None
        else:
            self.target.iops, self.target.bytes_per_ms = None, self.number(value, 1, RATE_MOST)

    def _r(self, value: str) -> None:
        if value.startswith("s"):
            self.target.random_percent = self.number(value[1:], 0, 100)
            self.target.random_align = self.target.random_align or self.target.block
        elif value.startswith("d"):
            self.target.distribution = self._ranges(value[1:])
            self.target.random_align = self.target.random_align or self.target.block
        else:
            self.target.random_align = self.size(value) if value else self.target.block

    def _ranges(self, text: str) -> str:
        kind, pairs = text[:3], text[3:]
        if kind not in ("pct", "abs") or not pairs:
            raise InputError(f"{self.place}: expected -rdpctIO/TARGET:... or -rdabsIO/SIZE:...")
        ranges: list[Range] = []
        for pair in pairs.split(":"):
            percent, slash, share = pair.partition("/")
            if not slash:
                raise InputError(f"{self.place}: {pair}: expected pairs such as 90/10")
            extent = self.number(share, 1, 100) if kind == "pct" else self.size(share)
            ranges.append((self.number(percent, 0, 100), extent))
        return zones(kind, ranges, self.place)

    def _s(self, value: str) -> None:
        self.target.interlocked = value.startswith("i")
        size = value[1:] if self.target.interlocked else value
        self.target.stride = self.size(size) if size else None

    def _S(self, value: str) -> None:  # noqa: N802
        for mode in value or "u":
            if mode in "hw":
                self.target.write_through = True
            if mode in "hubr":
                self.profile.ignore("-S (the host's cache)")
            elif mode == "m":
                raise InputError(f"{self.place}: memory-mapped I/O is not modelled: expected -Su, -Sw or -Sh")
            elif mode != "w":
                raise InputError(f"{self.place}: {mode}: expected some of b, h, r, u, w")

    def _w(self, value: str) -> None:
        if not value:
            expected = "the percentage of writes, as -w30; -w100 writes only"
            raise InputError(f"{self.place}: expected {expected} (DiskSpd, too, refuses -w alone)")
        self.target.write_percent = self.number(value, 0, 100)

    def _z(self, value: str) -> None:
        if value:
            self.span.seed = self.number(value)
        else:
            self.profile.ignore("-z (a seed of the clock: the run's own seed holds)")


def _is_flag(word: str) -> bool:
    # DiskSpd also takes /b8K; here a slash begins a path.
    return word.startswith("-") and len(word) > 1
