//! The power fails on a map of pages.

use crate::host_side::Reads;
use crate::medium::Medium;
use crate::pages::PageMapped;
use controller::Interrupted;
use units::SimTime;

impl PageMapped {
    /// The power fails at `now`. Whatever the layer knew is gone; what is left is what the flash holds.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn cut(mut self, now: SimTime) -> (Medium, Vec<Interrupted>) {
        self.account_risk(now);
        let (interrupted, wreck) = self.media.interrupt(now);
        (self.media.left_over(wreck, self.host.risk, self.upkeep.turnover), interrupted)
    }
}
