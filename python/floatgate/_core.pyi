"""The Rust core, as `crates/python` exposes it. Structured values cross as JSON text, tables as Arrow."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

class PolicyTimeout(BaseException):
    """A policy in Python did not answer in time; raised in the policy's call."""

class Stopped(KeyboardInterrupt):
    """Work went on for more than a second after a stop was asked for, and is ended by this exception."""

class InputError(Exception):
    """The user's input is wrong; the message is one line with place, value and what is expected."""

class BrokenInvariant(Exception):
    """The core found an error in itself (a Rust panic)."""

def version() -> str: ...
def cell_laws() -> int:
    """Return the version number of the cell model from which characterization tables are derived."""

def drives(folders: list[str]) -> str:
    """Return the names, titles and paths of all drives as `[{name, title, path}]`."""

def chips(folders: list[str]) -> str:
    """Return the names, titles and paths of all chips as `[{name, title, path}]`."""

def keys(folders: list[str], drive: str | None = None, overrides: list[str] = ...) -> str:
    """Return all configuration keys as `[{key, type, unit, range, names, default, required, help, needs}]`.

    On a drive, also `value`, `place`, `source` and `off`: the reason why the key has no effect there.
    """

def explain_drive(drive: str, overrides: list[str], folders: list[str]) -> str:
    """`{name, title, capacity_bytes, entries: [{key, value, place, source, help, expected}]}`."""

def memory_bytes(drive: str, settings: list[str], folders: list[str] | None, check: bool) -> int:
    """Return the bytes of the machine's memory that the simulation of a drive takes.

    With the checker if `check` is true; without folders `settings` is the whole configuration.
    """

def free_memory_bytes() -> int | None:
    """Return the bytes of the machine's memory that simulated drives may take; None where unknown."""

def explain_chip(chip: str, folders: list[str]) -> str:
    """`{name, title, entries: [...]}`."""

def result_schema() -> str:
    """Return the JSON Schema of `run.json`."""

def ask_to_stop() -> None:
    """Ask that work end after its present slice; one that takes over a second is ended by Stopped."""

def end_at_once() -> None:
    """Ask that the running work end at once."""

def forget_stop() -> None:
    """Withdraw the request to stop: it does not concern work that begins from now on."""

def policies() -> str:
    """Return all policies as `[{seam, question, name, default, rule, paper, not_modelled, parameters}]`."""

def check_policy(seam: str, name: str, may_starve: bool) -> None:
    """Test the policy `name` with its seam's test battery; raises InputError with the rule that it breaks."""

def policy_timeout(limit_ns: int) -> None:
    """Set the time limit, in ns, for one answer of a policy in Python."""

def compiled_watch() -> tuple[int, int]:
    """Return two addresses for the loops of compiled policies.

    The first is of a number that is not 0 while any call takes too long, the second of the function that
    tells whether it is the call of this thread.
    """

def compiled_is_asked() -> bool:
    """Return whether this thread is in a method of a compiled policy."""

def generators() -> str:
    """Return the names and titles of all built-in workloads (fio jobs) as `[{name, title}]`."""

def fio_jobs(workload: str) -> str:
    """Return the fio jobs of a workload as `[{name, clones, together, options}]`; `null` if it has none."""

def fio_check(workload: str, capacity: int) -> None:
    """Check that fio jobs can run on a drive of `capacity` bytes; raises InputError if they cannot."""

def trace_formats() -> str:
    """Return all trace formats as `[{name, title, units, recognised, writable}]`."""

def trace_info(path: str, options: str) -> str:
    """Read a whole trace once and return statistics of its requests, as JSON."""

def trace_convert(path: str, options: str, out: str, to: str) -> int:
    """Write a trace to the file `out` in the format `to`; return the number of requests."""

def volumes() -> str:
    """Return the synthetic volumes, with sources, as `{synthetic, volumes, parameters}`."""

def volume_info(spec: str, seed: int, access: str) -> str:
    """Make the requests of a synthetic volume once and return their statistics as `trace_info` does."""

def volume_convert(spec: str, seed: int, out: str, to: str) -> int:
    """Write the requests of a synthetic volume to a trace file; return the number of requests."""

def plain_lines(rows: list[Any]) -> str:
    """Return lines of CSV, made of tuples of whole numbers, None and words without commas."""

def size_bytes(text: str) -> int:
    """Parse a size with its unit, such as `16KiB`, into bytes."""

def student_t(probability: float, freedom: int) -> float:
    """Return the quantile of Student's t distribution for a probability from 0.5 to 1.

    `freedom` is the number of degrees of freedom.
    """

def nanoseconds(text: str) -> int:
    """Parse a time with its unit, such as `10s`, into nanoseconds."""

def state_info(path: str) -> str:
    """Return the origin and the geometry of a saved drive state, as JSON; the drive is not built."""

class Session:
    """A simulation run. Not thread-safe; the interpreter lock is released inside `advance`."""

    def __init__(
        self, drive: str, overrides: list[str], folders: list[str], workload: str, options: str
    ) -> None: ...
    @staticmethod
    def resolved(name: str, assignments: list[str], workload: str, options: str) -> Session:
        """Open a run from the resolved configuration of an earlier run."""

    def describe(self) -> str:
        """Return a description of the run before it begins, as JSON."""

    def advance(self, events: int) -> str:
        """Simulate about `events` events and return the progress of the run.

        `{done, phase, fraction, simulated_ns, host_requests, page_operations}`.
        """

    def is_broken(self) -> bool:
        """Return whether the run cannot go on.

        A signal in a policy's call or a broken invariant has then ended the work in the middle.
        """

    def interrupt(self) -> None:
        """End the run early: take no more requests; requests in flight are still completed."""

    def glance(self) -> str:
        """Return the results so far, as JSON; the run goes on. Raises InputError before the workload."""

    def result(self) -> str:
        """Return all results of the finished or interrupted run, as JSON."""

    def requests(self) -> Table:
        """Return the requests completed since the last call, as a table, and remove them."""

    def timeline(self) -> bytes:
        """Return the bytes of the timeline's file that were added since the last call."""

class Server:
    """A server that offers a simulated drive as a network block device.

    One thread serves, without the interpreter lock; others may call `progress` and `stop` meanwhile.
    """

    def __init__(
        self, drive: str, overrides: list[str], folders: list[str], options: str, serve: str
    ) -> None: ...
    def uri(self) -> str:
        """Return the URI by which clients reach the server."""

    def serve(self, slice_ms: int) -> None:
        """Serve clients for about `slice_ms` milliseconds, or until `stop`."""

    def progress(self) -> str:
        """Return the server's progress as JSON, at most a second old, without holding up the server."""

    def stop(self) -> None:
        """Make `serve` return soon, and each later call at once."""

    def end(self) -> None:
        """Complete the requests in flight and disconnect all clients."""

    def result(self) -> str:
        """Return all results of the measurement, as JSON, after `end`."""

    def close(self) -> None:
        """Let the drive come to rest and complete its image file for the next server."""

    def requests(self) -> Table:
        """Return the requests completed since the last call, as a table, and remove them."""

class Completion:
    """A completed request of a drive: its times, its status, and the stages of its latency."""

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
    """Base class of `fg.Drive`: a drive that a program steps. Its methods are documented in the core."""

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
    """Return the tables of a run as `[{file, row, columns: [{name, type, unit, meaning}]}]`."""

class Table:
    """A table of columns of equal length, in Arrow's memory; a gap is None."""

    def __init__(
        self, columns: list[tuple[str, str, str, str]], values: Mapping[str, Sequence[Any]]
    ) -> None: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def columns(self) -> list[tuple[str, str, str, str]]:
        """Return name, type, unit and meaning of each column."""

    def column(self, name: str) -> list[Any]: ...
    def complete(self, name: str) -> bool:
        """Return whether the column has no gaps."""

    def column_bytes(self, name: str) -> bytes:
        """Return the values of a column of numbers without gaps, as little-endian bytes."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Writer:
    """Writer of one Parquet file, table by table."""

    def __init__(self, path: str | Path) -> None: ...
    def write(self, table: Table) -> None: ...
    def close(self) -> None: ...

def read_parquet(path: str | Path, rows_most: int) -> Table:
    """Read a Parquet file into a table. Raises FileNotFoundError, OSError or InputError."""

class Ageing:
    """A drive that is aged to the end of its life; values cross as JSON. Raises InputError."""

    def __init__(self, drive: str, overrides: list[str], folders: list[str], options: str) -> None: ...
    def capacity_bytes(self) -> int: ...
    def unit_bytes(self) -> int: ...
    def facts(self) -> str: ...
    def in_use(self) -> str: ...
    def save_state(self, path: str) -> None: ...
    def is_broken(self) -> bool: ...
    def go_on(self) -> tuple[str | None, float]: ...

class LogRows:
    """Rows that the test rig logged of a block while the block was cycled."""

    def __init__(self, block: int, packed: bytes) -> None: ...
    def __len__(self) -> int: ...
    def tuples(
        self, first: int, end: int
    ) -> list[tuple[int, int | None, str, int, int, int | None, str, None]]: ...
    def lines(self, first: int, end: int) -> str: ...
    def failure(self) -> tuple[int, Literal["program", "erase"]] | None: ...
    def changes(self) -> list[tuple[str, int | None, list[int], list[int]]]: ...

class Chip:
    """A simulated flash chip on the test bench; values cross as JSON, numbers, bytes. Raises InputError."""

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
    """A flash page at a certain wear and rest, as a channel for error correction."""

    @staticmethod
    def normal(bits: int, page: int, rate: float) -> EccPage: ...
    def seen(self, known: EccPage, soft_bits: int, placement: str) -> _Seen: ...

class EccTrial:
    """Trial of an error correcting code: random codewords sent over channels. Raises InputError."""

    def __init__(
        self, name: str, file: tuple[str, str] | None, decoder: str, settings: list[str], seed: int
    ) -> None: ...
    def decoder(self) -> list[tuple[str, str]]: ...
    def count(
        self, zero: list[float], one: list[float], ratios: list[float], first: int, words: int
    ) -> tuple[int, int, list[int]]: ...

def ecc_flips(rate: float) -> _Seen: ...
def ecc_alike(soft_bits: int, zero: list[float], one: list[float], ratios: list[float]) -> float: ...
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
