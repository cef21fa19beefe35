"""The Rust core, as `crates/python` exposes it. Structured values cross as JSON text, tables as Arrow."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

class PolicyTimeout(BaseException):
    """A policy did not answer in time; raised within it."""

class Stopped(KeyboardInterrupt):
    """A slice of work that did not end by itself after a stop was asked for."""

class InputError(Exception):
    """The user's input is not right; the message is one line with place, value and expectation."""

class BrokenInvariant(Exception):
    """The core contradicted itself (a Rust panic)."""

def version() -> str: ...
def cell_laws() -> int:
    """The number of the laws of cells that tables are derived by today."""

def drives(folders: list[str]) -> str:
    """List drives as `[{name, title, path}]`."""

def chips(folders: list[str]) -> str:
    """List chips as `[{name, title, path}]`."""

def keys(folders: list[str], drive: str | None = None, overrides: list[str] = ...) -> str:
    """Every key as `[{key, type, unit, range, names, default, required, help, needs}]`.

    On a drive also `value`, `place`, `source` and `off`: what it lacks there.
    """

def explain_drive(drive: str, overrides: list[str], folders: list[str]) -> str:
    """`{name, title, capacity_bytes, entries: [{key, value, place, source, help, expected}]}`."""

def memory_bytes(drive: str, settings: list[str], folders: list[str] | None, check: bool) -> int:
    """Reckon what a drive takes of memory; without folders `settings` is the whole configuration."""

def free_memory_bytes() -> int | None:
    """Return what drives may take of the machine's memory, where that is known."""

def page_errors(
    name: str,
    overrides: list[str] | None,
    folders: list[str],
    conditions: tuple[list[int], list[int], list[int]],
) -> str:
    """Error rates of a drive, or without overrides a chip, by wear, age in ns, reads and page type."""

def explain_chip(chip: str, folders: list[str]) -> str:
    """`{name, title, entries: [...]}`."""

def result_schema() -> str:
    """The JSON Schema of `run.json`."""

def ask_to_stop() -> None:
    """Say that work is to end with its slice; what goes on for longer than a second is ended by Stopped."""

def end_at_once() -> None:
    """Say that work is to end now."""

def forget_stop() -> None:
    """Say that what was asked concerns no work that begins from now on."""

def policies() -> str:
    """`[{seam, question, name, default, rule, paper, not_modelled, parameters}]`."""

def check_policy(seam: str, name: str, may_starve: bool) -> None:
    """Put the policy `name` through its seam's battery; raise InputError with the rule it breaks."""

def policy_timeout(limit_ns: int) -> None:
    """Set how long a policy in Python may take for one answer."""

def compiled_watch() -> tuple[int, int]:
    """Return where loops of compiled policies look whether one is late, and what they call then."""

def compiled_is_asked() -> bool:
    """Return whether this thread is in a compiled policy."""

def generators() -> str:
    """List named workload generators as `[{name, title}]`."""

def fio_jobs(workload: str) -> str:
    """List the fio jobs of a workload as `[{name, clones, together, options}]`; `null` where it has none."""

def fio_check(workload: str, capacity: int) -> None:
    """Set fio jobs up on a drive of `capacity` bytes; raises InputError when they do not run."""

def trace_formats() -> str:
    """List trace formats as `[{name, title, units, recognised, writable}]`."""

def trace_info(path: str, options: str) -> str:
    """Read a whole trace and describe it."""

def trace_convert(path: str, options: str, out: str, to: str) -> int:
    """Rewrite a trace in another format; returns the number of requests."""

def volumes() -> str:
    """List synthetic volumes and their parameters as `{synthetic, volumes, parameters}`, with sources."""

def volume_info(spec: str, seed: int, access: str) -> str:
    """Describe the requests of a synthetic volume as `trace_info` does those of a file."""

def volume_convert(spec: str, seed: int, out: str, to: str) -> int:
    """Write the requests of a synthetic volume as a trace; returns their number."""

def plain_lines(rows: list[Any]) -> str:
    """Lines of CSV: of tuples of whole numbers, None and words without commas."""

def size_bytes(text: str) -> int:
    """Read a size with its unit, `16KiB`."""

def student_t(probability: float, freedom: int) -> float:
    """What a Student variable of so many degrees stays below with a probability from 0.5 to 1."""

def nanoseconds(text: str) -> int:
    """Read a time with its unit, `10s`."""

def state_info(path: str) -> str:
    """Describe a stored drive state without building the drive."""

class Session:
    """One run. Not thread-safe; the interpreter lock is released inside `advance`."""

    def __init__(
        self, drive: str, overrides: list[str], folders: list[str], workload: str, options: str
    ) -> None: ...
    @staticmethod
    def resolved(name: str, assignments: list[str], workload: str, options: str) -> Session:
        """Open the same for the resolved configuration of an earlier run."""

    def describe(self) -> str:
        """Say what will be run, before it is."""

    def advance(self, events: int) -> str:
        """Simulate up to `events` events.

        `{done, phase, fraction, simulated_ns, host_requests, page_operations}`.
        """

    def is_broken(self) -> bool:
        """Whether what ended its work, a signal in a policy's call for one, leaves nothing to go on with."""

    def interrupt(self) -> None:
        """Take no more requests; requests in flight are still answered."""

    def glance(self) -> str:
        """Return what was measured so far; the run goes on. Raises InputError before it began."""

    def result(self) -> str:
        """Return the result, when done or interrupted."""

    def requests(self) -> Table:
        """Drain the requests completed since the last call."""

    def timeline(self) -> bytes:
        """Return a piece of the timeline's file: what was added since the last call."""

class Server:
    """A drive as a network block device.

    One thread serves, without the interpreter lock; others may call `progress` and `stop` meanwhile.
    """

    def __init__(
        self, drive: str, overrides: list[str], folders: list[str], options: str, serve: str
    ) -> None: ...
    def uri(self) -> str:
        """Return how clients name it."""

    def serve(self, slice_ms: int) -> None:
        """Serve for about so long, or until `stop`."""

    def progress(self) -> str:
        """Return how far it was when it left word last, at most a second ago; holds nothing up."""

    def stop(self) -> None:
        """Let `serve` return soon, and each later one at once."""

    def end(self) -> None:
        """Answer the requests in flight and take leave of all clients."""

    def result(self) -> str:
        """Return everything measured, after the end."""

    def close(self) -> None:
        """Bring the drive to rest and leave its image for the next server."""

    def requests(self) -> Table:
        """Drain the requests completed since the last call."""

class Completion:
    """A request that the drive has answered."""

    id: int
    submitted_ns: int
    completed_ns: int
    latency_ns: int
    op: str
    offset: int
    length: int
    status: Literal["success", "failed", "uncorrectable"]
    cause: str
    retries: int
    stages_ns: dict[str, int]

class SteppedDrive:
    """What `fg.Drive` is made of; what each call does is said in the core, where `help()` finds it."""

    name: str
    title: str
    capacity_bytes: int
    namespaces: list[int]
    now_ns: int
    next_event_ns: int | None
    outstanding: int
    is_closed: bool

    def __new__(
        cls, drive: str, toml: str | None, overrides: list[str], folders: list[str], options: str
    ) -> Self: ...
    def submit(
        self,
        time_ns: int,
        op: str,
        offset: int,
        length: int,
        *,
        namespace: int | str | None = None,
        fua: bool = False,
        placement: int | None = None,
    ) -> int: ...
    def submit_columns(
        self, times_ns: object, ops: object, offsets: object, lengths: object, namespaces: object
    ) -> int: ...
    def run_until(self, time_ns: int) -> None: ...
    def next(self, until_ns: int | None = None) -> Completion | None: ...
    def completions(self, most: int | None = None) -> list[Completion]: ...
    def completion_bytes(self, most: int | None) -> bytearray: ...
    def finish(self) -> None: ...
    def measured(self) -> str: ...
    def save_to(self, path: str) -> None: ...
    def close(self) -> None: ...

def step_words() -> tuple[list[str], list[tuple[int, str]], list[str]]: ...
def step_op(name: str) -> int: ...
def table_columns() -> str:
    """List the tables of a run as `[{file, row, columns: [{name, type, unit, meaning}]}]`."""

class Table:
    """Columns of equal length, in Arrow's memory; None is a gap."""

    def __init__(
        self, columns: list[tuple[str, str, str, str]], values: Mapping[str, Sequence[Any]]
    ) -> None: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def columns(self) -> list[tuple[str, str, str, str]]:
        """Name, type, unit and meaning."""

    def column(self, name: str) -> list[Any]: ...
    def complete(self, name: str) -> bool:
        """Whether the column has no gaps."""

    def column_bytes(self, name: str) -> bytes:
        """Little-endian numbers of a column without gaps."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Writer:
    """Writes one Parquet file, table by table."""

    def __init__(self, path: str | Path) -> None: ...
    def write(self, table: Table) -> None: ...
    def close(self) -> None: ...

def read_parquet(path: str | Path, rows_most: int) -> Table:
    """Read a Parquet file. Raises FileNotFoundError, OSError or InputError."""

class Ageing:
    """A drive on its way to its end; what crosses is JSON. Raises InputError."""

    def __init__(self, drive: str, overrides: list[str], folders: list[str], options: str) -> None: ...
    def capacity_bytes(self) -> int: ...
    def unit_bytes(self) -> int: ...
    def facts(self) -> str: ...
    def in_use(self) -> str: ...
    def save_state(self, path: str) -> None: ...
    def is_broken(self) -> bool: ...
    def go_on(self) -> tuple[str | None, float]: ...

class LogRows:
    """What the rig logged of a block while it was cycled."""

    def __init__(self, block: int, packed: bytes) -> None: ...
    def __len__(self) -> int: ...
    def tuples(
        self, first: int, end: int
    ) -> list[tuple[int, int | None, str, int, int, int | None, str, None]]: ...
    def lines(self, first: int, end: int) -> str: ...
    def failure(self) -> tuple[int, Literal["program", "erase"]] | None: ...
    def changes(self) -> list[tuple[str, int | None, list[int], list[int]]]: ...

class Chip:
    """A simulated chip on the bench; what crosses is JSON, numbers and bytes. Raises InputError."""

    def __init__(
        self, name: str, folders: list[str], seed: int, overrides: list[str] = ..., tables: bool = ...
    ) -> None: ...
    def identify(self) -> str: ...
    def read(self, block: int, page: int) -> tuple[str, int, bytes]: ...
    def program(self, block: int, page: int, data: bytes) -> tuple[str, int]: ...
    def erase(self, block: int) -> tuple[str, int]: ...
    def cycle(self, block: int, cycles: int, pattern: str, pages: str) -> LogRows: ...
    def status(self) -> str: ...
    def busy_time(self) -> int: ...
    def set_temperature(self, celsius: float) -> None: ...
    def temperature(self) -> float: ...
    def let_time_pass(self, seconds: float) -> None: ...
    def now_ns(self) -> int: ...
    def voltage_plans(self) -> list[str]: ...
    def use_voltage_plan(self, name: str) -> str: ...
    def use_program_step(self, times: float) -> None: ...
    def error_rates(
        self,
        pe_cycles: float,
        rests: list[tuple[float, int]],
        cells: int,
        celsius: float | None = None,
        layer: float | None = None,
    ) -> list[tuple[list[float], list[float], list[float], float]]: ...
    def pages(
        self,
        pe_cycles: float,
        rests: list[tuple[float, int]],
        cells: int,
        page: int,
        celsius: float | None = None,
        block: float | None = None,
    ) -> list[EccPage]: ...
    def soft_rates(
        self, pe_cycles: float, rests: list[tuple[float, int]], cells: int
    ) -> list[tuple[list[float], list[float]]]: ...
    def table_rates(
        self, pe_cycles: int, rests: list[tuple[float, int]], page: int, celsius: float | None = None
    ) -> list[float]: ...
    def retention(self) -> tuple[float, float]: ...
    def read_times(self) -> list[int]: ...
    def threshold_voltages(self, block: int, wordline: int) -> bytes: ...
    def staircases(self, block: int, wordline: int, cells: int) -> list[tuple[int, list[float]]]: ...

def bus_waveform(operation: str, bytes: int, assignments: list[str]) -> str: ...  # noqa: A002
def best_references(means: list[float], deviations: list[float]) -> list[float]: ...
def page_error_rates(
    means: list[float], deviations: list[float], references: list[float], two_step: bool
) -> list[float]: ...

# Raw rate of the middle comparison, information, references in volts, shares of a zero and a one, ratios.
_Seen = tuple[float, float, list[list[float]], list[float], list[float], list[float]]

class EccPage:
    """A page of cells in its condition, as a channel."""

    @staticmethod
    def normal(bits: int, page: int, rate: float) -> EccPage: ...
    def seen(self, known: EccPage, soft_bits: int, placement: str) -> _Seen: ...

class EccTrial:
    """Words of a code, decoded over one channel after the other. Raises InputError."""

    def __init__(
        self, name: str, file: tuple[str, str] | None, decoder: str, settings: list[str], seed: int
    ) -> None: ...
    def decoder(self) -> list[tuple[str, str]]: ...
    def count(
        self, zero: list[float], one: list[float], ratios: list[float], first: int, words: int
    ) -> tuple[int, int, list[int]]: ...

def ecc_flips(rate: float) -> _Seen: ...
def ecc_alike(soft_bits: int, zero: list[float], one: list[float], ratios: list[float]) -> float: ...
def ecc_evolved(zero: list[float], one: list[float], ratios: list[float]) -> tuple[float, float]: ...
def ecc_table(name: str, soft_bits: int, rate: float) -> tuple[float, float]: ...
def ecc_placements() -> list[str]: ...
def ecc_codes() -> str: ...
def ecc_code(name: str, file: tuple[str, str] | None = None) -> str: ...
def ecc_decoders() -> str: ...
def ecc_interval(words: int, failures: int) -> tuple[float, float]: ...
def ecc_law(bits: int, points: list[tuple[float, int, int]]) -> tuple[float, float] | None: ...
def ecc_rate(bits: int, law: tuple[float, float], failure: float) -> float: ...
def ecc_extrapolated(
    bits: int, law: tuple[float, float], points: list[tuple[float, int, int]], rate: float
) -> tuple[float, float, float]: ...
