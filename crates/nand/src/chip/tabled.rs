//! The page model on the bench: a chip that does what its tables say.
//!
//! Whole drives work with these tables; on the bench they answer as the cell model does, so that the two can be held
//! against each other. Not told by tables, and so the same for all: which bits of a page are wrong (drawn), how
//! wordlines of a block differ, how blocks differ but in how long they live. A cycle that programs some pages wears a
//! block as one that programs all, because its worst wordline decides. What single programs wrote wears as the mix of states
//! that it is, as patterns of cycles do.

use super::ChipInterface;
use super::bench::{Bench, check_cycles};
use super::block::{MICRO, micro};
use super::identity::{Answer, ChipFile, Identity, PageRead, Status};
use super::life::{Pages, Pattern};
use super::log::{LogRow, LogStretch, Track, last_erase, log};
use crate::cells::normal::Stream;
use crate::tables::{Age, Endurance, ErrorTable, References};
use crate::{ArrayTiming, ProgramOrder, Tables};
use config::{ConfigError, Section};
use std::collections::BTreeMap;

/// Record of a page that was programmed since its block's last erase: the data, and the time of the program in seconds.
struct Page {
    data: Vec<u8>,
    at_s: f64,
}

struct Block {
    stream: Stream,
    /// Endurance of the block: wear at which the block fails, in millionths of a program/erase cycle.
    life: u64,
    /// Wear so far of this block of a chip simulated by tables, in millionths of a program/erase cycle.
    worn: u64,
    cycles: u64,
    bad: bool,
    next_page: u32,
    reads: u64,
    written: BTreeMap<u32, Page>,
    logged: BTreeMap<i64, (u64, bool)>,
}

/// State of a flash chip simulated by its tables of times, errors and endurance, without cells; the state of each block
/// is made when the block is first accessed.
pub struct TabledChip {
    identity: Identity,
    timing: ArrayTiming,
    tables: Tables,
    errors: ErrorTable,
    endurance: Endurance,
    stream: Stream,
    blocks: BTreeMap<u32, Block>,
    bench: Bench,
}

mod draw {
    pub const LIFE: u64 = 1;
    pub const ERRORS: u64 = 2;
}

impl TabledChip {
    /// Returns the raw bit error rate of a page type by the tables, with the best read references, after `seconds` at
    /// `celsius` degrees, or at the tables' own temperature if none.
    pub fn best_rate(
        &self,
        page_type: usize,
        pe_cycles: u32,
        seconds: f64,
        reads: u32,
        celsius: Option<f64>,
    ) -> f64 {
        let seconds = celsius.map_or(seconds, |celsius| self.errors.at_reference(seconds, celsius));
        self.errors.rber(page_type, &Age { step: 1.0, pe_cycles, seconds, reads }, References::Best)
    }

    /// Makes a chip that is simulated by tables from the contents of a chip file, given as the configuration section
    /// `nand`; the endurance of each block and the positions of wrong bits follow from `seed`.
    ///
    /// # Errors
    /// When a key is wrong, or the file has no tables of errors and endurance.
    pub fn read(root: &mut Section, nand: &mut Section, seed: u64) -> Result<Self, ConfigError> {
        let ChipFile { identity, timing, tables, rig, .. } = ChipFile::read(root, nand)?;
        let whole = tables.and_then(|t| Some((t.errors.clone()?, t.endurance.clone()?, t)));
        let Some((errors, endurance, tables)) = whole else {
            return Err(
                nand.reject("tables", "missing: a chip of tables needs them; `floatgate derive` makes them")
            );
        };
        let (activation_ev, reference_celsius) = errors.temperature();
        Ok(Self {
            identity,
            timing,
            tables,
            errors,
            endurance,
            stream: Stream::new(seed),
            blocks: BTreeMap::new(),
            bench: Bench::new([activation_ev; 2], reference_celsius, rig, Stream::new(seed)),
        })
    }

    fn block(&mut self, number: u32) -> &mut Block {
        let (stream, endurance) = (self.stream.of(u64::from(number)), &self.endurance);
        self.blocks.entry(number).or_insert_with(|| Block {
            stream,
            life: u64::from(endurance.cycles(stream.uniform(draw::LIFE))) * MICRO as u64,
            worn: 0,
            cycles: 0,
            bad: false,
            next_page: 0,
            reads: 0,
            written: BTreeMap::new(),
            logged: BTreeMap::new(),
        })
    }

    fn one_shot(&self) -> bool {
        self.identity.geometry.program == ProgramOrder::OneShot
    }

    /// Returns the busy time (ns) of programming a page on a block that has had `pe_cycles` program/erase cycles; with
    /// one-shot programming it is zero except for the last page of a wordline.
    fn t_prog_ns(&self, page: u32, pe_cycles: u32) -> u64 {
        let bits = self.identity.geometry.cell.bits();
        if self.one_shot() && page % bits + 1 < bits {
            return 0;
        }
        self.timing.t_prog(page, self.timing.wear_row(pe_cycles)).ns()
    }

    /// Returns the wear of one program/erase cycle with the data pattern `pattern`, in millionths of a cycle; a chip
    /// without a table of states wears equally with all patterns.
    fn stress(&self, pattern: &Pattern, pages: Pages) -> Result<u64, String> {
        let Some(states) = &self.tables.states else { return Ok(MICRO as u64) };
        let of = |name: &str| {
            let row = states.row(name).ok_or_else(|| format!("state {name:?}: not in this chip's tables"));
            row.map(|row| states.stress(row))
        };
        let bits = self.identity.geometry.cell.bits() as usize;
        let stress = match (pages, pattern) {
            (Pages::None, _) => states.erase_only,
            (_, Pattern::Random | Pattern::Checkered) => 1.0,
            (_, Pattern::Zeros) => of(&"0".repeat(bits))?,
            (_, Pattern::Ones) => of(&"1".repeat(bits))?,
            (_, Pattern::State(state)) => of(state)?,
            (_, Pattern::Mix(shares)) => {
                let held = shares.iter().filter(|(_, share)| *share > 0.0);
                let parts = held.map(|(state, share)| of(state).map(|stress| stress * share));
                parts.sum::<Result<f64, String>>()?
            }
        };
        Ok(micro(stress))
    }

    /// Drops the data of a block that is erased, and returns the wear of the program/erase cycle that ends, in
    /// millionths of a mean cycle: the greatest wear that the data of any wordline caused.
    fn stress_of_written(&mut self, number: u32) -> Result<u64, String> {
        let bits = self.identity.geometry.cell.bits();
        let written = std::mem::take(&mut self.block(number).written);
        let mut most = self.stress(&Pattern::Random, Pages::None)?;
        let mut wordlines: Vec<u32> = written.keys().map(|page| page / bits).collect();
        wordlines.dedup();
        for wordline in wordlines {
            let pages = (0..bits).map(|bit| written.get(&(wordline * bits + bit)).map(|page| &*page.data));
            let mix = mix_of(&self.identity.states, &pages.collect::<Vec<_>>());
            most = most.max(self.stress(&Pattern::Mix(mix), Pages::All)?);
        }
        Ok(most)
    }

    /// Returns the ratio of two mean endurances of the chip's blocks: that at the bench's present temperature over that
    /// at 25 degrees Celsius.
    fn warmth(&self) -> f64 {
        let known = &self.endurance.by_celsius;
        let mean_at = |celsius: f64| {
            let above = known.iter().position(|(at, _)| *at >= celsius);
            match above {
                Some(0) => known[0].1,
                Some(next) => {
                    let ((low_c, low), (high_c, high)) = (known[next - 1], known[next]);
                    low + (celsius - low_c) / (high_c - low_c) * (high - low)
                }
                None => known.last().map_or(1.0, |(_, mean)| *mean),
            }
        };
        mean_at(self.bench.celsius) / mean_at(ROOM_CELSIUS)
    }

    /// Computes, for the cycles from `first` to `last`, the track of one operation (the program of `page`, or the erase
    /// if `None`): the stretches of program/erase cycles with equal busy time.
    fn track(
        &self,
        page: Option<u32>,
        first: u64,
        last: u64,
        fails: Option<u64>,
        worn: impl Fn(u64) -> u32,
    ) -> Track {
        let mut found: Vec<LogStretch> = Vec::new();
        let busy_ns = |cycle: u64| match page {
            Some(page) => self.t_prog_ns(page, worn(cycle)),
            None => self.timing.t_bers(self.timing.wear_row(worn(cycle))).ns(),
        };
        // Times change at the rows of the tables only: halve the way to each.
        let mut from = first;
        while from <= last {
            let row = self.timing.wear_row(worn(from));
            let (mut same, mut other) = (from, last + 1);
            while other - same > 1 {
                let middle = same + (other - same) / 2;
                if self.timing.wear_row(worn(middle)) == row { same = middle } else { other = middle }
            }
            let busy = busy_ns(from);
            if found.last().is_none_or(|before| before.busy_ns != busy) {
                found.push(LogStretch { from, busy_ns: busy, pulses: 0, ok: true });
            }
            from = other;
        }
        if let (None, Some(cycle)) = (page, fails) {
            found.retain(|stretch| stretch.from < cycle);
            found.push(LogStretch { from: cycle, busy_ns: busy_ns(cycle), pulses: 0, ok: false });
        }
        Track { page, stretches: found }
    }
}

const ROOM_CELSIUS: f64 = 25.0;

fn cycles_of(worn: u64) -> u32 {
    u32::try_from(worn / MICRO as u64).unwrap_or(u32::MAX)
}

/// Returns the fraction (0 to 1) of a wordline's cells in each state, from the data of its pages in programming order;
/// a page that was not programmed counts as ones.
fn mix_of(states: &[&str], pages: &[Option<&[u8]>]) -> Vec<(String, f64)> {
    let bytes = pages.iter().flatten().map(|page| page.len()).max().unwrap_or(0);
    let held = |state: &str| -> f64 {
        let digits = || state.bytes().zip(pages);
        let of_byte = |at: usize| {
            let like = |(digit, page): (u8, &Option<&[u8]>)| {
                let own = page.map_or(0xff, |page| page[at]);
                if digit == b'1' { own } else { !own }
            };
            digits().map(like).fold(0xff, |all: u8, own| all & own).count_ones()
        };
        f64::from((0..bytes).map(of_byte).sum::<u32>()) / (8 * bytes) as f64
    };
    states.iter().map(|state| ((*state).to_owned(), held(state))).collect()
}

/// Inverts each bit of `data` with probability `rate`, by drawing the distances between wrong bits.
fn flip(data: &mut [u8], rate: f64, draws: Stream) {
    if rate <= 0.0 {
        return;
    }
    let bits = data.len() as f64 * 8.0;
    let keep = libm::log1p(-rate);
    let (mut at, mut index) = (0.0f64, 0);
    loop {
        at += (libm::log(draws.uniform(index)) / keep).floor();
        if at >= bits {
            return;
        }
        data[at as usize / 8] ^= 0x80 >> (at as usize % 8);
        (at, index) = (at + 1.0, index + 1);
    }
}

impl ChipInterface for TabledChip {
    fn identify(&self) -> &Identity {
        &self.identity
    }

    fn read(&mut self, number: u32, page: u32) -> Result<PageRead, String> {
        self.identity.check(number, page)?;
        let bytes = self.identity.page_bytes();
        let bits = self.identity.geometry.cell.bits();
        let now_s = self.bench.equivalent.late_s;
        let block = self.block(number);
        block.reads += 1;
        if block.bad {
            let answer = self.bench.answer(Status::Protected, 0);
            return Ok(PageRead { status: answer.status, busy_ns: 0, data: vec![0xff; bytes] });
        }
        let reads = block.reads;
        let draws = block.stream.of(draw::ERRORS).of(block.cycles).of(u64::from(page)).of(reads);
        let pe_cycles = cycles_of(block.worn);
        let held = block.written.get(&page).map(|page| (page.data.clone(), now_s - page.at_s));
        let mut data = vec![0xff; bytes];
        if let Some((written, seconds)) = held {
            data = written;
            let reads = u32::try_from(reads).unwrap_or(u32::MAX);
            let age = Age { step: 1.0, pe_cycles, seconds, reads };
            flip(&mut data, self.errors.rber((page % bits) as usize, &age, References::Usual), draws);
        }
        let answer = self.bench.answer(Status::Ok, self.timing.t_r(page).ns());
        Ok(PageRead { status: answer.status, busy_ns: answer.busy_ns, data })
    }

    fn program(&mut self, number: u32, page: u32, data: &[u8]) -> Result<Answer, String> {
        self.identity.check(number, page)?;
        self.identity.check_data(data)?;
        let at_s = self.bench.equivalent.late_s;
        let block = self.block(number);
        if block.bad {
            return Ok(self.bench.answer(Status::Protected, 0));
        }
        if block.next_page != page {
            return Ok(self.bench.answer(Status::Fail, 0));
        }
        block.next_page += 1;
        block.written.insert(page, Page { data: data.to_vec(), at_s });
        let pe_cycles = cycles_of(block.worn);
        Ok(self.bench.answer(Status::Ok, self.t_prog_ns(page, pe_cycles)))
    }

    fn erase(&mut self, number: u32) -> Result<Answer, String> {
        self.identity.check(number, 0)?;
        let warmth = self.warmth();
        if self.block(number).bad {
            return Ok(self.bench.answer(Status::Protected, 0));
        }
        let stress = self.stress_of_written(number)?;
        let block = self.block(number);
        let pe_cycles = cycles_of(block.worn);
        block.worn += stress;
        block.cycles += 1;
        block.bad = block.worn as f64 >= block.life as f64 * warmth;
        (block.next_page, block.reads) = (0, 0);
        block.written.clear();
        let status = if block.bad { Status::Fail } else { Status::Ok };
        let busy_ns = self.timing.t_bers(self.timing.wear_row(pe_cycles)).ns();
        Ok(self.bench.answer(status, busy_ns))
    }

    fn cycle(
        &mut self,
        number: u32,
        cycles: u64,
        pattern: &Pattern,
        pages: Pages,
    ) -> Result<Vec<LogRow>, String> {
        self.identity.check(number, 0)?;
        check_cycles(number, cycles, pages, self.block(number).next_page)?;
        let stress = self.stress(pattern, pages)?;
        let warmth = self.warmth();
        let block = self.block(number);
        if block.bad {
            self.bench.answer(Status::Protected, 0);
            return Ok(Vec::new());
        }
        let (first, before) = (block.cycles + 1, block.worn);
        let life = (block.life as f64 * warmth) as u64;
        // The first cycle whose erase ends at or past the block's life.
        let fails = (stress > 0).then(|| first + life.saturating_sub(before).div_ceil(stress).max(1) - 1);
        let fails = fails.filter(|cycle| *cycle < first + cycles);
        let last = fails.unwrap_or(first + cycles - 1);
        let worn = |cycle: u64| cycles_of(before + stress * (cycle - first));
        let bits = self.identity.geometry.cell.bits();
        let programmed = |page: &u32| !self.one_shot() || page % bits + 1 == bits;
        let upto = match pages {
            Pages::First => {
                if self.one_shot() {
                    bits
                } else {
                    1
                }
            }
            Pages::All => self.identity.geometry.pages_per_block,
            Pages::None => 0,
        };
        let mut tracks: Vec<Track> = (0..upto)
            .filter(programmed)
            .map(|page| self.track(Some(page), first, last, fails, worn))
            .collect();
        tracks.push(self.track(None, first, last, fails, worn));
        let (rig, noise) = (self.bench.rig.clone(), self.bench.noise_of(number));
        let block = self.block(number);
        let (rows, busy_ns) = log(&mut block.logged, &tracks, last, &rig, noise);
        block.worn += stress * (last + 1 - first);
        block.cycles = last;
        block.bad = fails.is_some();
        (block.next_page, block.reads) = (0, 0);
        block.written.clear();
        let erased_ns = last_erase(&block.logged, last, &rig, noise);
        let status = if block.bad { Status::Fail } else { Status::Ok };
        self.bench.pass(busy_ns);
        self.bench.last = Answer { status, busy_ns: erased_ns };
        Ok(rows)
    }

    fn status(&self) -> Status {
        self.bench.last.status
    }

    fn busy_time_ns(&self) -> u64 {
        self.bench.last.busy_ns
    }

    fn set_temperature(&mut self, celsius: f64) -> Result<(), String> {
        self.bench.set_temperature(celsius)
    }

    fn temperature(&self) -> f64 {
        self.bench.celsius
    }

    fn let_time_pass(&mut self, seconds: f64) -> Result<(), String> {
        self.bench.let_time_pass(seconds)
    }

    fn now_ns(&self) -> u64 {
        self.bench.now_ns
    }
}
