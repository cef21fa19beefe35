//! Making a drive look used, in slices.

mod buffered;
mod constructed;
mod copying;
mod in_log;
mod kept;
mod miniature;
mod own;
mod pace;
mod pilots;
mod waiting;

use crate::embedding;
use crate::run::limits::{in_vain, no_room};
use crate::start::report::{Preconditioning, Steadiness};
use crate::{Drive, Error};
use buffered::Buffered;
use engine::RandomStream;
use ftl::{Filling, Ftl, FtlStats, SteadyRule, SteadyWindow};
use host::place::Placer;
pub use own::Copies;
use own::{CopyStep, WorkloadCopies};
pub use pilots::Pilots;
use serde::Deserialize;
use units::{Lpn, Nanos};
use waiting::FoldedCache;
pub(crate) use waiting::WaitingUnits;

/// Constant: number of windows (stretches of writes over which write amplification is averaged) from which on a copy of
/// the workload counts as long and is compared window by window. Shorter copies are compared as a whole: jobs that run
/// one after the other are never steady within a copy, and the run begins like a copy.
const WINDOWS_OF_A_COPY: u64 = 16;

/// Constant: number of random overwrites of the whole filled space after which the write buffer of a drive with
/// constructed state counts as filled. The value is two: after about one overwrite the units in the buffer no longer
/// depend on the constructed state.
const OVERWRITES_WAITING: f64 = 2.0;

/// Constant: number of unit writes of preconditioning between two checks whether the program that embeds the simulator,
/// such as Python after Ctrl-C, asks to stop.
const WRITES_AT_ONCE: u64 = 1 << 16;

/// Constant: divisor of the size of the overwritten space that gives the least write buffer that matters: a smaller
/// buffer than that part hardly ever sees a unit twice under uniform writes, and is ignored.
const BUFFER_LEAST: u32 = 64;

/// Kind of preconditioning, by which the drive is made to look used before the workload begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreconditionKind {
    /// Case of preconditioning: none; nothing is written before the workload begins, so that the drive is new and
    /// empty.
    #[default]
    None,
    /// Case of preconditioning: the drive is filled once, in the order of addresses.
    Fill,
    /// Case of preconditioning: the drive is put into the state in which endless random overwriting would end; the
    /// state is constructed, not written.
    Instant,
    /// Case of preconditioning: the drive is filled, then overwritten at random until write amplification is steady.
    Steady,
    /// Case of preconditioning: the drive is filled, then written by copies of the workload, one after the other, until
    /// write amplification is steady.
    Workload,
}

/// State of a drive's preconditioning in progress: kind, counts, random stream, and models of the write buffer and of
/// the SLC cache.
pub(crate) struct Precondition {
    kind: PreconditionKind,
    filled: u32,
    written: u64,
    /// Number of units that preconditioning has written to bring the dies out of step (at different fill levels of
    /// their superblocks); they count for no window's write amplification.
    uncounted: u64,
    window: SteadyWindow,
    rule: SteadyRule,
    window_start: FtlStats,
    random: RandomStream,
    own: Option<WorkloadCopies>,
    /// Model of the write buffer (a queue) with the units that preconditioning's writes, random or of workload copies,
    /// left there; `None` where each unit counts as sent to the flash at once, as with a small buffer.
    waiting: Option<WaitingUnits>,
    /// Model of the write buffer with the units that copies of the workload left there, on a drive whose buffer works
    /// as a cache; `None` on other drives.
    buffered: Option<Box<Buffered>>,
    /// Model of the SLC cache with the units that writing in preconditioning left there; `None` where the host does not
    /// wait for folding (moving data from the SLC cache to superblocks that use all bits per cell).
    cached: Option<FoldedCache>,
    pilots: Option<Pilots>,
    /// True once preconditioning has measured on a miniature drive, if it has to, the share of programs that the host
    /// uses during urgent garbage collection (collection that precedes the host's programs on a die short of
    /// superblocks).
    is_paced: bool,
    /// Number of units that copies of the workload wrote so far, including units that a later write replaced in the
    /// write buffer.
    asked: u64,
    /// Number of units written in the present window of preconditioning (stretch of writes over which write
    /// amplification is averaged).
    in_window: u64,
    /// Greatest number of units written so far by a copy of the workload in preconditioning.
    in_copy: u64,
    /// Number of units that wait in the write buffer while this workload runs; `None` where unknown: then all slots of
    /// the write buffer count as occupied, as when the host waits for free slots.
    waiting_in_time: Option<u32>,
    /// Flag of preconditioning: true if the workload does not write, so that preconditioning ends all garbage
    /// collection of the drive (brings it to rest).
    rests: bool,
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
            own: None,
            waiting: None,
            buffered: None,
            cached: None,
            pilots: None,
            is_paced: false,
            asked: 0,
            in_window: 0,
            in_copy: 0,
            waiting_in_time: None,
            rests: false,
            done: kind == PreconditionKind::None,
            steady: false,
        }
    }

    /// Returns the kind of preconditioning.
    pub fn kind(&self) -> PreconditionKind {
        self.kind
    }

    /// Sets copies of the workload (the workload opened again and again) as the source of preconditioning's writes.
    ///
    /// # Errors
    /// When the model of the drive's write buffer cannot be made.
    pub fn with_copies(self, copies: Copies, drive: &Drive, ftl: &mut Ftl, seed: u64) -> Result<Self, Error> {
        let (unit, reach) = (ftl.layout().unit.get(), drive.reach());
        let placer = Placer::new(&drive.link().place, &reach);
        let own = WorkloadCopies::new(copies, unit, reach.bytes).with_handles(reach.handles, placer);
        let slots = self.waiting_slots(ftl);
        if let Some(slots) = slots.filter(|_| ftl.buffer().is_cache()) {
            let buffered = Buffered::new(drive.buffer(ftl.layout(), seed)?, slots);
            return Ok(Self { own: Some(own.with_reads()), buffered: Some(Box::new(buffered)), ..self });
        }
        let waiting = slots.map(|slots| WaitingUnits::new(slots, ftl.layout().logical_units));
        Ok(Self { own: Some(own), waiting, ..self })
    }

    /// Sets the number of units that wait in the write buffer while the workload runs; `None` where unknown.
    pub fn with_waiting(self, waiting_in_time: Option<u32>) -> Self {
        Self { waiting_in_time, ..self }
    }

    /// Makes the models of the write buffer and of the SLC cache through which preconditioning passes its overwrites.
    fn find_waiting(&mut self, ftl: &mut Ftl) {
        if self.kind == PreconditionKind::Steady {
            self.waiting = self.buffer_of(self.waiting_slots(ftl));
        }
        let slots = ftl.as_page_mapped().map_or(0, |pages| pages.units_before_folding());
        let overwrites = matches!(self.kind, PreconditionKind::Steady | PreconditionKind::Workload);
        self.cached = (overwrites && slots > 0).then(|| FoldedCache::new(slots));
    }

    /// Writes a unit through the models of the write buffer and the SLC cache. Returns the unit (this or an earlier
    /// one) that then leaves both models for the flash; `None` if no unit leaves.
    #[inline]
    fn leaves_for(&mut self, lpn: Lpn) -> Option<Lpn> {
        let lpn = match &mut self.waiting {
            Some(waiting) => waiting.push(lpn)?,
            None => lpn,
        };
        match &mut self.cached {
            Some(cached) => cached.push(lpn),
            None => Some(lpn),
        }
    }

    /// Returns the number of units (occupied slots) that the write buffer contains in steady state; `None` where each
    /// unit goes to the flash at once.
    fn waiting_slots(&self, ftl: &mut Ftl) -> Option<u32> {
        let waits =
            ftl.as_page_mapped().is_some() && (ftl.buffer().is_write_back() || ftl.buffer().is_cache());
        let slots = waits.then(|| self.waiting_in_time.unwrap_or_else(|| ftl.buffer().units()))?;
        (slots > 0).then_some(slots)
    }

    /// Returns the fraction of the units written by copies of the workload that the write buffer coalesced (replaced
    /// there by a later write before they reached the flash).
    pub fn coalesced(&self) -> f64 {
        let left = self.written.saturating_sub(u64::from(self.filled)) as f64;
        if self.asked > 0 { (1.0 - left / self.asked as f64).max(0.0) } else { 0.0 }
    }

    /// Makes a queue with `slots` places as the model of the write buffer in preconditioning: each overwritten unit
    /// passes through the queue, and a rewrite of a waiting unit is coalesced. `None` where the buffer has less than
    /// 1/64 as many slots as there are filled units (rewrites of waiting units are rare), or at least as many.
    fn buffer_of(&self, slots: Option<u32>) -> Option<WaitingUnits> {
        let slots = slots.filter(|&slots| slots >= self.filled / BUFFER_LEAST && slots < self.filled)?;
        Some(WaitingUnits::new(slots, self.filled))
    }

    /// Records, by opening one of `copies`, whether the workload writes at all; a workload that does not write finds
    /// the drive at rest (all garbage collection ended).
    pub fn before(self, copies: Copies, ftl: &Ftl) -> Self {
        let (unit, capacity) = (ftl.layout().unit.get(), ftl.layout().capacity().get());
        Self { rests: !WorkloadCopies::new(copies, unit, capacity).writes(), ..self }
    }

    /// Sets the folder in which answers of pilots (small trial drives) are stored between runs.
    pub fn with_pilots(self, pilots: Option<Pilots>) -> Self {
        Self { pilots, ..self }
    }

    /// Measures, on a miniature of the drive before the first overwrite, the share of programs that the host uses while
    /// garbage collection is urgent (precedes the host's programs on a die short of superblocks), and sets this share
    /// for untimed writing on the drive. Without a measurement, as on a drive too small for a miniature, the host is
    /// taken to get no writes done meanwhile.
    fn find_pace(&mut self, drive: &Drive, ftl: &mut Ftl, seed: u64) {
        let is_asked = self.overwrites() && !self.is_paced && ftl.feature::<ftl::Stripes>().is_none();
        self.is_paced = true;
        if !is_asked || ftl.as_page_mapped().is_none() {
            return;
        }
        let about = [u64::from(self.filled), seed];
        let share = Pilots::answer(self.pilots.as_ref(), ("pace", drive, &about), || {
            pace::urgent_share(drive, ftl, self.filled, seed)
        });
        if let (Ok(share), Some(pages)) = (share, ftl.as_page_mapped()) {
            pages.set_urgent_share(share);
        }
    }

    /// Returns the progress of preconditioning, from 0 to 1; at most 0.99 for the kinds that go on until write
    /// amplification is steady. It is always known, never `None`.
    pub fn fraction(&self) -> Option<f64> {
        let filled = self.written as f64 / f64::from(self.filled);
        match self.kind {
            // The shortest way to steady is the fill and as many windows as are compared; beyond that nothing
            // is known, and the estimate stays just short of done.
            PreconditionKind::Steady | PreconditionKind::Workload => {
                let least = 1.0 + self.rule.least;
                Some((filled / least).min(0.99))
            }
            _ => Some(filled.min(1.0)),
        }
    }

    /// Does a part of preconditioning, worth about `count` unit writes; returns true when preconditioning is done.
    ///
    /// # Errors
    /// When the state cannot be constructed, or the drive takes no more writes.
    pub fn advance(&mut self, drive: &Drive, ftl: &mut Ftl, count: u64, seed: u64) -> Result<bool, Error> {
        self.find_pace(drive, ftl, seed);
        embedding::look()?;
        if self.written == 0 {
            self.find_waiting(ftl);
        }
        if !matches!(self.kind, PreconditionKind::None | PreconditionKind::Instant) {
            self.fill_at_once(ftl);
        }
        match self.kind {
            PreconditionKind::None => self.done = true,
            PreconditionKind::Instant => self.construct(drive, ftl, seed)?,
            PreconditionKind::Fill | PreconditionKind::Steady => self.write(drive, ftl, count)?,
            PreconditionKind::Workload => self.write_own(drive, ftl, count)?,
        }
        if self.done {
            if self.overwrites() {
                self.come_to_terms(drive, ftl)?;
            }
            ftl.settle();
        }
        Ok(self.done)
    }

    /// Returns true if preconditioning (`steady` or `instant`) leaves the drive at rest, with all garbage collection ended,
    /// because the workload does not write among its first requests.
    pub fn rests(&self) -> bool {
        self.rests
    }

    /// Returns true if preconditioning ends in a state that long overwriting reaches.
    fn overwrites(&self) -> bool {
        !matches!(self.kind, PreconditionKind::None | PreconditionKind::Fill)
    }

    /// Brings the drive into the state in which long use would leave it: with all garbage collection ended if the
    /// workload does not write, else with garbage collection in progress and, if the drive has one, a filled SLC cache.
    fn come_to_terms(&mut self, drive: &Drive, ftl: &mut Ftl) -> Result<(), Error> {
        let Some(pages) = ftl.as_page_mapped() else { return Ok(()) };
        if self.rests {
            pages.rest_untimed();
            return Ok(());
        }
        let Some(filling) = pages.fill_cache_untimed(&mut self.random) else { return Ok(()) };
        while self.fill_cache(drive, ftl, &filling)? {}
        if let Some(pages) = ftl.as_page_mapped() {
            pages.fold_untimed(&filling);
        }
        Ok(())
    }

    /// Performs one step of filling the SLC cache: writes a unit from the log of the modelled SLC cache, else does the
    /// next step of the workload's copies, else writes a random unit. Returns false when the cache is full.
    fn fill_cache(&mut self, drive: &Drive, ftl: &mut Ftl, filling: &Filling) -> Result<bool, Error> {
        let written = self.cached.as_mut().and_then(FoldedCache::pop);
        let step = match (written, &mut self.own) {
            (Some(lpn), _) => CopyStep::Write(lpn, 1, None),
            (None, Some(own)) => {
                let step = own.next()?;
                own.served(Nanos::ZERO);
                step
            }
            (None, None) => CopyStep::Write(Lpn(self.random.below(u64::from(self.filled)) as u32), 1, None),
        };
        if ftl.is_read_only() {
            return Err(worn_out(drive));
        }
        match step {
            CopyStep::Write(first, units, _) => {
                let Some(pages) = ftl.as_page_mapped() else { return Ok(false) };
                Ok((first.0..first.0 + units).all(|lpn| pages.write_to_cache_untimed(filling, Lpn(lpn))))
            }
            CopyStep::Trim(first, units) => {
                (first.0..first.0 + units).for_each(|lpn| ftl.trim_untimed(Lpn(lpn)));
                Ok(true)
            }
            CopyStep::Read(..) | CopyStep::End => Ok(true),
        }
    }

    fn write(&mut self, drive: &Drive, ftl: &mut Ftl, count: u64) -> Result<(), Error> {
        let filled = u64::from(self.filled);
        let window = ((filled as f64 * self.rule.window) as u64).max(1);
        for _ in 0..count {
            if ftl.is_read_only() {
                return Err(worn_out(drive));
            }
            if self.written < filled {
                put(drive, ftl, Lpn(self.written as u32))?;
                self.written += 1;
                if self.written == filled {
                    self.done = self.kind == PreconditionKind::Fill;
                    if !self.done && ftl.feature::<ftl::Stripes>().is_none() {
                        self.stagger(ftl);
                    }
                    self.window_start = *ftl.stats();
                }
            } else {
                let Some(lpn) = self.next_uniform(filled) else { continue };
                put(drive, ftl, lpn)?;
                self.written += 1;
                let overwritten = self.written - filled - self.uncounted;
                if overwritten.is_multiple_of(window) {
                    let counted = ftl.stats().since(&self.window_start);
                    let waf = counted.waf(ftl.layout().unit).expect("the window held writes");
                    self.window_start = *ftl.stats();
                    self.steady = self.window.push(waf, overwritten as f64 / filled as f64);
                    self.done = self.steady || self.window.is_exhausted();
                    if self.done && ftl.feature::<ftl::Stripes>().is_some() {
                        self.stagger(ftl);
                    }
                }
            }
            if self.done {
                break;
            }
        }
        Ok(())
    }

    /// Draws the next unit of uniform random writes and puts it into the models of the write buffer and the SLC cache;
    /// returns the unit that then leaves the models for the flash, `None` if none leaves (as where the write only
    /// replaces data in the write buffer).
    fn next_uniform(&mut self, filled: u64) -> Option<Lpn> {
        let lpn = Lpn(self.random.below(filled) as u32);
        self.leaves_for(lpn)
    }

    /// Returns the units that overwriting left in the write buffer, in the order in which they will leave it, and
    /// empties the model of the write buffer.
    pub fn take_waiting(&mut self) -> Vec<Lpn> {
        match self.buffered.take() {
            Some(buffered) => buffered.units(),
            None => self.waiting.take().map_or_else(Vec::new, |waiting| waiting.units()),
        }
    }

    /// Makes the section of the result about preconditioning.
    pub fn report(&self) -> Preconditioning {
        let kind = match self.kind {
            PreconditionKind::None => "none",
            PreconditionKind::Fill => "fill",
            PreconditionKind::Instant => "instant",
            PreconditionKind::Workload => "workload",
            _ => "steady",
        };
        let done = self.kind != PreconditionKind::None;
        let rule = || Steadiness {
            window_overwrites: self.rule.window,
            windows: self.rule.windows,
            least_overwrites: self.rule.least,
            tolerance: self.rule.tolerance,
            limit_overwrites: self.rule.limit,
        };
        Preconditioning {
            kind: kind.into(),
            copies: self.own.as_ref().map(|own| own.begun()),
            filled_units: done.then_some(self.filled),
            units_written: done.then_some(self.written),
            waf_by_window: done.then(|| self.window.history.clone()),
            steady: done.then_some(self.steady),
            rule: done.then(rule),
            warm_up: None,
        }
    }
}

/// Writes one mapping unit to the drive without simulated time.
///
/// # Errors
/// When failed blocks leave no die with space for the unit (the end of the drive's life), or garbage
/// collection gains no space.
fn put(drive: &Drive, ftl: &mut Ftl, lpn: Lpn) -> Result<(), Error> {
    let failed = |ftl: &Ftl| ftl.stats().superblocks_lost + ftl.stats().erase_failures > 0;
    if ftl.try_write_untimed(lpn) {
        return Ok(());
    }
    match in_vain(ftl) {
        Some(error) => Err(error),
        None if failed(ftl) => Err(worn_out(drive)),
        None => Err(no_room(ftl)),
    }
}

fn worn_out(drive: &Drive) -> Error {
    Error(format!(
        "{}: too few good superblocks are left: it wore out while it was preconditioned",
        drive.name
    ))
}

fn programmed(stats: &FtlStats) -> u64 {
    stats.units_programmed.iter().sum()
}

/// Record of nominal mean times per mapping unit, for a program and for a read, with all dies of the drive working in
/// parallel. By these times requests of a workload that is written without simulated time count as answered.
struct Times {
    program: Nanos,
    read: Nanos,
}

impl Times {
    fn of(ftl: &Ftl) -> Self {
        let (layout, controller) = (ftl.layout(), ftl.controller());
        let share = |time: Nanos, units: u32| Nanos::new(time.ns() / u64::from(units * layout.dies));
        Self {
            program: share(controller.t_prog(0, 0, 0), layout.program_units),
            read: share(controller.t_r(0), 1),
        }
    }
}
