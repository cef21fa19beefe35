//! The life of a drive: overwritten until it can no longer hold its data, in windows with jumps between.
//!
//! In a *window* the drive is written through its translation layer, without time; each block's erases are counted.
//! A *jump* then wears every block as many times more as the window did, as long as the mean block ages by no more
//! than a small part of its life and hardly a block's life ends. Blocks fail by their own lives, at the next erase
//! after a jump that ended them; what the failures take from the drive shows in the next window.
//!
//! Now and then a copy of the drive is run in time for a while, which shows how fast it is at that age.
//!
//! Not modelled: time (retention, refresh, read disturb), program failures, errors beyond the ECC. Those end a drive
//! earlier.

use crate::ageing_window::{self, Speed};
use crate::{Drive, Error};
use engine::RandomStream;
use ftl::Ftl;
use ftl::compatibility::{Feature, check_asked};
use serde::{Deserialize, Serialize};
use units::Lpn;

/// How a drive is aged; read from JSON, unknown keys refused.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgeingOptions {
    /// Everything random follows from it.
    pub seed: u64,
    /// Overwrites of the logical space in each window.
    pub window: f64,
    /// By how much of its life the mean block ages in one jump at most; 0: never jump.
    pub jump: f64,
    /// Share of the writes that go to `hot_space` of the logical space; the rest goes to the rest.
    pub hot_writes: f64,
    /// See `hot_writes`.
    pub hot_space: f64,
    /// How much of the mean block's life passes, by what the host has written, until times are measured again; 0: never.
    pub measure: f64,
}

impl Default for AgeingOptions {
    fn default() -> Self {
        Self { seed: 1, window: 1.0, jump: 0.01, hot_writes: 0.0, hot_space: 0.0, measure: 0.0 }
    }
}

impl AgeingOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// When a key is unknown or a value out of range.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let options: Self = serde_json::from_str(text).map_err(|error| Error(format!("options: {error}")))?;
        let ranges = [
            (
                "window",
                options.window,
                options.window > 0.0 && options.window <= 100.0,
                "above 0, at most 100",
            ),
            ("jump", options.jump, (0.0..=0.2).contains(&options.jump), "0 to 0.2 of a life"),
            ("hot_writes", options.hot_writes, (0.0..=1.0).contains(&options.hot_writes), "0 to 1"),
            ("measure", options.measure, (0.0..=1.0).contains(&options.measure), "0 to 1 of a life"),
            ("hot_space", options.hot_space, (0.0..1.0).contains(&options.hot_space), "0 to below 1"),
        ];
        for (key, value, fits, expected) in ranges {
            if !fits {
                return Err(Error(format!("options: {key} = {value}: expected {expected}")));
            }
        }
        if (options.hot_writes > 0.0) != (options.hot_space > 0.0) {
            return Err(Error("options: expected hot_writes and hot_space together".to_owned()));
        }
        Ok(options)
    }

    /// The next of `units` to be written.
    pub(crate) fn draw(&self, random: &mut RandomStream, units: u32) -> u64 {
        let (all, hot) = (u64::from(units), (f64::from(units) * self.hot_space) as u64);
        let (from, count) = if hot == 0 {
            (0, all)
        } else if random.chance(self.hot_writes) {
            (0, hot)
        } else {
            (hot, all - hot)
        };
        from + random.below(count)
    }
}

/// A drive at the end of a window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AgeRow {
    /// Bytes the host wrote since the drive was filled, jumps counted in.
    pub host_bytes: f64,
    /// The same in overwrites of the logical space.
    pub drive_writes: f64,
    /// Write amplification of this window.
    pub waf: f64,
    /// Program/erase cycles of the least worn block, the mean one, the most worn one.
    pub pe_cycles_min: u32,
    /// Of the mean block.
    pub pe_cycles_mean: f64,
    /// Of the most worn block.
    pub pe_cycles_max: u32,
    /// Blocks that have failed, and those bad as delivered.
    pub bad_blocks: u64,
    /// Superblocks that are left.
    pub superblocks: u32,
    /// Generations that the jump after this window stands for.
    pub jumped: u32,
    /// The drive takes no more writes.
    pub read_only: bool,
    /// How fast it was before this window, where that was measured.
    pub speed: Option<Speed>,
}

/// One block in so many may end its life in a jump, which lets it live on to the jump's end.
const FAILING: usize = 400;

/// A drive on its way to its end.
pub struct Ageing {
    drive: Drive,
    ftl: Ftl,
    options: AgeingOptions,
    random: RandomStream,
    units: u32,
    /// Overwrites after which times are measured again.
    next_measure: f64,
    measure_every: f64,
    window: u64,
    drive_writes: f64,
    capacity: f64,
    read_only: bool,
}

impl Ageing {
    /// A fresh drive, filled once.
    ///
    /// # Errors
    /// When its chip knows no endurance, its mapping cannot be aged, or it could not sustain writes.
    pub fn new(drive: Drive, options: AgeingOptions) -> Result<Self, Error> {
        check_asked(Feature::Ageing, &drive.features)?;
        let mut ftl = drive.build(options.seed)?;
        if ftl.array().lives().is_empty() {
            return Err(Error(format!(
                "{}: nand.tables.endurance: missing: how long blocks live is not known; `floatgate derive` makes such \
                 a chip, `chip = \"derived/...\"` names one",
                drive.name
            )));
        }
        let units = ftl.layout().logical_units;
        let spare = ftl.layout().physical_units() as f64 / f64::from(units);
        let measure_every = options.measure * ftl.array().mean_life() * spare;
        let filled = (0..units).all(|lpn| ftl.try_write_untimed(Lpn(lpn)));
        let window = (f64::from(units) * options.window).max(1.0) as u64;
        let capacity = drive.capacity().get() as f64;
        let random = RandomStream::new(options.seed, "ageing");
        let read_only = !filled || ftl.is_read_only();
        Ok(Self {
            drive,
            ftl,
            options,
            random,
            units,
            next_measure: 0.0,
            measure_every,
            window,
            drive_writes: 0.0,
            capacity,
            read_only,
        })
    }

    /// True when the drive takes no more writes.
    pub fn is_done(&self) -> bool {
        self.read_only
    }

    /// The part of the mean block's life that is behind it.
    pub fn fraction(&self) -> f64 {
        let array = self.ftl.array();
        mean(array.pe_cycles_by_block()) / array.mean_life()
    }

    /// Measures times when that is due, then one window, and the jump after it.
    ///
    /// # Errors
    /// When the drive cannot be copied for the measurement.
    pub fn advance(&mut self) -> Result<AgeRow, Error> {
        // What waits for company before a map of blocks is written at the end of each window, be it measured or not.
        if self.ftl.is_draining() {
            self.ftl.settle();
        }
        let speed = self.measure()?;
        Ok(AgeRow { speed, ..self.overwrite() })
    }

    fn measure(&mut self) -> Result<Option<Speed>, Error> {
        if self.measure_every <= 0.0 || self.drive_writes < self.next_measure {
            return Ok(None);
        }
        self.next_measure = self.drive_writes + self.measure_every;
        ageing_window::measure(&self.drive, &self.ftl, self.options)
    }

    fn overwrite(&mut self) -> AgeRow {
        let before = self.ftl.array().pe_cycles_by_block().to_vec();
        let stats = *self.ftl.stats();
        let mut written = 0;
        while written < self.window && !self.read_only {
            let lpn = Lpn(self.options.draw(&mut self.random, self.units) as u32);
            let stored = self.ftl.try_write_untimed(lpn);
            written += u64::from(stored);
            self.read_only = !stored || self.ftl.is_read_only();
        }
        let counted = self.ftl.stats().since(&stats);
        let programmed: u64 = counted.units_programmed.iter().sum();
        let waf = programmed as f64 / counted.units_written.max(1) as f64;
        self.drive_writes += written as f64 / f64::from(self.units);
        let jumped = if self.read_only { 0 } else { self.jump(&before, written) };
        let (drive_writes, capacity, read_only) = (self.drive_writes, self.capacity, self.read_only);
        let cycles = self.ftl.array().pe_cycles_by_block();
        AgeRow {
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
            speed: None,
        }
    }

    /// Wears the blocks as many times more as keeps the jump small; gives how often.
    fn jump(&mut self, before: &[u32], written: u64) -> u32 {
        let now = self.ftl.array().pe_cycles_by_block();
        let worn: Vec<u32> = now.iter().zip(before).map(|(now, before)| now - before).collect();
        let each = mean(&worn);
        if each <= 0.0 {
            return 0;
        }
        let life = self.ftl.array().mean_life();
        let times = ((self.options.jump * life / each) as u32).min(self.most_before_failures(&worn));
        self.ftl.wear_on(&worn, times);
        self.drive_writes += f64::from(times) * written as f64 / f64::from(self.units);
        times
    }

    /// How often blocks can be worn by `worn` until the lives of one in [`FAILING`] of them have ended.
    fn most_before_failures(&self, worn: &[u32]) -> u32 {
        let array = self.ftl.array();
        let mut left: Vec<u32> = array
            .lives()
            .iter()
            .zip(array.pe_cycles_by_block())
            .zip(worn)
            .filter(|((life, cycles), worn)| **worn > 0 && *life > *cycles)
            .map(|((life, cycles), worn)| (life - cycles) / worn)
            .collect();
        if left.is_empty() {
            return 0;
        }
        let rank = left.len() / FAILING;
        *left.select_nth_unstable(rank).1
    }
}

fn mean(values: &[u32]) -> f64 {
    values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64
}
