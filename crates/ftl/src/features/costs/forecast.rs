//! How pages in a given condition would be read, without a run: error rates, attempts and chances of failure.
//!
//! Not modelled: pages in SLC mode, which have no bit errors; write costs other than the usual program step and voltages;
//! what a read flow remembers of earlier reads of the superblock; the noise of estimated error rates; rows of wear, for
//! which a run takes the most worn of a range.

use super::reckoning::{Begin, Correction};
use super::{CorrectionParts, CostRules};
use ecc::flow::Flow;
use ecc::{Ladder, PageRead, Tried};
use nand::errors::{BestReferences, Condition, ErrorModel};

/// Type that forecasts how a drive would read pages in given conditions, with the error model, the read ladder
/// (sequence of hard and soft reads) and the read flow (policy of read retry) that its runs use.
pub struct ReadForecast {
    errors: ForecastModel,
    /// Field of a read forecast: policy of read retry of the drive, which chooses the next attempt of a read.
    flow: Box<dyn Flow>,
    /// Field of a read forecast: greatest age of data, in seconds, and greatest number of reads of their block, for
    /// which the first attempt of a read is planned.
    planned: (f64, u32),
}

/// Kind of error model of a read forecast: with the code's read ladder, or alone for a chip or a drive without a code.
enum ForecastModel {
    /// Case of error model of a read forecast: together with the read ladder of a code.
    Corrected(Box<Correction>),
    /// Case of error model of a read forecast: alone, as for a chip or a drive without a code.
    Raw(Box<dyn ErrorModel>),
}

/// Record of the forecast for one page: raw bit error rates, and the attempts with which the drive would read the page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageForecast {
    /// Field of a page's forecast: raw bit error rate (0 to 1) of the page with the default read references.
    pub rber: f64,
    /// Field of a page's forecast: raw bit error rate (0 to 1) with the best read references, and the distance in volts
    /// by which these lie below the default ones; `None` if the error model does not know them.
    pub best: Option<BestReferences>,
    /// Number of steps of the retry table from the default read references to the step nearest to the best references;
    /// `None` without a retry table, or if the error model does not know the best references.
    pub best_step: Option<u32>,
    /// List of the attempts that the read makes if every attempt fails, in order, each with its chance of failure;
    /// empty without a code.
    pub tried: Vec<Tried>,
}

impl ReadForecast {
    /// Makes the read forecast from the parts of a drive's read correction and the drive's rules of write costs;
    /// without rules, as for a chip alone, reads of new data are planned.
    pub fn new(parts: CorrectionParts, rules: Option<&CostRules>) -> Self {
        let CorrectionParts { ladder, flow, errors, page_types, page_bytes, .. } = parts;
        let planned = rules.map_or((0.0, 0), |CostRules { steps, reckoned, .. }| {
            let age = reckoned.age.map_or(steps.retention, |age| age.min(steps.retention));
            (age.ns() as f64 * 1e-9, reckoned.reads)
        });
        let errors = match ladder {
            None => ForecastModel::Raw(errors),
            Some(ladder) => {
                let page_types = page_types as usize;
                ForecastModel::Corrected(Box::new(Correction { ladder, errors, page_types, page_bytes }))
            }
        };
        Self { errors, flow, planned }
    }

    /// Returns the read ladder of the drive's code: the ways to read a page, and the read retries; `None` without a
    /// code.
    pub fn ladder(&self) -> Option<&Ladder> {
        match &self.errors {
            ForecastModel::Corrected(correction) => Some(&correction.ladder),
            ForecastModel::Raw(_) => None,
        }
    }

    /// Returns the forecast for a page of type `page_type` (its position in the wordline), in a block of `pe_cycles`
    /// program/erase cycles, `seconds` after the page was written and after `reads` reads of the block.
    pub fn page(&mut self, page_type: usize, pe_cycles: u32, seconds: f64, reads: u32) -> PageForecast {
        let usual = |seconds, reads| Condition { step: 1.0, voltages: 0, pe_cycles, seconds, reads };
        let condition = usual(seconds, reads);
        let correction = match &self.errors {
            ForecastModel::Raw(errors) => {
                let (rber, best) = (errors.rber(page_type, &condition), errors.best(page_type, &condition));
                return PageForecast { rber, best, best_step: None, tried: Vec::new() };
            }
            ForecastModel::Corrected(correction) => correction,
        };
        let (ladder, bytes) = (&correction.ladder, correction.page_bytes);
        let rates = correction.rates(page_type, &condition);
        let planned = correction.rates(page_type, &usual(self.planned.0, self.planned.1));
        let first = usize::from(Begin::of(ladder, &planned).rung);
        let read = PageRead { ladder, first, rates: &rates, bytes, page_type, good_step: None };
        PageForecast {
            rber: rates.usual,
            best: correction.errors.best(page_type, &condition),
            best_step: rates.shifted.map(|shifted| shifted.steps),
            tried: read.tried(self.flow.as_mut()),
        }
    }
}
