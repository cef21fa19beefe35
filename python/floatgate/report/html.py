"""The one place where HTML is made: Jinja2 templates that escape all that is put into them.

A page runs its own script and the plotting library's and nothing else, loads nothing, and may not be framed
into sending anything: its Content-Security-Policy names the scripts by their hashes. Only what stands in this
package is trusted.
"""

import gzip
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from floatgate.report import kept, palette
from floatgate.report.plot import Figure, Key, legend

_HERE = Path(__file__).parent
_TEMPLATES = _HERE / "templates"
_QUICK = 4  # of zlib's nine levels


@dataclass(frozen=True)
class Card:
    """One of the boxes at the top of a page."""

    kind: str  # whose colour it has
    title: str
    value: str
    unit: str
    below: str
    rows: Sequence[tuple[str, str]]


def _pair(key: Key) -> tuple[str, str]:
    return key.colour, palette.dark(key.colour)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=kept.Templates(__file__),
    )
    made.filters["light_and_dark"] = _pair
    return made


def render(
    template: str,
    *,
    styles: Sequence[str] = ("style.css",),
    figures: Mapping[str, Figure] | None = None,
    **values: Any,
) -> str:
    """Return the page of a template; `figures` are drawn at the places of their names on it.

    `styles` are files beside the templates. What is handed in is text.
    """
    from floatgate._core import version

    drawn, scripts = None, []
    if figures is not None:
        from floatgate.report import draw

        library, named = kept.library(draw.script_path(), packed_library)
        # A megabyte of letters among which there is nothing to escape.
        drawn = {"library": Markup(library), "figures": Markup(packed(draw.described(figures)))}
        scripts = [_hash(_own("draw.js")), named]
    return (
        _environment()
        .get_template(template)
        .render(
            policy=_policy(scripts),
            version=version(),
            style=Markup("\n".join(_own(name) for name in styles)),
            drawn=drawn,
            script=Markup(_own("draw.js")),
            legends={name: legend(figure) for name, figure in (figures or {}).items()},
            **values,
        )
    )


@cache
def _own(name: str) -> str:
    """A file of the package that goes into a page as it is."""
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """How a policy names a script."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def _policy(scripts: Sequence[str]) -> str:
    """What a page may do: draw itself, and run the scripts that are named."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(scripts) or chr(39) + 'none' + chr(39)}",
            "style-src 'unsafe-inline'",  # figures place their parts by it; a style cannot load or send
            "img-src data: blob:",  # heat maps, and the picture that a figure is saved as
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def packed(text: str, level: int = 6) -> str:
    """Return a text that a page can unpack, small, and of letters that mean nothing in HTML."""
    return b64encode(gzip.compress(text.encode(), compresslevel=level, mtime=0)).decode()


def as_image(svg: str) -> str:
    """Return the address of a picture that carries it whole, apart from the names of the page around it."""
    return "data:image/svg+xml;base64," + b64encode(svg.encode()).decode()


def packed_library(path: Path) -> tuple[str, str]:
    """Return the library's script, packed, and how a policy names it.

    Level 4 takes half the time of level 6 for a twentieth more bytes.
    """
    script = path.read_text(encoding="utf-8")
    return packed(script, _QUICK), _hash(script)
