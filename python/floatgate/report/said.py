"""Sentences in which some words stand out: text in pieces, which the templates turn into markup."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Strong:
    """A word that stands out."""

    text: str


Said = Sequence[str | Strong]


def said(sentence: str, *values: object) -> list[str | Strong]:
    """Return `sentence` in pieces, each `{}` replaced by a value, which may be `Strong`."""
    between = sentence.split("{}")
    if len(between) != len(values) + 1:
        raise ValueError(f"{len(values)} values for {sentence!r}")
    pieces: list[str | Strong] = [between[0]]
    for value, text in zip(values, between[1:], strict=True):
        pieces += [value if isinstance(value, Strong) else str(value), text]
    return pieces


def text(pieces: Said | str) -> str:
    """Return the bare text."""
    if isinstance(pieces, str):
        return pieces
    return "".join(piece.text if isinstance(piece, Strong) else piece for piece in pieces)
