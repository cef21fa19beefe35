"""A served drive: from its options to a run folder, by way of clients that come and go."""

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from floatgate import _core
from floatgate.errors import Fault
from floatgate.files import copies, shipped
from floatgate.options import Options
from floatgate.results import tables
from floatgate.results.folder import atomically
from floatgate.runs.outside import completed, write
from floatgate.serve.options import ServeOptions

if TYPE_CHECKING:
    from floatgate.serve.metrics import Endpoint

SLICE_MS = 1_000  # between two looks at the requests that were done, where they are kept
LOOK_S = 0.1  # between two looks at whether a stop is asked for
TELL_S = 0.5  # between two words of how far it is


@dataclass(frozen=True)
class Serving:
    """How far a server is: where it is asked, and what it counts."""

    uri: str
    metrics: str | None
    progress: dict[str, Any]


@contextmanager
def ended_by_signals() -> Iterator[Callable[[], bool]]:
    """Turn SIGINT and SIGTERM into a request to end; the second SIGINT is the usual KeyboardInterrupt."""
    asked: list[int] = []

    def ask(number: int, _frame: FrameType | None) -> None:
        if asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        asked.append(number)

    try:
        before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # no signals come to a thread other than the main one
        before = {}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def serve_to_folder(
    asked: ServeOptions,
    out: Path,
    *,
    report: bool,
    told: Callable[[Serving], None] = lambda _serving: None,
    stopped: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Serve a drive until `stopped`, and write the folder `out`; return its `run.json`.

    Raises InputError or Fault. The image is left at rest, unless what went wrong prevents it.
    """
    options = Options(seed=asked.seed, check=asked.check, requests=asked.requests)
    with atomically(out, force=asked.force) as partial, _endpoint(asked.metrics) as endpoint:
        server = _core.Server(
            copies.place(asked.drive),
            copies.placed(asked.set),
            shipped.folders(),
            options.to_json(),
            json.dumps(asked.for_core()),
        )
        left = False
        try:
            document = _document(
                server, asked, lambda: _serve(server, asked, partial, endpoint, told, stopped)
            )
            left = True
        finally:
            if not left:
                _leave(server)
        write(partial, document)
        if report:
            from floatgate.report import write_report

            write_report(partial, partial / "report.html", is_own=True)
    _leave(server)  # What was measured is there, even where a full disk keeps the image from coming to rest.
    return document


@contextmanager
def _endpoint(port: int | None) -> Iterator["Endpoint | None"]:
    """Give where Prometheus asks, if anywhere; it is open before an image is made."""
    if port is None:
        yield None
        return
    from floatgate.serve.metrics import Endpoint

    with closing(Endpoint(port)) as endpoint:
        yield endpoint


def _document(server: "_core.Server", asked: ServeOptions, serve: Callable[[], None]) -> dict[str, Any]:
    """Serve until a stop is asked for; return what was measured."""
    started = time.perf_counter()
    try:
        serve()
        document: dict[str, Any] = json.loads(copies.as_named(server.result()))
    except _core.BrokenInvariant as fault:
        raise Fault(f"{fault}; seed {asked.seed}") from fault
    options = {name: getattr(asked, name) for name in ("seed", "check", "requests")}
    completed(document, "nbd", asked.set, options, time.perf_counter() - started)
    return document


def _serve(
    server: "_core.Server",
    asked: ServeOptions,
    folder: Path,
    endpoint: "Endpoint | None",
    told: Callable[[Serving], None],
    stopped: Callable[[], bool],
) -> None:
    """Serve until a stop is asked for.

    The drive has a thread of its own, which needs no interpreter: no reader holds it up.
    """
    uri, end = server.uri(), None if asked.stop_after is None else time.monotonic() + asked.stop_after

    def tell() -> None:
        told(Serving(uri, None if endpoint is None else endpoint.url, json.loads(server.progress())))

    if endpoint is not None:
        endpoint.watch(lambda: json.loads(server.progress()))
    tell()
    with _at_work(server, folder if asked.requests else None) as is_over:
        due = time.monotonic() + TELL_S
        while not stopped() and not is_over(LOOK_S) and (end is None or time.monotonic() < end):
            if time.monotonic() >= due:
                due = time.monotonic() + TELL_S
                tell()
    tell()


@contextmanager
def _at_work(server: "_core.Server", keep: Path | None) -> Iterator[Callable[[float], bool]]:
    """Let the server work in a thread, and at the end come to its own; give how to wait until that is over.

    With `keep`, every request is kept in a table there.
    """
    sink = None if keep is None else tables.RequestSink(keep / tables.REQUESTS)
    ended, failed = threading.Event(), list[BaseException]()

    def work() -> None:
        try:
            while not ended.is_set():
                server.serve(SLICE_MS if sink else 60 * SLICE_MS)
                if sink is not None:
                    sink.take(server.requests())
        except BaseException as error:
            failed.append(error)

    def is_over(seconds: float) -> bool:
        thread.join(seconds)
        return not thread.is_alive()

    thread = threading.Thread(target=work, name="floatgate-serve")
    thread.start()
    try:
        try:
            yield is_over
        finally:
            ended.set()
            server.stop()
            thread.join()
        if failed:
            raise failed[0]
        server.end()
        if sink is not None:
            sink.take(server.requests())
    finally:
        if sink is not None:
            sink.close()


def _leave(server: "_core.Server") -> None:
    """Leave the image at rest; after a broken invariant there is nothing to leave."""
    try:
        server.close()
    except _core.BrokenInvariant as fault:
        raise Fault(str(fault)) from fault
