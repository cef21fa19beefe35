"""The one place where HTML is made: Jinja2 templates that escape whatever is put into them.

A page runs its own two scripts and nothing else, loads nothing, and may not be framed into sending anything:
its Content-Security-Policy names the scripts by their hashes. Only what stands in this package is trusted.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_HERE = Path(__file__).parent
_TEMPLATES = _HERE / "templates"


@dataclass(frozen=True)
class Card:
    """One of the boxes at the top of a page."""

    kind: str  # whose colour it has
    title: str
    value: str
    unit: str
    below: str
    rows: Sequence[tuple[str, str]]


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(
    template: str,
    *,
    styles: Sequence[str] = ("style.css",),
    figures: Mapping[str, Any] | None = None,
    **values: Any,
) -> str:
    """Return the page of a template; `figures` are Plotly's, by the name of their place on it.

    `styles` are files beside the templates. What is handed in is text, unless it is markup made by `marked`.
    """
    from floatgate._core import version

    scripts = [] if figures is None else [plotly_script(), _own("draw.js")]
    return (
        _environment()
        .get_template(template)
        .render(
            policy=_policy(scripts),
            version=version(),
            style=Markup("\n".join(_own(name) for name in styles)),
            scripts=[Markup(script) for script in scripts],
            data=None if figures is None else Markup(embedded(figures)),
            **values,
        )
    )


def marked(text: str, *values: object) -> Markup:
    """Return `text`, markup that stands in our own source, with each `{}` replaced by an escaped value."""
    return Markup(text).format(*values)


@cache
def _own(name: str) -> str:
    """A file of the package that goes into a page as it is."""
    return (_HERE / name).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str]) -> str:
    """What a page may do: draw itself, and run the scripts that are named."""
    hashes = [f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts]
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(hashes) or chr(39) + 'none' + chr(39)}",
            "style-src 'unsafe-inline'",  # figures place their parts by it; a style cannot load or send
            "img-src data: blob:",  # heat maps, and the picture that a figure is saved as
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


@cache
def plotly_script() -> str:
    """Return the script that draws the figures; it stands inside every page that has some."""
    from plotly.offline import get_plotlyjs

    text: str = get_plotlyjs()
    return text


def embedded(value: Any) -> str:
    """Return JSON that may stand inside a script element, whatever text it holds."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
