//! Making a drive look used, in slices.

mod miniature;

use crate::{Drive, Error, PreconditionKind};
use engine::RandomStream;
use ftl::{Ftl, FtlStats, SteadyRule, SteadyWindow};
use serde_json::{Value, json};
use units::Lpn;

/// Preconditioning under way.
pub(crate) struct Precondition {
    kind: PreconditionKind,
    filled: u32,
    written: u64,
    /// Of those, what came after the fill and before the first window.
    uncounted: u64,
    window: SteadyWindow,
    rule: SteadyRule,
    window_start: FtlStats,
    random: RandomStream,
    done: bool,
    steady: bool,
}

impl Precondition {
    pub fn new(kind: PreconditionKind, ftl: &Ftl, fill: f64, seed: u64) -> Self {
        let filled = ((f64::from(ftl.layout().logical_units) * fill) as u32).max(1);
        let rule = SteadyRule::default();
        Self {
            kind,
            filled,
            written: 0,
            uncounted: 0,
            window: SteadyWindow::new(rule),
            rule,
            window_start: *ftl.stats(),
            random: RandomStream::new(seed, "precondition"),
            done: kind == PreconditionKind::None,
            steady: false,
        }
    }

    /// How far it is, if that can be known.
    pub fn fraction(&self) -> Option<f64> {
        let filled = self.written as f64 / f64::from(self.filled);
        match self.kind {
            // The shortest way to steady is the fill and as many windows as are compared; beyond that nobody
            // knows, and the estimate stays just short of done.
            PreconditionKind::Steady => {
                let least = 1.0 + self.rule.window * self.rule.windows as f64;
                Some((filled / least).min(0.99))
            }
            _ => Some(filled.min(1.0)),
        }
    }

    /// Does about `count` writes' worth of work; gives true when done.
    ///
    /// # Errors
    /// When the state cannot be constructed.
    pub fn advance(&mut self, drive: &Drive, ftl: &mut Ftl, count: u64, seed: u64) -> Result<bool, Error> {
        match self.kind {
            PreconditionKind::None => self.done = true,
            PreconditionKind::Instant => self.construct(drive, ftl, seed)?,
            PreconditionKind::Fill | PreconditionKind::Steady => self.write(drive, ftl, count)?,
        }
        if self.done {
            ftl.settle();
        }
        Ok(self.done)
    }

    fn write(&mut self, drive: &Drive, ftl: &mut Ftl, count: u64) -> Result<(), Error> {
        let filled = u64::from(self.filled);
        let window = ((filled as f64 * self.rule.window) as u64).max(1);
        for _ in 0..count {
            if ftl.is_read_only() {
                return Err(Error(format!(
                    "{}: too few good superblocks are left: it wore out while it was preconditioned",
                    drive.name
                )));
            }
            if self.written < filled {
                ftl.write_untimed(Lpn(self.written as u32));
                self.written += 1;
                if self.written == filled {
                    self.done = self.kind == PreconditionKind::Fill;
                    if !self.done {
                        self.stagger(ftl);
                    }
                    self.window_start = *ftl.stats();
                }
            } else {
                ftl.write_untimed(Lpn(self.random.below(filled) as u32));
                self.written += 1;
                if (self.written - filled - self.uncounted).is_multiple_of(window) {
                    let waf = ftl.stats().since(&self.window_start).waf().expect("the window held writes");
                    self.window_start = *ftl.stats();
                    self.steady = self.window.push(waf);
                    self.done = self.steady || self.window.is_exhausted();
                }
            }
            if self.done {
                break;
            }
        }
        Ok(())
    }

    /// Brings the dies out of step. Written in turns from the beginning, they would all fill their superblocks at the
    /// same moments for ever, which dies of a busy drive soon cease to do: each takes a random part of a superblock more.
    fn stagger(&mut self, ftl: &mut Ftl) {
        if ftl.parity().is_some() {
            return; // Its stripes go over the dies in step.
        }
        let Some(pages) = ftl.as_page_mapped() else { return };
        let (program, units) = (pages.layout().program_units, pages.layout().data_units());
        for die in 0..pages.layout().dies {
            for _ in 0..self.random.below(u64::from(units / program)) * u64::from(program) {
                let lpn = Lpn(self.random.below(u64::from(self.filled)) as u32);
                self.uncounted += u64::from(pages.write_to_die_untimed(die as usize, lpn));
            }
        }
        self.written += self.uncounted;
    }

    fn construct(&mut self, drive: &Drive, ftl: &mut Ftl, seed: u64) -> Result<(), Error> {
        if ftl.parity().is_some() {
            return Err(Error(format!(
                "{}: ftl.parity.name = rain: a used state is constructed from a drive of one die, which has no parity; \
                 expected preconditioning none, fill or steady",
                drive.name
            )));
        }
        match ftl.as_block_mapped() {
            Some(blocks) => blocks.construct_used(self.filled, seed),
            None => {
                let moments = miniature::history(drive, ftl, self.filled, seed)?;
                ftl.as_page_mapped()
                    .expect("a layer maps pages or blocks")
                    .construct_steady(&moments, self.filled, seed)
                    .map_err(|reason| Error(format!("{}: {reason}", drive.name)))?;
            }
        }
        self.written = u64::from(self.filled);
        (self.done, self.steady) = (true, true);
        Ok(())
    }

    /// What was done, for the result.
    pub fn report(&self) -> Value {
        if self.kind == PreconditionKind::None {
            return json!({ "kind": "none" });
        }
        json!({
            "kind": match self.kind {
                PreconditionKind::Fill => "fill",
                PreconditionKind::Instant => "instant",
                _ => "steady",
            },
            "filled_units": self.filled,
            "units_written": self.written,
            "waf_by_window": self.window.history,
            "steady": self.steady,
            "rule": {
                "window_overwrites": self.rule.window,
                "windows": self.rule.windows,
                "tolerance": self.rule.tolerance,
                "limit_overwrites": self.rule.limit,
            },
        })
    }
}
