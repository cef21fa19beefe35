"""What `python -m floatgate.generate` writes: nothing here is edited by hand."""
