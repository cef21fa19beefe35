"""What the classes of a result share: a part of `run.json`, read by attribute or key, which is fixed."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from floatgate.errors import meant

REFUSE = {"extra": "forbid", "strict": True, "allow_inf_nan": False}


class Section:
    """A part of a result. `help()` of it, or the editor, says what each number means."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Any] = REFUSE  # how `versions.read` builds it from a file

    if not TYPE_CHECKING:  # a type checker knows the names

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # what copies and shows an object asks for such
                raise AttributeError(name)
            raise AttributeError(f"a result has no {type(self).__name__}.{name}{_hint(name, list(self))}")

    def __getitem__(self, key: str) -> Any:
        """The value of a key, for keys that are computed: `run.document["waf"]`."""
        if key not in list(self):
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return (field.name for field in _fields(self))

    def __len__(self) -> int:
        return len(_fields(self))

    def __contains__(self, key: object) -> bool:
        return key in list(self)

    def keys(self) -> list[str]:
        """Return the keys, in the order of `run.json`."""
        return list(self)

    def to_dict(self) -> dict[str, Any]:
        """Return a copy as plain dictionaries and lists, as `run.json` has them."""
        return {key: _plain(getattr(self, key)) for key in self}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={_short(self[key])}' for key in self)})"


def _fields(section: Section) -> tuple[Any, ...]:
    """The fields that this run has: a default stands for a key that is absent."""
    if not is_dataclass(section):
        return ()
    absent = [field.name for field in fields(section) if getattr(section, field.name) == field.default]
    return tuple(field for field in fields(section) if field.name not in absent)


def _hint(name: str, known: list[str]) -> str:
    return meant(name, known) or f"; there are: {', '.join(known)}"


def _short(value: Any) -> str:
    if isinstance(value, Section):
        return f"{type(value).__name__}(...)"
    return "{...}" if isinstance(value, Mapping) else "[...]" if isinstance(value, tuple) else repr(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Section):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
