"""A policy of write streams: data soon overwritten lie apart, judged by the age of their last version."""

import floatgate as fg


class ShortLived(fg.ftl.streams.Policy):
    """Parameters are annotated attributes: `--set ftl.streams.young=5000`, or `ShortLived(young=5000)`."""

    young: int = 10000  # units that the host writes while a unit counts as short-lived

    def streams(self) -> list[tuple[str, str]]:
        """Return the write streams, each with its name and the data that it takes: host, moved or both."""
        return [("short", "host"), ("long", "host"), ("moved", "moved")]

    def notes(self) -> tuple[str, ...]:
        """Return what the drive must record of units: `writes` (number), `times` (last write)."""
        return ("times",)

    def join(self, view: fg.ftl.streams.View) -> int:
        """Return the number of the stream that a unit joins.

        lpn            the unit
        moved          it is moved; else the host writes it
        hint           what the host said of it, or None
        age            units that the host wrote since it wrote this one last, or None
        writes         how often the host wrote it
        writes_mean    the mean of that over all units that were written
        last           the stream of the superblock that it lies in now, or None
        """
        if view.moved:
            return 2
        return 0 if view.age is not None and view.age < self.young else 1
