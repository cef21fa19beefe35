"""Channel arbiters in Python, compiled: policies that choose the die that gets a channel next."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, SupportsIndex

from floatgate.own.compiled import Compiled, DieSet, Question, View
from floatgate.own.sets import first_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from floatgate.own.lent import Random


class ChannelView(View):
    """What an arbiter may know of a channel. Sets are bit masks with one bit per die, in way order."""

    dies: int  # of the channel
    commands: DieSet  # set of the dies that wait to be sent a command
    outs: DieSet  # set of dies that wait to give data
    ins: DieSet  # set of dies that wait to take data
    since_ns: "NDArray[np.int64]"  # since when: at 2 * die for its command, at 2 * die + 1 for its data
    random: "Random"

    def next_in(self, of: int, start: int) -> int:
        """Return the first die of the set `of` from `start` on, going on from die 0; -1: the set is empty."""
        found = first_in(of, start)
        return found if found >= 0 else first_in(of, 0)


class Policy(Compiled):
    """A channel arbiter. Each channel has its own object."""

    COMMAND, DATA = range(2)

    seam: ClassVar[str] = "controller.arbitration"
    must: ClassVar[tuple[str, ...]] = ("pick",)
    may: ClassVar[tuple[str, ...]] = ("attach",)
    questions: ClassVar[Mapping[str, Question]] = {"pick": Question(view=ChannelView, answer=("int", "int"))}

    def attach(self, dies: int) -> None:
        """Make the arbiter's state, for a channel of `dies` dies. Called once, first, in plain Python."""

    def pick(self, view: ChannelView) -> tuple[SupportsIndex, SupportsIndex]:
        """Return one of the waiting dies, and for what it gets the channel: `self.COMMAND` or `self.DATA`."""
        raise NotImplementedError
