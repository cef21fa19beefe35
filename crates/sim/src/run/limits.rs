//! What ends a run that would not end by itself: requests that nothing brings nearer to their end, work without end at
//! one moment, and more work than a run can hold. All of it is counted in events and simulated time, and looked at
//! every so many events, so that it costs nothing per event and says the same on every machine.

use crate::Error;
use crate::observe::Observer;
use crate::requests::READ_MOST;
use crate::run::{Run, RunLimits};
use controller::Origin;
use units::{Nanos, SimTime};

/// Constant: number of events between two checks whether a run still makes progress.
const EVERY: u64 = 1 << 16;
/// Constant: number of events, for each page row of the drive (the pages with the same index in all planes), that may
/// pass while no host request makes progress, beside a fixed number for every drive.
const EVENTS_PER_ROW: u64 = 64;
/// Constant: number of events, added for every drive to the number for its page rows, that may pass while no host
/// request makes progress.
const EVENTS_LEAST: u64 = 1 << 20;
/// Constant: greatest number of events that a run may be expected to need: a hundred days of computing at two million
/// events a second.
const EVENTS_MOST: u64 = 1 << 44;
/// Constant: factor by which the expected number of events must exceed the greatest number, `EVENTS_MOST`, before the
/// run is refused.
const SURELY: f64 = 16.0;

/// State of the watchdog of a run, which detects that no host request makes progress any more.
pub(crate) struct Watch {
    /// Limit of the run's watchdog, stored as a duration: longest simulated time that may pass without progress of any
    /// host request before the run ends with an error. It is the longest time that host data can have to wait for the
    /// flash of this drive.
    longest: Nanos,
    events_most: u64,
    /// Countdown of the watchdog: number of simulation events still to be processed until its next check whether the
    /// run makes progress.
    pub left: u64,
    events: u64,
    /// Number of simulation events that the run had processed in earlier passes of the workload when the present pass
    /// began.
    events_before: u64,
    seen: u64,
    since: SimTime,
    events_since: u64,
}

impl Watch {
    pub fn new(ftl: &ftl::Ftl) -> Self {
        let layout = ftl.layout();
        let rows = layout.superblocks() as u64 * u64::from(layout.rows);
        Self {
            longest: ftl.longest_wait(),
            events_most: EVENTS_LEAST + EVENTS_PER_ROW * rows,
            left: EVERY,
            events: 0,
            events_before: 0,
            seen: 0,
            since: SimTime::ZERO,
            events_since: 0,
        }
    }

    /// Begins a new pass of the workload (a repetition after the one that is over): events of earlier passes no longer
    /// count for the expected total.
    pub fn begin_pass(&mut self) {
        self.events_before = self.events;
    }

    /// Refuses a pass of the workload whose expected number of events, extrapolated from the fraction `done`, is far
    /// too large.
    fn look_ahead(&self, done: f64) -> Result<(), Error> {
        let events = (self.events - self.events_before) as f64;
        let is_too_long = done > 0.0 && events / done > SURELY * EVENTS_MOST as f64;
        if is_too_long { Err(too_long(events, done)) } else { Ok(()) }
    }

    /// Returns the run's limit on events: greatest number that may pass without progress of a host request, or until a
    /// drive without requests is at rest (no flash operation in flight).
    pub fn events_most(&self) -> u64 {
        self.events_most
    }
}

impl<P: Observer> Run<P> {
    /// Returns a count, for the watchdog of the run, that grows whenever a host request makes progress: is issued, is
    /// completed, or has data written, read or programmed.
    fn host_progress(&self) -> u64 {
        let stats = self.ftl.stats();
        let [read, programmed] =
            [&stats.pages_read, &stats.units_programmed].map(|of| of[Origin::Host as usize]);
        self.host_requests + self.handed_out + stats.units_written + read + programmed
    }

    /// Checks that the host's requests still make progress, and that the run is not too long.
    ///
    /// # Errors
    /// When no request makes progress, or the run would be too long; the text names the waiting requests.
    #[cold]
    pub fn look(&mut self) -> Result<(), Error> {
        let (now, progress) = (self.ctx.calendar.now(), self.host_progress());
        self.watch.left = EVERY;
        self.watch.events += EVERY;
        let watch = &mut self.watch;
        if progress != watch.seen || self.requests.outstanding == 0 {
            (watch.seen, watch.since, watch.events_since) = (progress, now, watch.events);
        }
        let (time, events) = (now.since(watch.since), watch.events - watch.events_since);
        if time > watch.longest || events > watch.events_most {
            return Err(Error(format!(
                "no request of the host's came nearer to its end from {} to {now} ({events} events), and nothing on \
                 this drive should take longer than {}: {}; {}",
                watch.since,
                watch.longest,
                self.requests.describe_oldest(),
                shortened(&self.ftl.explain_stall())
            )));
        }
        self.fraction_done().map_or(Ok(()), |done| self.watch.look_ahead(done))
    }

    /// Checks that a run can take `passes` times as many events as it has had so far.
    ///
    /// # Errors
    /// When a run cannot hold so many events.
    pub fn look_ahead(&self, passes: u32) -> Result<(), Error> {
        let events = self.ctx.calendar.scheduled() as f64;
        let done = 1.0 / f64::from(passes);
        if events / done > SURELY * EVENTS_MOST as f64 { Err(too_long(events, done)) } else { Ok(()) }
    }
}

/// Record of the limits at which a workload ends at the latest: a number of requests and a simulated time.
pub(crate) struct WorkloadEnd {
    /// Limit of the workload: greatest number of requests that it may issue; `u64::MAX` without a limit.
    pub requests: u64,
    /// Simulated time at which the workload ends; `SimTime::NEVER` without a limit.
    pub time: SimTime,
    /// Simulated time at which the workload began.
    begin: SimTime,
}

impl WorkloadEnd {
    /// Makes the end of a workload that begins at `begin` from a run's limits on the number of requests and on
    /// simulated time.
    pub fn of(limits: &RunLimits, begin: SimTime) -> Self {
        let time = |ns: u64| SimTime::from_ns(begin.ns().saturating_add(ns));
        Self {
            requests: limits.requests.unwrap_or(u64::MAX),
            time: limits.ns.map_or(SimTime::NEVER, time),
            begin,
        }
    }

    /// Returns true if a limit (on requests or on simulated time) is reached, so that no further request may follow.
    #[inline]
    pub fn is_reached(&self, handed_out: u64, now: SimTime) -> bool {
        handed_out >= self.requests || now >= self.time
    }

    /// Returns two fractions (0 to 1): of the allowed requests that are issued, and of the allowed simulated time that
    /// has passed; `None` in place of a fraction without a limit.
    pub fn fractions(&self, handed_out: u64, now: SimTime) -> [Option<f64>; 2] {
        let by_requests = (self.requests != u64::MAX).then(|| handed_out as f64 / self.requests as f64);
        let passed = |until: SimTime| until.since(self.begin).ns() as f64;
        let by_time = (self.time != SimTime::NEVER).then(|| passed(now) / passed(self.time));
        [by_requests, by_time]
    }
}

/// Constant: latest simulated time that a run may reach: half of the clock's range, so that no operation begun before
/// overflows the clock.
pub(crate) const LATEST: SimTime = SimTime::from_ns(1 << 63);

/// Makes the error for a workload whose next request would come after [`LATEST`].
pub(crate) fn too_late(workload: &str, handed_out: u64) -> Error {
    Error(format!(
        "{workload}: after {handed_out} requests the next would come after more than {:.0} years of simulated time; expected \
         it sooner (shorter pauses, or a larger speed-up of a trace)",
        LATEST.ns() as f64 / (365.25 * 86_400e9)
    ))
}

/// Makes the error for host requests that together read more mapping units at the same time than the simulator has
/// operation indices for.
pub(crate) fn too_much(workload: &str, unit: u64) -> Error {
    Error(format!(
        "{workload}: the requests that the drive works on at once read more than {READ_MOST} units of {unit} bytes, which makes \
         more flash operations than a run can number; expected fewer or smaller requests at once"
    ))
}

fn too_long(events: f64, done: f64) -> Error {
    Error(format!(
        "this workload is longer than a run can be: {events:.0} events were {done:.3e} of it, which makes {:.3e} events; \
         expected at most {:.3e} (a shorter workload, or a limit on its requests or time)",
        events / done,
        EVENTS_MOST as f64
    ))
}

/// Makes the error for a run with unanswered host requests but no event to come.
pub(crate) fn stuck(outstanding: u32, now: SimTime, ftl: &ftl::Ftl) -> Error {
    Error(format!(
        "no request of the host's came nearer to its end, and none will: {outstanding} wait at {now}, and nothing is under \
         way; {}",
        shortened(&ftl.explain_stall())
    ))
}

/// Returns the error for writing without simulated time (as in preconditioning) in which garbage collection erases
/// superblocks without gaining space; `None` while it gains space.
pub(crate) fn in_vain(ftl: &ftl::Ftl) -> Option<Error> {
    let erased = ftl.erased_in_vain()?;
    Some(Error(format!(
        "no request of the host's came nearer to its end while {erased} superblocks were erased without time, and none on \
         this drive should need so many: what is collected gains no room; {}",
        shortened(&ftl.explain_stall())
    )))
}

/// Makes the error for writing without simulated time (as in preconditioning) when no die has space and no superblock
/// is being collected.
pub(crate) fn no_room(ftl: &ftl::Ftl) -> Error {
    Error(format!(
        "no request of the host's came nearer to its end: no die has room for another unit written without time, and \
         nothing is collected; {}",
        shortened(&ftl.explain_stall())
    ))
}

/// Returns a text for an error message, cut to its first `MOST` characters if it is longer.
fn shortened(text: &str) -> String {
    const MOST: usize = 900;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::link::LinkAtWork;
    use crate::{Drive, Error};
    use host::{Completion, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};

    const SETTINGS: [&str; 12] = [
        "geometry.channels=1",
        "geometry.ways=1",
        "nand.cell=slc",
        "nand.planes=1",
        "nand.blocks_per_plane=16",
        "nand.pages_per_block=32",
        "nand.page_size=4KiB",
        "nand.t_r=25us",
        "nand.t_prog=200us",
        "nand.t_bers=1500us",
        "bus.interface.rate=200MT/s",
        "ftl.op_ratio=0.6",
    ];

    /// Workload for a test that issues one write and then never issues another request: each further poll names a later
    /// time at which to ask again.
    struct Waiting(bool);

    impl Workload for Waiting {
        fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
            if std::mem::replace(&mut self.0, true) {
                return Ok(Poll::At(now + Nanos::new(1_000_000)));
            }
            Ok(Poll::Ready(HostRequest::plain(now, Op::WRITE, 0, 4096)))
        }

        fn complete(&mut self, _: &HostRequest, _: &Completion) {}

        fn fraction_done(&self, _: SimTime) -> Option<f64> {
            None
        }

        fn report(&self) -> WorkloadReport {
            WorkloadReport::default()
        }
    }

    #[test]
    fn a_further_pass_is_judged_by_its_own_events() {
        let drive = Drive::from_resolved("test", &SETTINGS.map(str::to_owned)).unwrap();
        let mut watch = Watch::new(&drive.build(1).unwrap());
        watch.events = 200_000_000;
        watch.look_ahead(6e-7).expect_err("so much would never end");
        watch.begin_pass();
        watch.events += EVERY;
        watch.look_ahead(6e-7).unwrap();
    }

    #[test]
    fn a_request_that_nothing_brings_nearer_to_its_end_ends_the_run() {
        let drive = Drive::from_resolved("test", &SETTINGS.map(str::to_owned)).unwrap();
        let (ftl, link) = (drive.build(1).unwrap(), LinkAtWork::new(drive.link().clone(), &drive.reach()));
        let limits = RunLimits { requests: None, ns: None };
        let mut run = Run::new(ftl, link, Box::new(Waiting(false)), Nanos::ZERO, &limits, ());
        // As if the drive were at work on as many commands as it can take.
        run.in_drive = u32::MAX;
        let ended: Result<(), Error> = (0..10_000).try_for_each(|_| run.advance(1_000).map(|_| ()));
        let error = ended.expect_err("it waits for ever").to_string();
        assert!(error.contains("came nearer to its end from t=") && !error.contains('\n'), "{error}");
        assert!(error.contains("1 requests wait to be taken up"), "{error}");
    }
}
