"""Makes modules and pages from the one definition of each: `python -m floatgate.generate`."""
