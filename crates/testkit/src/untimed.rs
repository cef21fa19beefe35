//! A flash translation layer without time: one open block, page mapping, and a victim policy under test.
//!
//! Its space is counted as the closed forms count it: `usable` closed blocks beside one open block, which takes
//! both what the host writes and what is moved. When the open block is full a victim is taken from the closed
//! blocks, its valid units are moved to a spare block, which is now open, and the victim becomes the spare.

use engine::RandomStream;
use ftl::Blocks;
use ftl::gc::victim::{VictimPolicy, VictimView};
use units::SuperblockId;

const NONE: u32 = u32::MAX;

/// Set of the settings of the untimed test model of a flash translation layer: numbers of blocks and units, and the
/// pattern of the host's writes.
#[derive(Clone, Copy, Debug)]
pub struct ModelShape {
    /// Setting of the untimed test model: number of closed blocks among which garbage collection chooses the victim.
    pub usable: u32,
    /// Setting of the untimed test model: number of blocks that the user data fill completely; `usable` divided by this
    /// number is the ratio alpha of usable to user capacity.
    pub user: u32,
    /// Setting of the untimed test model: number of mapping units in a block.
    pub units: u32,
    /// Setting of the untimed test model: fraction of the host's writes that goes to hot (often written) units, from 0
    /// to 1.
    pub hot_writes: f64,
    /// Setting of the untimed test model: fraction of the logical units that is hot (often written), from 0 to 1. If it
    /// equals `hot_writes`, the writes are uniform.
    pub hot_space: f64,
}

impl ModelShape {
    /// Makes the settings of a model with uniform random writes, `usable` blocks of `units` units, and user data that
    /// fill `usable / alpha` blocks.
    pub fn uniform(usable: u32, alpha: f64, units: u32) -> Self {
        let user = (f64::from(usable) / alpha).round() as u32;
        Self { usable, user, units, hot_writes: 0.5, hot_space: 0.5 }
    }

    /// Returns the ratio of usable to user blocks, which rounding to whole blocks may have changed from the wanted
    /// ratio.
    pub fn alpha(&self) -> f64 {
        f64::from(self.usable) / f64::from(self.user)
    }
}

/// State of an untimed test model of a flash translation layer with page mapping, one open block for host writes and
/// relocations, and the garbage collection victim policy under test.
pub struct Model {
    shape: ModelShape,
    policy: Box<dyn VictimPolicy>,
    /// List with, for each logical unit, the physical unit at which it lies; `NONE` where it was never written.
    home: Vec<u32>,
    /// List with, for each physical unit, the logical unit whose valid data it holds; `NONE` where the data are invalid
    /// or absent.
    holder: Vec<u32>,
    valid: Vec<u32>,
    closed_at: Vec<u64>,
    streams: Vec<u8>,
    pe_cycles: Vec<u32>,
    candidates: Vec<SuperblockId>,
    position: Vec<u32>,
    free: Vec<u32>,
    open: u32,
    filled: u32,
    clock: u64,
    host: u64,
    draws: RandomStream,
    policy_draws: RandomStream,
}

impl Model {
    /// Makes an untimed model of a drive to which nothing is written yet; `policy` chooses the victims of garbage
    /// collection.
    ///
    /// # Panics
    /// When the user data leave less than one block of over-provisioning.
    pub fn new(shape: ModelShape, mut policy: Box<dyn VictimPolicy>, seed: u64) -> Self {
        assert!(shape.user < shape.usable, "no room for garbage: {shape:?}");
        // The open block and the spare.
        let blocks = shape.usable + 2;
        policy.attach(blocks, shape.units);
        Self {
            shape,
            policy,
            home: vec![NONE; (shape.user * shape.units) as usize],
            holder: vec![NONE; (blocks * shape.units) as usize],
            valid: vec![0; blocks as usize],
            closed_at: vec![0; blocks as usize],
            streams: vec![0; blocks as usize],
            pe_cycles: vec![0; blocks as usize],
            candidates: Vec::with_capacity(blocks as usize),
            position: vec![NONE; blocks as usize],
            free: (1..blocks).rev().collect(),
            open: 0,
            filled: 0,
            clock: 0,
            host: 0,
            draws: RandomStream::new(seed, "untimed.host"),
            policy_draws: RandomStream::new(seed, "untimed.policy"),
        }
    }

    /// Writes every logical unit of the model once, in ascending order.
    pub fn fill(&mut self) {
        for unit in 0..self.home.len() as u32 {
            self.write(unit);
        }
    }

    /// Simulates `count` host writes of one unit each, at random addresses by the model's hot and cold fractions.
    pub fn write_random(&mut self, count: u64) {
        let units = self.home.len() as u64;
        let hot = (units as f64 * self.shape.hot_space).round() as u64;
        for _ in 0..count {
            let unit = if self.draws.chance(self.shape.hot_writes) {
                self.draws.below(hot)
            } else {
                hot + self.draws.below(units - hot)
            };
            self.write(unit as u32);
        }
    }

    /// Simulates `count` random host writes, to hot and cold units, in the untimed test model and returns their write
    /// amplification: all units written, moved ones included, per unit that the host wrote.
    pub fn amplification(&mut self, count: u64) -> f64 {
        let (clock, host) = (self.clock, self.host);
        self.write_random(count);
        (self.clock - clock) as f64 / (self.host - host) as f64
    }

    /// Simulates a host write of logical unit `unit`; if the open block is full after it, closes it and opens another,
    /// with garbage collection where no free block but the spare is left.
    fn write(&mut self, unit: u32) {
        let old = self.home[unit as usize];
        if old != NONE {
            self.invalidate(old);
        }
        self.host += 1;
        self.place(unit);
        if self.filled == self.shape.units {
            self.close();
            self.reopen();
        }
    }

    fn invalidate(&mut self, place: u32) {
        let block = place / self.shape.units;
        self.holder[place as usize] = NONE;
        self.valid[block as usize] -= 1;
        if self.position[block as usize] != NONE {
            self.policy.on_invalidate(SuperblockId(block), self.valid[block as usize]);
        }
    }

    fn place(&mut self, unit: u32) {
        let place = self.open * self.shape.units + self.filled;
        self.filled += 1;
        self.clock += 1;
        self.home[unit as usize] = place;
        self.holder[place as usize] = unit;
        self.valid[self.open as usize] += 1;
    }

    fn close(&mut self) {
        let block = self.open;
        self.closed_at[block as usize] = self.clock;
        self.position[block as usize] = self.candidates.len() as u32;
        self.candidates.push(SuperblockId(block));
        self.policy.on_close(SuperblockId(block), self.valid[block as usize]);
    }

    /// Opens a free block for the next writes; if this was the last free block (the spare), garbage collection takes a
    /// victim, moves its valid units into the opened block first, and makes the victim the free block.
    fn reopen(&mut self) {
        loop {
            self.open = self.free.pop().expect("a spare block is always left");
            self.filled = 0;
            if !self.free.is_empty() {
                return;
            }
            let victim = self.take_victim();
            for place in victim * self.shape.units..(victim + 1) * self.shape.units {
                let unit = self.holder[place as usize];
                if unit != NONE {
                    self.holder[place as usize] = NONE;
                    self.valid[victim as usize] -= 1;
                    self.place(unit);
                }
            }
            self.pe_cycles[victim as usize] += 1;
            self.free.push(victim);
            if self.filled < self.shape.units {
                return;
            }
            self.close();
        }
    }

    fn take_victim(&mut self) -> u32 {
        let mut view = VictimView {
            candidates: &self.candidates,
            blocks: Blocks {
                valid_units: &self.valid,
                pe_cycles: &self.pe_cycles,
                closed_at: &self.closed_at,
                streams: &self.streams,
            },
            clock: self.clock,
            units_per_superblock: self.shape.units,
            random: &mut self.policy_draws,
        };
        let victim = self.policy.pick(&mut view).expect("there are candidates");
        let at = std::mem::replace(&mut self.position[victim.index()], NONE);
        assert_ne!(at, NONE, "{victim} is not a candidate");
        self.candidates.swap_remove(at as usize);
        if let Some(moved) = self.candidates.get(at as usize) {
            self.position[moved.index()] = at;
        }
        self.policy.on_reclaim(victim);
        victim.0
    }
}
