"""What a `run.json` must look like before anything is drawn from it: it may come from anywhere.

Names of counters are identifiers, numbers are finite, and text stands only where text belongs. What is not
listed here is not drawn.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from floatgate.errors import InputError, one_line

LIST_MOST, TEXT_MOST = 1 << 20, 1 << 16

Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,64}$")]
Text = Annotated[str, Field(max_length=TEXT_MOST)]
Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e300, le=1e300)]
Count = Annotated[int, Field(ge=0, lt=1 << 64)]
Numbers = Annotated[list[Number], Field(max_length=LIST_MOST)]
Pair = Annotated[list[Number], Field(min_length=2, max_length=2)]
Counts = dict[Name, Count | None]
Shares = dict[Name, Number | None]


class _Part(BaseModel):
    """Holds what is drawn; what else the file has is left alone."""

    model_config = ConfigDict(extra="ignore", strict=True)


class _Interval(_Part):
    iops: Pair | None = None
    bandwidth_bytes_per_s: Pair | None = None
    latency_ns: dict[Name, Pair | None] | None = None


class _Side(_Part):
    requests: Count
    bytes: Count
    iops: Number | None
    bandwidth_bytes_per_s: Number | None
    latency_ns: Shares | None = None
    interval: _Interval | None = None
    uncorrectable: Count | None = None


class _ByKind(_Part):
    read: Count
    write: Count
    trim: Count
    flush: Count
    total: Count | None = None


class _Host(_Part):
    read: _Side
    write: _Side
    trim: _Side
    flush: _Side
    submitted: _ByKind
    completed: _ByKind
    failed: _ByKind


class _Flash(_Part):
    reads: Counts
    programs: Counts
    erases: Counts
    units_programmed: Counts


class _TooShort(_Part):
    victims: Count
    needed: Count
    drifting: bool


class _LongRun(_Part):
    value: Number | None
    low: Number | None
    high: Number | None
    half_width_relative: Number | None
    victims: Count
    too_short: _TooShort | None


class _Utilisation(_Part):
    channel: Number | None
    die: Number | None
    per_channel: Numbers | None
    per_die: Numbers | None
    per_die_by_origin: dict[Name, Numbers]

    @model_validator(mode="after")
    def _has_each_die(self) -> Self:
        if len({len(values) for values in self.per_die_by_origin.values()}) > 1:
            raise ValueError("per_die_by_origin with different numbers of dies")
        return self


class _Energy(_Part):
    controller: Number | None
    bus: Number | None
    total: Number | None
    nand_by_kind: Shares | None
    per_host_byte: Shares | None = None

    @model_validator(mode="after")
    def _has_parts(self) -> Self:
        if self.total is not None and None in (self.controller, self.bus, self.nand_by_kind):
            raise ValueError("a total without its parts")
        return self


class _Wear(_Part):
    pe_cycles_min: Number | None = None
    pe_cycles_mean: Number | None = None
    pe_cycles_max: Number | None = None


class _WearMap(_Part):
    columns: Annotated[int, Field(ge=1, le=LIST_MOST)]
    values: Annotated[list[Numbers | Number], Field(max_length=LIST_MOST)]


class _Unreadable(_Part):
    reads_rebuilt: dict[Name, Count]
    reads_lost: dict[Name, Count]
    units_lost: Count


class _Parity(_Part):
    stripe: Count
    share_of_flash: Number


class _ByRetries(_Part):
    share: Number | None
    requests: Annotated[list[Count], Field(min_length=1, max_length=LIST_MOST)]
    latency_ns_mean: Annotated[list[Number | None], Field(min_length=1, max_length=LIST_MOST)]

    @model_validator(mode="after")
    def _has_each_mean(self) -> Self:
        if [count > 0 for count in self.requests] != [mean is not None for mean in self.latency_ns_mean]:
            raise ValueError("requests_by_retries without the mean latency of each")
        if bool(self.share) != (sum(self.requests[1:]) > 0):
            raise ValueError("requests_by_retries with another share")
        return self


class _Retried(_Part):
    other: Count


class _Regulation(_Part):
    requests_by_retries: _ByRetries | None = None
    reads_retried: _Retried | None = None


class _Met(_Part):
    units: Count
    share: Number | None


class _Layout(_Part):
    on: bool
    bytes: Count


class _State(_Part):
    began: Name
    layout: _Layout
    unit_bytes: Count
    units_read: Count
    units_written: Count
    reads_unmapped: _Met
    reads_from_flash: _Met
    writes_to_flash: _Met


class _Precondition(_Part):
    kind: Name
    steady: bool | None = None
    waf_by_window: Numbers | None = None


class _Workload(_Part):
    name: Text
    format: Text
    skipped_lines: Count | None = None
    notes: dict[Text, Text] | None = None


class _Job(_Part):
    name: Text
    read: _Side | None = None
    write: _Side | None = None
    trim: _Side | None = None
    flush: _Side | None = None


class _Place(_Part):
    place: Text
    source: Text | None


class _Remark(_Part):
    text: Text
    advice: Text


class _StoppedAt(_Part):
    workload_fraction: Number | None = None


class _Loop(_Part):
    passes: Count


class Result(_Part):
    """A whole result."""

    version: Text
    drive: Text
    title: Text
    seed: Count
    simulated_ns: Count
    started_ns: Count
    capacity_bytes: Count | None = None
    interrupted: bool | None = None
    interrupted_at: _StoppedAt | None = None
    workload: _Workload
    loop: _Loop | None = None
    config: Annotated[dict[Text, Any], Field(max_length=4096)]
    config_places: dict[Text, _Place]
    precondition: _Precondition | None = None
    state: _State | None = None
    host: _Host
    flash: _Flash
    waf: Number | None
    waf_parts: Shares | None = None
    waf_long_run: _LongRun | None = None
    stages: dict[Name, Shares | None] | None = None
    jobs: Annotated[list[_Job], Field(max_length=LIST_MOST)]
    gc: dict[Name, Number | bool | None] | None = None
    buffer: dict[Name, Number | bool | None] | None = None
    reading: dict[Name, Number | bool | None] | None = None
    regulation: _Regulation | None = None
    parity: _Parity | None = None
    unreadable: _Unreadable | None = None
    energy_j: _Energy | None = None
    utilisation: _Utilisation
    wear: _Wear
    wear_map: _WearMap | None = None
    remarks: Annotated[list[_Remark], Field(max_length=1000)] | None = None


class _Source(_Part):
    kind: Literal["fio", "trace", "volume", "generator", "flows"]
    source: Text
    options: dict[Name, Any] | None = None
    file_bytes: Count | None = None
    text: Text | None = None
    variables: dict[Text, Text] | None = None
    notes: list[Text] | None = None


class _Invocation(_Part):
    set: list[Text]
    workload: _Source
    options: dict[Name, Any]


class Repeatable(_Part):
    """What of a result says how to run it again."""

    drive: Text
    config: Annotated[dict[Text, Any], Field(max_length=4096)]
    config_places: dict[Text, _Place]
    invocation: _Invocation


def repeatable(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a result whose run can be repeated. Raises InputError with the key that is not right."""
    _validate(Repeatable, document, path)
    return document


def checked(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a result of which everything that is drawn is what it should be.

    Raises InputError with the key that is not.
    """
    _validate(Result, document, path)
    for key in document["config"]:
        if key not in document["config_places"]:
            raise InputError(
                f"{path}: config_places: no {one_line(key)[:200]}: expected a result of Floatgate's"
            )
    return document


def _validate(model: type[BaseModel], document: dict[str, Any], path: Path) -> None:
    try:
        model.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        key = one_line(".".join(map(str, first["loc"])))[:200]
        raise InputError(f"{path}: {key}: {first['msg'].lower()}: expected a result of Floatgate's") from None
