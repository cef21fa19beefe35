//! At what cost is a unit written?
//!
//! A coarser program step writes faster and leaves more raw errors, which cost later reads more reference voltages.
//! A regulator chooses among a few write costs; the FTL programs accordingly, keeps what the regulator notes of each
//! mapping unit, and re-writes in idle time what it asks for.

use config::{ConfigError, Section};
use controller::Origin;
use engine::RandomStream;
use units::{Nanos, Voltage};

/// Set of settings of a write cost, which is a way to program units: program step (voltage increment per pulse), set of
/// voltages, the time for which the data must stay correctable, and the age at which the data are refreshed
/// (relocated).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteCost {
    /// Setting of the write cost: increment of the program voltage from one program pulse to the next (ISPP step).
    pub step: Voltage,
    /// Setting of the write cost: name of the voltage set (program-verify and read reference voltages) in the chip's
    /// tables; none for the chip's default voltages.
    pub voltages: Option<String>,
    /// Setting of the write cost: time for which the data must stay correctable (retention time).
    pub retention: Nanos,
    /// Setting of the write cost: age at which the FTL refreshes (relocates) units that were written at this cost and
    /// are still valid; none: never.
    pub refresh: Option<Nanos>,
}

/// Set of the three program steps (voltage increments per pulse) and the retention time that every cost regulator may
/// use, from `[ftl.write_cost]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Setting: program step (voltage increment per pulse) of high-cost writes, whose programs are slow and whose later
    /// reads are fast.
    pub fine: Voltage,
    /// Setting: program step (voltage increment per pulse) of usual writes: the step of the chip, for which the program
    /// times of the chip hold.
    pub usual: Voltage,
    /// Setting: program step (voltage increment per pulse) of low-cost writes, whose programs are fast and whose later
    /// reads are slow.
    pub coarse: Voltage,
    /// Setting `ftl.write_cost.retention`: time after the write for which data must stay correctable (retention time),
    /// unless a cost regulator sets another time.
    pub retention: Nanos,
}

/// Constant: greatest number of write costs (ways to program a page) from which a cost regulator may choose.
pub const COSTS_MAX: usize = 8;
/// Constant: greatest number of bits that a cost regulator may store for each mapping unit.
pub const BITS_MAX: u32 = 6;

impl Steps {
    /// Reads the program steps (voltage increments per pulse) and the retention time from `[ftl.write_cost]`.
    ///
    /// # Errors
    /// When there are not three rising steps above 0 V.
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

    /// Makes the write cost (way to program a page) of a slow program with fast reads, with the fine program step.
    pub fn high(&self) -> WriteCost {
        self.of(self.fine)
    }

    /// Makes the write cost (way to program a page) of a usual program, with the chip's usual program step.
    pub fn medium(&self) -> WriteCost {
        self.of(self.usual)
    }

    /// Makes the write cost (way to program a page) of a fast program with slow reads, with the coarse program step.
    pub fn low(&self) -> WriteCost {
        self.of(self.coarse)
    }

    /// Makes the write cost (way to program a page) with the program step `step` (voltage increment per pulse) and the
    /// full retention time.
    pub fn of(&self, step: Voltage) -> WriteCost {
        WriteCost { step, voltages: None, retention: self.retention, refresh: None }
    }
}

/// Record of a write cost (way to program a page) that the cost regulator can choose for a unit, with the properties
/// that the cost has on the block to which the unit would go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Program time of this write cost (way to program a page) for the first page type of a new block.
    pub t_prog: Nanos,
    /// Number of read reference voltages that reads of the data will need at the end of the retention time.
    pub references: u32,
    /// True if data written at this cost stay correctable on the block, at its present wear, for their retention time.
    /// If the regulator chooses an infeasible candidate, the FTL takes the feasible one with the next finer program
    /// step (voltage increment per pulse).
    pub feasible: bool,
}

/// Type of the read-only view, for a cost regulator (policy that chooses the way to program), of a unit to be written
/// and of its die.
#[derive(Clone, Copy, Debug)]
pub struct WriteView<'a> {
    /// Field of the view of a unit to be written: cause (origin) of the write, such as the host or garbage collection.
    pub origin: Origin,
    /// True if the host has not accessed the unit to be written since the run began; for a cost regulator that stores
    /// no bits for each unit, true if no version of the unit is on flash in a superblock that was opened since then.
    pub first: bool,
    /// Index, in the list `costs`, of the write cost (way to program a page) at which the unit's old version was
    /// programmed; none without an old version.
    pub previous: Option<usize>,
    /// Time since the superblock of the unit's old version was opened, the greatest age that the version can have. None
    /// without an old version, or if its superblock was opened before the run.
    pub age: Option<Nanos>,
    /// Number of host operations waiting or in progress at the die to which the unit is to be written, for the cost
    /// regulator.
    pub waiting: u32,
    /// Mean time between host operations on the die to which the unit is to be written, where recent operations count
    /// more; none before there are enough operations.
    pub gap: Option<Nanos>,
    /// Time since the last host operation on the die to which the unit is to be written.
    pub quiet: Nanos,
    /// List of the write costs (ways to program a page) to choose from, in the order in which [`CostRegulator::costs`]
    /// returned them.
    pub costs: &'a [Candidate],
}

/// Type of the read-only view of a unit that the host reads from flash, for a cost regulator.
#[derive(Clone, Copy, Debug)]
pub struct ReadView {
    /// True if the host did not access the unit before this read since the run began.
    pub first: bool,
    /// Index, in the list that [`CostRegulator::costs`] returns, of the write cost (way to program a page) at which the
    /// unit was written.
    pub cost: usize,
}

/// Interface of the cost regulators, the policies that decide at what cost units are written. One instance serves the
/// whole drive.
///
/// Of single units it stores only the `bits` that it is handed: the FTL stores them with the map, 0 at first.
pub trait CostRegulator: Send {
    /// Gives the regulator a random stream of its own, which only a policy with random choices uses. Called before any
    /// other question of a drive.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Returns the list of the write costs (ways to program a page) from which the cost regulator chooses: at least
    /// one, at most [`COSTS_MAX`].
    fn costs(&self, steps: &Steps) -> Vec<WriteCost>;

    /// Returns the number of bits that the regulator stores for each mapping unit, at most [`BITS_MAX`].
    fn bits_per_unit(&self) -> u32 {
        0
    }

    /// Chooses the write cost (way to program) of a unit, as an index in `view.costs`, and may change the regulator's
    /// bits of the unit. Called when the unit is assigned to a program, for host data and for all relocated data.
    fn choose(&mut self, view: &WriteView<'_>, bits: &mut u8) -> usize;

    /// Informs a regulator that stores bits for each unit that the host reads a unit from flash. Returns true if the
    /// unit should be programmed again while its die is idle, so that its later reads take less time.
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
