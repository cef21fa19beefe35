//! Until when the code reads what the flash holds: the uncorrectable bit error rate (UBER) of a worn drive whose data are
//! as old as they must become, as a qualification asks for it (JEDEC JESD218).
//!
//! No run waits for 10^15 bits: for each block in use the raw bit error rate of each page type follows from the chip's
//! table by the block's wear *as a part of its own life*, what the code fails at gives the chance that a codeword
//! is lost after all retries, and the mean over blocks and page types is the UBER.
//!
//! - **Retries** are those of the drive: its retry table as far as it goes, then every rung of the code.
//! - **Parity**: a page is lost only where one of its stripe's other pages cannot be read either.
//! - **Refresh**: while the drive is in use, no data become older than `ftl.refresh.age`; what that costs in erases wears.
//!
//! Not modelled: wordlines and layers (rates are means over a block), dependence between the pages of a stripe, retiring
//! blocks because they err, errors other than raw bit errors, reads between the last write and the end of the retention.

use crate::{Drive, Error};
use config::Value;
use ecc::{Ladder, Soft};
use nand::FlashArray;
use nand::tables::{Age, ErrorTable, References};
use serde::{Deserialize, Serialize};
use units::Nanos;

const YEAR_S: f64 = 365.25 * 86_400.0;

/// Kind of drive class by JESD218, client or enterprise, which sets the requirements on the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriveClass {
    /// Case of the drive class: client, as in a personal computer.
    Client,
    /// Case of the drive class: enterprise, as in a server.
    Enterprise,
}

/// Record of the conditions of a drive's service life: number of years, fraction of the years with power, and
/// temperatures with and without power.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ServiceLife {
    /// Field of the service life: number of years of service that the drive must last.
    pub years: f64,
    /// Field of the service life: fraction (0 to 1) of the service years in which the drive is powered.
    pub duty: f64,
    /// Field of the service life: temperature in degrees Celsius during service while the drive is powered.
    pub celsius: f64,
    /// Field of the service life: temperature in degrees Celsius during service while the drive is not powered.
    pub off_celsius: f64,
}

/// Requirement on the data of a drive: the accepted uncorrectable bit error rate, the retention time, and the service
/// life before the retention time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Requirement {
    /// Field of the requirement on the drive's data: accepted uncorrectable bit error rate, the uncorrectable codewords
    /// for each bit of data read.
    pub uber: f64,
    /// Field of the requirement on the drive's data: retention time in seconds, for which data must stay readable
    /// without power.
    pub retention_s: f64,
    /// Field of the requirement on the drive's data: temperature in degrees Celsius during the retention time, without
    /// power.
    pub retention_celsius: f64,
    /// Field: service life of the drive (years, fraction with power, temperatures) before the retention time.
    pub service: ServiceLife,
}

impl DriveClass {
    /// Returns the requirement of table 1 of JESD218 for the class, with `years` of service. Client: 1 year at 30
    /// degrees after 8 hours a day at 40, error rate 1e-15; enterprise: 3 months at 40 degrees after use around the
    /// clock at 55, 1e-16.
    pub fn requirement(self, years: f64) -> Requirement {
        match self {
            Self::Client => Requirement {
                uber: 1e-15,
                retention_s: YEAR_S,
                retention_celsius: 30.0,
                service: ServiceLife { years, duty: 1.0 / 3.0, celsius: 40.0, off_celsius: 30.0 },
            },
            Self::Enterprise => Requirement {
                uber: 1e-16,
                retention_s: YEAR_S / 4.0,
                retention_celsius: 40.0,
                service: ServiceLife { years, duty: 1.0, celsius: 55.0, off_celsius: 40.0 },
            },
        }
    }
}

/// Record of the flash page of a drive with the highest raw bit error rate after all read retries: its location, its
/// error rates and the wear of its block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WorstPage {
    /// Field: index of the die that contains the page with the highest raw bit error rate.
    pub die: u32,
    /// Field: index, within the die, of the block that contains the page with the highest raw bit error rate.
    pub block: u32,
    /// Field: page type of the page with the highest raw bit error rate: its position among the pages of a wordline
    /// (lower, middle, upper and so on, from 0).
    pub page_type: u32,
    /// Field: number of program/erase cycles of the block that contains the page with the highest raw bit error rate.
    pub pe_cycles: u32,
    /// Field: number of program/erase cycles at which a block of mean endurance would be as worn as the block that
    /// contains the page with the highest raw bit error rate.
    pub worn: u32,
    /// Field: raw bit error rate of the page with the highest raw bit error rate, when it is read with the default read
    /// reference voltages, before any read retry.
    pub rber: f64,
    /// Field: raw bit error rate of the page with the highest raw bit error rate that remains after all read retries.
    pub rber_left: f64,
}

/// Result of calculating how well a drive can read its data at a given age: uncorrectable bit error rates, worst page,
/// and cycles added by refresh.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Readability {
    /// Field: uncorrectable bit error rate of the drive: expected number of codewords, for each bit read, that neither
    /// the error-correcting code nor the parity across dies (where the drive has parity) can restore; mean over the
    /// blocks in use.
    pub uber: f64,
    /// Field: uncorrectable bit error rate of the drive if it had no parity across dies: expected number of codewords,
    /// for each bit read, that the error-correcting code cannot restore; mean over the blocks in use.
    pub uber_without_parity: f64,
    /// Field: record of the page with the highest raw bit error rate after retries: location, wear and error rates.
    pub worst: WorstPage,
    /// Field: program/erase cycles that refreshing of data has added to each block by the end of the service life; mean
    /// over the blocks.
    pub refresh_cycles: f64,
}

/// Set of a drive's properties from which its uncorrectable bit error rate is calculated: bit error table, code, pages,
/// parity, refresh.
pub(crate) struct LimitParts {
    pub table: ErrorTable,
    pub ladder: Ladder,
    pub page_types: u32,
    pub page_bytes: u64,
    pub stripe: Option<u32>,
    /// Field: age in seconds at which the drive refreshes data (moves old data to newly programmed pages); none: never.
    pub refresh_s: Option<f64>,
    /// Field: number of reads of a block between two erases that is assumed for read disturb while the drive is in use.
    pub reads: u32,
    pub blocks_per_die: u32,
}

impl LimitParts {
    /// Returns the properties of the drive from which its uncorrectable bit error rate is calculated, or a text that
    /// names a missing property; and in both cases the drive's class by JESD218.
    pub fn of(drive: &Drive) -> Result<(Result<Self, String>, DriveClass), Error> {
        let whole = drive.read(0)?;
        let capacitors = drive.entry("ftl.buffer.power_loss_protection").is_some_and(|entry| {
            entry.value == Value::Boolean(true) && entry.place != config::Place::Default
        });
        let class = if capacitors { DriveClass::Enterprise } else { DriveClass::Client };
        let model = drive.entry("nand.errors.name").map(|entry| entry.value.to_string()).unwrap_or_default();
        let missing = |what: &str| Ok((Err(what.to_owned()), class));
        let Some(ladder) = whole.ecc.ladder else { return missing("ecc.code.name = none") };
        if model != "tables" && model != "\"tables\"" {
            return missing(&format!("nand.errors.name = {model}: not the chip's tables"));
        }
        let Some(table) = whole.tables.and_then(|tables| tables.errors) else {
            return missing("this chip has no [tables.errors]");
        };
        let refresh = whole.ftl.upkeep.refresh_age;
        let parts = Self {
            table,
            ladder,
            page_types: whole.geometry.cell.bits(),
            page_bytes: whole.geometry.page_size.get(),
            stripe: *whole.ftl.said_of::<ftl::Stripes>(),
            refresh_s: (refresh > Nanos::ZERO).then(|| refresh.ns() as f64 * 1e-9),
            reads: whole.ftl.said_of::<ftl::Regulation>().reckoned.reads,
            blocks_per_die: whole.geometry.blocks_per_die(),
        };
        Ok((Ok(parts), class))
    }
}

/// State of one flash block of a worn drive: its wear and the age of its data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgedBlock {
    pub number: u32,
    pub pe_cycles: u32,
    /// Field of a worn block's state: number of program/erase cycles at which a block of mean endurance would be as
    /// worn as this block.
    pub worn: u32,
    /// Field of a worn block's state: age of the data in the block: seconds at the reference temperature of the bit
    /// error table.
    pub age_s: f64,
}

/// Set of error rates of one page, before and after all read retries, with the probabilities that a codeword or the
/// whole page is lost.
#[derive(Clone, Copy, Debug, Default)]
struct RetriedPage {
    rber: f64,
    rber_left: f64,
    lost_codeword: f64,
    lost_page: f64,
}

/// Constant: divisor that says how far the calculation extends the bit error table beyond its last P/E-cycle row: 10
/// adds a tenth of that row's cycles.
const CARRIED_ON: u32 = 10;

/// Type of the calculation of the uncorrectable bit error rate of a worn drive with its error-correcting code: at the
/// end of the retention time, and in use.
pub(crate) struct CodeLimit {
    parts: LimitParts,
    pub requirement: Requirement,
    /// Field of the calculation: required retention time of the data, converted to seconds at the reference temperature
    /// of the bit error table.
    retention_s: f64,
    /// Field of the calculation: cache of the error rates of a block's pages at the end of the retention time, one
    /// entry for each page type, indexed by the block's wear in P/E cycles; none where not calculated yet.
    known: Vec<Option<Vec<RetriedPage>>>,
}

/// Type of the error of the calculation of readability: a block is worn beyond the wear that the calculation covers (a
/// tenth beyond the last row of the bit error table), although the error-correcting code can still correct the pages
/// there. The error contains a page of the most worn block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BeyondTable(WorstPage);

impl CodeLimit {
    /// Makes the calculation for a drive and a requirement, whose retention time the bit error table must cover.
    ///
    /// # Errors
    /// When the table ends before the age that is needed; the text names the table's key.
    pub fn new(parts: LimitParts, requirement: Requirement) -> Result<Self, Error> {
        let Requirement { retention_s, retention_celsius, .. } = requirement;
        let retention_s = parts.table.at_reference(retention_s, retention_celsius);
        let what = format!("{} at {retention_celsius:.0} C", in_days(requirement.retention_s));
        check_age(&parts.table, retention_s, &what)?;
        let last = *parts.table.known().pe_cycles.last().unwrap_or(&0);
        let known = vec![None; (last + last / CARRIED_ON) as usize + 1];
        Ok(Self { parts, requirement, retention_s, known })
    }

    /// Returns the greatest wear in P/E cycles that the calculation covers: the last row of the bit error table and a
    /// tenth more, extrapolated from the table's last rows.
    pub fn last_wear(&self) -> u32 {
        self.known.len() as u32 - 1
    }

    /// Returns the greatest raw bit error rate, after retries, at which pages meet the required uncorrectable bit error
    /// rate; for the page type whose soft reads give the least information, on a block at the end of its readable life.
    pub fn rber_limit(&self) -> f64 {
        let LimitParts { ladder, table, page_types, .. } = &self.parts;
        let target = self.requirement.uber * f64::from(8 * ladder.codeword_bytes);
        let pe_cycles = self.mean_wear().unwrap_or(self.last_wear());
        let age = Age { step: 1.0, pe_cycles, seconds: self.retention_s, reads: 0 };
        let of_page = |page_type| ladder.greatest_rate(target, Soft(table.soft(page_type, &age)));
        (0..*page_types as usize).map(of_page).fold(0.5, f64::min)
    }

    /// Returns the mean number of P/E cycles that refreshing of data adds to a block, if the service years end when the
    /// blocks have `cycles` P/E cycles.
    pub fn refresh_cycles(&self, cycles: &[u32]) -> f64 {
        let Some(refresh_s) = self.parts.refresh_s else { return 0.0 };
        let least = self.requirement.service.years * YEAR_S / refresh_s;
        let lacking = cycles.iter().map(|cycles| (least - f64::from(*cycles)).max(0.0));
        lacking.sum::<f64>() / cycles.len().max(1) as f64
    }

    /// Calculates how well the drive reads its data at the end of the retention time, after the wear `more` (P/E cycles
    /// of each block) has been added to the blocks `times` more times.
    pub fn after_retention(
        &mut self,
        array: &FlashArray,
        more: &[u32],
        times: u32,
    ) -> Result<Readability, BeyondTable> {
        let cycles = later(array, more, times);
        let refreshed = self.refresh_cycles(&cycles);
        let age_s = self.retention_s;
        let blocks: Vec<AgedBlock> = self
            .blocks(array, &cycles, refreshed)
            .map(|(number, worn)| AgedBlock { number, pe_cycles: cycles[number as usize], worn, age_s })
            .collect();
        let last = self.last_wear();
        for block in &blocks {
            let wear = block.worn.min(last);
            if self.known[wear as usize].is_none() {
                self.known[wear as usize] = Some(self.pages(wear, age_s, 0));
            }
        }
        let pages = |block: &AgedBlock| self.known[block.worn.min(last) as usize].clone().unwrap_or_default();
        self.judge(&blocks, refreshed, pages)
    }

    /// Calculates how well the drive reads its data in use at the end of `years`; `shares` gives for each block the
    /// fraction of the years since its data were written.
    pub fn in_use(&self, array: &FlashArray, shares: &[f64], years: f64) -> Result<Readability, BeyondTable> {
        let cycles = array.pe_cycles_by_block();
        let refreshed = self.refresh_cycles(cycles);
        let blocks: Vec<AgedBlock> = self
            .blocks(array, cycles, refreshed)
            .map(|(number, worn)| {
                let age_s = self.age_in_use(shares[number as usize] * years * YEAR_S);
                AgedBlock { number, pe_cycles: cycles[number as usize], worn, age_s }
            })
            .collect();
        let last = self.last_wear();
        self.judge(&blocks, refreshed, |block| {
            self.pages(block.worn.min(last), block.age_s, self.parts.reads)
        })
    }

    /// Returns the age of data written `seconds` ago in a drive in use, in seconds at the reference temperature of the
    /// bit error table; refreshed data are no older than the refresh age.
    pub fn age_in_use(&self, seconds: f64) -> f64 {
        let ServiceLife { duty, celsius, off_celsius, .. } = self.requirement.service;
        let seconds = self.parts.refresh_s.map_or(seconds, |refresh_s| seconds.min(refresh_s));
        let at = |celsius| self.parts.table.at_reference(seconds, celsius);
        duty * at(celsius) + (1.0 - duty) * at(off_celsius)
    }

    /// Returns the properties of the drive from which its uncorrectable bit error rate is calculated.
    pub fn parts(&self) -> &LimitParts {
        &self.parts
    }

    /// Returns the P/E cycles after which a block of mean endurance can no longer be read at the end of the retention
    /// time, if all blocks are alike and there is no parity; `None` where the bit error table does not reach them.
    pub fn mean_wear(&self) -> Option<u32> {
        let target = self.requirement.uber * f64::from(8 * self.parts.ladder.codeword_bytes);
        let lost = |wear: u32| {
            let pages = self.pages(wear, self.retention_s, 0);
            pages.iter().map(|page| page.lost_codeword).sum::<f64>() / pages.len() as f64
        };
        let (mut low, mut high) = (0, self.last_wear());
        if lost(high) <= target {
            return None;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if lost(middle) > target {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(low)
    }

    /// Returns the numbers of the blocks in use, each with the P/E cycles at which a block of mean endurance would be
    /// as worn as the block after `refreshed` more cycles.
    fn blocks<'a>(
        &self,
        array: &'a FlashArray,
        cycles: &'a [u32],
        refreshed: f64,
    ) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        let (lives, mean) = (array.lives(), array.mean_life());
        array.blocks_in_use().map(move |number| {
            let cycles = f64::from(cycles[number as usize]) + refreshed;
            let worn = lives.get(number as usize).map_or(cycles, |life| cycles * mean / f64::from(*life));
            (number, worn.round() as u32)
        })
    }

    /// Calculates the error rates of a block's pages after all retries, one entry for each page type.
    fn pages(&self, worn: u32, age_s: f64, reads: u32) -> Vec<RetriedPage> {
        (0..self.parts.page_types as usize)
            .map(|page_type| self.page(page_type, worn, age_s, reads))
            .collect()
    }

    fn page(&self, page_type: usize, worn: u32, age_s: f64, reads: u32) -> RetriedPage {
        let LimitParts { table, ladder, page_bytes, .. } = &self.parts;
        let age = Age { step: 1.0, pe_cycles: worn, seconds: age_s, reads };
        let rber = table.rber(page_type, &age, References::Usual);
        let best = || table.rber(page_type, &age, References::Best);
        let shifted = table.shift(&age).and_then(|volts| ladder.shifted(best(), volts));
        let rber_left = ladder.last_rate(rber, shifted);
        let (last, soft) = (ladder.rungs.len() - 1, Soft(table.soft(page_type, &age)));
        let lost_codeword = ladder.codeword_failure(last, rber_left, soft);
        let lost_page = ladder.page_failure(last, rber_left, soft, *page_bytes);
        RetriedPage { rber, rber_left, lost_codeword, lost_page }
    }

    /// Calculates the uncorrectable bit error rate of `blocks` from the error rates of their pages. A block worn beyond
    /// [`Self::last_wear`] counts as worn just so far, a lower bound: if even that exceeds the requirement, the drive
    /// is at its end; else the result is unknown (an error).
    fn judge(
        &self,
        blocks: &[AgedBlock],
        refresh_cycles: f64,
        pages: impl Fn(&AgedBlock) -> Vec<RetriedPage>,
    ) -> Result<Readability, BeyondTable> {
        let types = self.parts.page_types as usize;
        let mut lost = vec![0.0; types];
        let mut lost_codewords = vec![0.0; types];
        let mut lost_rebuilt = vec![0.0; types];
        let mut worst: Option<WorstPage> = None;
        let each: Vec<Vec<RetriedPage>> = blocks.iter().map(&pages).collect();
        for (block, pages) in blocks.iter().zip(&each) {
            for (page_type, page) in pages.iter().enumerate() {
                lost[page_type] += page.lost_page;
                lost_codewords[page_type] += page.lost_codeword;
                if worst.is_none_or(|worst| page.rber_left > worst.rber_left) {
                    worst = Some(self.place(block, page_type as u32, page));
                }
            }
        }
        let count = blocks.len().max(1) as f64;
        for pages in &each {
            for (page_type, page) in pages.iter().enumerate() {
                let others = self.parts.stripe.map_or(1.0, |stripe| {
                    let other = ((lost[page_type] - page.lost_page) / (count - 1.0).max(1.0)).clamp(0.0, 1.0);
                    ecc::tail::any_of(u64::from(stripe), other)
                });
                lost_rebuilt[page_type] += page.lost_codeword * others;
            }
        }
        let bits = f64::from(8 * self.parts.ladder.codeword_bytes) * count * types as f64;
        let Some(worst) = worst else { unreachable!("a drive has blocks") };
        let uber = lost_rebuilt.iter().sum::<f64>() / bits;
        let beyond =
            blocks.iter().max_by_key(|block| block.worn).filter(|block| block.worn > self.last_wear());
        if let (Some(block), true) = (beyond, uber <= self.requirement.uber) {
            return Err(BeyondTable(self.place(block, worst.page_type, &RetriedPage::default())));
        }
        let uber_without_parity = lost_codewords.iter().sum::<f64>() / bits;
        Ok(Readability { uber, uber_without_parity, worst, refresh_cycles })
    }

    fn place(&self, block: &AgedBlock, page_type: u32, page: &RetriedPage) -> WorstPage {
        let AgedBlock { number, pe_cycles, worn, .. } = *block;
        let per_die = self.parts.blocks_per_die;
        let (die, block) = (number / per_die, number % per_die);
        WorstPage { die, block, page_type, pe_cycles, worn, rber: page.rber, rber_left: page.rber_left }
    }

    /// Returns the error message for a block worn beyond the last P/E-cycle row of the bit error table, while the
    /// error-correcting code can still correct the pages of that row.
    pub fn beyond(&self, BeyondTable(page): BeyondTable) -> Error {
        let wears = &self.parts.table.known().pe_cycles;
        let (last, at) = (wears.last().copied().unwrap_or_default(), wears.len() - 1);
        Error(format!(
            "nand.tables.errors.pe_cycles[{at}] = {last}: block {} of die {} is worn as a mean block is after {} cycles, \
             and the code still reads the last row: expected a table that goes on to where it does not",
            page.block, page.die, page.worn
        ))
    }
}

/// Refuses an age of data, in seconds at the table's reference temperature, that is beyond the last age in a bit error
/// table; `what` describes the data in the message.
pub(crate) fn check_age(table: &ErrorTable, seconds: f64, what: &str) -> Result<(), Error> {
    let ages = &table.known().ages_s;
    let (at, last) = (ages.len() - 1, *ages.last().unwrap_or(&0.0));
    if seconds <= last {
        return Ok(());
    }
    let (_, celsius) = table.temperature();
    Err(Error(format!(
        "nand.tables.errors.ages[{at}] = {}: {what} is as old as {} at this table's {celsius:.0} C: expected a table that \
         reaches it",
        in_days(last),
        in_days(seconds)
    )))
}

fn in_days(seconds: f64) -> String {
    let days = seconds / 86_400.0;
    if days >= 10.0 { format!("{days:.0}d") } else { format!("{days:.2}d") }
}

fn later(array: &FlashArray, more: &[u32], times: u32) -> Vec<u32> {
    let now = array.pe_cycles_by_block();
    if more.is_empty() {
        return now.to_vec();
    }
    now.iter().zip(more).map(|(now, more)| now.saturating_add(more.saturating_mul(times))).collect()
}
