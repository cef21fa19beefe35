"""`floatgate.drives`, `floatgate.chips`: what there is."""

import json

from floatgate import _core, places
from floatgate.arguments import named


@named
def drives() -> list[str]:
    """Return the names of the drives that come with Floatgate."""
    return [entry["name"] for entry in json.loads(_core.drives(places.folders()))]


@named
def chips() -> list[str]:
    """Return the names of the chips that come with Floatgate."""
    return [entry["name"] for entry in json.loads(_core.chips(places.folders()))]
