//! How many bits of a page are read wrong?

use crate::Tables;

/// Set of the conditions of a page when it is read: how it was written, its block's wear, its age, and the reads since.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Program step (voltage increase per program pulse) with which the page was written, relative to the default step
    /// of the voltage set.
    pub step: f64,
    /// Index of the voltage set (verify levels and read references) with which the page was written: 0 is the default
    /// set, then the sets of the chip's tables in order.
    pub voltages: usize,
    /// Field: number of program/erase cycles of the block that contains the page, an input of the model of raw bit
    /// errors.
    pub pe_cycles: u32,
    /// Time in seconds from the write of the page to the read.
    pub seconds: f64,
    /// Number of reads of the page's block since the page was written.
    pub reads: u32,
}

/// Pair of results for a page: its raw bit error rate if read with the best read references, and the distance of these
/// references below the default ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestReferences {
    /// Raw bit error rate (0 to 1) with the best read references.
    pub rber: f64,
    /// Distance in volts by which the best read references lie below the default ones.
    pub below_v: f64,
}

/// Model of raw bit errors: gives the raw bit error rate of a page from how the page was written, its block's wear, its
/// age and the reads since.
pub trait ErrorModel: Send {
    /// Gives the model of raw bit errors the tables of the chip, if the chip has tables; called once, before every
    /// other method of the model.
    ///
    /// # Errors
    /// When the model needs tables that the chip does not have.
    fn attach(&mut self, _tables: Option<&Tables>) -> Result<(), String> {
        Ok(())
    }

    /// Returns true if the model of raw bit errors has error rates for voltage sets (verify levels and read references)
    /// other than the default set.
    fn knows_voltages(&self) -> bool {
        false
    }

    /// Returns the raw bit error rate (0 to 1) of a page of this type (its position in the wordline). The rate never
    /// falls as program step, wear, time since writing or reads grow.
    fn rber(&self, page_type: usize, condition: &Condition) -> f64;

    /// Returns the best read references of a page in this condition and their error rate; `None` if the model does not
    /// know them.
    fn best(&self, _page_type: usize, _condition: &Condition) -> Option<BestReferences> {
        None
    }

    /// Returns, for reads with two and with three soft bits, the raw bit error rate of Gaussian noise with which
    /// decoding fails equally often, relative to the page's own rate with the best references; 1 for normally
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
