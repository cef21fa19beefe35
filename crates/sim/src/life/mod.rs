//! The life of a drive: overwritten until it can no longer hold its data, in windows with jumps between.
//!
//! In a *window* the drive is written through its translation layer, without time; each block's erases are counted.
//! A *jump* then wears every block as many times more as the window did, as long as the mean block ages by no more
//! than a small part of its life and hardly a block's life ends. Blocks fail by their own lives, at the next erase
//! after a jump that ended them; what the failures take from the drive shows in the next window.
//!
//! Now and then a copy of the drive is run in time for a while, which shows how fast it is at that age.
//!
//! Where the drive has a code and its chip tables of raw bit errors, the life ends, too, as soon as the code could no
//! longer read the data at the end of the time that they must last (`limit.rs`). A jump ends before that.
//!
//! Not modelled: program failures; errors, where the drive has no code or its chip no tables of them.

mod ahead;
mod jump;
pub(crate) mod limit;
pub(crate) mod options;
pub(crate) mod window;

use crate::embedding;
use crate::life::ahead::UnitsAhead;
use crate::life::limit::{CodeLimit, DriveClass, LimitParts, Readability, Requirement, check_age};
use crate::life::options::AgeingOptions;
use crate::life::window::Speed;
use crate::run::limits::in_vain;
use crate::start::state_file::{self, About};
use crate::{Drive, Error};
use engine::RandomStream;
use ftl::compatibility::{Feature, check_asked};
use ftl::{Ftl, FtlStats};
use serde::Serialize;
use std::path::Path;
use units::Lpn;

/// Record of the state of an ageing drive after a window (the part of its life that is simulated write by write between
/// two jumps in wear) and the jump in wear that follows the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AgeRow {
    /// Field: bytes that the host has written since the drive was filled, including the jumps.
    pub host_bytes: f64,
    /// Field of an ageing run's record: number of drive writes (bytes that the host has written divided by the capacity
    /// that the host sees) since the drive was filled, including the jumps in wear.
    pub drive_writes: f64,
    /// Field of an ageing run's record: write amplification in the simulated window of the ageing run.
    pub waf: f64,
    /// Number of program/erase cycles of the least worn block, after the window and the jump in wear that follows it.
    pub pe_cycles_min: u32,
    /// Field: mean number of program/erase cycles of the blocks, after the window and the jump in wear that follows it.
    pub pe_cycles_mean: f64,
    /// Number of program/erase cycles of the most worn block, after the window and the jump in wear that follows it.
    pub pe_cycles_max: u32,
    /// Number of flash blocks that, by the end of the window of the ageing run, have failed or were bad as delivered.
    pub bad_blocks: u64,
    /// Field: number of superblocks that are still usable at the end of the window of the ageing run.
    pub superblocks: u32,
    /// Field: number of times that the jump in wear after the window repeats the wear of the window on every block.
    pub jumped: u32,
    /// True if the drive has become read-only by the end of the window of the ageing run and takes no more writes.
    pub read_only: bool,
    /// Field of an ageing run's record: result of calculating how well the drive reads its data at the end of the
    /// required retention time; none where that cannot be calculated.
    pub readability: Option<Readability>,
    /// True if the data can no longer be read at the required error rate at the end of the required retention time.
    pub unreadable: bool,
    /// Field of an ageing run's record: performance of the aged drive, measured under a saturating mix of reads and
    /// writes before the simulated window of the ageing run: latencies, write rate, and times of programs and erases.
    /// `None` where no measurement was made.
    pub speed: Option<Speed>,
}

/// Facts of an ageing run by which the end of the drive's life is judged: class of the drive, requirement, limits of
/// the error-correcting code, parity and refresh.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgeFacts {
    /// Field of the facts of an ageing run: class of the drive by JESD218: the class that the options ask for, else the
    /// class that follows from the drive file.
    pub class: DriveClass,
    /// Field of the facts of an ageing run: requirement on retention time, error rate and service life: that of the
    /// drive's class, as far as the options of the ageing run do not change the service life.
    pub requirement: Requirement,
    /// Field of the facts of an ageing run: text that says why only failing blocks end the drive's life; none where the
    /// life also ends when the error-correcting code can no longer read the data as required.
    pub without_code: Option<String>,
    /// Field of the facts of an ageing run: greatest raw bit error rate, after retries, at which the error-correcting
    /// code still meets the required uncorrectable bit error rate; none where that rate cannot be calculated.
    pub rber_limit: Option<f64>,
    /// Field of the facts of an ageing run: text that says from where the error-correcting code's failure rates are
    /// extrapolated below the counted rates; none for rates in closed form, and without a code.
    pub extrapolated: Option<String>,
    /// Field: number of program/erase cycles after which a block of mean endurance can no longer be read at the
    /// required error rate at the end of the retention time; none where the bit error table does not reach that number.
    pub mean_wear: Option<u32>,
    /// Field: number of other pages in the parity group (stripe across dies) of a page; none without parity.
    pub stripe: Option<u32>,
    /// Field: age in seconds at which the drive refreshes data (moves old data to newly programmed pages); none: never.
    pub refresh_s: Option<f64>,
    /// Field of the facts of an ageing run: number of bits that one flash cell of the ageing drive stores.
    pub bits: u32,
}

/// Result of calculating how well a drive in use reads its data at the end of the service years: age of the oldest
/// data, error rates, and years until the rates are too high.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InUse {
    /// Field: age in seconds of the oldest data in the drive at the end of the service years.
    pub oldest_s: f64,
    /// Field: result of calculating how well the drive in use reads its data at the end of the service years
    /// (uncorrectable bit error rates and the worst page); none where that cannot be calculated.
    pub readability: Option<Readability>,
    /// Field: reason why the error rates of the data cannot be calculated for the drive in use at the end of the
    /// service years; none where they can.
    pub unknown: Option<String>,
    /// Field: years in use after which the drive exceeds the required uncorrectable bit error rate; none where that
    /// does not happen within the service years, or the rates cannot be calculated.
    pub years_readable: Option<f64>,
}

/// State of the window in progress of an ageing run (the part of the drive's life simulated write by write between two
/// jumps): counters at its beginning, speed measured before it, and number of units written in it so far.
struct Window {
    cycles: Vec<u32>,
    stats: FtlStats,
    speed: Option<Speed>,
    written: u64,
}

/// Record of a block's last erase in an ageing run: drive writes up to the end of the window in which the block was
/// erased, with and without jumps, and the number of such windows.
#[derive(Clone, Copy, Debug, Default)]
struct ErasedAt {
    /// Field of the record of a block: number of drive writes, jumps included, up to the end of the jump after the
    /// window in which the block was last erased.
    drive_writes: f64,
    /// Field: number of drive writes, jumps left out, up to the end of the window in which the block was last erased.
    written: f64,
    /// Field of the record of a block: number of simulated windows so far in which the block was erased.
    windows: u32,
}

/// Constant: greatest number of mapping units that an ageing run writes in one call; between two calls the caller can
/// check the time or stop.
const UNITS_AT_ONCE: u64 = 1 << 18;
const YEAR_S: f64 = 365.25 * 86_400.0;
/// Constant: in a jump in wear, at most one of so many blocks may reach the end of its life; such a block lives on to
/// the end of the jump.
const FAILING: usize = 400;

/// State of an ageing run, in which a drive is overwritten, with jumps in wear, until the end of its life.
pub struct Ageing {
    drive: Drive,
    ftl: Ftl,
    options: AgeingOptions,
    random: RandomStream,
    ahead: UnitsAhead,
    units: u32,
    /// Field of the ageing run: age of the drive, as a fraction (0 to 1) of the life of a block of mean endurance, at
    /// which the drive's speed is measured next.
    next_measure: f64,
    /// Field of the ageing run: number of mapping units that the ageing run writes in each window, the part simulated
    /// write by write between two jumps.
    window_units: u64,
    window: Option<Window>,
    /// Field: number of drive writes (overwrites of the logical space) so far, jumps in wear included.
    drive_writes: f64,
    written: f64,
    capacity: f64,
    read_only: bool,
    unreadable: bool,
    class: DriveClass,
    /// Field of the ageing run: state of the calculation of the uncorrectable bit error rate, or the reason why that
    /// calculation is not possible.
    limit: Result<CodeLimit, String>,
    /// List, by block number, of the records of each block's last erase in the ageing run, measured in drive writes.
    erased_at: Vec<ErasedAt>,
    /// Field of the ageing run: life of a block of mean endurance, as a number of P/E cycles: until it fails, or until
    /// it cannot be read any more if that comes first.
    life: f64,
}

impl Ageing {
    /// Makes an ageing run with a new drive without data, and fills the drive once.
    ///
    /// # Errors
    /// When its chip knows neither endurance nor errors, its tables do not reach what is asked, or it could not sustain
    /// writes.
    pub fn new(drive: Drive, options: AgeingOptions) -> Result<Self, Error> {
        check_asked(Feature::Ageing, &drive.features)?;
        let mut ftl = drive.build(options.seed)?;
        let (parts, own) = LimitParts::of(&drive)?;
        let requirement = options.requirement(own);
        let limit = match parts {
            Ok(parts) => Ok(CodeLimit::new(parts, requirement).map_err(|error| about(&drive, &error.0))?),
            Err(missing) => Err(missing),
        };
        if ftl.array().lives().is_empty() && limit.is_err() {
            return Err(about(
                &drive,
                "nand.tables.endurance: missing: how long blocks live is not known; `floatgate derive` makes such a chip, \
                 `chip = \"derived/...\"` names one",
            ));
        }
        let life = mean_life(&ftl, &limit);
        let units = ftl.layout().logical_units;
        let filled = fill(&mut ftl)?;
        let mut random = RandomStream::new(options.seed, "ageing");
        let ahead = UnitsAhead::new(|| options.draw(&mut random, units));
        Ok(Self {
            random,
            ahead,
            next_measure: 0.0,
            window_units: (f64::from(units) * options.window).max(1.0) as u64,
            window: None,
            drive_writes: 0.0,
            written: 0.0,
            capacity: drive.capacity().get() as f64,
            read_only: !filled || ftl.is_read_only(),
            unreadable: false,
            class: options.class.unwrap_or(own),
            erased_at: vec![ErasedAt::default(); ftl.array().pe_cycles_by_block().len()],
            drive,
            ftl,
            options,
            units,
            limit,
            life,
        })
    }

    /// Returns the facts by which the end of the drive's life is judged, such as the error rates and the retention
    /// time.
    pub fn facts(&self) -> AgeFacts {
        let limit = self.limit.as_ref().ok();
        let parts = limit.map(CodeLimit::parts);
        AgeFacts {
            class: self.class,
            requirement: self.options.requirement(self.class),
            without_code: self.limit.as_ref().err().cloned(),
            rber_limit: limit.map(CodeLimit::rber_limit),
            extrapolated: parts.and_then(|parts| parts.ladder.extrapolated()),
            mean_wear: limit.and_then(CodeLimit::mean_wear),
            stripe: parts.and_then(|parts| parts.stripe),
            refresh_s: parts.and_then(|parts| parts.refresh_s),
            bits: self.drive.geometry().cell.bits(),
        }
    }

    /// Returns true if the ageing run is over: the drive takes no more writes, or its data can no longer be read as
    /// required.
    pub fn is_done(&self) -> bool {
        self.read_only || self.unreadable
    }

    /// Returns the number of bytes of a mapping unit; the ageing run writes the drive in single units.
    pub fn unit_bytes(&self) -> u64 {
        self.ftl.layout().unit.get()
    }

    /// Returns the fraction (0 to 1) of the life of a block of mean endurance that has passed so far in the ageing run.
    pub fn fraction(&self) -> f64 {
        mean(self.ftl.array().pe_cycles_by_block()) / self.life
    }

    /// Advances the ageing run by one whole window of simulated writes and the jump in wear after it, with a
    /// measurement of speed before the window where one is due. Returns the record of the drive's state after window
    /// and jump.
    ///
    /// # Errors
    /// As [`Self::go_on`].
    pub fn advance(&mut self) -> Result<AgeRow, Error> {
        loop {
            if let Some(row) = self.go_on()? {
                return Ok(row);
            }
        }
    }

    /// Advances the ageing run by a part of a window of simulated writes. After the window's last part makes the jump
    /// in wear and returns the record of the drive's state; returns `None` before.
    ///
    /// # Errors
    /// When the drive cannot be copied for the measurement, or has worn beyond its chip's tables.
    pub fn go_on(&mut self) -> Result<Option<AgeRow>, Error> {
        let mut window = match self.window.take() {
            Some(window) => window,
            None => self.begin_window()?,
        };
        embedding::look()?;
        let end = self.window_units.min(window.written + UNITS_AT_ONCE);
        while window.written < end && !self.read_only {
            let draw = || self.options.draw(&mut self.random, self.units);
            let lpn = self.ahead.next(&self.ftl, draw);
            let stored = self.ftl.try_write_untimed(lpn);
            if let Some(error) = (!stored).then(|| in_vain(&self.ftl)).flatten() {
                return Err(error);
            }
            window.written += u64::from(stored);
            self.read_only = !stored || self.ftl.is_read_only();
        }
        if window.written < self.window_units && !self.read_only {
            self.window = Some(window);
            return Ok(None);
        }
        self.end_window(window).map(Some)
    }

    fn begin_window(&mut self) -> Result<Window, Error> {
        // Data that wait for a full program unit before a map of blocks is written at the end of each window, be it measured or not.
        if self.ftl.buffer().is_draining() {
            self.ftl.settle();
        }
        let speed = self.measure()?;
        let cycles = self.ftl.array().pe_cycles_by_block().to_vec();
        Ok(Window { cycles, stats: *self.ftl.stats(), speed, written: 0 })
    }

    fn measure(&mut self) -> Result<Option<Speed>, Error> {
        let passed = self.fraction();
        if self.options.measure <= 0.0 || passed < self.next_measure {
            return Ok(None);
        }
        self.next_measure = passed + self.options.measure;
        window::measure(&self.drive, &self.ftl, self.options)
    }

    fn end_window(&mut self, window: Window) -> Result<AgeRow, Error> {
        let Window { cycles: before, stats, speed, written } = window;
        let counted = self.ftl.stats().since(&stats);
        // It writes whole mapping units.
        let waf = counted.waf(self.ftl.layout().unit).unwrap_or_default();
        let passed = written as f64 / f64::from(self.units);
        (self.drive_writes, self.written) = (self.drive_writes + passed, self.written + passed);
        let now = self.ftl.array().pe_cycles_by_block();
        let worn: Vec<u32> = now.iter().zip(&before).map(|(now, before)| now - before).collect();
        let mut readability = self.readability(&[], 0)?;
        self.unreadable = readability.is_some_and(|found| found.uber > self.asked_uber());
        let jumped = if self.is_done() { 0 } else { self.jump(&worn, written)? };
        if jumped > 0 {
            readability = self.readability(&[], 0)?;
        }
        let (drive_writes, written) = (self.drive_writes, self.written);
        for (erased_at, _) in self.erased_at.iter_mut().zip(&worn).filter(|(_, worn)| **worn > 0) {
            *erased_at = ErasedAt { drive_writes, written, windows: erased_at.windows + 1 };
        }
        let (drive_writes, capacity, read_only) = (self.drive_writes, self.capacity, self.read_only);
        let cycles = self.ftl.array().pe_cycles_by_block();
        Ok(AgeRow {
            host_bytes: drive_writes * capacity,
            drive_writes,
            waf,
            pe_cycles_min: cycles.iter().copied().min().unwrap_or(0),
            pe_cycles_mean: mean(cycles),
            pe_cycles_max: cycles.iter().copied().max().unwrap_or(0),
            bad_blocks: self.ftl.array().bad_blocks(),
            superblocks: self.ftl.usable_superblocks(),
            jumped,
            read_only,
            readability,
            unreadable: self.unreadable,
            speed,
        })
    }

    fn asked_uber(&self) -> f64 {
        self.limit.as_ref().map_or(f64::INFINITY, |limit| limit.requirement.uber)
    }

    /// Calculates how well the drive reads its data at the end of the retention time, after the wear `more` (P/E cycles
    /// of each block) has been added `times` more times; `None` where the error rate cannot be calculated, or where
    /// blocks failed before errors became too many.
    fn readability(&mut self, more: &[u32], times: u32) -> Result<Option<Readability>, Error> {
        let Ok(limit) = &mut self.limit else { return Ok(None) };
        match limit.after_retention(self.ftl.array(), more, times) {
            Ok(found) => Ok(Some(found)),
            Err(_) if self.read_only => Ok(None),
            Err(beyond) => Err(about(&self.drive, &limit.beyond(beyond).0)),
        }
    }

    /// Returns for each block the greatest age of its data, as a fraction of all drive writes so far.
    ///
    /// A block that was erased in the last window holds data of at most that window. A block that was not, and was
    /// erased once in a number of windows, was erased as often in the jumps since: the jumps make its data no older
    /// than the time between two of its erases. A block that was never erased was not erased in the jumps, either.
    fn data_ages(&self) -> Vec<f64> {
        let age = |at: &ErasedAt| {
            let (passed, seen) = (self.drive_writes - at.drive_writes, self.written - at.written);
            let between = self.written / f64::from(at.windows);
            ((passed.min(seen.max(between)) + self.options.window) / self.drive_writes).min(1.0)
        };
        self.erased_at.iter().map(age).collect()
    }

    /// Saves the present state of the aged drive to the file `path`, with data as old as they are at the end of the
    /// service years.
    ///
    /// # Errors
    /// When the drive cannot be saved, or the file not written.
    pub fn save_state(&mut self, path: &Path) -> Result<(), Error> {
        check_asked(Feature::SavedState, &self.drive.features)?;
        self.ftl.settle();
        let ages_ns = self.ages_ns();
        let about = About {
            drive: &self.drive,
            seed: self.options.seed,
            aged: Some(self.drive_writes),
            ages_ns: &ages_ns,
        };
        state_file::save(&self.ftl, &about, path)
    }

    /// Returns for each superblock the age of its data in nanoseconds at the reference temperature of the chip's error
    /// tables; empty without a calculation of the error rate.
    fn ages_ns(&self) -> Vec<u64> {
        let Ok(limit) = &self.limit else { return Vec::new() };
        let years_s = limit.requirement.service.years * YEAR_S;
        let ages = self.data_ages();
        let of = |superblock: usize| {
            let blocks = self.ftl.array().blocks_of(superblock);
            let share = blocks.map(|block| ages[block]).fold(0.0, f64::max);
            (limit.age_in_use(share * years_s) * 1e9) as u64
        };
        (0..self.ftl.layout().superblocks()).map(of).collect()
    }

    /// Calculates how well the drive in use would read its data if the service years ended now; `None` without a
    /// calculation of the error rate.
    pub fn in_use(&self) -> Option<InUse> {
        let limit = self.limit.as_ref().ok()?;
        let Requirement { uber, service, .. } = limit.requirement;
        let shares = self.data_ages();
        let oldest = shares.iter().copied().fold(0.0, f64::max) * service.years * YEAR_S;
        let oldest_s = limit.parts().refresh_s.map_or(oldest, |refresh_s| oldest.min(refresh_s));
        let unknown =
            |text: String| InUse { oldest_s, readability: None, unknown: Some(text), years_readable: None };
        if let Err(error) =
            check_age(&limit.parts().table, limit.age_in_use(oldest), "the oldest data in use")
        {
            return Some(unknown(error.0));
        }
        let read = |years: f64| limit.in_use(self.ftl.array(), &shares, years);
        let found = match read(service.years) {
            Ok(found) => found,
            Err(beyond) => return Some(unknown(limit.beyond(beyond).0)),
        };
        let holds = |years: f64| read(years).is_ok_and(|found| found.uber <= uber);
        let years_readable = (found.uber > uber).then(|| {
            let (mut low, mut high) = (0.0, service.years);
            for _ in 0..20 {
                let middle = (low + high) / 2.0;
                if holds(middle) { low = middle } else { high = middle }
            }
            low
        });
        Some(InUse { oldest_s, readability: Some(found), unknown: None, years_readable })
    }
}

/// Returns the P/E cycles after which a block of mean endurance fails or can no longer be read, the lesser of the two;
/// a block that can be read as far as the calculation reaches counts as readable until there.
fn mean_life(ftl: &Ftl, limit: &Result<CodeLimit, String>) -> f64 {
    let lives = ftl.array().mean_life();
    let readable = limit.as_ref().ok().map(|limit| limit.mean_wear().unwrap_or(limit.last_wear()).max(1));
    match readable {
        Some(readable) if lives > 0.0 => lives.min(f64::from(readable)),
        Some(readable) => f64::from(readable),
        None => lives,
    }
}

/// Fills the drive of an ageing run: writes every logical unit once, and returns false if the drive takes no more
/// writes before the last unit.
fn fill(ftl: &mut Ftl) -> Result<bool, Error> {
    for lpn in 0..ftl.layout().logical_units {
        if u64::from(lpn).is_multiple_of(UNITS_AT_ONCE) {
            embedding::look()?;
        }
        if !ftl.try_write_untimed(Lpn(lpn)) {
            return in_vain(ftl).map_or(Ok(false), Err);
        }
    }
    Ok(true)
}

fn about(drive: &Drive, text: &str) -> Error {
    Error(format!("{}: {text}", drive.name))
}

fn mean(values: &[u32]) -> f64 {
    values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64
}
