//! Making a drive look used, in slices.

use crate::{Drive, Error, PreconditionKind};
use engine::RandomStream;
use ftl::{Ftl, FtlStats, Profile, SteadyRule, SteadyWindow};
use serde_json::{Value, json};
use units::Lpn;

/// Superblocks a miniature has at most, and mapping units.
const MINIATURE_SUPERBLOCKS: u32 = 768;
const MINIATURE_UNITS: u64 = 1 << 20;
/// Fewer superblocks than this say too little about a distribution.
const MINIATURE_LEAST: u32 = 128;

/// Preconditioning under way.
pub(crate) struct Precondition {
    kind: PreconditionKind,
    filled: u32,
    written: u64,
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
                    self.window_start = *ftl.stats();
                    self.done = self.kind == PreconditionKind::Fill;
                }
            } else {
                ftl.write_untimed(Lpn(self.random.below(filled) as u32));
                self.written += 1;
                if (self.written - filled).is_multiple_of(window) {
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
                let profile = miniature_profile(drive, ftl, self.filled, seed)?;
                ftl.as_page_mapped()
                    .expect("a layer maps pages or blocks")
                    .construct_steady(&profile, self.filled, seed)
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

/// Brings a drive of one die, with the same superblocks, policies and spare room, to steady state and looks
/// at it: how full the closed superblocks are depends on these alone, not on how many dies there are.
fn miniature_profile(drive: &Drive, ftl: &mut Ftl, filled: u32, seed: u64) -> Result<Profile, Error> {
    let ftl = ftl.as_page_mapped().expect("a layer maps pages or blocks");
    let layout = ftl.layout();
    let by_units = (MINIATURE_UNITS / u64::from(layout.superblock_units)) as u32;
    // Data are brought there past the SLC cache; what it keeps is none of theirs.
    let usable = (ftl.usable_superblocks() / layout.dies).saturating_sub(ftl.cache_reserved());
    let planes_apart = drive.geometry().planes / layout.planes;
    let superblocks = by_units.clamp(MINIATURE_LEAST, MINIATURE_SUPERBLOCKS).min(usable);
    let superblocks = (superblocks / planes_apart).max(1) * planes_apart;
    let kept = ftl.superblocks_kept();
    let scale = f64::from(superblocks.saturating_sub(kept)) / f64::from(usable.saturating_sub(kept).max(1));
    let logical = (f64::from(filled) / f64::from(layout.dies) * scale) as u64;
    let small = drive.miniature(superblocks, logical.max(1))?;
    let mut mini = small.build(seed)?;
    let mut work = Precondition::new(PreconditionKind::Steady, &mini, 1.0, seed);
    while !work.advance(&small, &mut mini, 1 << 20, seed)? {}
    Ok(mini.as_page_mapped().expect("a miniature is of the same kind").profile())
}
