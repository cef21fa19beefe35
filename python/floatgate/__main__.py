"""`floatgate`, also as `python -m floatgate`. Ctrl-C ends it quietly from its first moment on."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; what it needs is still being imported when many a Ctrl-C comes."""
    try:
        from floatgate import cli
    except KeyboardInterrupt:
        sys.exit(130)
    cli.main()


if __name__ == "__main__":
    main()
