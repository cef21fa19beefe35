//! Writing by copies of the workload.

use super::own::{CopyStep, WorkloadCopies};
use super::{Precondition, Times, WINDOWS_OF_A_COPY, programmed, put, worn_out};
use crate::{Drive, Error};
use ftl::{Ftl, Placing};
use units::{Lpn, Nanos};

impl Precondition {
    /// Does a part of preconditioning of the kind `workload`, worth about `count` unit writes: fills the drive, then
    /// writes as copies of the workload do.
    pub(super) fn write_own(&mut self, drive: &Drive, ftl: &mut Ftl, count: u64) -> Result<(), Error> {
        let filled = u64::from(self.filled);
        if self.written < filled {
            return self.write(drive, ftl, count.min(filled - self.written));
        }
        let times = Times::of(ftl);
        for _ in 0..count {
            let step = self.own_copies().next()?;
            let busy = match step {
                CopyStep::Write(first, units, _) => {
                    let before = programmed(ftl.stats());
                    self.asked += u64::from(units);
                    for lpn in first.0..first.0 + units {
                        self.write_one_of_own(drive, ftl, Lpn(lpn))?;
                    }
                    times.program.times(programmed(ftl.stats()) - before)
                }
                CopyStep::Trim(first, units) => {
                    for lpn in first.0..first.0 + units {
                        _ = self.waiting.as_mut().is_some_and(|waiting| waiting.take(Lpn(lpn)));
                        self.buffered.iter_mut().for_each(|buffered| buffered.trim(Lpn(lpn)));
                        self.cached.iter_mut().for_each(|cached| cached.take(Lpn(lpn)));
                        ftl.trim_untimed(Lpn(lpn));
                    }
                    Nanos::ZERO
                }
                CopyStep::Read(first, units) => {
                    if let Some(buffered) = &mut self.buffered {
                        (first.0..first.0 + units).for_each(|lpn| buffered.read(Lpn(lpn)));
                    }
                    times.read.times(u64::from(units))
                }
                CopyStep::End => Nanos::ZERO,
            };
            let own = self.own_copies();
            own.served(busy);
            if own.has_pauses() {
                self.waiting = None;
            }
            if ftl.is_read_only() {
                return Err(worn_out(drive));
            }
            self.look(ftl, step);
            if self.done {
                break;
            }
        }
        Ok(())
    }

    /// Writes a unit of a copy of the workload through the models of write buffer and SLC cache; units that leave the
    /// models are written to flash.
    fn write_one_of_own(&mut self, drive: &Drive, ftl: &mut Ftl, lpn: Lpn) -> Result<(), Error> {
        if let Some(buffered) = &mut self.buffered {
            buffered.write(lpn);
        }
        let mut written = self.buffered.is_none().then_some(lpn);
        while let Some(lpn) = written.take().or_else(|| self.buffered.as_mut().and_then(|it| it.leave())) {
            if let Some(lpn) = self.leaves_for(lpn) {
                ftl.set_placement(self.own.as_ref().and_then(|own| own.named_with(lpn)));
                put(drive, ftl, lpn)?;
                (self.written, self.in_window) = (self.written + 1, self.in_window + 1);
            }
        }
        Ok(())
    }

    pub(super) fn own_copies(&mut self) -> &mut WorkloadCopies {
        self.own.as_mut().expect("a workload is there to be copied")
    }

    /// Ends the present window of preconditioning (stretch of writes over which write amplification is averaged) if it
    /// is complete, and checks whether write amplification is steady. `step` is the last step of the workload's copies.
    fn look(&mut self, ftl: &Ftl, step: CopyStep) {
        if !self.is_window_over(Some(step)) {
            return;
        }
        let waf =
            ftl.stats().since(&self.window_start).waf(ftl.layout().unit).expect("the window held writes");
        self.window_start = *ftl.stats();
        self.end_window(waf);
    }

    /// Returns true if the present window of preconditioning is complete: it has its number of writes, and a copy of
    /// the workload ends, the copies are long, or none are written. `step` is the last step of the copies; `None` where
    /// none are written. At the limit on writes that are asked for, preconditioning is done.
    pub(super) fn is_window_over(&mut self, step: Option<CopyStep>) -> bool {
        let window = ((f64::from(self.filled) * self.rule.window) as u64).max(1);
        let may_end = match step {
            None | Some(CopyStep::End) => true,
            Some(_) => {
                self.in_copy = self.in_copy.max(self.own_copies().written);
                self.in_copy >= WINDOWS_OF_A_COPY * window
            }
        };
        // What the buffer takes the place of never comes to the flash: all of it, if the buffer is larger.
        self.done |= self.asked as f64 >= self.rule.limit * f64::from(self.filled);
        self.in_window >= window && may_end
    }

    /// Ends a window of preconditioning with the write amplification `waf`: preconditioning is done if this is steady,
    /// or at the limit on overwrites.
    pub(super) fn end_window(&mut self, waf: f64) {
        self.in_window = 0;
        let overwritten = (self.written - u64::from(self.filled)) as f64 / f64::from(self.filled);
        self.steady = self.window.push(waf, overwritten);
        self.done |= self.steady || overwritten >= self.rule.limit;
    }
}
