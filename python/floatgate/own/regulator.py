"""Cost regulators in Python, compiled: at what cost a unit is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, SupportsIndex

from floatgate.own.compiled import Compiled, Question, View
from floatgate.own.lent import Random

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class WriteCost:
    """A write cost: how units are written, and for how long."""

    step_uv: int  # increment of the program voltage from pulse to pulse
    retention_ns: int  # how long the data must stay correctable
    voltages: str | None = None  # set of voltages, by its name in the chip's tables; None: the usual one
    refresh_ns: int | None = None  # after this the drive writes what is left of it anew; None: never


@dataclass(frozen=True)
class Steps:
    """The steps that every regulator may use, from `[ftl.write_cost]`, in microvolts."""

    fine_uv: int
    usual_uv: int  # the chip's own, to which its program times belong
    coarse_uv: int
    retention_ns: int  # how long data must stay correctable

    def high(self) -> WriteCost:
        """Return a high-cost write: slow to write, cheap to read."""
        return WriteCost(self.fine_uv, self.retention_ns)

    def medium(self) -> WriteCost:
        """Return a usual write."""
        return WriteCost(self.usual_uv, self.retention_ns)

    def low(self) -> WriteCost:
        """Return a low-cost write."""
        return WriteCost(self.coarse_uv, self.retention_ns)


class WriteView(View):
    """What a regulator may know when a unit is written. Arrays are by write cost, in the order of `costs`."""

    origin: int  # on whose behalf: HOST, GC, WEAR, ... of the policy
    first: bool  # the host never accessed this unit since the run began (without bits: never wrote it)
    previous: int  # the cost of its old copy; -1: there is none
    age_ns: int  # how long the old copy lived, at most; -1: it was written before the run
    waiting: int  # the host's operations waiting or at work at the die
    gap_ns: int  # mean time between the host's operations on this die; -1: too few yet
    quiet_ns: int  # time since the last of them
    t_prog_ns: "NDArray[np.int64]"  # program time of a new block's first page type
    references: "NDArray[np.uint32]"  # reference voltages that reads take at the end of the retention time
    feasible: "NDArray[np.bool]"  # False: the block would lose such data; the next finer step is taken
    random: Random

    spaced: ClassVar[bool] = True


class ReadView(View):
    """What a regulator may know when the host reads a unit from flash."""

    first: bool  # the host never accessed this unit before
    cost: int  # what it was written at


class Policy(Compiled):
    """A cost regulator, one object for the drive. Of single units it keeps the `bits` that it is handed.

    The drive stores those bits with the map, 0 at first. Origins are numbers: `view.origin == self.HOST`.
    """

    HOST, GC, WEAR, READ_MODIFY_WRITE, RESCUE, PADDING, REWRITE = range(7)
    REFRESH, MAP, SCRUB, FOLD, PARITY, REBUILD, READ_AHEAD = range(7, 14)

    seam: ClassVar[str] = "ftl.regulator"
    must: ClassVar[tuple[str, ...]] = ("costs", "choose")
    may: ClassVar[tuple[str, ...]] = ("attach", "bits_per_unit", "on_read")
    questions: ClassVar[Mapping[str, Question]] = {
        "choose": Question({"bits": "int"}, WriteView, ("int", "int"), is_first_enough=True),
        "on_read": Question({"bits": "int"}, ReadView, ("bool", "int"), is_first_enough=True),
    }

    beside: ClassVar[Mapping[str, type]] = {"ReadView": ReadView, "Steps": Steps, "WriteCost": WriteCost}

    def attach(self) -> None:
        """Begin. Called once, as Python: state is made here."""

    def costs(self, steps: Steps) -> list[WriteCost]:
        """Return the write costs to choose from, 1 to 8 of them: `[steps.high(), steps.low()]`. Python."""
        raise NotImplementedError

    def bits_per_unit(self) -> int:
        """Return the bits that are kept for each mapping unit, 0 to 6. Python."""
        return 0

    def choose(self, view: WriteView, bits: int) -> SupportsIndex | tuple[SupportsIndex, int]:
        """Return the place in `costs` of the cost at which a unit is written, or that and its new bits.

        Asked when a unit is bound to a program, for the host and for all that moves data.
        """
        raise NotImplementedError

    def on_read(self, view: ReadView, bits: int) -> bool | tuple[bool, int]:
        """Return whether a unit that is read should be written anew in idle time, or that and new bits."""
        del view, bits
        return False
