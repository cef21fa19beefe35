//! What a drive does at power-up to find its data again, simulated after the run.

use super::Run;
use crate::observe::Observer;
use crate::sections::sections;

sections! {
    /// Results on recovery at power-up: what the drive read to find its data again, simulated after the run.
    Recovery {
        /// Time in ns that recovery took at power-up, from power-up to its last read.
        t_ns: u64 = "ns",
        /// Number of flash pages that recovery read at power-up.
        pages_read: u64 = "pages",
        /// Number, in the result, of mapping units on flash that the map's last checkpoint takes.
        checkpoint_units: u64 = "mapping units",
        /// Number of superblocks whose summaries recovery read (mapping units at the end of a superblock that list its
        /// logical units).
        summaries: u64 = "superblocks",
        /// Number of page rows (the pages with the same index in all planes) of open superblocks whose spare areas
        /// recovery read.
        open_rows: u64 = "page rows",
    }
}

impl<P: Observer> Run<P> {
    /// Simulates, after the last request, what the drive does at power-up to find its data again; `None` where its
    /// logical-to-physical map survives a power cut.
    pub fn recover(&mut self) -> Option<Recovery> {
        if !self.ftl.recovers() {
            return None; // Coming to rest may take longer than a short run.
        }
        self.drain();
        self.come_to_rest();
        let begun = self.ctx.calendar.now();
        let ftl = self.ftl.as_page_mapped()?;
        let recovery = ftl.begin_recovery(&mut self.ctx)?;
        self.pass_while(|run| run.ftl.as_page_mapped().is_some_and(|ftl| ftl.recovering() > 0));
        Some(Recovery {
            t_ns: self.ctx.calendar.now().since(begun).ns(),
            pages_read: recovery.pages_read,
            checkpoint_units: recovery.checkpoint_units,
            summaries: recovery.summaries,
            open_rows: recovery.open_rows,
        })
    }
}
