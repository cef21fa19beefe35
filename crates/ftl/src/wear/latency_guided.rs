//! Wear is evened out by how long erases and programs take, which tells how much of its life a block has behind it.
//!
//! Times change in steps as a block wears, and the cycle of a step stands in nearly the same ratio to the cycle at which
//! the block will fail in all blocks of a part (docs/how-to/laboratory.md). A superblock whose times step earlier than those of
//! the others is therefore weaker by as much, and its cycles count for more. The policy learns from its own die when
//! superblocks step; nothing is written for it, and no chip has to be known.

use super::{Observed, WearPolicy, WearView};
use config::{Card, ConfigError, Policy, Section, at_least};
use std::collections::BTreeMap;
use units::{Nanos, SuperblockId};

/// Constant: number of kinds of operation, erase and program, whose times the wear levelling policy `latency-guided`
/// observes.
const KINDS: usize = 2;

/// Record of a superblock's last erase time and program time, and of the program/erase cycles at which these times last
/// changed, as the wear levelling policy observed them.
#[derive(Clone, Copy, Debug, Default)]
struct SuperblockSeen {
    /// Last erase time and last program time of the superblock, as the wear levelling policy `latency-guided` observed
    /// them; zero: not observed yet.
    times: [Nanos; KINDS],
    /// Numbers of program/erase cycles of the superblock when its erase time last rose, and its program time last fell;
    /// none before that, or if the time changed the other way since, as with a spare block.
    stepped: [Option<f64>; KINDS],
}

/// Record of statistics of the wear levelling policy `latency-guided`, for the superblocks of a die whose erase time,
/// or program time, changed to one certain value: their number, and the sum of their program/erase cycles at the
/// change.
#[derive(Clone, Copy, Debug, Default)]
struct TimeStep {
    superblocks: u32,
    cycles: f64,
}

/// Implementation of the wear levelling policy `latency-guided`: static wear levelling by estimated remaining life.
/// Looks at all candidates every `period` erases.
#[derive(Clone, Debug)]
pub struct LatencyGuided {
    period: u64,
    threshold: f64,
    seen: Vec<SuperblockSeen>,
    steps: BTreeMap<(usize, Nanos), TimeStep>,
}

impl Policy for LatencyGuided {
    const CARD: Card = Card {
        name: "latency-guided",
        rule: "like static, but cycles are weighted: if a superblock's erase and program times changed at \
               fewer cycles than the die's mean, its cycles count for more, by that ratio",
        paper: "Desnoyers, HotStorage 2009, section 4: latency measures the remaining lifetime and imposes no writes; the \
                rule is Floatgate's",
        not_modelled: "what was learnt is not part of a saved state; block mappings report no times, so that \
                       only cycles count",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        // What is learnt at one erase can make many superblocks look fresher: they move one by one, not at once.
        let period = section.within(at_least(2u64).because("a move ends with an erase, too")).or(
            "period",
            8u64,
            "erases of a die between two checks of its wear",
        )?;
        let help = "cycles of a mean superblock of difference above which data moves";
        let threshold: u32 = section.or("threshold", 20u32, help)?;
        Ok(Self { period, threshold: f64::from(threshold), seen: Vec::new(), steps: BTreeMap::new() })
    }
}

impl LatencyGuided {
    /// Converts the superblock's program/erase cycles to the number of cycles at which a superblock of mean strength
    /// would be equally worn.
    fn worn(&self, superblock: SuperblockId, pe_cycles: u32) -> f64 {
        let Some(seen) = self.seen.get(superblock.index()) else { return f64::from(pe_cycles) };
        let steps = (0..KINDS).filter_map(|kind| {
            let own = seen.stepped[kind]?;
            let step = self.steps.get(&(kind, seen.times[kind]))?;
            Some((own, step.cycles / f64::from(step.superblocks)))
        });
        // The last step says most: it comes nearest to the end.
        let last = steps.max_by(|a, b| a.0.total_cmp(&b.0));
        let ratio = last.map_or(1.0, |(own, mean)| mean / own);
        f64::from(pe_cycles) * ratio
    }

    fn note(&mut self, kind: usize, at: usize, time: Nanos, pe_cycles: u32) {
        let seen = &mut self.seen[at];
        let before = std::mem::replace(&mut seen.times[kind], time);
        if before == Nanos::ZERO || before == time {
            return;
        }
        // Erases become slower and programs quicker. The reverse says that a fresh block took the place of a failed one.
        let wore = if kind == 0 { time > before } else { time < before };
        seen.stepped[kind] = None;
        if wore {
            let cycles = f64::from(pe_cycles.max(1));
            seen.stepped[kind] = Some(cycles);
            let step = self.steps.entry((kind, time)).or_default();
            step.superblocks += 1;
            step.cycles += cycles;
        }
    }
}

impl WearPolicy for LatencyGuided {
    fn on_erase(&mut self, observed: &Observed) {
        let at = observed.superblock.index();
        if at >= self.seen.len() {
            self.seen.resize(at + 1, SuperblockSeen::default());
        }
        self.note(0, at, observed.erase, observed.pe_cycles);
        self.note(1, at, observed.program, observed.pe_cycles);
    }

    fn free_rank(&self, superblock: SuperblockId, pe_cycles: u32, _erases: u64) -> u64 {
        // Sixteenths of a cycle.
        (self.worn(superblock, pe_cycles) * 16.0) as u64
    }

    fn relocate(&mut self, view: &mut WearView<'_>) -> Option<SuperblockId> {
        if !view.erases.is_multiple_of(self.period) {
            return None;
        }
        let worn = |at: SuperblockId| self.worn(at, view.blocks.pe_cycles[at.index()]);
        let all = (0..view.blocks.pe_cycles.len() as u32).map(SuperblockId);
        let most = all.map(worn).max_by(f64::total_cmp)?;
        let age = |at: &SuperblockId| (view.blocks.closed_at[at.index()], at.0);
        let by_wear = |a: &SuperblockId, b: &SuperblockId| {
            worn(*a).total_cmp(&worn(*b)).then_with(|| age(a).cmp(&age(b)))
        };
        let least = view.candidates.iter().copied().min_by(by_wear)?;
        (most - worn(least) > self.threshold).then_some(least)
    }
}
