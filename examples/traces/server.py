"""How examples/traces/server.csv.gz was made: half a minute of a busy server of files and a database.

`python server.py OUT.csv.gz` writes the same trace again. It is made up; nothing in it was recorded. It has
what recorded server traces have and plain generators lack: a log written in order, database pages of which
few are popular, users who come in bursts, checkpoints that write back what changed, and a backup that reads
in order while users go on.
"""

import gzip
import random
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

SECOND = 1_000_000  # us, the clock of the trace
LENGTH = 30 * SECOND
KIB, MIB = 1 << 10, 1 << 20
LOG = (0, 256 * MIB)  # start and size of each part of the volume
TABLES = (256 * MIB, 2048 * MIB)
FILES = (2304 * MIB, 3072 * MIB)
PAGE = 8 * KIB  # of the database
EXTENT = 256 * KIB  # popularity belongs to so much of the tables
START = 130_000_000_000_000_000  # the first tick of 100 ns since 1601, as Windows counts: some day in 2012

Request = tuple[int, str, int, int]  # us, operation, offset, size


def users(draw: random.Random) -> Iterator[Request]:
    """Bursts of transactions: pages are read, some changed, and each burst ends with a write to the log."""
    extents = TABLES[1] // EXTENT
    places = draw.sample(range(extents), extents)
    weights = list(accumulate(1 / (rank + 1) ** 0.9 for rank in range(extents)))
    changed: set[int] = set()
    log, now, checkpoint = LOG[0], 0, 4 * SECOND
    while now < LENGTH:
        now += round(draw.expovariate(1) * 6_000)
        for _ in range(min(100, round(draw.paretovariate(1.2)))):
            now += round(draw.expovariate(1) * 60)
            extent = places[draw.choices(range(extents), cum_weights=weights)[0]]
            page = TABLES[0] + extent * EXTENT + draw.randrange(EXTENT // PAGE) * PAGE
            yield now, "Read", page, PAGE
            if draw.random() < 0.45:
                changed.add(page)
        size = draw.choice((4, 4, 8, 16, 32)) * KIB
        log = log + size if log + size < LOG[0] + LOG[1] else LOG[0]
        yield now, "Write", log, size
        if now > checkpoint:
            yield from written_back(draw, changed, checkpoint)
            changed.clear()
            checkpoint += 5 * SECOND


def written_back(draw: random.Random, pages: set[int], now: int) -> Iterator[Request]:
    """A checkpoint: changed pages in order of their addresses, a quarter of a millisecond apart."""
    for page in sorted(pages):
        now += round(draw.expovariate(1) * 250)
        yield now, "Write", page, PAGE


def files(draw: random.Random) -> Iterator[Request]:
    """Files saved whole, in pieces of 64 KiB; three of four replace one that was saved before."""
    saved: list[tuple[int, int]] = []
    now = 0
    while now < LENGTH:
        now += round(draw.expovariate(1) * 40_000)
        if saved and draw.random() < 0.75:
            start, size = draw.choice(saved[-40:])
        else:
            size = min(8 * MIB, round(draw.paretovariate(1.1) * 2) * 64 * KIB)
            start = FILES[0] + draw.randrange((FILES[1] - size) // (64 * KIB)) * 64 * KIB
            saved.append((start, size))
        for offset in range(start, start + size, 64 * KIB):
            now += round(draw.expovariate(1) * 150)
            yield now, "Write", offset, 64 * KIB


def backup(draw: random.Random) -> Iterator[Request]:
    """From second 20 on a quarter of the tables is read in order, 256 KiB at a time, as backups do."""
    now = 20 * SECOND
    for offset in range(TABLES[0], TABLES[0] + TABLES[1] // 4, EXTENT):
        now += round(draw.expovariate(1) * 1_500)
        yield now, "Read", offset, EXTENT


def requests() -> list[Request]:
    """Return the requests of the half minute in order of time."""
    parts = [part(random.Random(seed)) for seed, part in enumerate((users, files, backup), 1)]
    found = sorted(request for part in parts for request in part)
    return [request for request in found if request[0] < LENGTH]


def main(out: str) -> None:
    """Write the trace in the columns of the MSR Cambridge traces."""
    lines = (
        f"{START + 10 * now},server,0,{what},{offset},{size},0\n" for now, what, offset, size in requests()
    )
    Path(out).write_bytes(gzip.compress("".join(lines).encode(), compresslevel=9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
