"""What holds for the file that `floatgate policies new` writes, of every decision."""

from pathlib import Path

import floatgate as fg


def passes(seam: str) -> None:
    """It passes all that a policy of that decision must pass."""
    fg.new_policy(seam.removeprefix("ftl."), "mine.py")
    (checked,) = fg.check_policies("mine.py")
    assert (checked.seam, checked.fault, len(checked.kept)) == (seam, None, 5)


def is_found_broken(seam: str, old: str, new: str, said: str, first: str = "") -> None:
    """With `new` in the place of `old`, and `first` before all, the rule that it breaks is named."""
    fg.new_policy(seam.removeprefix("ftl."), "mine.py")
    text = Path("mine.py").read_text()
    assert old in text
    Path("mine.py").write_text(first + text.replace(old, new))
    (checked,) = fg.check_policies("mine.py")
    assert (checked.fault is None) == (not said)
    assert said in (checked.fault or "")
