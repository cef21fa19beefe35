//! The reasons to move data, one file for each: when, which superblock, how much of a die's time. What moves it is in
//! `relocate`, what only the clock brings back is in the `agenda`.

mod burden;
mod collection;
mod empty;
mod fold;
mod idle;
mod patrol;
mod refresh;
mod rewrite;
mod together;
mod turns;

pub(crate) use burden::Burden;
pub(crate) use patrol::{PATROL, Patrol};
pub(crate) use turns::KeepsUp;

use crate::Turnover;
use crate::agenda::Work;
use crate::gc::trigger::GcTrigger;
use crate::media::Media;
use crate::settings::FtlConfig;
use engine::Calendar;

/// What decides on moving data.
pub(crate) struct Upkeep {
    pub trigger: Box<dyn GcTrigger>,
    /// The patrol, which reads stored data for errors, on a drive that has one.
    pub patrol: Option<Box<Patrol>>,
    /// How much of what the host earns by a collection that goes before its programs it comes to use.
    pub urgent_share: f64,
    pub turnover: Turnover,
}

impl Upkeep {
    pub fn new(config: &FtlConfig, seed: u64) -> Self {
        Self {
            trigger: (config.gc.trigger)(),
            patrol: Patrol::new(config.upkeep.scrub, config.layout.dies as usize, seed),
            urgent_share: 0.0,
            turnover: Turnover::default(),
        }
    }

    /// Begins, with simulated time, the timer-driven work.
    pub fn begin(&mut self, media: &mut Media, calendar: &mut Calendar) {
        media.features.begins_refresh(&mut media.core, calendar);
        self.begin_patrol(media, calendar);
        media.await_moment(calendar);
    }

    /// Ends upkeep when the host has finished: the patrol ends and no work falls due, so that the drive comes
    /// to rest.
    pub fn end(&mut self, media: &mut Media) {
        self.patrol = None;
        media.features.ended();
        if let Some(agenda) = &mut media.core.agenda {
            agenda.end();
        }
    }
}

impl Media {
    /// Lets the first moment come.
    pub fn await_moment(&mut self, calendar: &mut Calendar) {
        if let Some(time) = self.features.next_moment() {
            self.core.enter_upkeep(time, Work::Moment, calendar);
        }
    }
}
