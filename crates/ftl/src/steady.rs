//! The translation layer without time: filling and overwriting a drive fast, and constructing the state
//! that this would end in.
//!
//! Data moves by the same map, space and policies as in a timed run; only the flash operations take no time,
//! and nothing is in flight. Not modelled here: program failures, and programs larger than a unit (frontiers
//! are completed to a whole program unit when time begins again).

use crate::PageMapped;
use crate::space::{Frontier, NONE, SuperblockState};
use controller::Origin;
use engine::{Permutation, RandomStream};
use units::{Lpn, Ppa};

const HOST: usize = 0;

/// When write amplification counts as steady: over the last `windows` windows of `window` logical drive
/// writes each, it stays within `tolerance` (relative) of its mean, and a straight line through them changes
/// by no more than half of that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyRule {
    /// Length of a window, in overwrites of the filled space.
    pub window: f64,
    /// How many windows are compared.
    pub windows: usize,
    /// The largest relative excursion.
    pub tolerance: f64,
    /// Overwrites after which the drive is taken as it is, and said to be so.
    pub limit: f64,
}

impl Default for SteadyRule {
    fn default() -> Self {
        Self { window: 0.25, windows: 5, tolerance: 0.02, limit: 20.0 }
    }
}

/// Write amplification window by window, and the verdict.
#[derive(Clone, Debug)]
pub struct SteadyWindow {
    rule: SteadyRule,
    /// Write amplification of each window so far.
    pub history: Vec<f64>,
}

impl SteadyWindow {
    /// Nothing measured yet.
    pub fn new(rule: SteadyRule) -> Self {
        Self { rule, history: Vec::new() }
    }

    /// Adds a window; true when the rule holds.
    pub fn push(&mut self, waf: f64) -> bool {
        self.history.push(waf);
        self.is_steady()
    }

    /// True when the rule holds for the last windows.
    pub fn is_steady(&self) -> bool {
        let count = self.rule.windows;
        let Some(last) = self.history.len().checked_sub(count).map(|from| &self.history[from..]) else {
            return false;
        };
        let mean = last.iter().sum::<f64>() / count as f64;
        let excursion = last.iter().map(|waf| (waf / mean - 1.0).abs()).fold(0.0, f64::max);
        let centre = (count - 1) as f64 / 2.0;
        let covariance: f64 =
            last.iter().enumerate().map(|(i, waf)| (i as f64 - centre) * (waf - mean)).sum();
        let variance: f64 = (0..count).map(|i| (i as f64 - centre).powi(2)).sum();
        let change = (covariance / variance * (count - 1) as f64 / mean).abs();
        excursion <= self.rule.tolerance && change <= self.rule.tolerance / 2.0
    }

    /// True when the limit of overwrites is reached.
    pub fn is_exhausted(&self) -> bool {
        self.history.len() as f64 * self.rule.window >= self.rule.limit
    }
}

/// How full closed superblocks are in steady state: what a constructed state copies from a small drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Valid fraction of each closed superblock, the one closed first coming first.
    pub valid_fraction: Vec<f64>,
    /// Superblocks free or open.
    pub not_closed: u32,
}

/// The next `count` (at most 64) of `units` places, one bit each, of which `left` are to be chosen uniformly.
#[inline]
fn sample_mask(units: u32, count: u32, left: &mut u32, random: &mut RandomStream) -> u64 {
    let mut mask = 0u64;
    let mut bits = 0u64;
    for place in 0..count {
        // Half a random word serves for one place: the bias is below 2^-32 times the superblock's size.
        bits = if place % 2 == 0 { random.bits() } else { bits >> 32 };
        let draw = ((bits & 0xFFFF_FFFF) * u64::from(units - place)) >> 32;
        let chosen = draw < u64::from(*left);
        mask |= u64::from(chosen) << place;
        *left -= u32::from(chosen);
    }
    mask
}

impl PageMapped {
    /// Writes one unit in no time.
    ///
    /// # Panics
    /// When no die has room, which [`PageMapped::new`] has ruled out for logical units while no block fails.
    pub fn write_untimed(&mut self, lpn: Lpn) {
        assert!(self.try_write_untimed(lpn), "no die has room for another unit: {}", self.explain_stall());
    }

    /// Writes one unit in no time; false when no die has room for it, as blocks that failed can bring about.
    pub fn try_write_untimed(&mut self, lpn: Lpn) -> bool {
        self.look_up_untimed(lpn);
        if !self.put_host_untimed(lpn, Origin::Host) {
            return false;
        }
        self.stats.units_written += 1;
        self.write_map_untimed();
        true
    }

    /// Writes one unit, of the host's or of the map, to the host's open superblocks in no time; false when no die has
    /// room for it.
    pub(crate) fn put_host_untimed(&mut self, lpn: Lpn, origin: Origin) -> bool {
        let dies = self.layout.dies as usize;
        debug_assert!(
            self.snapshots().is_none_or(|snapshots| snapshots.kept().len() == 0),
            "snapshots need time"
        );
        // Whole program units go to one die after the other, as they do in a timed run.
        let programs = self.stats.units_written / u64::from(self.layout.program_units);
        let start = (programs % dies as u64) as usize;
        let die = (0..dies)
            .map(|step| if start + step >= dies { start + step - dies } else { start + step })
            .find(|&die| self.make_room_untimed(die));
        let Some(die) = die else { return false };
        self.stats.units_programmed[origin as usize] += 1;
        // In mixed mode a collection may fill the superblock that was just opened.
        while self.space.dies[die].frontiers[HOST].superblock == NONE {
            assert!(self.space.open(die, HOST), "die {die} takes a write and has nothing to open");
            self.collect_untimed(die);
        }
        let old = self.map.lookup(lpn);
        self.put_untimed(die, HOST, lpn);
        self.space.dies[die].live += 1;
        if old != Ppa::NONE {
            let superblock = self.invalidate(old);
            self.space.dies[(superblock / self.space.per_die) as usize].live -= 1;
        }
        self.emptied.clear();
        true
    }

    /// True when the die can take a unit of the host's, after collecting if need be.
    fn make_room_untimed(&mut self, die: usize) -> bool {
        if self.space.dies[die].live >= self.space.dies[die].quota {
            return false;
        }
        if self.space.dies[die].frontiers[HOST].superblock == NONE {
            self.collect_untimed(die);
        }
        let space = &self.space.dies[die];
        space.frontiers[HOST].superblock != NONE || self.free_superblocks(die) >= 2 + self.spare
    }

    /// Puts a unit into the open superblock of a stream and makes it the unit's home.
    #[inline]
    fn put_untimed(&mut self, die: usize, stream: usize, lpn: Lpn) {
        let space = &mut self.space.dies[die];
        space.clock += 1;
        let frontier = &mut space.frontiers[stream];
        let superblock = frontier.superblock;
        let global = die as u32 * self.layout.superblocks_per_die + superblock;
        let ppa = Ppa(self.layout.first_ppa(global) + frontier.next_unit);
        frontier.next_unit += 1;
        let (first, full) = (frontier.next_unit == 1, frontier.next_unit == self.layout.data_units());
        self.map.assign(ppa, lpn);
        self.note_change(lpn);
        self.map.set(lpn, ppa);
        self.space.valid[global as usize] += 1;
        if full {
            self.space.dies[die].frontiers[stream] = Frontier::CLOSED;
            self.array.restore(global as usize, self.layout.rows);
            self.stats.units_programmed[Origin::Map as usize] += u64::from(self.layout.summary_units);
            self.note_closed(global as usize);
            self.space.close(die, superblock);
        }
        if (first || full) && self.parity.is_some() {
            let programs = if full { self.layout.superblock_units / self.layout.program_units } else { 1 };
            self.note_written_untimed(global, programs);
        }
    }

    fn collect_untimed(&mut self, die: usize) {
        while self.trigger.foreground(&self.trigger_view(die)) {
            let Some(victim) = self.space.pick_victim(die) else { return };
            let global = self.space.global(die, victim) as u32;
            if self.parity.is_some() {
                if !self.reclaim_group_untimed(global, Origin::Gc) {
                    return;
                }
                continue;
            }
            if !self.has_room_untimed(die, self.space.valid[global as usize]) {
                return;
            }
            self.space.take(die, victim);
            self.move_all_untimed(die, global, Origin::Gc);
            self.erase_untimed(die, victim);
        }
    }

    pub(crate) fn move_all_untimed(&mut self, die: usize, global: u32, origin: Origin) {
        let stream = usize::from(!self.mixed);
        let first = self.layout.first_ppa(global);
        for row in 0..self.layout.rows {
            let start = first + row * self.layout.row_units;
            let mut mask = self.map.valid_mask(start, self.layout.row_units);
            while mask != 0 {
                let old = Ppa(start + mask.trailing_zeros());
                mask &= mask - 1;
                if self.space.dies[die].frontiers[stream].superblock == NONE {
                    assert!(self.space.open(die, stream), "collection took a victim without room for it");
                }
                let lpn = self.map.holder(old);
                self.put_untimed(die, stream, lpn);
                self.invalidate(old);
                self.stats.units_programmed[origin as usize] += 1;
            }
        }
    }

    fn erase_untimed(&mut self, die: usize, superblock: u32) {
        let global = self.space.global(die, superblock);
        self.space.dies[die].erases += 1;
        self.stats.blocks_erased[Origin::Gc as usize] += u64::from(self.layout.planes);
        let wear = self.controller.wear_row(|| self.array.worn(die as u32, superblock));
        let done = self.array.erase(die as u32, superblock);
        if !done && self.array.retire(die as u32, superblock) == nand::RetireOutcome::Lost {
            self.lose_superblock(die, global);
            return;
        }
        self.space.pe_cycles[global] = self.array.pe_cycles(die as u32, superblock);
        self.observe_erase(die, superblock, wear);
        self.space.push_free(die, superblock);
        if let Some(cold) = self.space.pick_relocation(die, superblock) {
            self.space.take(die, cold);
            let cold_global = self.space.global(die, cold) as u32;
            if self.has_room_untimed(die, self.space.valid[cold_global as usize]) {
                self.move_all_untimed(die, cold_global, Origin::Gc);
                self.erase_untimed(die, cold);
            } else {
                self.space.close(die, cold);
            }
        }
    }

    pub(crate) fn has_room_untimed(&self, die: usize, units: u32) -> bool {
        let space = &self.space.dies[die];
        let left = space.frontiers[usize::from(!self.mixed)].left(&self.layout);
        left + self.free_superblocks(die) * self.layout.data_units() >= units
    }

    /// Wears every block by `times` times the cycles of `worn`: whole generations of the same erases.
    pub fn wear_on(&mut self, worn: &[u32], times: u32) {
        self.array.wear_on(worn, times);
        for die in 0..self.layout.dies as usize {
            for superblock in 0..self.layout.superblocks_per_die {
                let global = self.space.global(die, superblock);
                self.space.pe_cycles[global] = self.array.pe_cycles(die as u32, superblock);
            }
        }
    }

    /// Lets time begin again: open superblocks are completed to whole program units.
    pub fn settle(&mut self) {
        self.settle_map();
        for die in 0..self.layout.dies as usize {
            for stream in 0..2 {
                let frontier = &mut self.space.dies[die].frontiers[stream];
                let superblock = frontier.superblock;
                if superblock == NONE {
                    continue;
                }
                frontier.next_unit = frontier.next_unit.next_multiple_of(self.layout.program_units);
                let (next_unit, full) = (frontier.next_unit, frontier.next_unit == self.layout.data_units());
                if full {
                    *frontier = Frontier::CLOSED;
                }
                let global = self.space.global(die, superblock);
                let rows = if full { self.layout.rows } else { next_unit / self.layout.row_units };
                self.array.restore(global, rows);
                if full {
                    self.space.close(die, superblock);
                }
                self.note_written_untimed(global as u32, rows / self.layout.program_rows);
            }
            self.update_eligible(die);
        }
    }

    /// What the closed superblocks of the first die look like, oldest first.
    pub fn profile(&self) -> Profile {
        let space = &self.space.dies[0];
        let mut closed: Vec<usize> = space.candidates.iter().map(|superblock| superblock.index()).collect();
        closed.sort_by_key(|&superblock| (self.space.closed_at[superblock], superblock));
        let units = f64::from(self.layout.data_units());
        Profile {
            valid_fraction: closed.iter().map(|&at| f64::from(self.space.valid[at]) / units).collect(),
            not_closed: space.usable - closed.len() as u32,
        }
    }

    /// Builds the state that endless uniform random overwriting of the first `filled` units would end in:
    /// closed superblocks as full as `profile` says by age, the units themselves in random order.
    ///
    /// # Errors
    /// When the drive is not fresh or has too few superblocks for what is to be filled.
    pub fn construct_steady(&mut self, profile: &Profile, filled: u32, seed: u64) -> Result<(), String> {
        if self.stats.units_written > 0 || profile.valid_fraction.is_empty() {
            return Err("a state can be constructed in a fresh drive only".into());
        }
        let dies = self.layout.dies;
        let mut random = RandomStream::new(seed, "ftl.construct");
        let permutation = Permutation::draw(u64::from(filled), &mut random);
        let mut placed = 0u64;
        for die in 0..dies {
            let share = filled / dies + u32::from(die < filled % dies);
            let counts = self.steady_counts(die as usize, profile, share, &mut random)?;
            for valid in counts {
                self.construct_superblock(die as usize, valid, &permutation, &mut placed, &mut random);
            }
            self.space.dies[die as usize].live = share;
            self.update_eligible(die as usize);
        }
        if let Some(demand) = &mut self.demand {
            demand.fall_behind();
        }
        self.stats.units_written += u64::from(filled);
        self.stats.units_programmed[Origin::Host as usize] += u64::from(filled);
        Ok(())
    }

    /// How many units are valid in each closed superblock of a die, oldest first; together `share`.
    fn steady_counts(
        &self,
        die: usize,
        profile: &Profile,
        share: u32,
        random: &mut RandomStream,
    ) -> Result<Vec<u32>, String> {
        let space = &self.space.dies[die];
        let closed = space.usable.saturating_sub(profile.not_closed + self.cache_reserved()) as usize;
        let units = self.layout.data_units();
        if share > space.quota || u64::from(share) > closed as u64 * u64::from(units) {
            return Err(format!("die {die} has too few good superblocks to hold {share} mapping units"));
        }
        let drawn: Vec<f64> = (0..closed)
            .map(|i| {
                let at = (i as f64 + random.unit()) / closed as f64 * profile.valid_fraction.len() as f64;
                profile.valid_fraction[(at as usize).min(profile.valid_fraction.len() - 1)]
            })
            .collect();
        let scale = f64::from(share) / (drawn.iter().sum::<f64>() * f64::from(units));
        let mut counts: Vec<u32> =
            drawn.iter().map(|part| ((part * scale * f64::from(units)).round() as u32).min(units)).collect();
        let mut total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        while total != u64::from(share) {
            let count = &mut counts[random.below(closed as u64) as usize];
            if total < u64::from(share) && *count < units {
                *count += 1;
                total += 1;
            } else if total > u64::from(share) && *count > 0 {
                *count -= 1;
                total -= 1;
            }
        }
        Ok(counts)
    }

    fn construct_superblock(
        &mut self,
        die: usize,
        valid: u32,
        permutation: &Permutation,
        placed: &mut u64,
        random: &mut RandomStream,
    ) {
        self.space.open(die, HOST);
        let superblock = self.space.dies[die].frontiers[HOST].superblock;
        self.space.dies[die].frontiers[HOST] = Frontier::CLOSED;
        let global = self.space.global(die, superblock);
        let (units, first) = (self.layout.data_units(), self.layout.first_ppa(global as u32));
        let (forward, backward, valid_bits) = self.map.arrays_mut();
        let mut left = valid;
        for start in (0..units).step_by(64) {
            let count = (units - start).min(64);
            let mut mask = sample_mask(units - start, count, &mut left, random);
            while mask != 0 {
                let ppa = first + start + mask.trailing_zeros();
                mask &= mask - 1;
                let lpn = permutation.at(*placed) as u32;
                *placed += 1;
                forward[lpn as usize] = ppa;
                backward[ppa as usize] = lpn;
                valid_bits[ppa as usize / 64] |= 1 << (ppa % 64);
            }
        }
        self.space.valid[global] = valid;
        self.space.dies[die].clock += u64::from(units);
        self.space.state[global] = SuperblockState::Closed;
        self.array.restore(global, self.layout.rows);
        self.space.close(die, superblock);
    }
}
