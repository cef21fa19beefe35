"""An order of refreshes: the most worn superblock first, unless another has waited too long."""

import floatgate as fg


class WornFirst(fg.refresh.order.Policy):
    """Parameters are annotated: `--set ftl.refresh.order.patience_s=60`, or `WornFirst(patience_s=60)`."""

    patience_s: float = 60.0  # what has waited longer than that goes first

    def next(self, view: fg.refresh.order.View) -> int:
        """Return the one of `view.candidates` to rewrite next. Asked when two or more wait.

        candidates     superblocks that wait, the first that fell due first
        due_since_ns   since when each candidate has been due, in its place
        valid_units    by superblock: mapping units still valid
        pe_cycles      by superblock: program/erase cycles
        closed_at      by superblock: the write clock when it was closed
        clock          mapping units written to this die so far
        now_ns         simulated time
        random         random numbers that repeat with the seed: below(bound), unit(), bits()
        """
        if view.now_ns - int(view.due_since_ns[0]) > self.patience_s * 1e9:
            return int(view.candidates[0])
        return int(view.candidates[view.pe_cycles[view.candidates].argmax()])
