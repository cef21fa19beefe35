//! Raw bit error rates of a drive's or a chip's pages by wear, age and reads, and how the drive's code reads them: by the
//! error model, code and read flow that runs use, without a run.

use super::Drive;
use super::catalogue::Catalogue;
use super::chip::{ChipKeys, chip_document};
use crate::Error;
use config::Section;
use ftl::{CorrectionParts, PageForecast, ReadForecast, Regulation};
use nand::Tables;
use serde::Serialize;

/// Grid of the conditions for which raw bit error rates are asked: every combination of the listed wears (program/erase
/// cycles), ages and numbers of reads.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorGrid {
    /// List, in a grid of conditions, of the numbers of program/erase cycles of the pages' blocks.
    pub pe_cycles: Vec<u32>,
    /// List, in a grid of conditions, of the ages of the pages' data: seconds since the pages were written.
    pub ages_s: Vec<f64>,
    /// List, in a grid of conditions, of the numbers of reads of the pages' blocks since the pages were written.
    pub reads: Vec<u32>,
}

/// Result for a drive or a chip: raw bit error rates of its pages by type, wear, age and reads, with the code's limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageErrors {
    /// Field of the result: number of page types of the drive or chip: bits that a cell stores.
    pub page_types: u32,
    /// Field of the result: temperature in degrees Celsius at which the pages age; `None` if the error model knows no
    /// temperature.
    pub celsius: Option<f64>,
    /// Field of the result: limits of the drive's error-correcting code and retry table; `None` without a code.
    pub code: Option<CodeLimits>,
    /// Field of the result: error rates, one record for each condition of the grid and page type: by reads, then age,
    /// then wear, then type.
    pub pages: Vec<PageRates>,
}

/// Record of the limits of a drive's error-correcting code and retry table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CodeLimits {
    /// Field of the code's limits: number of data bytes of a codeword of the drive's code.
    pub codeword_bytes: u32,
    /// Field of the code's limits: accepted chance (0 to 1) that a codeword is uncorrectable.
    pub target: f64,
    /// Field of the code's limits: greatest raw bit error rate that a hard read corrects within the accepted chance.
    pub rber_hard: f64,
    /// Field of the code's limits: greatest raw bit error rate that a read with the greatest number of soft bits
    /// corrects within the accepted chance.
    pub rber_soft: f64,
    /// Field of the code's limits: greatest number of soft bits of a read; 1: hard reads alone.
    pub soft_bits: u32,
    /// Field of the code's limits: number of the last step of the drive's retry table, counted from the default
    /// references (0); `None` if the drive has no table of references.
    pub retry_steps: Option<u32>,
}

/// Record of the raw bit error rates of a page in one condition (wear, age, reads), and of how the drive reads the
/// page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageRates {
    /// Field of a page's error rates: page type, the index, from 0, of the bit of the cells that holds the page.
    pub page_type: usize,
    /// Field of a page's error rates: number of program/erase cycles of the page's block.
    pub pe_cycles: u32,
    /// Field of a page's error rates: time in seconds since the page was written.
    pub age_s: f64,
    /// Field of a page's error rates: number of reads of the page's block since the page was written.
    pub reads: u32,
    /// Field of a page's error rates: raw bit error rate (0 to 1) with the default references.
    pub rber: f64,
    /// Field of a page's error rates: raw bit error rate with the best references; `None` if the error model does not
    /// know them.
    pub rber_best: Option<f64>,
    /// Field of a page's error rates: distance in volts by which the best references lie below the default ones; `None`
    /// if not known.
    pub below_v: Option<f64>,
    /// True if the condition lies beyond the last wear, age or reads of the chip's table, which is then extrapolated.
    pub extrapolated: bool,
    /// Field: record of how the drive's code and read flow read the page (retries, chances of failure); `None` without
    /// a code.
    pub read: Option<PageReadBack>,
}

/// Record of how a drive reads a page: the attempts that it takes, and what is left uncorrectable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PageReadBack {
    /// Field: number of steps of the retry table from the default references (0) to the best ones, rounded; it can
    /// exceed the number of the table's last step. `None` without a retry table, or if the best references are not
    /// known.
    pub best_step: Option<u32>,
    /// Field: number of the step of the retry table whose attempt corrects the median page, 0: the default references;
    /// `None` if more than half of the pages stay uncorrectable.
    pub step: Option<u32>,
    /// Field: number of soft bits of the attempt that corrects the median page, 1: a hard read; `None` if more than
    /// half of the pages stay uncorrectable.
    pub soft_bits: Option<u32>,
    /// Field: mean number of retries of a read of a page: attempts beyond the first, also of pages that stay
    /// uncorrectable.
    pub retries_mean: f64,
    /// Field: chance (0 to 1) that the first attempt does not correct the page.
    pub retried: f64,
    /// Field: chance (0 to 1) that a codeword is uncorrectable in the first attempt.
    pub codeword_failure_first: f64,
    /// Field: chance (0 to 1) that a codeword is still uncorrectable after all attempts.
    pub codeword_failure: f64,
}

impl PageReadBack {
    /// Makes the record of how a drive reads a page from the attempts of a forecast; `None` without attempts.
    fn of(PageForecast { best_step, tried, .. }: &PageForecast) -> Option<Self> {
        let first = tried.first()?;
        // The random number of a page is the same in each attempt: what failed before fails at least as often.
        let mut left = 1.0_f64;
        let mut retries_mean = 0.0;
        for attempt in &tried[..tried.len() - 1] {
            left = left.min(attempt.page_failure);
            retries_mean += left;
        }
        let median = tried.iter().find(|attempt| attempt.page_failure <= 0.5);
        Some(Self {
            best_step: *best_step,
            step: median.map(|attempt| attempt.step),
            soft_bits: median.map(|attempt| attempt.soft_bits),
            retries_mean,
            retried: first.page_failure,
            codeword_failure_first: first.codeword_failure,
            codeword_failure: tried.iter().map(|attempt| attempt.codeword_failure).fold(1.0, f64::min),
        })
    }
}

/// Returns the raw bit error rates of the pages of a drive on a grid of conditions, and how its code reads them. Pages
/// are written with the usual program step and voltages.
///
/// # Errors
/// When the drive's error model has no bit errors.
pub fn drive_errors(drive: &Drive, grid: &ErrorGrid) -> Result<PageErrors, Error> {
    let whole = drive.read(0)?;
    let said = |key: &str| {
        drive.entry(key).map_or(String::new(), |entry| entry.value.to_string().trim_matches('"').to_owned())
    };
    let model = said("nand.errors.name");
    if model == "none" {
        return Err(Error(format!(
            "{}: nand.errors.name = none: no bit is read wrong: expected a drive with bit errors, such as with --set \
             nand.errors.name=tables where its chip has tables of them (those of chips/derived)",
            drive.name
        )));
    }
    let parts = drive.correction_parts(&whole)?;
    let page_types = parts.page_types;
    let forecast = ReadForecast::new(parts, Some(whole.ftl.said_of::<Regulation>()));
    let tables = whole.tables.filter(|_| model == "tables");
    Ok(errors_on(grid, forecast, page_types, tables.as_ref(), said("nand.errors.celsius").parse().ok()))
}

/// Returns the raw bit error rates of a chip on a grid of conditions, by its tables; ages count at the tables'
/// reference temperature.
///
/// # Errors
/// When the chip is unknown, its file faulty, or without tables of bit errors.
pub fn chip_errors(catalogue: &Catalogue, chip: &str, grid: &ErrorGrid) -> Result<PageErrors, Error> {
    let mut document = chip_document(catalogue, chip)?;
    let of_reference = |parts: &ChipKeys| Some(parts.tables.as_ref()?.errors.as_ref()?.temperature().1);
    let reference = of_reference(&ChipKeys::read_nand(&mut Section::root(&document))?);
    document.set("nand.errors.name=tables")?;
    if let Some(celsius) = reference {
        document.set(&format!("nand.errors.celsius={celsius:?}"))?;
    }
    let ChipKeys { geometry, tables, errors, .. } = ChipKeys::read_nand(&mut Section::root(&document))?;
    let mut errors = errors();
    errors.attach(tables.as_ref()).map_err(|reason| Error(format!("chip {chip}: {reason}")))?;
    let page_types = geometry.cell.bits();
    let page_bytes = geometry.page_size.get();
    let flow = Box::new(ecc::flow::HardRetrySoft);
    let parts = CorrectionParts { ladder: None, flow, errors, page_types, page_bytes, pe_cycles: 0 };
    Ok(errors_on(grid, ReadForecast::new(parts, None), page_types, tables.as_ref(), reference))
}

/// Makes the result (error rates on a grid of conditions) from a forecast of reads. `tables`: the chip's tables if the
/// rates come from them; `celsius`: temperature at which the pages age.
fn errors_on(
    grid: &ErrorGrid,
    mut forecast: ReadForecast,
    page_types: u32,
    tables: Option<&Tables>,
    celsius: Option<f64>,
) -> PageErrors {
    let code = forecast.ladder().map(|ladder| CodeLimits {
        codeword_bytes: ladder.codeword_bytes,
        target: ladder.target,
        rber_hard: ladder.rungs[0].limit,
        rber_soft: ladder.rungs[ladder.rungs.len() - 1].limit,
        soft_bits: ladder.rungs.len() as u32,
        retry_steps: ladder.retry_step_v.map(|_| ladder.retries),
    });
    let is_beyond = |pe_cycles: u32, age_s: f64, reads: u32| {
        tables.and_then(|tables| tables.errors.as_ref()).is_some_and(|table| {
            let known = table.known();
            let seconds = celsius.map_or(age_s, |celsius| table.at_reference(age_s, celsius));
            known.pe_cycles.last().is_some_and(|last| pe_cycles > *last)
                || known.ages_s.last().is_some_and(|last| seconds > *last)
                || known.reads.last().is_some_and(|last| reads > *last)
        })
    };
    let mut pages = Vec::new();
    for &reads in &grid.reads {
        for &age_s in &grid.ages_s {
            for &pe_cycles in &grid.pe_cycles {
                let extrapolated = is_beyond(pe_cycles, age_s, reads);
                for page_type in 0..page_types as usize {
                    let found = forecast.page(page_type, pe_cycles, age_s, reads);
                    pages.push(PageRates {
                        page_type,
                        pe_cycles,
                        age_s,
                        reads,
                        rber: found.rber,
                        rber_best: found.best.map(|best| best.rber),
                        below_v: found.best.map(|best| best.below_v),
                        extrapolated,
                        read: PageReadBack::of(&found),
                    });
                }
            }
        }
    }
    PageErrors { page_types, celsius, code, pages }
}
