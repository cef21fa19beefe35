"""Drives overwritten until they take no more writes: `floatgate age`."""
