//! `[power]`: when the power fails, for how long, and how long capacitors last.

use config::{ConfigError, Section, at_least};
use engine::RandomStream;
use units::{Nanos, SimTime};

/// Constant: default size of the range from which random power cuts are drawn: the number of flash operations, from the
/// start of a run, among which each cut lies.
const WITHIN: u64 = 100_000;
/// Constant for power cuts after a number of flash operations: number of powers of two, from 1 ns up, of which one is
/// drawn as the limit of a cut's random delay. All delays are shorter than 2.1 ms, and interrupt programs and erases at
/// all stages.
const SCATTERS: u64 = 22;

/// Plan of the power cuts in a run: the times of the cuts, the time for which the power stays off, and the capacitors
/// of the drive.
#[derive(Clone, Debug, Default)]
pub(crate) struct PowerPlan {
    at: Vec<Nanos>,
    after: Vec<u64>,
    drawn: u32,
    within: u64,
    /// Field of the plan of power cuts: time for which the power of the drive stays off after each power cut.
    pub off: Nanos,
    /// True if the drive has capacitors, whose energy lets it write the write buffer to the flash after a power cut.
    pub has_capacitors: bool,
    /// Field of the plan of power cuts: time for which the capacitors supply the drive after a power cut; none means
    /// until all data in the write buffer are on flash.
    pub hold_up: Option<Nanos>,
}

/// Kind of moment planned for a power cut, with its value: at this simulated time, or a delay after the end of this
/// number of flash operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutMoment {
    /// Case of the time of a planned power cut: the cut happens at this simulated time.
    At(SimTime),
    /// Case of the time of a planned power cut: the cut happens this delay after the end of this number of flash
    /// operations.
    After(u64, Nanos),
}

impl PowerPlan {
    /// Reads the plan of power cuts from the section `[power]` of a drive file.
    ///
    /// # Errors
    /// When a key is unknown or a value wrong.
    pub fn read(root: &mut Section) -> Result<Self, ConfigError> {
        let mut power = root.child("power")?;
        let mut cut = power.child("cut")?;
        let at: Option<Vec<Nanos>> =
            cut.optional("at", "times at which the power fails, since the run began")?;
        let help = "numbers of flash operations since the run began after which the power fails";
        let after: Option<Vec<u64>> = cut.optional("after", help)?;
        let drawn: Option<u32> = cut.optional("drawn", "power cuts at moments drawn from the seed")?;
        let help = "flash operations among which `drawn` cuts are drawn";
        let within = cut.within(at_least(1u64)).or("within", WITHIN, help)?;
        cut.finish()?;
        let off = power.or("off", Nanos::new(1_000_000_000), "how long the power is gone after each cut")?;
        let help = "how long the drive's capacitors keep it at work to write its buffer out, which then promises no more \
                    than one without them; absent: as long as that takes";
        let hold_up = power.optional("hold_up", help)?;
        power.finish()?;
        Ok(Self {
            at: at.unwrap_or_default(),
            after: after.unwrap_or_default(),
            drawn: drawn.unwrap_or(0),
            within,
            off,
            has_capacitors: false,
            hold_up,
        })
    }

    /// Returns true if capacitors make all data in the write buffer durable at a power cut. With a limited hold-up time
    /// the capacitors may run out first, so the drive then promises only the data on flash.
    pub fn is_buffer_durable(&self) -> bool {
        self.has_capacitors && self.hold_up.is_none()
    }

    /// Returns true if at least one power cut is planned for a run.
    pub fn has_cuts(&self) -> bool {
        self.drawn > 0 || !self.at.is_empty() || !self.after.is_empty()
    }

    /// Returns the times (simulated times or numbers of flash operations) of all planned power cuts of a run, unsorted;
    /// randomly drawn times follow from `seed`.
    pub fn moments(&self, seed: u64) -> Vec<CutMoment> {
        let mut random = RandomStream::new(seed, "power.cut");
        let mut moments: Vec<CutMoment> =
            self.at.iter().map(|at| CutMoment::At(SimTime::ZERO + *at)).collect();
        let drawn = (0..self.drawn).map(|_| 1 + random.below(self.within)).collect::<Vec<_>>();
        for operations in self.after.iter().copied().chain(drawn) {
            // As often within a read's time as within an erase's.
            let scatter = 1u64 << random.below(SCATTERS);
            moments.push(CutMoment::After(operations, Nanos::new(random.below(scatter))));
        }
        moments
    }
}
