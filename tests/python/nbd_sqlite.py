"""Commits rows to a database until it is killed or its disk is gone; says of each when it is committed.

`nbd_sqlite.py DATABASE FIRST` writes rows from FIRST on, each in a transaction of its own.
"""

import sqlite3
import sys


def main() -> None:
    """Write until something stops it."""
    database, first = sys.argv[1], int(sys.argv[2])
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("pragma journal_mode=delete")
    connection.execute("pragma synchronous=extra")
    connection.execute("create table if not exists rows (number integer primary key, text text not null)")
    for number in range(first, first + 1_000_000):
        connection.execute("insert into rows values (?, ?)", (number, f"row {number} " * 40))
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
