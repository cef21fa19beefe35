//! Dies built as they are at moments of a steady state's history, each at one of its own.
//!
//! Left out: dies that differ in their bad blocks hold the same share of the data, as in a drive that is overwritten
//! in turns; what a policy learns (`latency-guided`) begins anew.

use crate::core::{Core, Roles};
use crate::media::Media;
use crate::pages::PageMapped;
use crate::store::{Frontier, SuperblockState};
use controller::Origin;

use crate::steady::drawn::Drawn;
use crate::steady::{Moment, SetMoment, UsedBlock};
use engine::{Permutation, RandomStream};

/// Draws a random number that is nearly normally distributed with mean 0 and variance 1, by additions alone, so that
/// the result is the same on every machine.
fn normal(random: &mut RandomStream) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

/// Type of the working state while a steady drive state is constructed in place of preconditioning: the map that is
/// being drawn at random, the random number stream, and the program/erase cycles given to superblocks.
struct Builder {
    drawn: Drawn,
    random: RandomStream,
    /// For each superblock of the drive, the number of program/erase cycles beyond the cycles that it had when new.
    cycles: Vec<u32>,
}

/// Record of the plan for one die in a constructed steady drive state: its closed superblocks with the number of valid
/// units of each, its open superblocks, and the superblock that garbage collection is reclaiming.
struct DiePlan {
    closed: Vec<(u32, UsedBlock)>,
    open: [Option<(u32, u32, u32)>; 2],
    victim: Option<(u32, u32)>,
}

impl PageMapped {
    /// Constructs the drive state to which endless uniform random overwriting of the first `filled` units would lead.
    /// Each die, or set of dies whose superblocks are reclaimed together, takes the state recorded in one of `moments`
    /// (states of a small simulated drive at various times), with the logical units in random order.
    ///
    /// # Errors
    /// When the drive is not fresh or has too few superblocks for `filled` units.
    pub fn construct_steady(&mut self, moments: &[SetMoment], filled: u32, seed: u64) -> Result<(), String> {
        if self.media.core.store.stats.units_written > 0 || moments.is_empty() {
            return Err("a state can be constructed in a fresh drive only".into());
        }
        let mut random = RandomStream::new(seed, "ftl.construct");
        let permutation = Permutation::draw(u64::from(filled), &mut random);
        let shares = self.media.core.draw_shares(filled, &mut random)?;
        let cycles = vec![0; self.media.core.store.layout.superblocks()];
        let drawn = Drawn::new(permutation, &self.media.core.store.layout);
        let mut builder = Builder { drawn, random, cycles };
        let mut order: Vec<usize> = (0..moments.len()).collect();
        for (set, shares) in shares.chunks(moments[0].dies.len()).enumerate() {
            // Dies are at different moments: none is drawn twice before all are.
            let at = set % order.len();
            let drawn = at + builder.random.below((order.len() - at) as u64) as usize;
            order.swap(at, drawn);
            self.media.construct_set(set, &moments[order[at]], shares, &mut builder)?;
        }
        self.media.core.store.map.lay(Box::new(builder.drawn));
        self.media.features.constructed();
        self.media.core.store.count_written(filled);
        self.media.core.store.stats.units_programmed[Origin::Host as usize] += u64::from(filled);
        Ok(())
    }
}

/// Returns the ratio of the number of the die's closed superblocks to that of the recorded state `moment`, by which the
/// recorded ages of superblocks are multiplied.
fn stretch(moment: &Moment, plan: &DiePlan) -> f64 {
    plan.closed.len() as f64 / moment.closed.len().max(1) as f64
}

impl Core {
    /// Draws at random how many of the `filled` units each die holds, and returns these numbers: equal shares with
    /// random deviations, of variance n / 2 for a mean share of n, as arise if dies are written in turns and units are
    /// overwritten at random.
    ///
    /// # Errors
    /// When the dies have too few good superblocks for all units.
    fn draw_shares(&self, filled: u32, random: &mut RandomStream) -> Result<Vec<u32>, String> {
        let dies = self.store.layout.dies;
        let sigma = (f64::from(filled) / f64::from(dies) / 2.0).sqrt();
        let drawn: Vec<f64> = (0..dies).map(|_| sigma * normal(random)).collect();
        let mean = drawn.iter().sum::<f64>() / f64::from(dies);
        let even = f64::from(filled) / f64::from(dies);
        let mut shares: Vec<u32> = (drawn.iter().zip(&self.store.space.dies))
            .map(|(drawn, die)| ((even + drawn - mean).max(0.0) as u32).min(die.quota))
            .collect();
        let mut left = i64::from(filled) - shares.iter().map(|share| i64::from(*share)).sum::<i64>();
        let room = |shares: &[u32]| -> i64 {
            shares.iter().zip(&self.store.space.dies).map(|(share, die)| i64::from(die.quota - share)).sum()
        };
        if left > room(&shares) {
            return Err(format!("there are too few good superblocks to hold {filled} mapping units"));
        }
        while left != 0 {
            let die = random.below(u64::from(dies)) as usize;
            if left > 0 {
                let more = (left.unsigned_abs().div_ceil(u64::from(dies)) as u32)
                    .min(self.store.space.dies[die].quota - shares[die]);
                shares[die] += more;
                left -= i64::from(more);
            } else if shares[die] > 0 {
                shares[die] -= 1;
                left += 1;
            }
        }
        Ok(shares)
    }

    fn construct_die(
        &mut self,
        die: usize,
        moment: &Moment,
        roles: Roles,
        share: u32,
        builder: &mut Builder,
    ) -> Result<(), String> {
        let plan = self.plan_die(die, roles, share, builder)?;
        let counts = self.valid_counts(die, &plan, share, &mut builder.random)?;
        self.wear_die(die, &builder.cycles);
        let (units, stretch) = (self.store.layout.data_units(), stretch(moment, &plan));
        let oldest = plan.closed.first().map_or(0.0, |(_, block)| block.age);
        let start = (oldest * stretch * f64::from(units)).ceil() as u64;
        for ((superblock, block), valid) in plan.closed.iter().zip(counts) {
            let global = self.store.space.global(die, *superblock);
            self.place(global, 0..units, valid, builder);
            self.store.array.restore(global, self.store.layout.rows);
            let age = (block.age * stretch * f64::from(units)) as u64;
            self.store.space.dies[die].clock = start - age;
            self.store.space.close(die, *superblock);
        }
        self.store.space.dies[die].clock = start;
        for stream in 0..2 {
            let Some((superblock, next_unit, valid)) = plan.open[stream] else { continue };
            let global = self.store.space.global(die, superblock);
            self.store.space.state[global] = SuperblockState::Open;
            self.store.space.dies[die].frontiers[stream] =
                Frontier { superblock, next_unit, ..Frontier::CLOSED };
            self.place(global, 0..next_unit, valid, builder);
        }
        if let (Some((superblock, valid)), Some(victim)) = (plan.victim, &moment.victim) {
            let global = self.store.space.global(die, superblock);
            self.store.space.state[global] = SuperblockState::Victim;
            self.store.array.restore(global, self.store.layout.rows);
            let row = self.row_of(victim.done);
            self.place(global, row * self.store.layout.row_units..units, valid, builder);
            let collection = &mut self.collections[die];
            (collection.mover.victim, collection.mover.next_row) = (superblock, row);
            (collection.pace.rate, collection.pace.credit) = (victim.rate, moment.credit * f64::from(units));
        }
        self.store.space.dies[die].live = share;
        Ok(())
    }

    fn row_of(&self, part: f64) -> u32 {
        (part * f64::from(self.store.layout.rows)).round() as u32
    }

    /// Plans the content of the superblocks of a die, which have the roles `roles`, so that they hold `share` valid
    /// units in all.
    ///
    /// # Errors
    /// When the die has too few good superblocks.
    fn plan_die(
        &self,
        die: usize,
        roles: Roles,
        share: u32,
        builder: &mut Builder,
    ) -> Result<DiePlan, String> {
        let (units, program) = (self.store.layout.data_units(), self.store.layout.program_units);
        let mut take = |(superblock, cycles): (u32, u32)| {
            builder.cycles[die * self.store.space.per_die as usize + superblock as usize] = cycles;
            superblock
        };
        let part = |part: f64| (part * f64::from(units)).round() as u32;
        let mut left = share;
        let mut hold = |valid: u32, room: u32| {
            let valid = valid.min(room).min(left);
            left -= valid;
            valid
        };
        let open = roles.open.map(|open| {
            let (superblock, block) = open?;
            let next_unit = part(block.written).next_multiple_of(program).min(units - program);
            let valid = hold(part(block.valid), next_unit);
            Some((take((superblock, block.cycles)), next_unit, valid))
        });
        let victim = roles.victim.map(|(superblock, block)| {
            let room = units.saturating_sub(self.row_of(block.done) * self.store.layout.row_units);
            (take((superblock, block.cycles)), hold(part(block.valid), room))
        });
        roles.free.into_iter().chain(roles.owned).for_each(|free| {
            take(free);
        });
        if roles.closed.is_empty() {
            return Err(format!("die {die} has too few good superblocks"));
        }
        for (superblock, block) in &roles.closed {
            take((*superblock, block.cycles));
        }
        Ok(DiePlan { closed: roles.closed, open, victim })
    }

    /// Returns the number of valid units of each closed superblock of a die, so that all superblocks of the die hold
    /// `share` in all. A difference to the recorded moment is distributed in proportion to the units that each
    /// superblock has lost.
    ///
    /// # Errors
    /// When the die has too few good superblocks to hold `share` units.
    fn valid_counts(
        &self,
        die: usize,
        plan: &DiePlan,
        share: u32,
        random: &mut RandomStream,
    ) -> Result<Vec<u32>, String> {
        let units = f64::from(self.store.layout.data_units());
        let others: u32 = plan.open.iter().flatten().map(|(_, _, valid)| valid).sum::<u32>()
            + plan.victim.map_or(0, |(_, valid)| valid);
        let wanted = share.saturating_sub(others);
        if share > self.store.space.dies[die].quota || f64::from(wanted) > plan.closed.len() as f64 * units {
            return Err(format!("die {die} has too few good superblocks to hold {share} mapping units"));
        }
        let garbage: f64 = plan.closed.iter().map(|(_, block)| 1.0 - block.valid).sum();
        let scale = (plan.closed.len() as f64 - f64::from(wanted) / units) / garbage.max(f64::MIN_POSITIVE);
        let mut counts: Vec<u32> = (plan.closed.iter())
            .map(|(_, block)| ((1.0 - (1.0 - block.valid) * scale).clamp(0.0, 1.0) * units).round() as u32)
            .collect();
        let mut total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        while total != u64::from(wanted) {
            let count = &mut counts[random.below(plan.closed.len() as u64) as usize];
            if total < u64::from(wanted) && f64::from(*count) < units {
                *count += 1;
                total += 1;
            } else if total > u64::from(wanted) && *count > 0 {
                *count -= 1;
                total -= 1;
            }
        }
        Ok(counts)
    }

    /// Maps the next logical units of the random order to `valid` randomly drawn places in range `range` of superblock
    /// `global`.
    fn place(&mut self, global: usize, range: std::ops::Range<u32>, valid: u32, builder: &mut Builder) {
        builder.drawn.place(global, range, valid, &mut builder.random);
        self.store.space.valid[global] = valid;
    }

    /// Adds to each superblock of a die that is not lost, in a constructed drive state, the program/erase cycles of the
    /// recorded superblock whose role (closed, open, free) it takes.
    fn wear_die(&mut self, die: usize, cycles: &[u32]) {
        for superblock in 0..self.store.layout.superblocks_per_die {
            let global = self.store.space.global(die, superblock);
            if self.store.space.state[global] != SuperblockState::Lost {
                self.store.array.wear_superblock(die as u32, superblock, cycles[global]);
                if self.store.space.state[global] != SuperblockState::Owned {
                    self.store.space.pe_cycles[global] = self.store.array.pe_cycles(die as u32, superblock);
                }
            }
        }
    }
}

impl Media {
    fn construct_set(
        &mut self,
        set: usize,
        moment: &SetMoment,
        shares: &[u32],
        builder: &mut Builder,
    ) -> Result<(), String> {
        if moment.groups.is_empty() {
            let roles = self.core.roles_of_die(set, &moment.dies[0], &mut builder.random)?;
            let free: Vec<u32> = roles.free.iter().map(|&(superblock, _)| superblock).collect();
            self.core.construct_die(set, &moment.dies[0], roles, shares[0], builder)?;
            free.into_iter().for_each(|superblock| self.core.store.space.push_free(set, superblock));
            self.core.store.space.dies[set].erases = moment.dies[0].erases;
            return Ok(());
        }
        let plan = self.features.plans_together(&mut self.core, set, moment, &mut builder.random);
        let plan = plan.expect("a moment of several dies is one of dies that work in step")?;
        let first = set * shares.len();
        for ((at, roles), &share) in plan.roles.into_iter().enumerate().zip(shares) {
            self.core.construct_die(first + at, &moment.dies[at], roles, share, builder)?;
        }
        self.features.begins_built(&mut self.core, &plan.groups);
        for (die, moment) in self.core.store.space.dies[first..].iter_mut().zip(&moment.dies) {
            die.erases = moment.erases;
        }
        Ok(())
    }
}
