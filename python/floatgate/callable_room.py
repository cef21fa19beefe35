"""Lets a module be called: `floatgate.plan` is a folder of modules, and `floatgate.plan(...)` makes a plan.

Importing any of its modules makes Python put the folder under that name, so that a function alone would be
there or not, depending on what was imported before.
"""

import sys
from inspect import Signature, signature
from types import ModuleType
from typing import Any

from floatgate.extras import needed


def answers(module: str, home: str) -> None:
    """Let the module of that name be called as the function of its last name in `home`, imported then."""
    name = module.rpartition(".")[2]

    class Called(ModuleType):
        """A module that is a function, too."""

        def __call__(self, *arguments: Any, **keywords: Any) -> Any:
            return self.__wrapped__(*arguments, **keywords)

        @property
        def __wrapped__(self) -> Any:
            return getattr(needed(home), name)

        @property
        def __signature__(self) -> Signature:
            return signature(self.__wrapped__)

    sys.modules[module].__class__ = Called
