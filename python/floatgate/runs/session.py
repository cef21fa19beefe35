"""Drives one run of the core: slices short enough that Ctrl-C and progress work, and nothing else."""

import json
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any, Protocol

from floatgate import _core
from floatgate.errors import Fault, InputError
from floatgate.files import copies, shipped
from floatgate.inputs.plan import Plan
from floatgate.options import Options

FIRST_SLICE = 10_000  # events
SLICE_S = 0.07  # long enough to cost nothing, short enough that Ctrl-C feels immediate


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    done: bool
    phase: str
    fraction: float | None
    simulated_ns: int
    host_requests: int
    page_operations: int


class Sink(Protocol):
    """Takes what a run produces while it runs, so that memory stays constant."""

    def drain(self, session: "_core.Session") -> None:
        """Take what has piled up since the last call."""


@dataclass(frozen=True)
class Outcome:
    """What a run ended with."""

    document: dict[str, Any]
    interrupted: bool


def drive(
    session: "_core.Session",
    plan: Plan,
    *,
    sinks: tuple[Sink, ...] = (),
    report: Callable[[Progress], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    events: int | None = None,
) -> Outcome:
    """Advance `session` to its end, or until `stopped`; return its result with the cost of having it.

    With `events`, all slices have so many: where `stopped` ends a run is then the same on every machine.
    Raises InputError for a workload that turns out faulty on the way, Fault for a broken invariant.
    """
    started = time.perf_counter()
    progress = Progress(False, "start", None, 0, 0, 0)
    try:
        try:
            for progress in _slices(session, events):
                for sink in sinks:
                    sink.drain(session)
                if report:
                    report(progress)
                if stopped():
                    break
        except _core.Stopped:  # it was asked for, and a slice did not end
            if session.is_broken():
                raise
        except KeyboardInterrupt:
            if stopped() or session.is_broken():  # the second: now
                raise
        if not progress.done:
            if stopped():
                _core.ask_to_stop()  # requests in flight take their time, too
            session.interrupt()
        _core.forget_stop()
        document: dict[str, Any] = json.loads(copies.as_named(session.result()))
    except _core.BrokenInvariant as fault:
        raise Fault(f"{fault}; seed {plan.options.seed}; repeat with: {command(plan)}") from fault
    document["config_places"] = _places(document["config_places"], plan)
    stopped_at = {"phase": progress.phase, "workload_fraction": progress.fraction}
    document["interrupted_at"] = None if progress.done else stopped_at
    document["engine"] |= {"peak_rss_bytes": peak_rss_bytes(), "session_s": time.perf_counter() - started}
    return Outcome(document, not progress.done)


def _slices(session: "_core.Session", fixed: int | None) -> Iterator[Progress]:
    """Advance in slices of about `SLICE_S`, by what an event costs in this phase, or of a fixed length."""
    events, done, phase = fixed or FIRST_SLICE, False, ""
    while not done:
        began = time.perf_counter()
        progress = Progress(**json.loads(session.advance(events)))
        took = max(time.perf_counter() - began, 1e-6)
        if fixed is None:
            events = int(min(max(events * min(SLICE_S / took, 4.0), 1_000), 100_000_000))
            if progress.phase != phase:
                events, phase = FIRST_SLICE, progress.phase
        done = progress.done
        yield progress


def _places(found: dict[str, dict[str, Any]], plan: Plan) -> dict[str, dict[str, Any]]:
    """Say where each value is written, the same in every installation and in every repetition."""
    changed = {override.split("=")[0].strip() for override in plan.overrides}
    roots = shipped.folders()
    for key, value in found.items():
        value["place"] = shipped.without_root(value["place"], roots)
        if plan.places and key in plan.places and key not in changed:
            found[key] = plan.places[key]
    return found


def peak_rss_bytes() -> int:
    """Return the most memory this process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def command(plan: Plan) -> str:
    """Return the command that repeats `plan`."""
    import shlex

    changes = [word for override in plan.overrides for word in ("--set", override)]
    words = ["floatgate", "run", *(plan.asked or (plan.drive, plan.workload.source, *changes))]
    for name, value in plan.workload.variables:
        words += ["--env", f"{name}={value}"]
    for name, value in {**asdict(plan.options), **plan.workload.options.given()}.items():
        if value == getattr(Options(), name, None) and name != "seed":
            continue
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, tuple):
            words += [part for item in value for part in (flag, str(item))]
        else:
            words += [flag, str(value)]
    return shlex.join(words)


class Interrupt:
    """Turns the first Ctrl-C into a request to stop; the second is the usual KeyboardInterrupt."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        """Return whether a stop was asked for."""
        return self.asked

    def _ask(self, _signal: int, _frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        _core.ask_to_stop()


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Listen for Ctrl-C inside the block. In a thread other than the main one nothing changes."""
    interrupt = Interrupt()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # our parent process decides when we stop
        yield interrupt
        return
    try:
        before = signal.signal(signal.SIGINT, interrupt._ask)
    except ValueError:
        yield interrupt
        return
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
        _core.forget_stop()


__all__ = [
    "Fault",
    "InputError",
    "Interrupt",
    "Outcome",
    "Plan",
    "Progress",
    "drive",
    "interruptible",
]
