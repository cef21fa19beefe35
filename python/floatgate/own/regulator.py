"""Cost regulators in Python, compiled: policies that choose the write cost of each mapping unit."""

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
    """A write cost: a way to program units, and the time for which their data must stay correctable."""

    step_uv: int  # increment of the program voltage from pulse to pulse
    retention_ns: int  # how long the data must stay correctable
    voltages: str | None = None  # set of voltages, by its name in the chip's tables; None: the usual one
    refresh_ns: int | None = None  # after this the drive writes what is left of it anew; None: never


@dataclass(frozen=True)
class Steps:
    """Program steps (ISPP) in microvolts and retention time for every regulator, from `[ftl.write_cost]`."""

    fine_uv: int
    usual_uv: int  # the chip's own, to which its program times belong
    coarse_uv: int
    retention_ns: int  # how long data must stay correctable

    def high(self) -> WriteCost:
        """Return the write cost with the fine program step: slow to write, cheap to read."""
        return WriteCost(self.fine_uv, self.retention_ns)

    def medium(self) -> WriteCost:
        """Return the write cost with the chip's usual program step."""
        return WriteCost(self.usual_uv, self.retention_ns)

    def low(self) -> WriteCost:
        """Return the write cost with the coarse program step: fast to write, costly to read."""
        return WriteCost(self.coarse_uv, self.retention_ns)


class WriteView(View):
    """What a regulator may know of a mapping unit to be written and of its die.

    Arrays are indexed by write cost, in the order in which `costs` returned them.
    """

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

    layout: ClassVar[Mapping[str, str]] = {
        "origin": "int",
        "first": "bool",
        "previous": "int",
        "age_ns": "int",
        "waiting": "int",
        "gap_ns": "int",
        "quiet_ns": "int",
        "t_prog_ns": "i8[:]",
        "references": "u4[:]",
        "feasible": "?[:]",
        "random": "random",
    }


class ReadView(View):
    """What a regulator may know of a mapping unit that the host reads from flash."""

    first: bool  # the host never accessed this unit before
    cost: int  # what it was written at

    layout: ClassVar[Mapping[str, str]] = {"first": "bool", "cost": "int"}


class Policy(Compiled):
    """A cost regulator; one object serves the drive. Of single units it keeps only the `bits` it is given.

    The drive stores these bits with the map, 0 at first. Origins are numbers: `view.origin == self.HOST`.
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
        """Make the regulator's state. Called once, in plain Python, before `choose` and `on_read`."""

    def costs(self, steps: Steps) -> list[WriteCost]:
        """Return the 1 to 8 write costs to choose from: `[steps.high(), steps.low()]`. In plain Python."""
        raise NotImplementedError

    def bits_per_unit(self) -> int:
        """Return the number of bits, 0 to 6, that the drive stores for each mapping unit. In plain Python."""
        return 0

    def choose(self, view: WriteView, bits: int) -> SupportsIndex | tuple[SupportsIndex, int]:
        """Return the index in `costs` of a unit's write cost, or that index and the unit's new bits.

        Asked when a unit is assigned to a program, for host data and for all relocated data.
        """
        raise NotImplementedError

    def on_read(self, view: ReadView, bits: int) -> bool | tuple[bool, int]:
        """Return whether a unit that the host reads should be rewritten, or that and the unit's new bits.

        The rewrite happens when the unit's die is idle.
        """
        del view, bits
        return False
