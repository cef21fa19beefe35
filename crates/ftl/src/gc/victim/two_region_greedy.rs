//! Fewest valid units within one of two regions: what the host wrote, and what was moved.

use super::greedy::Greedy;
use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::SuperblockId;

/// Implementation of a victim policy that picks the superblock with the fewest valid units in one of two sets (regions)
/// of superblocks: with host data, or with moved (cold) data. A region with less than a superblock's worth of garbage
/// is left out while the other has that much. A notification costs O(1), a choice O(victims chosen together).
#[derive(Clone, Debug)]
pub struct TwoRegionGreedy {
    cold_from: usize,
    regions: [Greedy; 2],
    /// For each superblock: index of its region (0 for host data, 1 for moved data), and its number of valid units
    /// while it is a candidate.
    blocks: Vec<(usize, u32)>,
    /// Number of invalid mapping units in the garbage collection candidates, one count for each of the two regions:
    /// index 0 for superblocks with host data, index 1 for superblocks with moved (cold) data.
    garbage: [u64; 2],
    /// List of the victims that were chosen together by the last choice of this policy and are still to be collected,
    /// the next victim last.
    round: Vec<SuperblockId>,
    units: u32,
}

const NORMAL: usize = 0;
const COLD: usize = 1;

impl Policy for TwoRegionGreedy {
    const CARD: Card = Card {
        name: "two-region-greedy",
        rule: "superblocks of streams from number `cold_from` on are the cold region, others the normal one; as many victims are \
               chosen at once as give a superblock's worth of units back, those of one region with the fewest valid units, \
               among equals the one that reached that count first, and the fullest of them is taken first, the emptiest last; if \
               one region alone holds a superblock's worth of invalid units, it is that region, else the one whose first victim \
               has fewer valid units, the cold one if both have as many; where the region holds less than a superblock's worth, \
               one victim is chosen",
        paper: "the two-region collection of SSD-iq (Haas, Lee, Leis and others, PVLDB 18, 2025), as its published simulator has it",
        not_modelled: "age and wear of the blocks; what is left of the last cold superblock is not the host's to fill",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self {
            cold_from: read_cold_from(section)?,
            regions: [Greedy::default(), Greedy::default()],
            blocks: Vec::new(),
            garbage: [0; 2],
            round: Vec::new(),
            units: 0,
        })
    }
}

/// Reads the configuration key `cold_from`, the index of the first write stream whose superblocks are in the cold
/// region.
fn read_cold_from(section: &mut Section) -> Result<usize, ConfigError> {
    let first = section.within(at_least(1u32).because("stream 0 takes the host's data")).or(
        "cold_from",
        1u32,
        "the first stream of the cold region, by number; ftl.streams.name = separate moves data into stream 1",
    )?;
    Ok(first as usize)
}

impl TwoRegionGreedy {
    /// Returns the index of the region (host data or cold data) from which the next victims are chosen; `None` if
    /// neither has a candidate.
    fn choose_region(&mut self) -> Option<usize> {
        let enough = |region: usize| self.garbage[region] >= u64::from(self.units);
        let (normal_enough, cold_enough) = (enough(NORMAL), enough(COLD));
        let firsts = [NORMAL, COLD].map(|region| self.regions[region].first().map(|(_, valid)| valid));
        match firsts {
            [Some(normal), Some(cold)] => Some(match (normal_enough, cold_enough) {
                (true, false) => NORMAL,
                (false, true) => COLD,
                _ if normal < cold => NORMAL,
                _ => COLD,
            }),
            [Some(_), None] => Some(NORMAL),
            [None, Some(_)] => Some(COLD),
            [None, None] => None,
        }
    }

    /// Chooses victims of one region that together free a superblock's worth of space (a round), or a single one where
    /// the region has less garbage, and stores them in `round`; returns `None` without a candidate.
    fn plan(&mut self) -> Option<()> {
        let region = self.choose_region()?;
        let mut missing = self.units;
        for (superblock, valid) in self.regions[region].in_order() {
            self.round.push(superblock);
            missing = missing.saturating_sub(self.units - valid);
            if missing == 0 || self.garbage[region] < u64::from(self.units) {
                break;
            }
        }
        Some(())
    }
}

impl VictimPolicy for TwoRegionGreedy {
    fn attach(&mut self, superblocks: u32, units_per_superblock: u32) {
        self.regions.iter_mut().for_each(|region| region.attach(superblocks, units_per_superblock));
        self.blocks = vec![(NORMAL, 0); superblocks as usize];
        self.units = units_per_superblock;
    }

    fn pick(&mut self, _view: &mut VictimView<'_>) -> Option<SuperblockId> {
        if self.round.is_empty() {
            self.plan()?;
        }
        self.round.last().copied()
    }

    fn told(&self) -> Option<Vec<SuperblockId>> {
        Some(self.regions.iter().filter_map(VictimPolicy::told).flatten().collect())
    }

    fn learnt(&self) -> Vec<u64> {
        self.round.iter().map(|superblock| u64::from(superblock.0)).collect()
    }

    fn go_on_with(&mut self, learnt: &[u64]) -> bool {
        self.round = learnt.iter().map(|&superblock| SuperblockId(superblock as u32)).collect();
        self.round.iter().all(|superblock| superblock.index() < self.blocks.len())
    }

    fn on_stream(&mut self, superblock: SuperblockId, stream: usize) {
        self.blocks[superblock.index()].0 = if stream < self.cold_from { NORMAL } else { COLD };
    }

    fn on_close(&mut self, superblock: SuperblockId, valid_units: u32) {
        let (region, valid) = &mut self.blocks[superblock.index()];
        *valid = valid_units;
        self.garbage[*region] += u64::from(self.units - valid_units);
        self.regions[*region].on_close(superblock, valid_units);
    }

    #[inline]
    fn on_invalidate(&mut self, superblock: SuperblockId, valid_units: u32) {
        let (region, valid) = &mut self.blocks[superblock.index()];
        *valid = valid_units;
        self.garbage[*region] += 1;
        self.regions[*region].on_invalidate(superblock, valid_units);
    }

    fn on_reclaim(&mut self, superblock: SuperblockId) {
        let (region, valid) = self.blocks[superblock.index()];
        self.garbage[region] -= u64::from(self.units - valid);
        self.regions[region].on_reclaim(superblock);
        self.round.retain(|planned| *planned != superblock);
    }
}
