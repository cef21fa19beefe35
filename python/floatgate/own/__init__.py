"""Policies of the user's own, written in Python: `class Mine(fg.gc.victim.Policy)` in a file."""


def names_own(key: str, value: object) -> bool:
    """Whether a key of the configuration and its value name such a policy: `mine.py:Mine`."""
    return key.endswith(".name") and ".py:" in str(value)
