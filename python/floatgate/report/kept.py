"""What all pages of an installation have in common is made once: the packed plotting library, the templates.

It is kept in the user's own folder, with what it was made from and by; a page has the same bytes without.
"""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from floatgate.files import caches

VARIABLE = "FLOATGATE_PAGES"  # a folder, or `off`


def _cache() -> caches.Cache:
    return caches.Cache(caches.folder("pages", VARIABLE))


class Templates(BytecodeCache):
    """Templates as Jinja compiled them, in an environment that the file `by` makes."""

    def __init__(self, by: str) -> None:
        python = sys.version.replace("\n", " ")
        self._key = "; ".join((python, caches.identity(jinja2.__file__), caches.identity(by)))

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template what it was compiled to from this very text."""
        found = _cache().read(f"{bucket.key}.template", f"{self._key}; {bucket.checksum}")
        if found is not None:
            bucket.bytecode_from_string(found)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what a template was compiled to."""
        content = bucket.bytecode_to_string()
        _cache().write(f"{bucket.key}.template", f"{self._key}; {bucket.checksum}", content)


@cache
def library(path: Path, pack: Callable[[Path], tuple[str, str]]) -> tuple[str, str]:
    """Return what `pack` makes of the library's script."""
    key = caches.identity(path)
    found = _cache().read("library", key)
    if found is not None:
        named, _, packed = found.decode().partition("\n")
        return packed, named
    packed, named = pack(path)
    _cache().write("library", key, f"{named}\n{packed}".encode())
    return packed, named
