//! The simulated chip behind [`ChipInterface`].

use super::ChipInterface;
use super::block::{Block, MICRO, Written};
use super::life::{Cycling, LogRow, Pages, Pattern};
use crate::cells::normal::Stream;
use crate::cells::{CellPhysics, VoltagePlan, Wordline, arrhenius};
use crate::{ArrayTiming, Geometry};
use config::{ConfigError, Section};
use std::collections::BTreeMap;
use units::Nanos;

/// How an operation ended, as the status register says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok,
    /// The chip gave up, or refused what its rules forbid.
    Fail,
    /// A bad block: not tried.
    Protected,
}

impl Status {
    /// The name in logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Fail => "fail",
            Self::Protected => "protected",
        }
    }
}

/// How an operation ended and how long it kept the chip busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How it ended.
    pub status: Status,
    /// Busy time, ns.
    pub busy_ns: u64,
}

/// A page as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRead {
    /// How it ended.
    pub status: Status,
    /// Busy time, ns.
    pub busy_ns: u64,
    /// The page and its spare bytes, with the bit errors they have.
    pub data: Vec<u8>,
}

/// What the data sheet promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rated {
    /// Array read time, ns; 0: not known.
    pub t_r_ns: u64,
    /// Typical program time, mean over page types, ns; 0: not known.
    pub t_prog_ns: u64,
    /// Typical erase time, ns; 0: not known.
    pub t_bers_ns: u64,
    /// Program/erase cycles; 0: not known.
    pub pe_cycles: u64,
}

/// What the part says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// What it is.
    pub title: String,
    /// Who made it.
    pub maker: String,
    /// READ ID.
    pub device_id: Vec<u8>,
    /// Layout.
    pub geometry: Geometry,
    /// State names by rising threshold.
    pub states: Vec<&'static str>,
    /// The data sheet.
    pub rated: Rated,
}

/// A chip made of the cell model: blocks come into being when they are first touched.
pub struct SimulatedChip {
    identity: Identity,
    physics: CellPhysics,
    plan: usize,
    stream: Stream,
    trapping: f64,
    blocks: BTreeMap<u32, Block>,
    celsius: f64,
    /// Time as charge loss sees it: seconds at the reference temperature.
    equivalent_s: f64,
    now_ns: u64,
    last: Answer,
}

const CHIP_TRAPPING: u64 = 0;
const CELSIUS: std::ops::RangeInclusive<f64> = -40.0..=125.0;

impl SimulatedChip {
    /// Reads a chip file laid under `nand`; all variation follows from `seed`.
    ///
    /// # Errors
    /// When a key is wrong, or the file has no `[cells]`.
    pub fn read(root: &mut Section, nand: &mut Section, seed: u64) -> Result<Self, ConfigError> {
        let title = nand.or("title", String::new(), "what the chip is")?;
        let maker = nand.or("maker", String::new(), "who makes it")?;
        let id: Vec<u32> = nand.or("device_id", Vec::new(), "bytes of READ ID")?;
        let device_id = id.iter().map(|byte| u8::try_from(*byte)).collect::<Result<_, _>>();
        let device_id = device_id.map_err(|_| nand.reject("device_id", "expected bytes from 0 to 255"))?;
        let geometry = Geometry::read(root, nand)?;
        ArrayTiming::read(nand, &geometry)?;
        let typical = |key: &str, nand: &mut Section, help| -> Result<u64, ConfigError> {
            let times: Vec<Nanos> = nand.required(key, help)?;
            Ok(times.iter().map(|t| t.ns()).sum::<u64>() / times.len() as u64)
        };
        let rated = Rated {
            t_r_ns: typical("t_r", nand, "array read time of the data sheet")?,
            t_prog_ns: typical("t_prog", nand, "program time of the data sheet")?,
            t_bers_ns: nand.required::<Nanos>("t_bers", "block erase time of the data sheet")?.ns(),
            pe_cycles: nand.or("pe_cycles_rated", 0u64, "program/erase cycles the data sheet promises")?,
        };
        let Some(physics) = CellPhysics::read(nand, geometry.cell)? else {
            return Err(
                nand.reject("cells", "missing: a chip on the bench needs its cells ([cells] of its file)")
            );
        };
        let identity = Identity { title, maker, device_id, geometry, states: physics.states.clone(), rated };
        let stream = Stream::new(seed);
        let trapping = libm::exp(physics.wear.chip_spread * stream.of(u64::MAX).normal(CHIP_TRAPPING));
        Ok(Self {
            identity,
            physics,
            plan: 0,
            stream,
            trapping,
            blocks: BTreeMap::new(),
            celsius: 25.0,
            equivalent_s: 0.0,
            now_ns: 0,
            last: Answer { status: Status::Ok, busy_ns: 0 },
        })
    }

    fn bits(&self) -> u32 {
        self.physics.cell.bits()
    }

    fn page_bytes(&self) -> usize {
        (self.identity.geometry.page_size.get() + self.identity.geometry.oob_size.get()) as usize
    }

    fn cells(&self) -> usize {
        self.page_bytes() * 8
    }

    fn plan(&self) -> &VoltagePlan {
        &self.physics.plans[self.plan]
    }

    fn check(&self, block: u32, page: u32) -> Result<(), String> {
        let geometry = &self.identity.geometry;
        let blocks = geometry.planes * geometry.blocks_per_plane;
        if block >= blocks {
            return Err(format!("block {block}: no such block: expected 0 to {}", blocks - 1));
        }
        if page >= geometry.pages_per_block {
            let last = geometry.pages_per_block - 1;
            return Err(format!("page {page}: no such page: expected 0 to {last}"));
        }
        Ok(())
    }

    fn block(&mut self, number: u32) -> &mut Block {
        let (physics, stream, trapping) = (&self.physics, self.stream, self.trapping);
        let wordlines = self.identity.geometry.pages_per_block / physics.cell.bits();
        self.blocks.entry(number).or_insert_with(|| Block::new(physics, stream, trapping, number, wordlines))
    }

    fn answer(&mut self, status: Status, busy_ns: u64) -> Answer {
        self.pass(busy_ns);
        self.last = Answer { status, busy_ns };
        self.last
    }

    fn pass(&mut self, ns: u64) {
        self.now_ns += ns;
        self.equivalent_s += ns as f64 * 1e-9 * self.acceleration();
    }

    fn acceleration(&self) -> f64 {
        let retention = &self.physics.retention;
        arrhenius(retention.activation_ev, self.celsius, retention.reference_celsius)
    }

    /// Names of the sets of voltages, the usual one first.
    pub fn plans(&self) -> Vec<&str> {
        self.physics.plans.iter().map(|plan| plan.name.as_str()).collect()
    }

    /// Writes and reads with this set of voltages from now on.
    ///
    /// # Errors
    /// When the part has no such set.
    pub fn use_plan(&mut self, name: &str) -> Result<&VoltagePlan, String> {
        let known = self.physics.plans.iter().position(|plan| plan.name == name);
        self.plan = known
            .ok_or_else(|| format!("voltage plan {name:?}: expected one of {}", self.plans().join(", ")))?;
        Ok(self.plan())
    }

    /// The cells' numbers.
    pub fn physics(&self) -> &CellPhysics {
        &self.physics
    }

    /// Threshold voltage of each cell of a wordline as a read would find it now, volts.
    ///
    /// # Errors
    /// When there is no such wordline.
    pub fn threshold_voltages(&mut self, block: u32, wordline: u32) -> Result<Vec<f32>, String> {
        self.check(block, wordline * self.bits())?;
        let cells = self.cells();
        let now_s = self.equivalent_s;
        self.block(block);
        Ok(sensed_volts(&self.physics, &self.blocks[&block], wordline, cells, now_s))
    }

    /// How cells of an erased wordline rise to pseudo-random states: each target state, and the volts before the
    /// first pulse and after each.
    ///
    /// # Errors
    /// When there is no such wordline.
    pub fn staircases(
        &mut self,
        block: u32,
        wordline: u32,
        cells: u32,
    ) -> Result<Vec<(usize, Vec<f64>)>, String> {
        self.check(block, wordline * self.bits())?;
        let all = self.cells();
        self.block(block);
        let (physics, block) = (&self.physics, &self.blocks[&block]);
        let fresh = block.fresh(physics, wordline, all);
        let condition = block.condition(physics, wordline as usize);
        let plan = self.plan();
        let one = |cell: u32| {
            let state = cell as usize % physics.states.len();
            (state, fresh.staircase(physics, plan, cell as usize, state, &condition))
        };
        Ok((0..cells.min(all as u32)).map(one).collect())
    }
}

/// Threshold voltages of a wordline, with what reads, neighbours and time have done since it was written.
fn sensed_volts(physics: &CellPhysics, block: &Block, wordline: u32, cells: usize, now_s: f64) -> Vec<f32> {
    let mut condition = block.condition(physics, wordline as usize);
    match block.written.get(&wordline) {
        None => block.fresh(physics, wordline, cells).aged(physics, &condition, 0.0, block.reads),
        Some(written) => {
            let mut cells = written.cells.clone();
            let later = block.programs - written.programs;
            condition.dwell_s = written.at_s / block.cycles.max(1) as f64;
            cells.disturb(physics, physics.program_disturb * later as f64);
            cells.aged(physics, &condition, now_s - written.at_s, block.reads)
        }
    }
}

/// Bit `index` of a page: the first bit is the highest of the first byte.
fn bit_of(data: &[u8], index: usize) -> bool {
    data[index / 8] >> (7 - index % 8) & 1 == 1
}

/// The states whose first pages' bits are these; digits not yet written count as one.
fn states_of(physics: &CellPhysics, pages: &[&[u8]], cells: usize) -> Vec<u8> {
    let bits = physics.cell.bits() as usize;
    let mut by_bits = [0u8; 16];
    for (state, digits) in physics.states.iter().enumerate() {
        let index = digits.bytes().fold(0, |index, digit| index << 1 | usize::from(digit - b'0'));
        by_bits[index] = state as u8;
    }
    (0..cells)
        .map(|cell| {
            let index = (0..bits).fold(0, |index, bit| {
                index << 1 | usize::from(pages.get(bit).is_none_or(|data| bit_of(data, cell)))
            });
            by_bits[index]
        })
        .collect()
}

impl ChipInterface for SimulatedChip {
    fn identify(&self) -> &Identity {
        &self.identity
    }

    fn read(&mut self, number: u32, page: u32) -> Result<PageRead, String> {
        self.check(number, page)?;
        let (bits, cells, bytes) = (self.bits(), self.cells(), self.page_bytes());
        let (wordline, bit) = (page / bits, (page % bits) as usize);
        let busy_ns = self.physics.t_read(page % bits).ns();
        let now_s = self.equivalent_s;
        self.block(number).reads += 1;
        let block = &self.blocks[&number];
        if block.bad {
            let answer = self.answer(Status::Protected, 0);
            return Ok(PageRead { status: answer.status, busy_ns: 0, data: vec![0xff; bytes] });
        }
        let pages = block.written.get(&wordline).map_or(bits, |written| written.pages) as usize;
        let (references, states) = self.physics.early_references(self.plan(), pages);
        let mut data = vec![0u8; bytes];
        let volts = sensed_volts(&self.physics, block, wordline, cells, now_s);
        let mut set = |cell: usize, one: bool| data[cell / 8] |= u8::from(one) << (7 - cell % 8);
        for (cell, group) in Wordline::sense(&volts, &references).into_iter().enumerate() {
            let digits = self.physics.states[states[group as usize]].as_bytes();
            set(cell, bit >= pages || digits[bit] == b'1');
        }
        let answer = self.answer(Status::Ok, busy_ns);
        Ok(PageRead { status: answer.status, busy_ns, data })
    }

    fn program(&mut self, number: u32, page: u32, data: &[u8]) -> Result<Answer, String> {
        self.check(number, page)?;
        if data.len() != self.page_bytes() {
            let bytes = self.page_bytes();
            return Err(format!("{} bytes: expected a whole page with its spare bytes: {bytes}", data.len()));
        }
        let (bits, cells) = (self.bits(), self.cells());
        let block = self.block(number);
        if block.bad {
            return Ok(self.answer(Status::Protected, 0));
        }
        if block.next_page != page {
            return Ok(self.answer(Status::Fail, 0));
        }
        block.next_page += 1;
        block.waiting.push(data.to_vec());
        let (wordline, bit) = (page / bits, page % bits);
        if !self.physics.two_step && bit + 1 < bits {
            return Ok(self.answer(Status::Ok, 0));
        }
        let pass = self.physics.pass_of(bit);
        let at_s = self.equivalent_s;
        let mut block = self.blocks.remove(&number).expect("it was just there");
        let (busy_ns, ok) = self.write(&mut block, wordline, bit, pass, cells, at_s);
        block.bad |= !ok;
        self.blocks.insert(number, block);
        Ok(self.answer(if ok { Status::Ok } else { Status::Fail }, busy_ns))
    }

    fn erase(&mut self, number: u32) -> Result<Answer, String> {
        self.check(number, 0)?;
        let (celsius, cells) = (self.celsius, self.cells());
        self.block(number);
        let physics = &self.physics;
        let block = self.blocks.get_mut(&number).expect("it was just made");
        if block.bad {
            return Ok(self.answer(Status::Protected, 0));
        }
        let trapped = (0..block.stress.len()).map(|wordline| {
            physics.wear.trapped_v(block.wear(physics, wordline))
                * block.slowest(physics, wordline, cells as f64)
        });
        let need = physics.erase.need + physics.wear.erase * block.trapping * trapped.fold(0.0, f64::max);
        let pulses = physics.erase_pulses(need, celsius);
        let busy_ns = physics.t_bers(pulses).ns();
        let ok = pulses <= physics.erase.max_pulses;
        block.cycles += 1;
        block.bad = !ok;
        block.after_erase();
        Ok(self.answer(if ok { Status::Ok } else { Status::Fail }, busy_ns))
    }

    fn cycle(
        &mut self,
        number: u32,
        cycles: u64,
        pattern: &Pattern,
        pages: Pages,
    ) -> Result<Vec<LogRow>, String> {
        self.check(number, 0)?;
        if cycles == 0 {
            return Err("0 cycles: expected at least one".into());
        }
        let cells = self.cells();
        self.block(number);
        let mut block = self.blocks.remove(&number).expect("it was just made");
        if block.bad {
            self.blocks.insert(number, block);
            self.answer(Status::Protected, 0);
            return Ok(Vec::new());
        }
        let cycling = Cycling {
            physics: &self.physics,
            plan: self.plan(),
            celsius: self.celsius,
            pages_per_block: self.identity.geometry.pages_per_block,
            cells,
        };
        let done = cycling.run(&mut block, cycles, pattern, pages);
        let status = if block.bad { Status::Fail } else { Status::Ok };
        let last_erase = block.logged.get(&-1).map_or(0, |(busy_ns, _)| *busy_ns);
        self.blocks.insert(number, block);
        let (rows, busy_ns) = done?;
        self.pass(busy_ns);
        self.last = Answer { status, busy_ns: last_erase };
        Ok(rows)
    }

    fn status(&self) -> Status {
        self.last.status
    }

    fn busy_time_ns(&self) -> u64 {
        self.last.busy_ns
    }

    fn set_temperature(&mut self, celsius: f64) -> Result<(), String> {
        if !CELSIUS.contains(&celsius) {
            return Err(format!(
                "{celsius} degrees Celsius: expected {} to {}",
                CELSIUS.start(),
                CELSIUS.end()
            ));
        }
        self.celsius = celsius;
        Ok(())
    }

    fn temperature(&self) -> f64 {
        self.celsius
    }

    fn let_time_pass(&mut self, seconds: f64) -> Result<(), String> {
        if !(0.0..1e10).contains(&seconds) {
            return Err(format!("{seconds} s: expected from 0 to 1e10"));
        }
        self.pass((seconds * 1e9).round() as u64);
        Ok(())
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }
}

impl SimulatedChip {
    /// Programs what waits for a wordline into its cells; gives busy time and whether the pulses sufficed.
    fn write(
        &self,
        block: &mut Block,
        wordline: u32,
        bit: u32,
        pass: usize,
        cells: usize,
        at_s: f64,
    ) -> (u64, bool) {
        let physics = &self.physics;
        let condition = block.condition(physics, wordline as usize);
        let pages: Vec<&[u8]> = block.waiting.iter().map(Vec::as_slice).collect();
        let states = states_of(physics, &pages, cells);
        let mut volts = match block.written.remove(&wordline) {
            Some(written) => written.cells,
            None => block.fresh(physics, wordline, cells),
        };
        let before: Vec<f32> = volts.volts().to_vec();
        let pulses = volts.program(physics, self.plan(), pass, &states, &condition);
        if let Some(below) = wordline.checked_sub(1).and_then(|below| block.written.get_mut(&below)) {
            below.cells.couple_next(physics, &before, volts.volts());
        }
        let share = (1.0 - physics.wear.erase_share) * physics.swing(self.plan());
        let lifted = states.iter().any(|state| *state > 0);
        if bit + 1 == self.bits() {
            block.waiting.clear();
            block.stress[wordline as usize].programmed +=
                if lifted { (share * MICRO).round() as u64 } else { 0 };
        }
        block.programs += 1;
        let programs = block.programs;
        block.written.insert(wordline, Written { cells: volts, states, pages: bit + 1, at_s, programs });
        let most = pulses.iter().copied().max().unwrap_or(0);
        let ok = most <= physics.program.max_pulses;
        let shown: Vec<u32> = pulses.iter().map(|pulses| (*pulses).min(physics.program.max_pulses)).collect();
        (physics.t_prog(self.plan(), pass, &shown).ns(), ok)
    }
}
