"""Flows of reads in Python: which attempt comes next for a page's read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from floatgate.own.policy import Own


@dataclass(frozen=True)
class FlowView:
    """What a flow may know of a read of which the attempts so far did not come right."""

    page_type: int  # which bit of its cells the page holds
    attempts: int  # so far
    last: tuple[int, int] | None  # step and soft bits of the last of them; None: there is none
    estimate: (
        float | None
    )  # raw bit error rate of the last, by its syndrome; None: not noted, or no attempt yet
    first: int  # soft bits that the page's cost and wear require of a first attempt
    soft_bits: int  # the most of this drive
    steps: int  # the last step of the retries
    best_step: int  # the step nearest to the best references, where they are known, else the last one
    kind: Literal["table", "share"]  # what a step does: other references, or a share of the errors gone
    good_step: int | None  # at which the superblock was read last; None: not noted, or erased since
    halves: list[float]  # by soft bits: raw bit error rate at which every other read fails; with `estimates`


class Policy(Own):
    """A flow of reads. A drive has one object, asked for each attempt of a read that may fail."""

    seam: ClassVar[str] = "ecc.flow"
    must: ClassVar[tuple[str, ...]] = ("next",)
    may: ClassVar[tuple[str, ...]] = ("notes",)

    def next(self, view: FlowView) -> tuple[int, int] | tuple[int, int, float] | None:
        """Return the next attempt, or None to give up, which the first answer cannot be.

        An attempt is a step of the retries, 0 for the usual references, and soft bits, 1 for a hard read. A
        third number is the estimated error rate above which it is not decoded. A drive gives up after 255.
        """
        raise NotImplementedError

    def notes(self) -> Sequence[str]:
        """Return what is noted: `estimates` (of error rates), `good_steps` (of superblocks). Asked once."""
        return ()
