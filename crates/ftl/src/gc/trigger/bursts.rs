//! As `watermark`, but all dies collect together, ahead of need, and the host waits for most of that.

use super::watermark::Watermark;
use super::{GcTrigger, TriggerView};
use crate::Layout;
use config::{Card, ConfigError, Policy, Section, above};
use units::Nanos;

/// Two watermarks, between which the whole drive collects at a time.
#[derive(Clone, Debug)]
pub struct Bursts {
    marks: Watermark,
    host_share: f64,
}

impl Policy for Bursts {
    const CARD: Card = Card {
        name: "bursts",
        rule: "once a die has at most `low` free superblocks, all dies collect until each has `high`, or no victim that \
               frees the share `least_gain` of its units; meanwhile the host may write the share `host_share` of \
               what the victims give back; idle dies do not collect unless `background` says so",
        paper: "after a drive whose writes take milliseconds in a few percent of cases far below full load: Micron \
                7450 MAX as measured in SSD-iq (Haas, Lee, Leis and others, PVLDB 18, 2025)",
        not_modelled: "a share that follows the load",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let marks = Watermark::read_beside(section, false)?;
        let host_share = section.unit("ratio").within(above(0.0).at_most(1.0)).or(
            "host_share",
            0.25,
            "what the host may write during a burst, of what the victims give back; 1: as much",
        )?;
        Ok(Self { marks, host_share })
    }
}

impl GcTrigger for Bursts {
    fn foreground(&self, view: &TriggerView) -> bool {
        self.marks.foreground(view)
    }

    fn background(&self, view: &TriggerView) -> bool {
        self.marks.background(view)
    }

    fn worthwhile(&self, gain: u32, units: u32) -> bool {
        self.marks.worthwhile(gain, units)
    }

    fn idle_after(&self) -> Option<Nanos> {
        self.marks.idle_after()
    }

    fn foreground_limit(&self) -> u32 {
        self.marks.foreground_limit()
    }

    fn burst_share(&self) -> Option<f64> {
        Some(self.host_share)
    }

    fn superblocks_beside(&self) -> u32 {
        self.marks.superblocks_beside()
    }

    fn fit(&self, layout: &Layout) -> Result<(), (&'static str, String)> {
        self.marks.fit(layout)
    }
}
