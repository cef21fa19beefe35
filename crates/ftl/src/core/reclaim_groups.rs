//! Reclaim groups (NVMe flexible data placement): which dies each has, and where data go that name none of them.
//!
//! The dies are counted channel by channel and cut into equal parts, so that as many groups as channels are the channels.
//! What is moved stays on its die, and so in its group.

use super::Core;
use crate::Layout;
use crate::placement::{self, PlacementPolicy, PlacementView};
use crate::streams::PlacementArea;
use engine::RandomStream;
use units::DieId;

/// Set of the reclaim groups (NVMe FDP) of a drive, each with its dies; one group on most drives.
pub(crate) struct ReclaimGroups {
    /// For each die, the number of its reclaim group.
    of_die: Box<[u16]>,
    /// For each reclaim group, the numbers of its dies in ascending order.
    dies: Box<[Box<[u32]>]>,
}

impl ReclaimGroups {
    /// Makes `count` reclaim groups of equally many dies of the drive.
    ///
    /// # Panics
    /// When `count` does not divide the number of dies.
    pub fn new(count: u32, layout: &Layout) -> Self {
        assert!(
            layout.dies.is_multiple_of(count),
            "{count} reclaim groups do not divide {} dies",
            layout.dies
        );
        let (channels, each) = (layout.shape[0], layout.dies / count);
        let rank = |die: u32| die % channels * (layout.dies / channels) + die / channels;
        let of_die: Box<[u16]> = (0..layout.dies).map(|die| (rank(die) / each) as u16).collect();
        let of = |group: u32| (0..layout.dies).filter(|&die| of_die[die as usize] == group as u16).collect();
        Self { dies: (0..count).map(of).collect(), of_die }
    }

    /// Returns the number of reclaim groups.
    #[inline]
    pub fn count(&self) -> usize {
        self.dies.len()
    }

    /// Returns the number of the reclaim group of a die.
    #[inline]
    pub fn of_die(&self, die: usize) -> u16 {
        self.of_die[die]
    }

    /// Returns the numbers of the dies of a reclaim group, in ascending order.
    pub fn dies(&self, group: u16) -> impl Iterator<Item = usize> + use<'_> {
        self.dies[usize::from(group)].iter().map(|&die| die as usize)
    }
}

/// Record of reclaim groups that cannot hold all logical units that namespaces may write to them.
pub(crate) struct CrowdedGroups {
    /// Name of a namespace that may write to the crowded reclaim groups only.
    pub namespace: String,
    /// List of the numbers of the crowded reclaim groups.
    pub groups: Vec<u16>,
    /// Number of logical units of the namespaces that may write to the crowded reclaim groups.
    pub units: u64,
    /// Number of mapping units of the host that the crowded reclaim groups can hold while garbage collection can always
    /// continue.
    pub possible: u64,
}

/// Returns the reclaim groups of a namespace that could all be full of valid data while the namespace must still be
/// written: the namespaces that share one of these groups have, together, more units than the groups can hold. `None`
/// if each namespace can always be written.
#[cold]
pub(crate) fn crowded_groups(core: &Core) -> Option<CrowdedGroups> {
    let handles = core.assembly.streams.handles.as_ref()?;
    let layout = &core.store.layout;
    let of_die = |die: usize| u64::from(core.quota_beside(die, core.rules.apart));
    handles.areas().iter().find_map(|area| {
        let dies = || area.groups.iter().flat_map(|&group| handles.groups.dies(group));
        let begun = dies().count() as u64 * u64::from(layout.program_units);
        let own = begun + u64::from(layout.translation_units);
        let possible = dies().map(of_die).sum::<u64>().saturating_sub(own);
        let shares = |other: &&PlacementArea| other.groups.iter().any(|group| area.groups.contains(group));
        let units = handles.areas().iter().filter(shares).map(|other| other.units).sum::<u64>();
        (units > possible).then(|| CrowdedGroups {
            namespace: area.name.clone(),
            groups: area.groups.clone(),
            units,
            possible,
        })
    })
}

/// Constant: name of the random number stream of the drive's die placement policy.
pub(crate) const PLACEMENT: &str = "ftl.placement";

/// Makes an instance of the die placement policy of `maker` for `dies` dies, with the random number stream `name`.
pub(crate) fn placement_of(
    maker: &placement::Maker,
    seed: u64,
    name: &str,
    dies: u32,
) -> Box<dyn PlacementPolicy> {
    let mut policy = maker();
    policy.take_random(RandomStream::new(seed, name));
    policy.attach(dies);
    policy
}

/// Implementation of die placement on a drive with several reclaim groups: each group has an instance of the drive's
/// placement policy, which sees the dies of the group as a drive of its own.
pub(crate) struct PlacementInGroups {
    /// Field: instance of the die placement policy for all dies, which says where addresses belong that were never
    /// written.
    whole: Box<dyn PlacementPolicy>,
    of_die: Box<[u16]>,
    groups: Vec<PlacementInGroup>,
}

/// State of die placement in one reclaim group: an instance of the placement policy, and the dies as it numbers them.
struct PlacementInGroup {
    policy: Box<dyn PlacementPolicy>,
    dies: Box<[u32]>,
    /// List of four counts for the group as a drive of its own: channels, ways of a channel, dies of a way, and planes
    /// that operate separately.
    shape: [u32; 4],
    eligible: Vec<u64>,
    programs: Vec<u32>,
}

impl PlacementInGroups {
    /// Makes an instance of the placement policy of `maker` for each reclaim group of a drive with `shape` (channels,
    /// ways, dies of a way, planes that operate separately).
    pub fn new(maker: &placement::Maker, groups: &ReclaimGroups, shape: [u32; 4], seed: u64) -> Self {
        let made = |name: &str, dies: usize| placement_of(maker, seed, name, dies as u32);
        let of = |(number, dies): (usize, &[u32])| PlacementInGroup {
            policy: made(&format!("{PLACEMENT}.group.{number}"), dies.len()),
            shape: shape_of_group(groups.count() as u32, shape, dies.len() as u32),
            eligible: vec![0; dies.len().div_ceil(64)],
            programs: vec![0; dies.len()],
            dies: dies.into(),
        };
        Self {
            whole: made(PLACEMENT, groups.of_die.len()),
            of_die: groups.of_die.clone(),
            groups: groups.dies.iter().map(|dies| &**dies).enumerate().map(of).collect(),
        }
    }
}

/// Returns the shape (channels, ways, dies of a way, planes that operate separately) of one of `count` equal parts of
/// a drive of shape `whole`: whole channels, or whole ways of a channel; where the parts are neither, `dies` channels.
fn shape_of_group(count: u32, whole: [u32; 4], dies: u32) -> [u32; 4] {
    let [channels, ways, of_way, planes] = whole;
    if channels.is_multiple_of(count) {
        return [channels / count, ways, of_way, planes];
    }
    match count.is_multiple_of(channels) && ways.is_multiple_of(count / channels) {
        true if of_way == 1 => [1, ways / (count / channels), of_way, planes],
        _ => [dies, 1, 1, planes],
    }
}

impl PlacementPolicy for PlacementInGroups {
    fn choose(&mut self, view: &PlacementView<'_>) -> Option<DieId> {
        // Only dies of one group are ever eligible together.
        let group = &mut self.groups[usize::from(self.of_die[view.next_eligible(0)?.index()])];
        group.eligible.fill(0);
        for (at, &die) in group.dies.iter().enumerate() {
            group.eligible[at / 64] |= u64::from(view.is_eligible(DieId(die))) << (at % 64);
            group.programs[at] = view.programs[die as usize];
        }
        let chosen = group.policy.choose(&PlacementView {
            eligible: &group.eligible,
            dies: group.dies.len() as u32,
            programs: &group.programs,
            shape: group.shape,
            ..*view
        })?;
        Some(DieId(group.dies[chosen.index()]))
    }

    fn home(&self, view: &PlacementView<'_>) -> u32 {
        self.whole.home(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_parts_of_the_dies_counted_channel_by_channel() {
        let layout = |channels: u32, ways: u32| Layout {
            unit: units::Bytes::new(4096),
            dies: channels * ways,
            shape: [channels, ways, 1, 1],
            planes: 1,
            units_per_page: 1,
            row_units: 1,
            rows: 8,
            slc_rows: 8,
            program_rows: 1,
            program_units: 1,
            superblock_units: 8,
            superblocks_per_die: 16,
            logical_units: 64,
            translation_units: 0,
            summary_units: 0,
        };
        let of = |count, layout: &Layout| {
            let groups = ReclaimGroups::new(count, layout);
            (0..count as u16).map(|group| groups.dies(group).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        assert_eq!(of(1, &layout(4, 2)), [[0, 1, 2, 3, 4, 5, 6, 7]]);
        assert_eq!(of(2, &layout(4, 2)), [[0, 1, 4, 5], [2, 3, 6, 7]]);
        assert_eq!(of(4, &layout(4, 2)), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(of(4, &layout(2, 4)), [[0, 2], [4, 6], [1, 3], [5, 7]]);
        // Neither whole channels nor whole parts of one.
        assert_eq!(of(3, &layout(2, 3)), [[0, 2], [1, 4], [3, 5]]);
    }

    #[test]
    fn a_group_has_the_shape_of_its_channels_and_ways() {
        assert_eq!(shape_of_group(2, [4, 2, 2, 1], 8), [2, 2, 2, 1]);
        assert_eq!(shape_of_group(4, [2, 4, 1, 1], 2), [1, 2, 1, 1]);
        assert_eq!(shape_of_group(3, [2, 3, 1, 1], 2), [2, 1, 1, 1]);
    }
}
