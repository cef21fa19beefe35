//! `[power]`: when the power fails, for how long, and how long capacitors last.

use config::{ConfigError, Section, at_least};
use engine::RandomStream;
use units::{Nanos, SimTime};

/// Operations of the flash among which cuts are drawn where the file does not say.
const WITHIN: u64 = 100_000;
/// Most nanoseconds by which a cut after a number of operations is delayed at random, so that cuts find programs and
/// erases at all stages.
const SCATTER_NS: u64 = 5_000_000;

/// When the power fails.
#[derive(Clone, Debug, Default)]
pub(crate) struct PowerPlan {
    at: Vec<Nanos>,
    after: Vec<u64>,
    drawn: u32,
    within: u64,
    /// How long the power stays off after each cut.
    pub off: Nanos,
    /// True if the drive has capacitors, whose energy writes the buffer to the flash after a power cut.
    pub has_capacitors: bool,
    /// How long the capacitors last; none: until the buffer is written out.
    pub hold_up: Option<Nanos>,
}

/// The moment of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutMoment {
    /// The power fails at this time.
    At(SimTime),
    /// The power fails this time after the end of this number of flash operations.
    After(u64, Nanos),
}

impl PowerPlan {
    /// Reads `[power]`.
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

    /// True where capacitors make all data in the buffer durable. Capacitors of limited energy may run out first, so
    /// that a drive with such a limit promises only the data on flash.
    pub fn is_buffer_durable(&self) -> bool {
        self.has_capacitors && self.hold_up.is_none()
    }

    /// True where power cuts are planned for a run.
    pub fn has_cuts(&self) -> bool {
        self.drawn > 0 || !self.at.is_empty() || !self.after.is_empty()
    }

    /// Returns the moments of all cuts, in no order. Those drawn follow from `seed`.
    pub fn moments(&self, seed: u64) -> Vec<CutMoment> {
        let mut random = RandomStream::new(seed, "power.cut");
        let mut moments: Vec<CutMoment> =
            self.at.iter().map(|at| CutMoment::At(SimTime::ZERO + *at)).collect();
        let drawn = (0..self.drawn).map(|_| 1 + random.below(self.within)).collect::<Vec<_>>();
        for operations in self.after.iter().copied().chain(drawn) {
            // As often within a read's time as within an erase's.
            let scatter = 1u64 << random.below(u64::from(SCATTER_NS.ilog2()));
            moments.push(CutMoment::After(operations, Nanos::new(random.below(scatter))));
        }
        moments
    }
}
