//! A cut: requests are lost, the flash is what it is, a fresh drive finds it again.

use crate::drive::power_cuts::{CutMoment, PowerPlan};
use crate::observe::Observer;
use crate::observe::holder::Lost;
use crate::run::dram::Memory;
use crate::run::{MOMENT, Run};
use crate::{Drive, Error};
use ftl::Damage;
use units::{Nanos, SimTime};

/// What one cut did, and what it took to come back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// When the host lost its power, and when the drive did: later, where the drive has capacitors.
    pub failed: SimTime,
    pub dark: SimTime,
    /// Operations of the flash since the run began.
    pub operations: u64,
    /// Requests that were never answered.
    pub requests: u32,
    pub damage: Damage,
    /// Units that the host was told are written and that the drive's buffer lost.
    pub buffered_lost: u32,
    /// When the power came back, and the drive was ready; none where the power failed again before.
    pub back: SimTime,
    pub ready: Option<SimTime>,
    /// Pages, superblocks and units that recovery read and found before the next cut, if there was one.
    pub found: ftl::Found,
}

/// All cuts of a run.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    plan: PowerPlan,
    /// Cuts still to come, by time and by number of operations; the next one is the last of each list.
    by_time: Vec<SimTime>,
    by_operations: Vec<(u64, Nanos)>,
    seed: u64,
    /// Power cuts of the run so far.
    pub done: Vec<Cut>,
}

impl Cuts {
    /// Returns the cuts that the plan of a drive gives with this seed.
    pub fn new(plan: &PowerPlan, seed: u64) -> Self {
        let mut cuts = Self { plan: plan.clone(), seed, ..Self::default() };
        for moment in plan.moments(seed) {
            match moment {
                CutMoment::At(time) => cuts.by_time.push(time),
                CutMoment::After(operations, later) => cuts.by_operations.push((operations, later)),
            }
        }
        cuts.by_time.sort_unstable_by(|a, b| b.cmp(a));
        cuts.by_operations.sort_unstable_by(|a, b| b.cmp(a));
        cuts
    }

    /// Returns the text `broken` with the last power cut before it was found; none where no power cut is
    /// planned.
    pub fn place_of(&self, broken: &str) -> Option<String> {
        match self.done.len() {
            0 if self.left() == 0 => None,
            0 => Some(format!("{broken}; before the first power cut")),
            count => Some(format!("{broken}; after power cut {count}")),
        }
    }

    /// Cuts still to come.
    pub fn left(&self) -> usize {
        self.by_time.len() + self.by_operations.len()
    }

    /// Returns the time of the next cut that is planned by time, not by operations of the flash.
    pub fn next_time(&self) -> Option<SimTime> {
        self.by_time.last().copied()
    }

    /// As [`Run::advance`], on a drive whose power may fail.
    ///
    /// # Errors
    /// As there, and when the drive cannot be made anew.
    pub fn advance<P: Observer>(
        &mut self,
        run: &mut Run<P>,
        drive: &Drive,
        count: u64,
    ) -> Result<bool, Error> {
        for _ in 0..count {
            if self.left() == 0 && !run.dark {
                return run.advance(count);
            }
            if let Some(time) = self.due(run) {
                self.cut(run, drive, time)?;
            } else if run.dark {
                self.find_on(run);
            } else if run.advance(1)? {
                return Ok(true);
            }
        }
        Ok(run.is_done())
    }

    /// Returns the moment of the next cut, if nothing happens before it.
    fn due<P: Observer>(&mut self, run: &Run<P>) -> Option<SimTime> {
        let now = run.ctx.calendar.now();
        let operations = run.operations();
        while let Some(&(after, later)) = self.by_operations.last()
            && after <= operations
        {
            self.by_operations.pop();
            self.by_time.push(now + later + MOMENT);
            self.by_time.sort_unstable_by(|a, b| b.cmp(a));
        }
        // What happens at this very moment has happened: a cut comes after it.
        let time = (*self.by_time.last()?).max(now + MOMENT);
        let is_next = run.ctx.calendar.next_time().is_none_or(|next| next >= time);
        // What is over stays over.
        (is_next && run.has_begun()).then(|| {
            self.by_time.pop();
            time
        })
    }

    fn cut<P: Observer>(&mut self, run: &mut Run<P>, drive: &Drive, failed: SimTime) -> Result<(), Error> {
        let requests = if run.dark { 0 } else { run.lose_power(failed) };
        let dark = match self.plan.has_capacitors {
            true => run.write_out(failed, self.plan.hold_up.map(|hold_up| failed + hold_up)),
            false => failed,
        };
        let operations = run.operations();
        let fresh = drive.make_anew(self.seed, self.seed.wrapping_add(1 + self.done.len() as u64))?;
        let (medium, interrupted) = std::mem::replace(&mut run.ftl, fresh).cut(dark);
        run.ctx.probe.on_cut(dark, &interrupted);
        let (damage, buffered_lost) = (medium.damage, medium.buffered_lost);
        let back = dark + self.plan.off;
        run.ctx.calendar.forget_pending(back);
        run.ftl.take_over(medium);
        let found = run.ftl.begin_finding(&mut run.ctx);
        self.done.push(Cut {
            failed,
            dark,
            operations,
            requests,
            damage,
            buffered_lost,
            back,
            ready: None,
            found,
        });
        Ok(())
    }

    /// Finds the map again of a drive that begins with a flash that lost power at work, as `lost` describes.
    pub fn begin_finding<P: Observer>(&mut self, run: &mut Run<P>, lost: &Lost) {
        let now = run.ctx.calendar.now();
        run.dark = true;
        let found = run.ftl.begin_finding(&mut run.ctx);
        self.done.push(Cut {
            failed: now,
            dark: now,
            operations: 0,
            requests: lost.requests,
            damage: lost.damage,
            buffered_lost: lost.units,
            back: now,
            ready: None,
            found,
        });
        while run.dark {
            self.find_on(run);
        }
    }

    /// Handles an event of a drive that looks for its map; once the map is found, the drive takes requests again.
    fn find_on<P: Observer>(&mut self, run: &mut Run<P>) {
        if run.looks_for_its_map() {
            return;
        }
        let now = run.ctx.calendar.now();
        self.done.last_mut().expect("a cut made it dark").ready = Some(now);
        run.ctx.probe.on_found(&run.ftl);
        run.begin_again();
        run.come_back(now);
    }
}

impl<P: Observer> Run<P> {
    /// Cuts the host's power at `now`: no request is answered any more. Returns how many requests were lost.
    fn lose_power(&mut self, now: SimTime) -> u32 {
        self.ctx.calendar.pass_to(now);
        self.dark = true;
        self.forget_writers();
        while self.link.queues.fetch().is_some() {}
        let lost = self.requests.under_way();
        for &id in &lost {
            let request = self.requests.get(id);
            if !request.in_drive || request.understood >= now {
                (request.fetched, request.understood) = (now, now);
                self.ctx.probe.on_unheard(id);
            }
            self.fail(id);
        }
        lost.len() as u32
    }

    /// Keeps the drive at work by its capacitors until its buffer is on flash, or until `end`. Returns when
    /// the drive goes dark.
    fn write_out(&mut self, begun: SimTime, end: Option<SimTime>) -> SimTime {
        self.ftl.pause_upkeep();
        self.ftl.write_out_own(&mut self.ctx);
        self.ftl.send_out(&mut self.ctx);
        while self.ftl.buffer().is_draining() || self.ctx.calendar.is_more_now() {
            let rests = self.ftl.controller().in_flight() == 0;
            if rests {
                // What was not complete before is kept by a buffer that keeps what it holds.
                self.ftl.send_out(&mut self.ctx);
            }
            let pads = rests && self.ftl.pad_all(&mut self.ctx);
            let next = self.ctx.calendar.next_time();
            match (next, end) {
                (None, _) if !pads => break,
                (Some(next), Some(end)) if next > end => return end + MOMENT,
                _ => drop(self.pass()),
            }
        }
        (self.ctx.calendar.now() + MOMENT).max(begun)
    }

    /// Handles the next event of a drive that looks for its map; false when there is no event left: the map is found.
    fn looks_for_its_map(&mut self) -> bool {
        let Some((_, event)) = self.ctx.calendar.pop() else { return false };
        !self.ftl.find_on(event, &mut self.ctx)
    }

    /// Makes the drive ready again at `now`, as one to which the host has just been connected.
    fn come_back(&mut self, now: SimTime) {
        self.dark = false;
        self.link.rest(now);
        self.memory = self.ftl.buffer().dram().map(Memory::new);
        self.draw_anew(now);
    }
}
