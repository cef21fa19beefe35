//! At what cost is a unit written?
//!
//! A coarser program step writes faster and leaves more raw errors, which cost later reads more reference voltages.
//! A regulator chooses among a few write costs; the FTL programs accordingly, keeps what the regulator notes of each
//! mapping unit, and re-writes in idle time what it asks for.

use config::{ConfigError, Section};
use controller::Origin;
use engine::RandomStream;
use units::{Nanos, Voltage};

/// A write cost: how units are written, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteCost {
    /// Increment of the program voltage from pulse to pulse.
    pub step: Voltage,
    /// Name of the voltage set in the chip's tables; none for the usual voltages.
    pub voltages: Option<String>,
    /// How long the data must stay correctable.
    pub retention: Nanos,
    /// Time after which the FTL rewrites units written at this cost that are still valid; none: never.
    pub refresh: Option<Nanos>,
}

/// The steps that every regulator may use, from `[ftl.write_cost]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// High-cost writes: slow to write, cheap to read.
    pub fine: Voltage,
    /// Program step of the chip, for which the chip's program times hold.
    pub usual: Voltage,
    /// Program step of low-cost writes.
    pub coarse: Voltage,
    /// How long data must stay correctable.
    pub retention: Nanos,
}

/// The most write costs a regulator may have.
pub const COSTS_MAX: usize = 8;
/// The most bits a regulator may keep for each mapping unit.
pub const BITS_MAX: u32 = 6;

impl Steps {
    /// Reads `[ftl.write_cost]`.
    ///
    /// # Errors
    /// When there are not three rising steps.
    pub fn read(ftl: &mut Section) -> Result<Self, ConfigError> {
        let mut section = ftl.child("write_cost")?;
        // Only the ratios count: the ratios that Li and others' 800, 600 and 450 us follow from, with a usual step of
        // MLC parts in the middle.
        let usual = [225_000, 300_000, 400_000].map(Voltage::new).to_vec();
        let steps = section.or("steps", usual, "program steps of a high-cost, usual and low-cost write")?;
        let rising = steps.windows(2).all(|pair| pair[0] < pair[1]);
        let (&[fine, _, _], true) = (steps.as_slice(), rising) else {
            return Err(
                section.reject("steps", "expected three rising steps: fine, the chip's usual, coarse")
            );
        };
        if fine.get() == 0 {
            return Err(section.reject("steps", "expected steps above 0 V"));
        }
        let retention = section.or(
            "retention",
            Nanos::new(365 * 86_400_000_000_000),
            "how long data must stay correctable (a year: JESD218, client)",
        )?;
        section.finish()?;
        Ok(Self { fine, usual: steps[1], coarse: steps[2], retention })
    }

    /// Returns the write cost of a high-cost write.
    pub fn high(&self) -> WriteCost {
        self.of(self.fine)
    }

    /// Returns the write cost of a usual write.
    pub fn medium(&self) -> WriteCost {
        self.of(self.usual)
    }

    /// Returns the write cost of a low-cost write.
    pub fn low(&self) -> WriteCost {
        self.of(self.coarse)
    }

    /// Returns a write with this step whose data must stay correctable as long as any.
    pub fn of(&self, step: Voltage) -> WriteCost {
        WriteCost { step, voltages: None, retention: self.retention, refresh: None }
    }
}

/// A write cost, with its properties on the block that the unit would go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Program time of a new block's first page type.
    pub t_prog: Nanos,
    /// Reference voltages that its reads will take at the end of the retention time.
    pub references: u32,
    /// True if the block, with its wear, keeps data that are written at this cost. If the regulator chooses
    /// an infeasible candidate all the same, the FTL takes the next finer step that is feasible.
    pub feasible: bool,
}

/// The information that a regulator may use when a unit is written.
#[derive(Clone, Copy, Debug)]
pub struct WriteView<'a> {
    /// Reason of the write, such as the host or garbage collection.
    pub origin: Origin,
    /// True if the host never accessed the unit since the run began (for a regulator that keeps no bits:
    /// never wrote the unit).
    pub first: bool,
    /// Number of the write cost of the unit's old copy, if there is an old copy.
    pub previous: Option<usize>,
    /// Time since the superblock of its old copy was opened: how long the data lived, at most. None: it was written
    /// before the run.
    pub age: Option<Nanos>,
    /// The host's operations waiting or at work at the die.
    pub waiting: u32,
    /// Mean time between the host's operations on this die, recent ones counting more; none: too few yet.
    pub gap: Option<Nanos>,
    /// Time since the last host operation on the die.
    pub quiet: Nanos,
    /// Write costs to choose from, in the order in which [`CostRegulator::costs`] gave them.
    pub costs: &'a [Candidate],
}

/// The information that a regulator may use when the host reads a unit from flash.
#[derive(Clone, Copy, Debug)]
pub struct ReadView {
    /// True if the host never accessed the unit before this read.
    pub first: bool,
    /// The cost that the unit was written at.
    pub cost: usize,
}

/// The choice of a cost. One instance serves the whole drive.
///
/// It keeps nothing of single units but the `bits` it is handed: the FTL stores them with the map, 0 at first.
pub trait CostRegulator: Send {
    /// Gives a policy that draws at random a random stream of its own. Called before anything else on a drive.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Returns the write costs from which the regulator chooses: at least one, at most [`COSTS_MAX`].
    fn costs(&self, steps: &Steps) -> Vec<WriteCost>;

    /// Returns the number of bits kept for each mapping unit, at most [`BITS_MAX`]: its storage overhead.
    fn bits_per_unit(&self) -> u32 {
        0
    }

    /// Returns the cost, by its place in `view.costs`, at which a unit is written. Asked when the unit is
    /// bound to a program, for the host and for everything that moves data.
    fn choose(&mut self, view: &WriteView<'_>, bits: &mut u8) -> usize;

    /// Notes that the host reads a unit from flash. True: the unit should be rewritten when its die is idle.
    fn on_read(&mut self, _view: &ReadView, _bits: &mut u8) -> bool {
        false
    }
}

config::policies! {
    seam: "ftl.regulator",
    question: "At what cost is a unit written?",
    default: "mcw-mcr",
    dyn CostRegulator;
    agcr::Agcr,
    hcw_lcr::HcwLcr,
    lcw_hcr::LcwHcr,
    li_queue::LiQueue,
    mcw_mcr::McwMcr,
    retention_relaxation::RetentionRelaxation,
    tvr::Tvr,
    wu_slack::WuSlack,
}
