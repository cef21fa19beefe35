//! The reasons to move data, one file for each: when, which superblock, how much of a die's time. What moves it is in
//! `relocate`, what only the clock brings back is in the `agenda`.

mod burden;
mod collection;
mod eager;
mod empty;
mod fold;
mod idle;
mod patrol;
mod refresh;
mod rewrite;
mod together;
mod turns;

pub(crate) use burden::Burden;
pub(crate) use eager::{Eager, NominalTimes};
pub(crate) use patrol::{PATROL, Patrol};
pub(crate) use turns::KeepsUp;

use crate::Turnover;
use crate::agenda::Work;
use crate::gc::trigger::GcTrigger;
use crate::media::Media;
use crate::settings::FtlConfig;
use engine::Calendar;

/// State of all work that moves data for other reasons than host writes: trigger of garbage collection, background
/// scrub (patrol), statistics.
pub(crate) struct Upkeep {
    pub trigger: Box<dyn GcTrigger>,
    /// Field: state of the background scrub (patrol), which reads stored data to find errors; `None` on a drive without
    /// it.
    pub patrol: Option<Box<Patrol>>,
    /// Factor, 0 to 1, on the number of units that the host may write for each unit that garbage collection moves, for
    /// preconditioning without simulated time while collection has priority over host programs.
    pub urgent_share: f64,
    pub turnover: Turnover,
    /// Field: state of the nominal clocks of the dies that writes without simulated time follow in a sampled run;
    /// `None` where garbage collection does only as much as such writes need.
    pub eager: Option<Box<Eager>>,
}

impl Upkeep {
    pub fn new(config: &FtlConfig, seed: u64) -> Self {
        Self {
            trigger: (config.gc.trigger)(),
            patrol: Patrol::new(config.upkeep.scrub, config.layout.dies as usize, seed),
            urgent_share: 0.0,
            turnover: Turnover::default(),
            eager: None,
        }
    }

    /// Starts the timed work (refresh, background scrub and scheduled snapshots) when simulated time begins.
    pub fn begin(&mut self, media: &mut Media, calendar: &mut Calendar) {
        media.features.begins_refresh(&mut media.core, calendar);
        self.begin_patrol(media, calendar);
        media.await_moment(calendar);
    }

    /// Ends upkeep (timed work) when the host has finished: the background scrub (patrol) ends and no refresh falls due
    /// any more, so that the drive becomes idle and the run can end.
    pub fn end(&mut self, media: &mut Media) {
        self.patrol = None;
        media.features.ended();
        if let Some(agenda) = &mut media.core.agenda {
            agenda.end();
        }
    }
}

impl Media {
    /// Schedules the event for the earliest time at which an optional feature of the drive has to act, such as a
    /// scheduled snapshot.
    pub fn await_moment(&mut self, calendar: &mut Calendar) {
        if let Some(time) = self.features.next_moment() {
            self.core.enter_upkeep(time, Work::Moment, calendar);
        }
    }
}
