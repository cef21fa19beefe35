"""A placement rule: writes that go on where the last write of their job ended lie apart from the others."""

import floatgate as fg


class InOrder(fg.host.place.Policy):
    """Parameters are annotated attributes: `--set host.place.least=65536`, or `InOrder(least=65536)`."""

    least: int = 16384  # bytes from which on a write is as good as one that goes on

    def attach(self, handles: int, drive_bytes: int) -> None:
        """Make the rule's state, before the first write."""
        self.ends: dict[int, int] = {}  # by job, where its last write ended

    def place(self, view: fg.host.place.View) -> int | None:
        """Return the placement handle of a write, from 0 to `view.handles` - 1, or None for no handle.

        offset         first byte on the drive
        bytes          length
        job            job of a fio file, volume of a trace or flow that makes it, by number
        arrive_ns      when it is made
        named          the handle that the workload itself names, or None
        handles        handles of the drive
        drive_bytes    bytes of the drive
        """
        goes_on = self.ends.get(view.job) == view.offset or view.bytes >= self.least
        self.ends[view.job] = view.offset + view.bytes
        return min(int(goes_on), view.handles - 1)
