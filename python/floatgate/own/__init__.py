"""Policies of the user's own, written in Python: `class Mine(fg.gc.victim.Policy)` in a file of his."""
