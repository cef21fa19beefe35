"""Floatgate's drive as an object of gem5, and a caller of it."""

from m5.params import Param
from m5.SimObject import SimObject


class FloatgateSsd(SimObject):
    """A drive; a device model holds one and submits the requests on its image to it."""

    type = "FloatgateSsd"
    cxx_header = "floatgate_ssd.hh"
    cxx_class = "gem5::FloatgateSsd"

    drive = Param.String("small-tlc", "built-in drive, or path of a drive file")
    precondition = Param.String("none", "state that the drive begins in: none, fill, steady, instant")


class FloatgateTraffic(SimObject):
    """Random reads and writes of 4 KiB at a constant queue depth: stands in for a device model."""

    type = "FloatgateTraffic"
    cxx_header = "floatgate_traffic.hh"
    cxx_class = "gem5::FloatgateTraffic"

    ssd = Param.FloatgateSsd("the drive")
    requests = Param.UInt64(10000, "requests, after which the simulation exits")
    depth = Param.UInt64(8, "requests in flight")
    reads = Param.Percent(50, "share of reads")
