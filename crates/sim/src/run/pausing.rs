//! Between the windows of a sampled run: nothing is measured, and the drive comes to rest, so that its state can be carried
//! forward without a clock.

use super::{BusyTimes, Run};
use crate::observe::Observer;
use ftl::{FtlStats, HandleTotals, Placing, Still};
use units::Lpn;

/// Record of the counts of a sampled run at the moment when measuring paused, at the end of a window.
pub(crate) struct CountsAtPause {
    /// Counts of the flash translation layer when measuring paused.
    stats: FtlStats,
    /// Counts by placement handle when measuring paused.
    placed: HandleTotals,
    /// Busy times of channels, flash arrays and link wires until measuring paused.
    busy: BusyTimes,
    /// Number of bytes of host data that only the write buffer contained when measuring paused.
    held: u64,
}

impl BusyTimes {
    /// Returns the busy times since `earlier`, an older copy of these times.
    fn since(&self, earlier: &Self) -> Self {
        let less = |(now, then): (&u64, &u64)| now.saturating_sub(*then);
        let columns =
            |(now, then): (&[u64; 4], &[u64; 4])| std::array::from_fn(|at| now[at].saturating_sub(then[at]));
        Self {
            channels: self.channels.iter().zip(&earlier.channels).map(less).collect(),
            arrays: self.arrays.iter().zip(&earlier.arrays).map(columns).collect(),
            work: self.work.since(&earlier.work),
            wires: std::array::from_fn(|at| self.wires[at].saturating_sub(earlier.wires[at])),
        }
    }
}

/// Type that borrows a sampled run; its methods do the work between its measured windows: pausing measurement, bringing
/// the drive to rest.
pub(crate) struct Pausing<'a, P: Observer>(pub &'a mut Run<P>);

impl<P: Observer> Pausing<'_, P> {
    /// Stops measuring until [`Self::go_on_measuring`]; requests in flight are not measured either. Returns the run's
    /// counts at this moment.
    pub fn pause_measuring(&mut self) -> CountsAtPause {
        for id in self.0.requests.under_way() {
            self.0.requests.get(id).measured = false;
        }
        let measure = &mut self.0.measure;
        for (submitted, (completed, failed)) in
            measure.submitted.iter_mut().zip(measure.completed.iter().zip(&measure.failed))
        {
            *submitted = completed + failed;
        }
        (self.0.ramping, self.0.warming) = (true, true);
        CountsAtPause {
            stats: *self.0.ftl.stats(),
            placed: self.0.ftl.placed(),
            busy: self.0.busy_times(),
            held: self.0.ftl.buffer().held_bytes(),
        }
    }

    /// Measures requests again, those in flight included; the time since the last measured answer and all counts since
    /// `pause` are left out.
    pub fn go_on_measuring(&mut self, pause: &CountsAtPause) {
        for id in self.0.requests.under_way() {
            let request = self.0.requests.get(id);
            request.measured = true;
            let op = request.host.op.effect() as usize;
            self.0.measure.submitted[op] += 1;
        }
        (self.0.ramping, self.0.warming) = (false, false);
        self.0.baseline = self.0.ftl.stats().since(&pause.stats.since(&self.0.baseline));
        let placed = pause.placed.since(&self.0.counts_before.placed);
        self.0.counts_before.placed = self.0.ftl.placed().since(&placed);
        self.0.busy_baseline = self.0.busy_times().since(&pause.busy.since(&self.0.busy_baseline));
        let held = self.0.ftl.buffer().held_bytes();
        self.0.held_before = (held + self.0.held_before).saturating_sub(pause.held);
        self.0.measure.go_on(self.0.ctx.calendar.now());
    }

    /// Brings the drive to a standstill, in simulated time and without requests in flight: begun program units are
    /// padded, and nothing new begins. Takes the units that wait in the write buffer out of it, and returns them in the
    /// order in which they leave.
    pub fn stand_still(&mut self) -> Vec<Lpn> {
        if let Some(pages) = self.0.ftl.as_page_mapped() {
            Still(pages).hold();
        }
        loop {
            self.0.come_to_rest();
            if !self.0.ftl.as_page_mapped().is_some_and(|pages| Still(pages).pad_begun(&mut self.0.ctx)) {
                return self
                    .0
                    .ftl
                    .as_page_mapped()
                    .map(|pages| Still(pages).take_buffered())
                    .unwrap_or_default();
            }
        }
    }

    /// Stops drawing requests from the workload; returns true if the workload had not come to its end.
    pub fn hold(&mut self) -> bool {
        !std::mem::replace(&mut self.0.source_done, true)
    }

    /// Resumes simulated time on a drive whose state was carried forward.
    pub fn go_on(&mut self) {
        self.0.ftl.settle();
        self.0.ftl.begin(&mut self.0.ctx);
        self.0.ftl.pump(&mut self.0.ctx);
    }

    /// Resumes drawing requests from the workload.
    pub fn draw_again(&mut self) {
        self.0.source_done = false;
        self.0.draw_anew(self.0.ctx.calendar.now());
    }

    /// Returns true while requests are not measured: before the measured window begins, or while measuring pauses.
    pub fn is_ramping(&self) -> bool {
        self.0.ramping
    }

    /// Adds `requests` requests that were carried forward to the run's counts of requests.
    pub fn count_forwarded(&mut self, requests: u64) {
        self.0.handed_out += requests;
        self.0.host_requests += requests;
    }

    /// Returns the number of requests that the run's limit on requests still allows; near `u64::MAX` without a limit.
    pub fn requests_left(&self) -> u64 {
        self.0.end.requests.saturating_sub(self.0.handed_out)
    }
}
