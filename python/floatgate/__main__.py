"""`floatgate`, also as `python -m floatgate`. Ctrl-C ends it quietly from its first moment to its last."""

import sys
from typing import NoReturn


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; what it needs is still being imported when many a Ctrl-C comes."""
    try:
        from floatgate import cli

        cli.main(arguments)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
