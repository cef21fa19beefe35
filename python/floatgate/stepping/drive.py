"""`fg.Drive`: a drive inside a simulator of the user's own."""

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from floatgate import _core
from floatgate._core import Completion
from floatgate.errors import InputError
from floatgate.extras import needed
from floatgate.files import regular, shipped
from floatgate.files.temporary import Temporary
from floatgate.options import Options
from floatgate.results.folder import check_state_file
from floatgate.results.run import Run
from floatgate.runs.outside import completed, write
from floatgate.values.arguments import assignment, mapping, path as as_path

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from floatgate.inputs.policies import Policy
    from floatgate.own.policy import Own

STAGES, _OPS, _STATUS = _core.step_words()
_CODES = {name: code for code, name in _OPS}
_ROW = (
    ("id", "<u8"),
    ("submitted_ns", "<u8"),
    ("completed_ns", "<u8"),
    ("offset", "<u8"),
    ("stages_ns", [(stage, "<u8") for stage in STAGES]),
    ("length", "<u4"),
    ("op", "u1"),
    ("status", "u1"),
    ("cause", "u1"),
    ("retries", "u1"),
)


class Drive(_core.SteppedDrive):
    """A drive that your program steps: submit requests, let time go on, take completions.

        with fg.Drive("tlc", seed=7) as drive:
            drive.submit(0, "write", 0, 4096)
            done = drive.next()
            print(done.latency_ns, done.cause)

    `drive` is a drive's name or file; with `toml`, the text of such a file, it is the name in messages. `set`
    maps configuration keys to values, `policies` choose policies by object; the other options are those of
    `fg.run`, and `load` is a state that `save` or `fg.run` wrote. Times are simulated nanoseconds (whole
    numbers), offsets and lengths bytes, multiples of 512. The drive's present, `now_ns`, begins at 0; all up
    to it has happened, and an earlier request is refused. Any number of drives live side by side; while one
    lets time go on, other threads run.

    Given the requests of a trace, each before time reaches it, `finish()` and `statistics()` have the figures
    of `fg.run` with that trace (`layout=False`) to the digit.

    Raises InputError for bad input, in one line, TypeError for a value of a wrong type.
    """

    options: Options
    _set: tuple[str, ...]
    _began: float

    def __new__(
        cls,
        drive: str | Path,
        *,
        toml: str | None = None,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the name it has everywhere
        policies: "Iterable[Policy | Own]" = (),
        seed: int = 1,
        precondition: str = "none",
        precondition_fill: float | None = None,
        load: str | Path | None = None,
        check: bool = False,
        memory_limit: str | int | None = None,
    ) -> Self:
        """Open the drive; its time is 0."""
        state = None if load is None else as_path("load", load)
        options = Options(
            seed=seed,
            check=check,
            layout=False,
            precondition=precondition,  # type: ignore[arg-type] # verified next
            precondition_fill=precondition_fill,
            load_state=state,
            memory_limit=memory_limit,
        )
        options.verify()
        if state is not None:
            regular(state, "a state that was saved")
        overrides = [assignment(key, value) for key, value in mapping("set", set).items()]
        overrides += [one for policy in policies for one in policy.overrides()]
        name = as_path("drive", drive)
        self = super().__new__(cls, name, toml, overrides, shipped.folders(), options.to_json())
        self.options, self._set, self._began = options, tuple(overrides), time.perf_counter()
        return self

    def submit_many(
        self,
        time_ns: "ArrayLike",
        op: "str | ArrayLike",
        offset: "ArrayLike",
        length: "ArrayLike",
        *,
        namespace: "ArrayLike" = 0,
    ) -> range:
        """Submit requests from arrays of shape (n,), each of whole numbers; a single value stands for all.

        `time_ns` in ns, `offset` and `length` in bytes, `op` by name or by the code in `completion_array`,
        `namespace` by number from 1. Returns the ids in the same order. All are taken, or none: InputError
        names the first that is wrong by its place, from 0. Needs NumPy.
        """
        np = needed("numpy")
        named = np.asarray(op)
        if named.dtype.kind in "UO":
            names, inverse = np.unique(named.astype(str), return_inverse=True)
            named = np.array([_code(str(name)) for name in names], np.uint8)[inverse].reshape(named.shape)
        given = {"time_ns": time_ns, "op": named, "offset": offset, "length": length, "namespace": namespace}
        columns = [_column(np, name, value) for name, value in given.items()]
        try:
            columns = np.broadcast_arrays(*(np.atleast_1d(one) for one in columns))
        except ValueError:
            shapes = ", ".join(f"{name} {one.shape}" for name, one in zip(given, columns, strict=True))
            raise InputError(f"{shapes}: expected arrays of one length, or single values") from None
        if columns[0].ndim != 1:
            raise InputError(f"time_ns: an array of shape {columns[0].shape}: expected shape (n,)")
        first = self.submit_columns(*(np.ascontiguousarray(one) for one in columns))
        return range(first, first + len(columns[0]))

    def completion_array(self, most: int | None = None) -> "NDArray[Any]":
        """Take the completions that wait, at most `most`: a structured array of shape (n,), by time.

        Fields: id, submitted_ns, completed_ns and stages_ns in ns (one field for each stage), offset and
        length in bytes, retries; op, status and cause are codes, whose names `words()` has. Needs NumPy.
        """
        np = needed("numpy")
        found: NDArray[Any] = np.frombuffer(self.completion_bytes(most), np.dtype(list(_ROW)))
        return found

    @staticmethod
    def words() -> dict[str, dict[int, str]]:
        """Give the names behind the codes of `completion_array`: op, status and cause (a stage)."""
        return {"op": dict(_OPS), "status": dict(enumerate(_STATUS)), "cause": dict(enumerate(STAGES))}

    def statistics(self) -> Run:
        """Return what was measured, as `fg.run` does: so far or, after `finish`, to the last completion."""
        document = json.loads(self.measured())
        options = {"seed": self.options.seed, "check": self.options.check}
        completed(document, "stepped", self._set, options, time.perf_counter() - self._began)
        made = Temporary()
        (made.folder / "run").mkdir()
        write(made.folder / "run", document)
        return Run.keeping(made)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Finish the drive, let it come to rest and save its state for `load`; `force` replaces a state.

        What has been answered can still be taken; no request follows.
        """
        check_state_file(Path(as_path("path", path)), force=force)
        self.save_to(str(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the drive."""
        self.close()

    def __repr__(self) -> str:
        if self.is_closed:
            return "Drive(closed)"
        return f"Drive({self.name}, now {self.now_ns} ns, {self.outstanding} outstanding)"


def _code(name: str) -> int:
    """Return the code of an operation. Raises InputError with the nearest name."""
    if name not in _CODES:
        _core.step_op(name)
    return _CODES[name]


_KINDS = {"time_ns": "u8", "op": "u1", "offset": "u8", "length": "u4", "namespace": "u4"}


def _column(np: Any, name: str, value: Any) -> Any:
    """Return a column as the core takes it. Raises InputError for what is no whole number of its range."""
    found, kind = np.asarray(value), np.dtype(_KINDS[name])
    if found.dtype.kind not in "iu":
        raise InputError(f"{name}: {found.dtype} values: expected whole numbers")
    most = int(np.iinfo(kind).max)
    wrong = (found < 0) | (found > most)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InputError(
            f"request {place}: {name} = {found.flat[place]}: expected a whole number from 0 to {most}"
        )
    return found.astype(kind)


__all__ = ["STAGES", "Completion", "Drive"]
