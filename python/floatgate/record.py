"""A read-only view of a JSON object, by attribute: `run.host.read.iops`."""

from collections.abc import Iterator, Mapping
from typing import Any


class Record(Mapping[str, Any]):
    """A JSON object that is read by attribute or by key, and cannot be changed."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", dict(values))

    def __getitem__(self, key: str) -> Any:
        return _view(self._values[key])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copies an object asks for such before it has values
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no {name!r} here; there are: {', '.join(self._values)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a result cannot be changed ({name})")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a result cannot be changed ({name})")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return f"Record({', '.join(self._values)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Record, (self.to_dict(),)

    def __copy__(self) -> "Record":
        return self

    def __deepcopy__(self, _memo: object) -> "Record":
        return self  # it cannot be changed

    def to_dict(self) -> dict[str, Any]:
        """Return a copy as plain dictionaries."""
        import copy

        values: dict[str, Any] = copy.deepcopy(self._values)
        return values


def _view(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Record(value)
    if isinstance(value, list):
        return tuple(_view(item) for item in value)
    return value
