"""One pass over each trace or synthetic volume: what the core finds, and how pages are told apart."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from floatgate import _core
from floatgate.errors import InputError
from floatgate.inputs.workload import VOLUME_PREFIX, trace_path
from floatgate.options import TraceOptions

_MILLION = 1_000_000


@dataclass(frozen=True)
class Access:
    """How pages are cut and told apart; the defaults are those of Li et al. (FAST 2016)."""

    page_bytes: int = 4096
    threshold_ppm: int = 950_000  # more than this many millionths of a page's accesses

    @classmethod
    def read(cls, page_size: str = "4KiB", threshold: str = "0.95") -> "Access":
        """Read a size with its unit and a share.

        Raises InputError when one is none. Their ranges are the core's to check.
        """
        try:
            page_bytes = _core.size_bytes(page_size)
        except InputError as error:
            raise InputError(f"--page-size {page_size}: {error}") from None
        try:
            parts = Decimal(threshold) * _MILLION
        except InvalidOperation:
            parts = Decimal("NaN")
        if not parts.is_finite() or parts != int(parts) or not 0 <= parts <= _MILLION:
            raise InputError(
                f"--threshold {threshold}: not such a share: expected one from 0.5 to 1, up to six digits"
            )
        return cls(page_bytes, int(parts))

    def for_core(self) -> dict[str, int]:
        """Return the values in the core's names."""
        return vars(self)


def measure(
    sources: Sequence[str], options: TraceOptions, access: Access | None, seed: int | None = None
) -> list[dict[str, Any]]:
    """Return what the core finds in each of `sources`, files or `volume:NAME`; `options` apply to files.

    Without `access` pages are not told apart, footprints are estimates and memory is constant. Raises
    InputError when a source is faulty, or an option applies to none of them.
    """
    refuse_misplaced(sources, options, seed)
    return [
        _volume(source, access, 1 if seed is None else seed)
        if is_volume(source)
        else _file(source, options, access)
        for source in sources
    ]


def refuse_misplaced(sources: Sequence[str], options: TraceOptions, seed: int | None) -> None:
    """Raise InputError when an option of files is given without any, or a seed without a synthetic volume."""
    volumes = [source for source in sources if is_volume(source)]
    if len(volumes) == len(sources) and options.given():
        name = next(iter(options.given())).replace("_", "-")
        raise InputError(f"--{name}: {volumes[0]} is synthetic: expected a trace with this option")
    if seed is not None and not volumes:
        raise InputError(f"--seed {seed}: {sources[0]} is no synthetic volume: expected volume:NAME with it")


def is_volume(source: str) -> bool:
    """Whether `source` names a synthetic volume."""
    return source.startswith(VOLUME_PREFIX)


def is_synthetic(found: dict[str, Any]) -> bool:
    """Whether `found` describes a synthetic volume, by itself or as a file that was made of one."""
    return is_volume(found["path"]) or any(
        volume["name"].startswith("synthetic-") for volume in found["volumes"]
    )


def label(found: dict[str, Any]) -> str:
    """Return a short name for what was measured; what is synthetic says so."""
    path = str(found["path"])
    name = path.removeprefix(VOLUME_PREFIX) if is_volume(path) else Path(path).name.split(".")[0]
    return f"{name} (synthetic)" if is_synthetic(found) else name


def _file(source: str, options: TraceOptions, access: Access | None) -> dict[str, Any]:
    pages = {} if access is None else {"access": access.for_core(), "exact_footprint": True}
    found: dict[str, Any] = json.loads(
        _core.trace_info(trace_path(source), json.dumps(options.for_core() | pages))
    )
    return found


def _volume(source: str, access: Access | None, seed: int) -> dict[str, Any]:
    pages = json.dumps(None if access is None else access.for_core())
    found: dict[str, Any] = json.loads(_core.volume_info(source, seed, pages))
    return found
