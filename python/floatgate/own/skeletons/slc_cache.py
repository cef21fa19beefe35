"""An SLC cache of `share` of the superblocks that no data need, and of `always` superblocks at all times."""

import floatgate as fg


class Shared(fg.slc_cache.Policy):
    """Parameters are annotated attributes: `--set ftl.slc_cache.share=0.3`, or `Shared(share=0.3)`.

    When data are folded is asked by keys, as of the policies in the catalogue: `when_full`, `idle_after`.
    """

    share: float = 0.5  # of the superblocks that no data need
    always: int = 2  # superblocks of each die that are the cache's at all times

    def reserved(self, view: fg.slc_cache.View) -> int:
        """Return the number of superblocks of each die that belong to the SLC cache at all times."""
        return min(self.always, view.superblocks // 8)

    def most(self, view: fg.slc_cache.View) -> int:
        """Return the greatest number of superblocks of a die that may be in SLC mode now.

        dies, superblocks, superblock_bytes    the drive, and what a superblock holds with one bit a cell
        spare                                  superblocks of this die that no data need
        """
        return min(self.reserved(view) + int(self.share * view.spare), view.superblocks)
