"""`python -m floatgate` is `floatgate`."""

from floatgate.cli import main

if __name__ == "__main__":
    main()
