"""A list in a TOML file, with its source behind it."""

from collections.abc import Iterable

WIDTH = 110


def listed(key: str, values: Iterable[str], source: str) -> list[str]:
    """Return the lines of a list over as many lines as it takes, with its source behind it."""
    texts = list(values)
    comment = f"  # {source}"
    whole = f"{key} = [{', '.join(texts)}]{comment}"
    if len(whole) <= WIDTH:
        return [whole]
    lines, line = [f"{key} = ["], "   "
    for text in texts:
        if len(line) + len(text) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {text},"
    return [*lines, line, f"]{comment}"]
