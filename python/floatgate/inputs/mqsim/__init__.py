"""MQSim's two files, ssdconfig.xml and workload.xml, as a drive and a workload."""

from floatgate.inputs.mqsim.drive import Drive, read_drive
from floatgate.inputs.mqsim.plan import is_mqsim, plan_of
from floatgate.inputs.mqsim.scenario import Scenario, read_scenario

__all__ = ["Drive", "Scenario", "is_mqsim", "plan_of", "read_drive", "read_scenario"]
