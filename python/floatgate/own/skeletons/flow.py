"""A read flow: larger steps of the retry table while the error rate is far from what can be decoded."""

import floatgate as fg


class Strides(fg.ecc.flow.Policy):
    """Parameters are annotated attributes: `--set ecc.flow.stride=4`, or `Strides(stride=4)`."""

    stride: int = 3  # steps of the table at once
    far: float = 2.0  # times the rate that a read with most soft bits corrects every other time

    def notes(self) -> tuple[str, ...]:
        """Return the records that the drive must keep: `estimates` (of error rates), `good_steps`."""
        return ("estimates",)

    def next(self, view: fg.ecc.flow.View) -> tuple[int, int] | None:
        """Return the next attempt to read the page, as retry step and soft bits, or None to give up.

        page_type      which bit of its cells the page holds
        attempts       so far
        last           step and soft bits of the last of them, or None
        estimate       raw bit error rate of the last, by its syndrome, or None
        first          soft bits that the page's cost and wear require of a first attempt
        soft_bits      the most of this drive
        steps          the last step of the retries
        best_step      the step nearest to the best references, where known
        kind           what a step does: "table" or "share"
        good_step      at which the superblock was read last, or None
        halves         by soft bits: raw bit error rate at which every other read fails
        """
        if view.last is None:
            return 0, view.first
        step, soft_bits = view.last
        if step < view.best_step:
            is_far = view.estimate is not None and view.estimate > self.far * view.halves[-1]
            return min(step + (self.stride if is_far else 1), view.best_step), view.first
        return (step, soft_bits + 1) if soft_bits < view.soft_bits else None
