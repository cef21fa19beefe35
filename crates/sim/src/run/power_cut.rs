//! A cut: requests are lost, the flash is what it is, a fresh drive finds it again.

use crate::drive::power_cuts::{CutMoment, PowerPlan};
use crate::observe::Observer;
use crate::observe::holder::Lost;
use crate::run::dram::Memory;
use crate::run::{MOMENT, Run};
use crate::{Drive, Error};
use ftl::Damage;
use units::{Nanos, SimTime};

/// Record of one power cut of a run: its time, its damage, and the recovery after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Time at which the host lost its power in the power cut.
    pub failed: SimTime,
    /// Time at which the drive lost its power in the power cut; later than the host's loss of power if the drive has
    /// capacitors.
    pub dark: SimTime,
    /// Number of flash operations (each page read, page programmed or block erased counts as one) done from the
    /// beginning of the run, without its warm-up, to the power cut.
    pub operations: u64,
    /// Number of requests of the host that were never answered because of the power cut.
    pub requests: u32,
    pub damage: Damage,
    /// Number of mapping units whose writes had been acknowledged to the host and that the drive's write buffer lost in
    /// the power cut.
    pub buffered_lost: u32,
    /// Time at which the power came back after the power cut.
    pub back: SimTime,
    /// Time at which the drive took requests again after the power cut; none if the power failed again before.
    pub ready: Option<SimTime>,
    /// Counts of the recovery after the power cut: flash pages that it has to read (all of them, even if the next cut
    /// came before its end), superblocks with programmed pages, and logical units found.
    pub found: ftl::Found,
}

/// Record of all power cuts of a run: planned cuts to come, and cuts that have happened.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    plan: PowerPlan,
    /// List of the times of the power cuts planned by time and still to come, the next one last.
    by_time: Vec<SimTime>,
    /// List of the power cuts planned by number of flash operations and still to come, each with the time from there on
    /// to the cut, the next one last.
    by_operations: Vec<(u64, Nanos)>,
    seed: u64,
    /// List of the records of the power cuts that have happened in the run so far.
    pub done: Vec<Cut>,
}

impl Cuts {
    /// Makes the power cuts of a run from the drive's plan; random cuts follow from `seed`.
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

    /// Returns the error text `broken`, extended by the number of power cuts that happened before the error; `None`
    /// where no power cut is planned.
    pub fn place_of(&self, broken: &str) -> Option<String> {
        match self.done.len() {
            0 if self.left() == 0 => None,
            0 => Some(format!("{broken}; before the first power cut")),
            count => Some(format!("{broken}; after power cut {count}")),
        }
    }

    /// Returns the number of planned power cuts of the run that are still to come.
    pub fn left(&self) -> usize {
        self.by_time.len() + self.by_operations.len()
    }

    /// Returns the time of the next power cut that is planned by time, not by number of flash operations; `None`
    /// without one.
    pub fn next_time(&self) -> Option<SimTime> {
        self.by_time.last().copied()
    }

    /// Advances a run by about `count` events, as [`Run::advance`] does, on a drive for which power cuts may be
    /// planned; returns true when the run is over.
    ///
    /// # Errors
    /// As for [`Run::advance`], and when the drive cannot be made anew after a power cut.
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

    /// Takes the next power cut out of the plan and returns its simulated time, if no event comes before it; `None`
    /// otherwise, and before the run has begun.
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
        let (contents, interrupted) = std::mem::replace(&mut run.ftl, fresh).cut(dark);
        run.ctx.probe.on_cut(dark, &interrupted);
        let (damage, buffered_lost) = (contents.damage, contents.buffered_lost);
        let back = dark + self.plan.off;
        run.ctx.calendar.forget_pending(back);
        run.ftl.take_over(contents);
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

    /// Lets a drive recover its logical-to-physical map at the beginning of a run, where the power of its flash was cut
    /// before the run, while the drive was working; `lost` describes that power cut.
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

    /// Processes one simulation event of a drive that recovers its logical-to-physical map after a power cut; once the
    /// map is rebuilt, the drive takes requests again.
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
    /// Cuts the host's power at `now`: requests in flight fail and are never answered. Returns the number of lost
    /// requests.
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

    /// Continues the drive on its capacitors until its write buffer is on flash, or until `end`. Returns the time at
    /// which the drive loses its power.
    fn write_out(&mut self, begun: SimTime, end: Option<SimTime>) -> SimTime {
        self.ftl.pause_upkeep();
        self.ftl.write_out_own(&mut self.ctx);
        self.ftl.send_out(&mut self.ctx);
        while self.ftl.needs_power() || self.ctx.calendar.is_more_now() {
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

    /// Processes the next event of a drive that recovers its logical-to-physical map after a power cut; returns false
    /// once no read of recovery is in flight, so that the map is rebuilt, or if there is no event.
    fn looks_for_its_map(&mut self) -> bool {
        let Some((_, event)) = self.ctx.calendar.pop() else { return false };
        !self.ftl.find_on(event, &mut self.ctx)
    }

    /// Makes the drive ready for requests again at `now`, after recovery, as a drive to which the host has just been
    /// connected.
    fn come_back(&mut self, now: SimTime) {
        self.dark = false;
        self.link.rest(now);
        self.memory = self.ftl.buffer().dram().map(Memory::new);
        self.namespaces.go_on_after_cut(&self.ftl);
        self.report_zones();
        self.draw_anew(now);
    }
}
