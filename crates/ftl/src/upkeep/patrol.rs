//! Patrol scrub: an idle die reads what it stores, superblock after superblock, and writes a superblock anew when the
//! errors corrected in one of its pages come near what the code corrects.
//!
//! A round over a die is spread evenly over the period: one superblock falls due after the other, and waits for the die
//! to be idle. A die that is never idle long enough falls behind, which is counted.

use crate::Probe;
use crate::agenda::Work;
use crate::core::Round;
use crate::media::Media;
use crate::settings::PatrolRules;
use crate::upkeep::Upkeep;
use controller::{Class, Context, Origin, Transaction};
use engine::Calendar;
use engine::RandomStream;
use units::{DieId, Nanos, SimTime};

/// Constant: value of a flash read's owner field by which reads of the background scrub (patrol) are recognised when
/// they complete; reads that move data have another owner, or none.
pub(crate) const PATROL: u32 = u32::MAX - 1;

/// Record of the progress of the background scrub (patrol) on one die.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    round_began: SimTime,
    /// Number, within the die, of the superblock that the patrol is reading or will read next.
    superblock: u32,
    /// Index of the next page row (pages of one number on all planes) of the superblock that the patrol will read.
    row: u32,
    /// Time at which the patrol (background scrub) read the first page row of the superblock that it is reading.
    began: SimTime,
    /// Number of page rows of the present superblock that the patrol (background scrub) has read.
    rows_read: u32,
    /// True while the superblock is due to be read by the background scrub (patrol) and waits for its die to become
    /// idle.
    waits: bool,
    /// True if an event that continues the background scrub (patrol) of the die is scheduled.
    timer: bool,
}

/// State of the background scrub (patrol) of all dies, which reads stored data in rounds to find errors before they
/// become uncorrectable.
pub(crate) struct Patrol {
    rules: PatrolRules,
    walks: Vec<Walk>,
    random: RandomStream,
}

impl Patrol {
    /// Makes a patrol that has read nothing yet; `None` where the rules give no period.
    pub fn new(rules: PatrolRules, dies: usize, seed: u64) -> Option<Box<Self>> {
        let walks = vec![Walk::default(); dies];
        let random = RandomStream::new(seed, "ftl.patrol");
        (rules.period > Nanos::ZERO).then(|| Box::new(Self { rules, walks, random }))
    }

    /// Returns the planned time of a round of the background scrub (patrol), in which all stored data are read once.
    pub fn period(&self) -> Nanos {
        self.rules.period
    }

    /// Returns the number of dies on which the present patrol round (reading of all stored data once), at time `now`,
    /// has already taken longer than planned.
    pub fn overdue(&self, now: SimTime) -> usize {
        // A result may end before the patrol did: rounds that began later are not late.
        let late = |walk: &&Walk| now > walk.round_began && now.since(walk.round_began) > self.rules.period;
        self.walks.iter().filter(late).count()
    }
}

impl Upkeep {
    /// Starts the first patrol round of each die when simulated time begins.
    pub fn begin_patrol(&mut self, media: &mut Media, calendar: &mut Calendar) {
        if self.patrol.is_some() {
            (0..media.core.store.layout.dies as usize)
                .for_each(|die| self.schedule_patrol(media, die, calendar.now(), calendar));
        }
    }

    pub fn schedule_patrol(&mut self, media: &mut Media, die: usize, at: SimTime, calendar: &mut Calendar) {
        let Some(patrol) = &mut self.patrol else { return };
        patrol.walks[die].timer = true;
        media.core.enter_upkeep(at, Work::Patrol(die as u32), calendar);
    }

    /// Handles the timer of the background scrub (patrol) of a die: either the next superblock fell due, or the die may
    /// have been idle long enough for the due superblock to be read.
    pub fn on_patrol_timer<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        let idle = media.core.store.controller.is_idle(DieId(die as u32));
        let Some(patrol) = &mut self.patrol else { return };
        let since = media.core.collections[die].idle.since + patrol.rules.idle_after;
        let walk = &mut patrol.walks[die];
        walk.timer = false;
        walk.waits = true;
        if !idle {
            return; // The end of what it is doing sets the timer again.
        }
        if since > ctx.calendar.now() {
            self.schedule_patrol(media, die, since, &mut ctx.calendar);
            return;
        }
        self.patrol_on(media, die, ctx);
    }

    /// Schedules the background scrub (patrol) of a die that has just become idle, if a superblock is due: the
    /// superblock is read if the die stays idle for long enough.
    #[inline]
    pub fn arm_patrol(&mut self, media: &mut Media, die: usize, calendar: &mut Calendar) {
        let Some(patrol) = &self.patrol else { return };
        let walk = &patrol.walks[die];
        if walk.waits && !walk.timer {
            let at = calendar.now() + patrol.rules.idle_after;
            self.schedule_patrol(media, die, at, calendar);
        }
    }

    /// Submits the patrol's read of the next page row (pages of one number on all planes) with valid units in the
    /// superblock; after the last row, schedules the next superblock.
    pub fn patrol_on<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        let Some(patrol) = &mut self.patrol else { return };
        let walk = &mut patrol.walks[die];
        let first = media.core.store.space.global(die, walk.superblock) as u32 * media.core.store.layout.rows;
        let rows = first + walk.row..first + media.core.store.layout.rows;
        let Some((row, mask)) = media.core.store.first_row(rows) else {
            return self.end_superblock_patrol(media, die, &mut ctx.calendar);
        };
        walk.row = row + 1 - first;
        if walk.rows_read == 0 {
            walk.began = ctx.calendar.now();
        }
        walk.rows_read += 1;
        media.submit_read(row, mask, Origin::Scrub, Class::InternalRead, PATROL, ctx);
    }

    pub fn end_superblock_patrol(&mut self, media: &mut Media, die: usize, calendar: &mut Calendar) {
        let (Some(patrol), Some(agenda)) = (&mut self.patrol, &mut media.core.agenda) else { return };
        let (period, walk) = (patrol.rules.period, &mut patrol.walks[die]);
        let (rows, began) = (std::mem::take(&mut walk.rows_read), walk.began);
        let free = agenda.charge(die, u64::from(rows) * agenda.costs.row_read, began);
        let read = media.core.store.space.global(die, walk.superblock);
        (walk.superblock, walk.row, walk.waits) = (walk.superblock + 1, 0, false);
        let end = walk.round_began + period;
        let per_die = media.core.store.layout.superblocks_per_die;
        let due = if walk.superblock == per_die {
            let round = if calendar.now() > end { Round::Late } else { Round::InTime };
            media.features.patrolled(&media.core, read, Some(round));
            (walk.superblock, walk.round_began) = (0, end.max(calendar.now()));
            walk.round_began
        } else {
            media.features.patrolled(&media.core, read, None);
            let part = u128::from(period.ns()) * u128::from(walk.superblock) / u128::from(per_die);
            walk.round_began + Nanos::new(part as u64)
        };
        self.schedule_patrol(media, die, due.max(free), calendar);
    }

    /// Handles a completed read of the patrol (background scrub): requests that all valid units of the superblock be
    /// programmed elsewhere if the page is uncorrectable or, in a random draw from its error rate, has nearly as many
    /// errors as the code corrects. Reads the next row if the die is idle.
    pub fn on_patrol_read<P: Probe>(&mut self, media: &mut Media, read: &Transaction, ctx: &mut Context<P>) {
        let die = read.die.index();
        let Some(patrol) = &mut self.patrol else { return };
        let superblock = media.core.store.space.global(die, read.superblock) as u32;
        let row = superblock * media.core.store.layout.rows + read.row;
        let margin = patrol.rules.margin;
        let chance = match read.slc {
            true => None,
            false => media.features.near_limit(row, margin, ctx.calendar.now()),
        };
        let near = patrol.random.unit() < chance.unwrap_or(0.0) || read.reading.uncorrectable;
        let moves = near && media.core.is_written_anew(superblock);
        if moves {
            media.features.wants_anew(&mut media.core, superblock, Origin::Scrub, &mut ctx.calendar);
        }
        if let Some(patrol) = self.patrol.as_mut().filter(|_| moves) {
            patrol.walks[die].row = media.core.store.layout.rows;
        }
        if media.core.store.controller.is_idle(read.die) {
            self.patrol_on(media, die, ctx);
        }
    }
}
