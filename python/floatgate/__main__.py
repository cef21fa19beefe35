"""`floatgate`, also as `python -m floatgate`. Ctrl-C ends it quietly from its first moment to its last."""

import gc
import os
import signal
import sys
from typing import NoReturn

from floatgate import exits

_OBJECTS = 50_000  # made between two searches for cycles; Python's 700 is for programs that keep little


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; what it needs is still being imported when many a Ctrl-C comes."""
    # A command makes a hundred thousand objects that stay, most of them classes and functions of what it
    # imports: looking through them for cycles over and over took a part of a short run that one could see.
    gc.set_threshold(_OBJECTS)
    is_heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if is_heard:
            # Python makes another error of an interrupt amid a class statement; nothing has to be tidied up.
            signal.signal(signal.SIGINT, lambda *_: os._exit(exits.INTERRUPTED))
        from floatgate import shell

        if is_heard:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        shell.main(arguments)
    except KeyboardInterrupt:
        sys.exit(exits.INTERRUPTED)
    finally:
        gc.freeze()  # Python searches three times more while it ends, when all memory is given back anyway.


if __name__ == "__main__":
    main()
