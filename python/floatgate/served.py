"""A served drive: from its options to a run folder, by way of clients that come and go."""

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from floatgate import _core, away, places, tables
from floatgate.errors import Fault
from floatgate.folder import atomically, write_json
from floatgate.options import Options
from floatgate.options.serve import ServeOptions
from floatgate.remarks import remarks
from floatgate.session import peak_rss_bytes

SLICE_MS = 100


@dataclass(frozen=True)
class Serving:
    """How far a server is."""

    uri: str
    clients: int
    requests: int
    simulated_ns: int
    lateness: dict[str, Any] | None
    refused: str | None


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
    with atomically(out, force=asked.force) as partial:
        server = _core.Server(
            away.place(asked.drive),
            away.placed(asked.set),
            places.folders(),
            options.to_json(),
            json.dumps(asked.for_core()),
        )
        left = False
        try:
            document = _document(server, asked, partial, told, stopped)
            left = True
        finally:
            if not left:
                _leave(server)
        tables.write_latency(partial, document.pop("histogram"))
        tables.write_series(partial, document.pop("series"))
        write_json(partial / "run.json", document)
        if report:
            from floatgate.report import write_report

            write_report(partial, partial / "report.html", is_own=True)
    _leave(server)  # What was measured is there, even where a full disk keeps the image from coming to rest.
    return document


def _document(
    server: "_core.Server",
    asked: ServeOptions,
    folder: Path,
    told: Callable[[Serving], None],
    stopped: Callable[[], bool],
) -> dict[str, Any]:
    """Serve until somebody says to stop; return what was measured."""
    started = time.perf_counter()
    try:
        _serve(server, asked, folder, told, stopped)
        document: dict[str, Any] = json.loads(away.as_named(server.result()))
    except _core.BrokenInvariant as fault:
        raise Fault(f"{fault}; seed {asked.seed}") from fault
    _complete(document, asked, time.perf_counter() - started)
    return document


def _serve(
    server: "_core.Server",
    asked: ServeOptions,
    folder: Path,
    told: Callable[[Serving], None],
    stopped: Callable[[], bool],
) -> None:
    """Serve in slices until somebody says to stop."""
    sink = tables.RequestSink(folder / tables.REQUESTS) if asked.requests else None
    uri = server.uri()
    end = None if asked.stop_after is None else time.monotonic() + asked.stop_after
    try:
        told(Serving(uri, 0, 0, 0, None, None))
        while not stopped() and (end is None or time.monotonic() < end):
            told(Serving(uri, **json.loads(server.serve(SLICE_MS))))
            if sink is not None:
                sink.take(server.requests())
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


def _complete(document: dict[str, Any], asked: ServeOptions, session_s: float) -> None:
    """Add what the core does not know."""
    for value in document["config_places"].values():
        value["place"] = places.without_root(value["place"], places.folders())
    document["interrupted_at"] = None
    document["engine"] |= {"peak_rss_bytes": peak_rss_bytes(), "session_s": session_s}
    document["invocation"] = {
        "set": list(asked.set),
        "workload": {
            "kind": "nbd",
            "source": "nbd",
            "options": {},
            "file_bytes": None,
            "text": None,
            "variables": {},
            "notes": [],
        },
        "options": {
            name: getattr(asked, name)
            for name in ("seed", "check", "requests")
            if getattr(asked, name) != getattr(Options(), name)
        },
        "policies": [],
    }
    document["remarks"] = remarks(document)
    document["workload"]["jobs"] = []
