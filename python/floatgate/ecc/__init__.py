"""Codes that decode: their failures and iterations, counted over a channel.

| file | question |
|---|---|
| `channels.py` | what becomes of a code's bits at some raw bit error rate? |
| `conduct.py` | which points are counted, and until when? |
| `elsewhere.py` | which words were counted on a GPU? |
| `table.py` | what was counted, and how is it kept? |
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Find a function of `floatgate.ecc`, and the policies below `ecc`: `floatgate.ecc.code`."""
    if name in ("codes", "measure"):
        return getattr(import_module("floatgate.commands.ecc"), name)
    from floatgate.inputs.policies import below

    return below("ecc", name)
