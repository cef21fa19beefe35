//! How many bits of a page are read wrong?

use crate::Tables;

/// Condition of a page when it is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Program step with which the page was written, relative to the default step.
    pub step: f64,
    /// Voltage set of the page's write: 0 is the default one, then the sets of the chip's tables.
    pub voltages: usize,
    /// Program/erase cycles of the page's block.
    pub pe_cycles: u32,
    /// Seconds since the page was written.
    pub seconds: f64,
    /// Reads of the page's block since the page was written.
    pub reads: u32,
}

/// Raw bit error rate of a page read with the best references, and the distance of the best references below
/// the default ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestReferences {
    /// Raw bit error rate with the best references.
    pub rber: f64,
    /// How far the best references lie below the default ones, volts.
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

    /// True when the model knows error rates of the voltage sets other than the default one. A drive that writes with
    /// such a set is refused otherwise.
    fn knows_voltages(&self) -> bool {
        false
    }

    /// Returns the raw bit error rate of a page of this type (its place in the wordline). It never falls as
    /// step, wear, age or reads grow.
    fn rber(&self, page_type: usize, condition: &Condition) -> f64;

    /// Returns the best references in this condition, for models that know them.
    fn best(&self, _page_type: usize, _condition: &Condition) -> Option<BestReferences> {
        None
    }

    /// Returns, for reads with two and with three soft bits: the raw bit error rate of Gaussian noise whose
    /// reads fail as often, relative to the page's own rate with the best references; 1 for normally
    /// distributed states.
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
