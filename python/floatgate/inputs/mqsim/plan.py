"""A run of MQSim's files, as a plan: the drive becomes assignments, the scenario flows."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.inputs import cards
from floatgate.inputs.mqsim.drive import BASE, Drive, read_drive
from floatgate.inputs.mqsim.scenario import is_scenarios, read_scenario
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import Workload, resolve
from floatgate.options import Options, TraceOptions


def is_mqsim(drive: str, workload: str) -> bool:
    """Whether the drive or the workload is a file of MQSim's."""
    return Path(drive).suffix.lower() == ".xml" or is_scenarios(Path(workload))


def plan_of(
    drive: str,
    workload: str,
    overrides: tuple[str, ...],
    options: dict[str, Any],
    trace: TraceOptions,
    scenario: int | None,
    variables: Mapping[str, str] | None = None,
) -> Plan:
    """Return the plan of a run with a file of MQSim's; `variables` are for a fio job on its drive.

    Raises InputError with file, line and field.
    """
    if Path(drive).suffix.lower() != ".xml":
        raise InputError(
            f"{workload}: MQSim's workloads on {drive}: expected its ssdconfig.xml before it: "
            "flows are laid out on the drive that they belong to"
        )
    described = read_drive(Path(drive))
    changes = tuple(word for override in overrides for word in ("--set", override))
    if is_scenarios(Path(workload)):
        if variables:
            raise InputError(
                f"--env {min(variables)}: {workload} is MQSim's: expected a fio job with this option"
            )
        chosen = () if scenario is None else ("--scenario", str(scenario))
        plan = _both(described, workload, overrides, options, trace, scenario)
        return replace(plan, asked=(drive, workload, *chosen, *changes))
    if scenario is not None:
        raise InputError(f"--scenario {scenario}: {workload} has no scenarios: expected MQSim's workload.xml")
    found = resolve(workload, trace, variables)
    notes = (*described.notes, *found.notes)
    assignments = described.assignments("WRITE_CACHE", 1)
    made = (*assignments, *overrides)
    asked = (drive, workload, *changes)
    return Plan(BASE, replace(found, notes=notes), made, Options(**options), asked=asked)


def _both(
    drive: Drive,
    workload: str,
    overrides: tuple[str, ...],
    options: dict[str, Any],
    trace: TraceOptions,
    number: int | None,
) -> Plan:
    if trace.given():
        name = next(iter(trace.given())).replace("_", "-")
        raise InputError(f"--{name}: {workload} is MQSim's: expected a trace with this option")

    def logical_bytes(caching: str, flows: int) -> int:
        assigned = (*drive.assignments(caching, flows), *overrides)
        return int(cards.of_drive(BASE, assigned)["capacity_bytes"])

    scenario = read_scenario(Path(workload), number, drive, logical_bytes)
    if scenario.occupancy is not None and not {"precondition", "load_state"} & options.keys():
        options = {**options, "precondition": "instant", "precondition_fill": scenario.occupancy}
    notes = tuple(dict.fromkeys((*drive.notes, *scenario.notes)))
    found = Workload("flows", workload, trace, scenario.flows, notes)
    assignments = drive.assignments(scenario.caching, scenario.count)
    return Plan(BASE, found, (*assignments, *overrides), Options(**options))
