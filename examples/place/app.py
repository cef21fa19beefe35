"""Writes app.csv: a made-up trace of a database (process 1) and a log (process 2)."""

import random
import sys
from pathlib import Path

PAGE, TABLES, LOG = 4096, 1 << 11, 54 << 20  # bytes of a page, pages of the tables, bytes of the log


def main(path: str) -> None:
    """Write the trace: three of four requests are pages of the tables at random, the fourth is the log's."""
    draw, log = random.Random(1), 0
    with Path(path).open("w", encoding="utf-8") as file:
        for n in range(60_000):
            if n % 4 < 3:
                file.write(f"{n} 1 write {draw.randrange(TABLES) * PAGE} {PAGE}\n")
            else:
                file.write(f"{n} 2 write {TABLES * PAGE + log} {4 * PAGE}\n")
                log = (log + 4 * PAGE) % LOG


if __name__ == "__main__":
    main(*sys.argv[1:] or ["app.csv"])
