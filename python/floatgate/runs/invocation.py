"""Running a run again: what `run.json` says about how it was made, and the plan that repeats it."""

import json
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.inputs import cards
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import Workload, place_of
from floatgate.options import Options, TraceOptions
from floatgate.own import names_own


def invocation(plan: Plan, config: dict[str, Any]) -> dict[str, Any]:
    """Return what a result keeps of its plan; with the resolved `config` it is the whole plan."""
    plain = Options()
    given = {name: value for name, value in asdict(plan.options).items() if value != getattr(plain, name)}
    is_trace = plan.workload.kind == "trace"
    workload: dict[str, Any] = {
        "kind": plan.workload.kind,
        "source": plan.workload.source,
        "options": plan.workload.options.given(),
        "file_bytes": Path(place_of(plan.workload.source)).stat().st_size if is_trace else None,
        "text": plan.workload.text,
        "variables": dict(plan.workload.variables),
        "notes": list(plan.workload.notes),
    }
    return {"set": list(plan.overrides), "workload": workload, "options": given, "policies": _own(config)}


def _own(config: dict[str, Any]) -> list[dict[str, str]]:
    """The files with policies in Python that a configuration names, with what is written in them."""
    names = [value for key, value in config.items() if names_own(key, value)]
    if not names:
        return []
    from floatgate.own.found import source

    texts = {name.rsplit(":", 1)[0]: source(name) for name in names}
    return [
        {"file": file, "source": text, "sha256": sha256(text.encode()).hexdigest()}
        for file, text in texts.items()
    ]


def _trust(path: Path, policies: list[dict[str, str]], *, trusted: bool) -> None:
    """Take a result's policies for the policies of their files. Raises InputError if they are not trusted."""
    if not policies:
        if trusted:
            raise InputError(
                f"--trust-policies: {path} brings none along: expected a result with policies in Python"
            )
        return
    files = ", ".join(policy["file"] for policy in policies)
    if not trusted:
        raise InputError(
            f"{path}: brings programs along that a repetition runs ({files}): expected --trust-policies, "
            "after a look at invocation.policies"
        )
    from floatgate.own.found import remember

    for policy in policies:
        if sha256(policy["source"].encode()).hexdigest() != policy["sha256"]:
            raise InputError(f"{path}: {policy['file']}: not what was run: expected a text with this sha256")
        remember(policy["file"], policy["source"])


def plan_of(
    path: Path,
    overrides: tuple[str, ...],
    options: dict[str, Any],
    trace: dict[str, Any],
    *,
    trusted: bool,
) -> Plan:
    """Return the plan that repeats the run in `path`, with `overrides` and given options on top.

    `trusted`: policies in Python that the result has with it may run.

    Raises InputError when the file is no result, or the workload's file is gone or another.
    """
    from floatgate.results.versions import read_repeatable

    document = read_repeatable(path)
    try:
        made, capacity = document["invocation"], document.get("capacity_bytes")
        asked_by = {"nbd": "a served drive, whose clients", "stepped": "a stepped drive, whose program"}
        if made["workload"]["kind"] in asked_by:
            raise InputError(
                f"{path}: {asked_by[made['workload']['kind']]} cannot be asked again: "
                "expected the run of a workload"
            )
        _trust(path, made["policies"], trusted=trusted)
        resolved = tuple(f"{key}={json.dumps(value)}" for key, value in document["config"].items())
        stored = made["workload"]
        workload = Workload(
            stored["kind"],
            stored["source"],
            _trace_options((stored.get("options") or {}) | trace),
            stored.get("text"),
            tuple(stored.get("notes") or ()),
            tuple(sorted((stored.get("variables") or {}).items())),
        )
        plan = Plan(
            document["drive"],
            workload,
            tuple(made["set"]) + overrides,
            Options(**(_describing(document, options) | options)),
            resolved + overrides,
            document["config_places"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not a run ({error}): expected a run.json that floatgate wrote") from error
    _check_source(path, plan.workload, stored)
    if overrides and plan.workload.kind == "flows":
        _check_flows(path, plan, capacity)
    return plan


def _check_flows(path: Path, plan: Plan, capacity: Any) -> None:
    """MQSim's flows are laid out on a drive of so many bytes; only its two files can lay them out anew."""
    size = cards.of_drive(plan.drive, plan.overrides)["capacity_bytes"]
    if size != capacity:
        raise InputError(
            f"{path}: a drive of {size} bytes: expected {capacity}, on which MQSim's flows are laid out; "
            "another size needs its two files, run with this --set"
        )


_STATE = ("precondition", "precondition_fill", "load_state")  # one answer: how the drive begins


def _describing(document: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """The options that say what was run; where a run wrote to is nothing that a repetition may overwrite."""
    made = dict(document["invocation"]["options"])
    if "precondition" in options or "load_state" in options:
        made = {name: value for name, value in made.items() if name not in _STATE}
    # A result of before there was a layout has no state: nothing was laid out.
    usual = {} if "state" in document else {"layout": False}
    return usual | {name: value for name, value in made.items() if name != "save_state"}


def _trace_options(given: dict[str, Any]) -> TraceOptions:
    options = TraceOptions(**given)
    return replace(options, volume=tuple(options.volume))


def _check_source(path: Path, workload: Workload, stored: dict[str, Any]) -> None:
    """The trace of the run must still be there, and of the same size."""
    if workload.kind != "trace":
        return
    source = Path(place_of(workload.source))
    if not source.is_file():
        raise InputError(
            f"{path}: workload {source}: no such file: expected the trace of the run where it was"
        )
    size = source.stat().st_size
    if size != stored.get("file_bytes"):
        expected = f"{stored.get('file_bytes')} bytes, as when it was run"
        raise InputError(f"{path}: workload {source}: the file has {size} bytes: expected {expected}")
