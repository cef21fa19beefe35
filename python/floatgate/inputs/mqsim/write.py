"""The text of MQSim's two files, from their fields: for tests, and for runs beside the real MQSim."""

from collections.abc import Container, Iterable, Mapping

from floatgate.inputs.mqsim.fields import FLASH, HOST


def drive_text(values: Mapping[str, object]) -> str:
    """Return ssdconfig.xml with these fields, each in its part; an unknown one goes to the device."""

    def part(wanted: Container[str]) -> str:
        return _elements({name: value for name, value in values.items() if name in wanted})

    device = part(values.keys() - HOST.keys() - FLASH.keys())
    flash = _element("Flash_Parameter_Set", part(FLASH))
    host = _element("Host_Parameter_Set", part(HOST))
    return _element("Execution_Parameter_Set", f"{host}\n{_element('Device_Parameter_Set', device + flash)}")


def flow_text(values: Mapping[str, object]) -> str:
    """Return one flow with these fields: of a trace where it has a `File_Path`."""
    kind = "Trace_Based" if "File_Path" in values else "Synthetic"
    return _element(f"IO_Flow_Parameter_Set_{kind}", _elements(values))


def workload_text(scenarios: Iterable[Iterable[str]]) -> str:
    """Return workload.xml with scenarios, each of flows."""
    described = (_element("IO_Scenario", "".join(flows)) for flows in scenarios)
    return _element("MQSim_IO_Scenarios", "".join(described))


def _element(name: str, inside: str) -> str:
    return f"<{name}>\n{inside}</{name}>\n"


def _elements(values: Mapping[str, object]) -> str:
    return "".join(f"<{name}>{value}</{name}>\n" for name, value in values.items())
