"""Content coded towards lower states: a sector that would lift its cells higher is stored inverted.

One bit for each sector, its tag, says so; tags lie in the page's spare area. Pages of a wordline are coded in
the order in which they are programmed: a sector is stored the way in which the states that its cells can
still come to are lower on average, given what the pages before hold. For the last page these are the states
themselves.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from floatgate.lab.chip import Identity

SECTOR = 512  # bytes
_TEXT = (
    b"Flash cells that are written often wear out sooner than those which hold old data, and the time of a "
    b"program depends on how far its cells must rise; a drive that knows its content could write what is "
    b"cheap. "
)

Content = Callable[["np.random.Generator", int], bytes]


def _random(draws: "np.random.Generator", size: int) -> bytes:
    return draws.bytes(size)


def _text(draws: "np.random.Generator", size: int) -> bytes:
    """Return words of English prose in random order."""
    words = _TEXT.split()
    text = b" ".join(words[index] for index in draws.integers(len(words), size=size))
    return text[:size]


def _sparse(draws: "np.random.Generator", size: int) -> bytes:
    """Return records of eight bytes, one in ten of which is not zero: counters, pages filled in part."""
    used = draws.random(-(-size // 8)) < 0.1
    values = draws.integers(0, 1 << 16, size=len(used), dtype=np.uint64) * used
    return values.astype("<u8").tobytes()[:size]


def _zeros(_draws: "np.random.Generator", size: int) -> bytes:
    return bytes(size)


CONTENTS: dict[str, Content] = {"random": _random, "text": _text, "sparse": _sparse, "zeros": _zeros}


@dataclass(frozen=True)
class Wordline:
    """The pages of a wordline as they are programmed, spare bytes included."""

    pages: tuple[bytes, ...]
    inverted: int  # sectors
    sectors: int


def plain(identity: Identity, content: str, key: Sequence[int]) -> Wordline:
    """Return content as it is; `key` makes it. Spare areas hold check bits, which are pseudo-random."""
    draws = np.random.Generator(np.random.PCG64(list(key)))
    pages = [CONTENTS[content](draws, identity.page_bytes) for _ in range(identity.bits)]
    return Wordline(tuple(page + draws.bytes(identity.oob_bytes) for page in pages), 0, 0)


def coded(
    identity: Identity, wordline: Wordline, sector: int = SECTOR, *, low_spare: bool = False
) -> Wordline:
    """Return the same with polarities chosen for each sector of each page, and tags in the spare areas.

    With `low_spare` the rest of the spare areas stays erased, as if check bits were kept elsewhere.
    """
    size = min(sector, identity.page_bytes)
    cells = 8 * size
    stored: list[bytes] = []
    inverted = sectors = 0
    before = np.zeros(identity.whole_page_bytes * 8, dtype=np.int64)  # the digits of the pages so far
    for digit, page in enumerate(wordline.pages):
        bits = np.unpackbits(np.frombuffer(page, dtype=np.uint8)).astype(np.int64)
        heights = _heights(identity, digit + 1)
        tags = []
        for start in range(0, 8 * identity.page_bytes - cells + 1, cells):
            part = slice(start, start + cells)
            as_is, other = (heights[2 * before[part] + (bits[part] ^ flip)].sum() for flip in (0, 1))
            tags.append(int(other < as_is))
            bits[part] ^= tags[-1]
        spare = bits[8 * identity.page_bytes :]
        if low_spare:
            spare[:] = 1
        _tag(spare, tags)
        before = 2 * before + bits
        stored.append(np.packbits(bits.astype(np.uint8)).tobytes())
        inverted, sectors = inverted + sum(tags), sectors + len(tags)
    return Wordline(tuple(stored), inverted, sectors)


def _heights(identity: Identity, digits: int) -> "np.ndarray":
    """Return, for each beginning of so many digits, the mean place by voltage of the states that begin so."""
    places: list[list[int]] = [[] for _ in range(1 << digits)]
    for place, state in enumerate(identity.states):
        places[int(state[:digits], 2)].append(place)
    return np.array([sum(of) / len(of) for of in places])


def _tag(spare: "np.ndarray", tags: list[int]) -> None:
    """Put as many tags into the spare area as there is room for; the rest is counted, not stored."""
    room = min(len(spare), len(tags))
    spare[:room] = tags[:room]


def tag_share(sector: int) -> float:
    """Return the tags' bits over those of the data."""
    return 1 / (8 * sector)
