//! The chip made of cells, behind [`ChipInterface`].

use super::ChipInterface;
use super::bench::{Bench, check_cycles};
use super::block::{Block, Written, micro};
use super::identity::{Answer, ChipFile, Identity, PageRead, Status};
use super::life::{Cycling, Pages, Pattern};
use super::log::{LogRow, last_erase};
use crate::cells::normal::Stream;
use crate::cells::{CellPhysics, Elapsed, VoltagePlan, Wordline};
use crate::tables::{Rates, Rest, Sample, Spreads, error_rates, spreads};
use config::{ConfigError, Section};
use std::collections::BTreeMap;

/// Constant: greatest program step that is allowed, relative to the voltage set's own step: with larger pulses, cells
/// would skip whole states.
const STEP_MOST: f64 = 4.0;
const CHIP_TRAPPING: u64 = 0;

/// State of a chip simulated by the model of its cells; each block's state is made when the block is first accessed.
pub struct SimulatedChip {
    identity: Identity,
    physics: CellPhysics,
    plan: usize,
    /// Program step (voltage increase per pulse), relative to the step of the voltage set in use. `stepped` is that
    /// voltage set with the changed step.
    step: f64,
    pulses_of_plan: u32,
    stepped: VoltagePlan,
    stream: Stream,
    trapping: f64,
    blocks: BTreeMap<u32, Block>,
    bench: Bench,
    /// Working memory for the cells of the wordline that was read last, as the read found them; the next read reuses
    /// it.
    seen: Wordline,
}

impl SimulatedChip {
    /// Makes a chip that is simulated by its cells from the contents of a chip file, given as the configuration section
    /// `nand`; all random variation of blocks and cells follows from `seed`.
    ///
    /// # Errors
    /// When a key is wrong, or the file has no `[cells]`.
    pub fn read(root: &mut Section, nand: &mut Section, seed: u64) -> Result<Self, ConfigError> {
        let ChipFile { identity, physics, rig, .. } = ChipFile::read(root, nand)?;
        let Some(physics) = physics else {
            return Err(
                nand.reject("cells", "missing: a chip on the bench needs its cells ([cells] of its file)")
            );
        };
        let stream = Stream::new(seed);
        let trapping = libm::exp(physics.wear.chip_spread * stream.of(u64::MAX).normal(CHIP_TRAPPING));
        let bench = Bench::new(
            [physics.retention.activation_ev, physics.uneven.activation_ev],
            physics.retention.reference_celsius,
            rig,
            stream,
        );
        Ok(Self {
            identity,
            stepped: physics.plans[0].clone(),
            pulses_of_plan: physics.program.max_pulses,
            physics,
            plan: 0,
            step: 1.0,
            stream,
            trapping,
            blocks: BTreeMap::new(),
            bench,
            seen: Wordline::none(),
        })
    }

    fn bits(&self) -> u32 {
        self.physics.cell.bits()
    }

    fn cells(&self) -> usize {
        self.identity.page_bytes() * 8
    }

    fn plan(&self) -> &VoltagePlan {
        &self.stepped
    }

    fn block(&mut self, number: u32) -> &mut Block {
        let (physics, stream, trapping) = (&self.physics, self.stream, self.trapping);
        let wordlines = self.identity.geometry.pages_per_block / physics.cell.bits();
        self.blocks.entry(number).or_insert_with(|| Block::new(physics, stream, trapping, number, wordlines))
    }

    /// Returns the names of the chip's voltage sets (verify levels and read references), the default set first.
    pub fn plans(&self) -> Vec<&str> {
        self.physics.plans.iter().map(|plan| plan.name.as_str()).collect()
    }

    /// Selects the voltage set (verify levels, read references) of this name for all programs and reads from now on,
    /// and returns the set.
    ///
    /// # Errors
    /// When the chip has no voltage set of this name.
    pub fn use_plan(&mut self, name: &str) -> Result<&VoltagePlan, String> {
        let known = self.physics.plans.iter().position(|plan| plan.name == name);
        self.plan = known
            .ok_or_else(|| format!("voltage plan {name:?}: expected one of {}", self.plans().join(", ")))?;
        self.stepped = self.physics.plans[self.plan].with_step(self.step);
        Ok(self.plan())
    }

    /// Sets the program step (voltage increase per pulse) of the last pass to `times` the voltage set's own step for
    /// all programs from now on: a finer step makes programs slower, and raises the permitted number of pulses in
    /// proportion.
    ///
    /// # Errors
    /// When the step is not above zero, or more than four times the voltage set's own step.
    pub fn use_step(&mut self, times: f64) -> Result<(), String> {
        if !(times > 0.0 && times <= STEP_MOST) {
            return Err(format!(
                "program step {times}: expected above 0, at most {STEP_MOST} times the usual one"
            ));
        }
        self.step = times;
        // Finer pulses are more pulses: the part is allowed as many more.
        let budget = (f64::from(self.pulses_of_plan) / times.min(1.0)).ceil();
        self.physics.program.max_pulses = budget as u32;
        self.stepped = self.physics.plans[self.plan].with_step(times);
        Ok(())
    }

    /// Returns the mean raw bit error rates of the flash part's blocks after each of `rests` (retention time and number
    /// of reads), with the voltage set and program step in use. At least `cells` cells of each block in the sample are
    /// simulated, of all layers or of the layer with rank `layer`, from 0 (best) to 1 (worst). See [`error_rates`].
    ///
    /// # Errors
    /// When a condition is impossible.
    pub fn error_rates(
        &self,
        pe_cycles: f64,
        rests: &[Rest],
        cells: usize,
        layer: Option<f64>,
    ) -> Result<Vec<Rates>, String> {
        let sample = self.sample(pe_cycles, rests, cells, layer)?;
        Ok(error_rates(&self.physics, self.plan(), sample, pe_cycles, rests))
    }

    /// Returns how the threshold voltages of each state are distributed after each of `rests` (retention time and
    /// number of reads), with the voltage set and program step in use: the mean of the part's blocks, or the block with
    /// rank `block`, from 0 (traps least) to 1 (traps most). See [`spreads`].
    ///
    /// # Errors
    /// When a condition is impossible.
    pub fn spreads(
        &self,
        pe_cycles: f64,
        rests: &[Rest],
        cells: usize,
        block: Option<f64>,
    ) -> Result<Vec<Spreads>, String> {
        let sample = self.sample(pe_cycles, rests, cells, None)?;
        if block.is_some_and(|rank| !(rank > 0.0 && rank < 1.0)) {
            return Err("block: expected a rank between 0, the best, and 1, the worst".to_owned());
        }
        Ok(spreads(&self.physics, self.plan(), (sample, block), pe_cycles, rests))
    }

    fn sample(
        &self,
        pe_cycles: f64,
        rests: &[Rest],
        cells: usize,
        layer: Option<f64>,
    ) -> Result<Sample, String> {
        let aged = rests.iter().all(|rest| rest.elapsed.late_s >= 0.0 && rest.elapsed.uneven_s >= 0.0);
        if cells == 0 || pe_cycles < 0.0 || !aged {
            return Err("expected at least one cell, and no wear or age below zero".to_owned());
        }
        if layer.is_some_and(|rank| !(rank > 0.0 && rank < 1.0)) {
            return Err("layer: expected a rank between 0, the best, and 1, the worst".to_owned());
        }
        let wordlines = self.identity.geometry.pages_per_block / self.bits();
        Ok(Sample {
            wordlines: cells.div_ceil(self.cells()) + 1,
            cells: self.cells().min(cells),
            block_cells: self.cells() as f64 * f64::from(wordlines),
            passes: u64::from(wordlines) * self.physics.program.passes.len() as u64,
            seed: self.stream.bits(u64::MAX),
            layer,
        })
    }

    /// Converts a retention time of `seconds` at `celsius` degrees, or at the reference temperature if `None`, to
    /// equivalent seconds at the reference temperature for both kinds of charge loss.
    pub fn elapsed(&self, seconds: f64, celsius: Option<f64>) -> Elapsed {
        let physics = &self.physics;
        let at = celsius.unwrap_or(physics.retention.reference_celsius);
        Elapsed::at(seconds, at, &physics.retention, &physics.uneven)
    }

    /// Returns the parameters of the chip's cells: voltages, timing, wear, charge loss and coupling.
    pub fn physics(&self) -> &CellPhysics {
        &self.physics
    }

    /// Returns the threshold voltage of each cell of a wordline as a read would sense it now, in volts.
    ///
    /// # Errors
    /// When there is no such wordline.
    pub fn threshold_voltages(&mut self, block: u32, wordline: u32) -> Result<Vec<f32>, String> {
        self.identity.check(block, wordline * self.bits())?;
        let cells = self.cells();
        let now = self.bench.equivalent;
        self.block(block);
        let mut seen = Wordline::none();
        look(&mut seen, &self.physics, &self.blocks[&block], wordline, cells, now);
        Ok(seen.into_volts())
    }

    /// Simulates the threshold staircases of the first `cells` cells of an erased wordline while they are programmed to
    /// all states in turn. Returns for each cell its state, and its threshold (V) before the first pulse and after each
    /// pulse.
    ///
    /// # Errors
    /// When there is no such wordline.
    pub fn staircases(
        &mut self,
        block: u32,
        wordline: u32,
        cells: u32,
    ) -> Result<Vec<(usize, Vec<f64>)>, String> {
        self.identity.check(block, wordline * self.bits())?;
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

/// Sets `seen`, the working memory for one wordline, to the cells of a wordline as a read finds them now: with
/// coupling, disturb and charge loss since the program.
fn look(
    seen: &mut Wordline,
    physics: &CellPhysics,
    block: &Block,
    wordline: u32,
    cells: usize,
    now: Elapsed,
) {
    let mut condition = block.condition(physics, wordline as usize);
    match block.written.get(&wordline) {
        None => {
            block.fresh_in(seen, physics, wordline, cells);
            seen.age(physics, &condition, Elapsed::default(), block.reads);
        }
        Some(written) => {
            seen.become_copy(&written.cells);
            let later = block.programs - written.programs;
            condition.dwell_s = written.at.late_s / block.cycles.max(1) as f64;
            seen.disturb(physics, physics.program_disturb * later as f64);
            seen.age(physics, &condition, now.since(written.at), block.reads);
        }
    }
}

/// Packs the bits of a page, given one per byte, into bytes; the first of eight bits becomes the highest.
fn packed(bits: &[u8]) -> Vec<u8> {
    // Each bit is moved to its place by one of the terms; no two of them meet.
    const TO_PLACES: u64 = 0x8040_2010_0804_0201;
    let (eights, _) = bits.as_chunks::<8>();
    eights.iter().map(|eight| (u64::from_le_bytes(*eight).wrapping_mul(TO_PLACES) >> 56) as u8).collect()
}

/// Returns the state of each cell from the data of a wordline's pages; bits of pages not yet programmed count as one.
fn states_of(physics: &CellPhysics, pages: &[&[u8]], cells: usize) -> Vec<u8> {
    let bits = physics.cell.bits() as usize;
    let mut by_bits = [0u8; 16];
    for (state, digits) in physics.states.iter().enumerate() {
        let index = digits.bytes().fold(0, |index, digit| index << 1 | usize::from(digit - b'0'));
        by_bits[index] = state as u8;
    }
    let mut states = Vec::with_capacity(cells);
    // The first bit of a page is the highest of its first byte.
    for byte in 0..cells / 8 {
        let mut row = [0xff; 4];
        for (row, data) in row.iter_mut().zip(pages) {
            *row = data[byte];
        }
        states.extend((0..8).rev().map(|shift| {
            let index = row[..bits].iter().fold(0, |index, byte| index << 1 | usize::from(byte >> shift & 1));
            by_bits[index]
        }));
    }
    states
}

/// Returns the fraction (0 to 1) of the cells in each state.
fn shares_of(states: &[u8]) -> [f64; 16] {
    // In turn into four counters: one alone would wait for itself where neighbours are alike.
    let mut counts = [[0u32; 16]; 4];
    for four in states.chunks(4) {
        for (counts, state) in counts.iter_mut().zip(four) {
            counts[usize::from(*state)] += 1;
        }
    }
    std::array::from_fn(|state| {
        f64::from(counts.iter().map(|counts| counts[state]).sum::<u32>()) / states.len() as f64
    })
}

impl ChipInterface for SimulatedChip {
    fn identify(&self) -> &Identity {
        &self.identity
    }

    fn read(&mut self, number: u32, page: u32) -> Result<PageRead, String> {
        self.identity.check(number, page)?;
        let (bits, cells, bytes) = (self.bits(), self.cells(), self.identity.page_bytes());
        let (wordline, bit) = (page / bits, (page % bits) as usize);
        let busy_ns = self.physics.t_read(page % bits).ns();
        let now = self.bench.equivalent;
        self.block(number).reads += 1;
        let block = &self.blocks[&number];
        if block.bad {
            let answer = self.bench.answer(Status::Protected, 0);
            return Ok(PageRead { status: answer.status, busy_ns: 0, data: vec![0xff; bytes] });
        }
        let pages = block.written.get(&wordline).map_or(bits, |written| written.pages) as usize;
        let (references, states) = self.physics.early_references(self.plan(), pages);
        let one = |group: usize| bit >= pages || self.physics.states[states[group]].as_bytes()[bit] == b'1';
        let flips: Vec<f64> = (0..references.len())
            .filter(|&group| one(group) != one(group + 1))
            .map(|group| references[group])
            .collect();
        look(&mut self.seen, &self.physics, block, wordline, cells, now);
        let data = packed(&self.seen.sense_bits(u8::from(one(0)), &flips));
        let answer = self.bench.answer(Status::Ok, busy_ns);
        Ok(PageRead { status: answer.status, busy_ns: answer.busy_ns, data })
    }

    fn program(&mut self, number: u32, page: u32, data: &[u8]) -> Result<Answer, String> {
        self.identity.check(number, page)?;
        self.identity.check_data(data)?;
        let (bits, cells) = (self.bits(), self.cells());
        let block = self.block(number);
        if block.bad {
            return Ok(self.bench.answer(Status::Protected, 0));
        }
        if block.next_page != page {
            return Ok(self.bench.answer(Status::Fail, 0));
        }
        block.next_page += 1;
        block.waiting.push(data.to_vec());
        let (wordline, bit) = (page / bits, page % bits);
        if !self.physics.two_step && bit + 1 < bits {
            return Ok(self.bench.answer(Status::Ok, 0));
        }
        let pass = self.physics.pass_of(bit);
        let at = self.bench.equivalent;
        let mut block = self.blocks.remove(&number).expect("it was just there");
        let (busy_ns, ok) = self.write(&mut block, wordline, bit, pass, cells, at);
        block.bad |= !ok;
        self.blocks.insert(number, block);
        Ok(self.bench.answer(if ok { Status::Ok } else { Status::Fail }, busy_ns))
    }

    fn erase(&mut self, number: u32) -> Result<Answer, String> {
        self.identity.check(number, 0)?;
        let (celsius, cells) = (self.bench.celsius, self.cells());
        self.block(number);
        let physics = &self.physics;
        let block = self.blocks.get_mut(&number).expect("it was just made");
        if block.bad {
            return Ok(self.bench.answer(Status::Protected, 0));
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
        Ok(self.bench.answer(if ok { Status::Ok } else { Status::Fail }, busy_ns))
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
        let cells = self.cells();
        self.block(number);
        let mut block = self.blocks.remove(&number).expect("it was just made");
        if block.bad {
            self.blocks.insert(number, block);
            self.bench.answer(Status::Protected, 0);
            return Ok(Vec::new());
        }
        let cycling = Cycling {
            physics: &self.physics,
            plan: self.plan(),
            celsius: self.bench.celsius,
            pages_per_block: self.identity.geometry.pages_per_block,
            cells,
            rig: &self.bench.rig,
            noise: self.bench.noise_of(number),
        };
        let done = cycling.run(&mut block, cycles, pattern, pages);
        let status = if block.bad { Status::Fail } else { Status::Ok };
        let last_erase = last_erase(&block.logged, block.cycles, cycling.rig, cycling.noise);
        self.blocks.insert(number, block);
        let (rows, busy_ns) = done?;
        self.bench.pass(busy_ns);
        self.bench.last = Answer { status, busy_ns: last_erase };
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

impl SimulatedChip {
    /// Programs the page data collected for a wordline into its cells. Returns the busy time (ns), and false if some
    /// cell did not reach its target within the permitted number of pulses.
    fn write(
        &self,
        block: &mut Block,
        wordline: u32,
        bit: u32,
        pass: usize,
        cells: usize,
        at: Elapsed,
    ) -> (u64, bool) {
        let physics = &self.physics;
        let condition = block.condition(physics, wordline as usize);
        let pages: Vec<&[u8]> = block.waiting.iter().map(Vec::as_slice).collect();
        let states = states_of(physics, &pages, cells);
        let (mut volts, before) = match block.written.remove(&wordline) {
            Some(written) => (written.cells, written.stress),
            None => (block.fresh(physics, wordline, cells), 0),
        };
        let below = wordline.checked_sub(1).and_then(|below| block.written.get_mut(&below));
        let below = below.map(|below| &mut below.cells);
        let pulses = volts.program(physics, self.plan(), pass, &states, &condition, below);
        let stress = micro(physics.program_stress(self.plan(), pass, &shares_of(&states))).max(before);
        let passed = |stress: u64| block.pace.stress(stress, block.erases, 1);
        block.stress[wordline as usize].programmed += passed(stress) - passed(before);
        if bit + 1 == self.bits() {
            block.waiting.clear();
        }
        block.programs += 1;
        let programs = block.programs;
        let written = Written { cells: volts, states, pages: bit + 1, stress, at, programs };
        block.written.insert(wordline, written);
        let most = pulses.iter().copied().max().unwrap_or(0);
        let ok = most <= physics.program.max_pulses;
        let shown: Vec<u32> = pulses.iter().map(|pulses| (*pulses).min(physics.program.max_pulses)).collect();
        (physics.t_prog(self.plan(), pass, &shown).ns(), ok)
    }
}
