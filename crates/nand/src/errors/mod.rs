//! How many bits of a page are read wrong?

use crate::Tables;

/// In what condition a page is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Program step it was written with, over the usual one.
    pub step: f64,
    /// Set of voltages it was written with: 0 the usual one, then those of the chip's tables.
    pub voltages: usize,
    /// Program/erase cycles of its block.
    pub pe_cycles: u32,
    /// Seconds since it was written.
    pub seconds: f64,
    /// Reads of its block since then.
    pub reads: u32,
}

/// What reading again with lower references can come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestReferences {
    /// The raw bit error rate with them.
    pub rber: f64,
    /// How far below the usual ones they lie, volts.
    pub below_v: f64,
}

/// A model of raw bit errors.
pub trait ErrorModel: Send {
    /// Called once, before anything else, with the chip's tables where it has some.
    ///
    /// # Errors
    /// When the model needs what the chip does not have.
    fn attach(&mut self, _tables: Option<&Tables>) -> Result<(), String> {
        Ok(())
    }

    /// True when it knows the rates of sets of voltages beside the usual one. A drive that writes with such a set is
    /// refused otherwise.
    fn knows_voltages(&self) -> bool {
        false
    }

    /// The raw bit error rate of a page of this type (its place in the wordline). It never falls as step, wear, age or
    /// reads grow.
    fn rber(&self, page_type: usize, condition: &Condition) -> f64;

    /// What the best references give there, for models that know them.
    fn best(&self, _page_type: usize, _condition: &Condition) -> Option<BestReferences> {
        None
    }

    /// What two soft bits and three tell there: the raw bit error rate of Gaussian noise whose reads fail as often, over
    /// the page's own with the best references. One where states are as good as normal.
    fn soft(&self, _page_type: usize, _condition: &Condition) -> [f64; 2] {
        [1.0; 2]
    }
}

config::policies! {
    seam: "nand.errors",
    question: "How many bits of a page are read wrong?",
    default: "none",
    dyn ErrorModel;
    none::NoErrors,
    power_law::PowerLaw,
    tables::ChipTables,
}
