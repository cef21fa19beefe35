//! Preconditioning of a host that keeps blocks on zones: its log is filled, and overwritten until its write amplification is
//! steady. Nothing of it is on flash before all is written.

use super::own::CopyStep;
use super::{Precondition, PreconditionKind, Times};
use crate::Error;
use crate::embedding;
use crate::translation::HostTranslation;
use ftl::Ftl;
use units::{Lpn, Nanos};

impl Precondition {
    /// Does a part of the preconditioning of a host's log of blocks on zones, without simulated time, worth about
    /// `count` writes of blocks or requests of the workload's copies; returns true when it is done. The operation times
    /// of the drive `ftl` decide when requests of the copies count as answered.
    ///
    /// # Errors
    /// When the embedding program asks to stop, or a copy of the workload is faulty.
    pub fn write_log(&mut self, log: &mut HostTranslation, ftl: &Ftl, count: u64) -> Result<bool, Error> {
        embedding::look()?;
        for _ in 0..count {
            if self.done {
                break;
            }
            if self.written < u64::from(self.filled) {
                log.write_untimed(self.written as u32, 0);
                self.written += 1;
                self.done = self.written == u64::from(self.filled) && self.kind == PreconditionKind::Fill;
                log.begin_measuring();
            } else if self.kind == PreconditionKind::Workload {
                self.write_copy(log, ftl)?;
            } else {
                log.write_untimed(self.random.below(u64::from(self.filled)) as u32, 0);
                (self.written, self.in_window) = (self.written + 1, self.in_window + 1);
                self.look_at_log(log, None);
            }
        }
        Ok(self.done)
    }

    /// Returns this preconditioning changed for a host that keeps `blocks` blocks on zones: the share `fill` of the
    /// blocks is filled.
    pub fn of_blocks(self, blocks: u32, fill: f64) -> Self {
        Self { filled: ((f64::from(blocks) * fill) as u32).max(1), ..self }
    }

    /// Does the next step (write, trim, read or end) of the copies of the workload on the host's log of blocks on
    /// zones.
    fn write_copy(&mut self, log: &mut HostTranslation, ftl: &Ftl) -> Result<(), Error> {
        let times = Times::of(ftl);
        let step = self.own_copies().next()?;
        let busy = match step {
            CopyStep::Write(first, units, _) => {
                let before = log.counts();
                self.asked += u64::from(units);
                for block in first.0..first.0 + units {
                    let named = self.own_copies().named_with(Lpn(block));
                    log.write_untimed(block, named.unwrap_or(0));
                }
                let units = u64::from(units);
                (self.written, self.in_window) = (self.written + units, self.in_window + units);
                let moved = log.counts().since(&before);
                times.program.times(moved.blocks_written + moved.blocks_copied)
            }
            CopyStep::Trim(first, units) => {
                log.trim_untimed(first.0, units);
                Nanos::ZERO
            }
            CopyStep::Read(_, units) => times.read.times(u64::from(units)),
            CopyStep::End => Nanos::ZERO,
        };
        self.own_copies().served(busy);
        self.look_at_log(log, Some(step));
        Ok(())
    }

    /// Ends the present window (stretch of writes) of preconditioning if it is complete, and checks whether the write
    /// amplification of the host's log is steady. `step` is the last step of the workload's copies; `None` where none
    /// are written.
    fn look_at_log(&mut self, log: &mut HostTranslation, step: Option<CopyStep>) {
        if !self.is_window_over(step) {
            return;
        }
        let counted = log.counts();
        let waf = counted.of_collection(log.zone_blocks()).or(counted.write_amplification());
        log.begin_measuring();
        self.end_window(waf.expect("the window held writes"));
    }
}
