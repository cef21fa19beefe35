"""Expiry of snapshots: the oldest is dropped, but every tenth stays as long as there are others."""

import floatgate as fg


class Landmarks(fg.ftl.snapshots.expiry.Policy):
    """Parameters are annotated attributes: `--set ftl.snapshots.expiry.every=5`, or `Landmarks(every=5)`."""

    every: int = 10  # of so many snapshots one is kept longer

    def expire(self, view: fg.ftl.snapshots.expiry.View) -> int:
        """Return the number of the snapshot to drop: one of `view.serials`.

        serials        numbers of the snapshots that may go, the oldest first
        taken_ns       their moments
        differences    units first overwritten or trimmed after each and before the next
        reason         "count": more than `keep` were taken; "room": a write needs room
        now_ns         simulated time
        keep           the most snapshots that are kept
        units, room    mapping units kept for snapshots only, and the most there may be
        """
        others = [serial for serial in view.serials if serial % self.every]
        return others[0] if others else view.serials[0]
