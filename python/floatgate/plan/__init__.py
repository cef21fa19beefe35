"""What to buy: how many of each drive a workload takes, what limits them, what the years cost."""

from floatgate import callable_room
from floatgate.plan.read import read_prices, read_workload
from floatgate.plan.work import Planned, plan

__all__ = ["Planned", "plan", "read_prices", "read_workload"]

callable_room.answers(__name__, "floatgate.commands.plan")
