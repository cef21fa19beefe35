"""From a policy's name, `mine.py:Mine`, to its class, and back."""

import hashlib
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType

from floatgate.errors import InputError, meant, one_line
from floatgate.extras import needed, told
from floatgate.files import read_text
from floatgate.own.compiled import Compiled
from floatgate.own.policy import Own, Parameter, defined, parameters_of
from floatgate.own.seams import SEAMS, refusal


@dataclass(frozen=True)
class Found:
    """Class of a policy, with the facts by which the core makes its objects and asks them."""

    cls: type[Own]
    view: type
    parameters: tuple[Parameter, ...]
    defined: frozenset[str]


@dataclass(frozen=True)
class _Source:
    """A Python file with policies: its text, and the module that it became."""

    text: str
    module: ModuleType


_sources: dict[str, _Source] = {}  # by the file as it is named
_live: dict[str, type[Own]] = {}  # classes that came as objects, by their names


def called(cls: type[Own]) -> str:
    """Return the name by which a drive finds a class that exists here already: its file and its own name."""
    for file, source in _sources.items():
        if getattr(source.module, cls.__name__, None) is cls:
            return f"{file}:{cls.__name__}"
    written = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if written is None or not str(written).endswith(".py"):
        raise InputError(
            f"{cls.__name__}: expected a class that is written in a file, so that a result can hold it"
        )
    path = Path(written)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    name = f"{shown}:{cls.__name__}"
    _live[name] = cls
    return name


def load(seam: str, name: str) -> Found:
    """Return the policy `name` for `seam`. Raises InputError with the file's own line where it cannot be."""
    if seam not in SEAMS:
        raise InputError(f"{refusal(seam)}: expected one of the catalogue (`floatgate policies {seam}`)")
    base, view = SEAMS[seam]
    cls = _live.get(name) or _class(*name.rsplit(":", 1))
    if not issubclass(cls, base):
        raise InputError(f"{cls.__name__} is a policy for {cls.seam}: expected one for {seam}")
    if issubclass(cls, Compiled) and not cls.is_compiled:
        raise InputError(
            f"{cls.__name__}: {seam} is asked for each request or unit: expected @fg.compiled before it"
        )
    if issubclass(cls, Compiled):
        needed("numba")
    missing = [question for question in cls.must if question not in defined(cls)]
    if missing:
        raise InputError(f"{cls.__name__}: expected a method {missing[0]}, which answers the seam's question")
    if cls.__init__ is not Own.__init__:
        raise InputError(
            f"{cls.__name__}.__init__: expected none: state is made in attach, parameters are attributes"
        )
    return Found(cls, view, parameters_of(cls), defined(cls))


def source(name: str) -> str:
    """Return the text of the file in which the policy `name` is written."""
    file = name.rsplit(":", 1)[0]
    known = _sources.get(file)
    return known.text if known is not None else read_text(file, "the file of a policy that was asked")


def remember(file: str, text: str) -> None:
    """Take `text` for the file of this name from now on: a result brings its policies along."""
    _sources[file] = _Source(text, _execute(file, text))


def policies_in(file: str) -> dict[str, type[Own]]:
    """Return the policies that a file defines, by their names. Raises InputError for a file that fails."""
    module = _read(file).module
    return {name: value for name, value in vars(module).items() if _is_policy(value, module)}


def _is_policy(value: object, module: ModuleType) -> bool:
    is_class = isinstance(value, type) and issubclass(value, Own)
    return is_class and value.__module__ == module.__name__


def _class(file: str, name: str) -> type[Own]:
    known = policies_in(file)
    if name in known:
        return known[name]
    there = (
        f"expected one of {', '.join(known)}{meant(name, known)}"
        if known
        else "expected a class of fg.gc.victim.Policy or another seam's"
    )
    raise InputError(f"{file}: no policy {name}: {there}")


def _read(file: str) -> _Source:
    known = _sources.get(file)
    if known is not None and not Path(file).exists():
        return known  # a result brought it along
    text = read_text(file, "a file of Python with policies")
    if known is None or known.text != text:
        _sources[file] = known = _Source(text, _execute(file, text))
    return known


def _execute(file: str, text: str) -> ModuleType:
    """Run a file as a module of its own. Raises InputError with the file's line that failed."""
    module = ModuleType("floatgate_own_" + hashlib.sha256(f"{file}\0{text}".encode()).hexdigest()[:16])
    module.__file__ = file
    sys.modules[module.__name__] = module  # where dataclasses and type hints look
    try:
        exec(compile(text, file, "exec"), module.__dict__)
    except Exception as error:
        del sys.modules[module.__name__]
        raise InputError(blamed(error, file)) from error
    return module


def text_of(function: FunctionType) -> str | None:
    """Return the text of the file in which a function is written; None where there is none."""
    file = function.__code__.co_filename
    known = _sources.get(file)
    if known is not None and known.module.__dict__ is function.__globals__:
        return known.text
    return read_text(file, "the file of a policy") if Path(file).is_file() else None


def blamed(error: BaseException, file: str) -> str:
    """Return the message for an exception in a policy's file, with the last line of the file it passed."""
    what = _what(error)
    if isinstance(error, ModuleNotFoundError):
        what = told(error) or what
    if isinstance(error, SyntaxError) and error.filename == file:
        return one_line(f"{file}:{error.lineno}: {type(error).__name__}: {error.msg}")
    lines = [number for name, number in _frames(error) if name == file]
    return one_line(f"{file}:{lines[-1]}: {what}" if lines else f"{file}: {what}")


def where(error: BaseException, method: str) -> str:
    """Return the message for an exception in a compiled method; `method`: its place, if no line is known."""
    file = method.rsplit(":", 1)[0]
    lines = [number for name, number in _frames(error) if Path(name).name == file]
    return one_line(f"{file}:{lines[-1]}: {_what(error)}" if lines else f"{method}: {_what(error)}")


def _what(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _frames(error: BaseException) -> Iterator[tuple[str, int]]:
    return ((frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__))
