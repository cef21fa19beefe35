//! How snapshots come about, and what a saved state has of them.

use super::checkpoint::{Checkpoint, MapPlace};
use super::moments::Moments;
use super::{DIFFERENCE_BYTES, NONE, SnapshotCounts, SnapshotRules, Snapshots, saved};
use crate::agenda::Costs;
use crate::core::Core;
use crate::features::{Chore, Made, Making, Said};
use crate::saved::Untaken;
use crate::{Layout, SavedState, snapshot_expiry};
use config::{ConfigError, Section};
use ecc::Ladder;
use std::collections::VecDeque;

impl Said for Snapshots {
    /// Type of the settings: rules of the snapshots, maker of the policy that chooses the snapshot to be deleted, and
    /// place of the map; `None` on a drive without snapshots.
    type Settings = Option<(SnapshotRules, snapshot_expiry::Maker, MapPlace)>;
}

impl Made for Snapshots {
    fn read(ftl: &mut Section, layout: &mut Layout) -> Result<Self::Settings, ConfigError> {
        let mut section = ftl.child("snapshots")?;
        let settings = SnapshotRules::read(&mut section)?;
        section.finish()?;
        let Some((rules, expiry)) = settings else { return Ok(None) };
        let lies_on_flash = layout.translation_units > 0;
        if !lies_on_flash {
            layout.translation_units = layout.map_units();
        }
        let map = if lies_on_flash { MapPlace::OnFlash } else { MapPlace::InRam };
        Ok(Some((rules, expiry, map)))
    }

    fn slots(settings: &Self::Settings, layout: &Layout) -> u32 {
        settings.as_ref().map_or(0, |(_, _, map)| Checkpoint::of(*map, layout).slots)
    }

    /// Returns the greatest number of bytes of simulator memory that snapshots can take: one table entry for each unit
    /// that snapshots may retain, and one bit for each physical unit, both counted twice; 0 without snapshots.
    fn bytes_most(settings: &Self::Settings, layout: &Layout, _: Option<&Ladder>) -> u64 {
        let Some((rules, ..)) = settings else { return 0 };
        let spare = (layout.physical_units() as u64).saturating_sub(layout.written_units());
        let differences = (spare as f64 * rules.space_ratio) as u64;
        2 * (differences * DIFFERENCE_BYTES + layout.physical_units() as u64 / 8)
    }

    fn chore(settings: &Self::Settings, layout: &Layout, costs: &Costs) -> Option<Chore> {
        let (rules, ..) = settings.as_ref()?;
        let programs = layout.translation_units.div_ceil(layout.program_units);
        Some(Chore {
            key: "ftl.snapshots.every",
            ns: costs.checkpoint(layout),
            within: rules.every?,
            what: format!("checkpoint of the map ({programs} programs on all dies)"),
        })
    }

    fn new(settings: &Self::Settings, making: &mut Making<'_>) -> Result<Option<Box<Self>>, String> {
        let Some((rules, expiry, map)) = settings else { return Ok(None) };
        let layout = making.layout;
        Ok(Some(Box::new(Self {
            rules: rules.clone(),
            expiry: expiry(),
            kept: VecDeque::new(),
            next_serial: 0,
            named: vec![0; layout.physical_units().div_ceil(64)],
            units: 0,
            room: 0,
            captured: vec![NONE; making.slots as usize],
            checkpoint: Checkpoint::of(*map, layout),
            rolling_back: None,
            moments: Moments::of(rules),
            counts: SnapshotCounts::default(),
        })))
    }

    /// Restores, after a power cut, the list of recorded snapshots, their counters and the coming times of snapshots;
    /// the difference tables (tables of overwritten versions) are restored later.
    fn take_back(&mut self, before: Self) {
        (self.kept, self.next_serial, self.counts) = (before.kept, before.next_serial, before.counts);
        self.moments = before.moments;
    }

    fn save(snapshots: Option<&Self>, _: &Core, saved: &mut SavedState) {
        saved::save(snapshots, saved);
    }

    fn load(snapshots: Option<&mut Self>, core: &mut Core, saved: &mut Untaken<'_>) -> Result<(), String> {
        saved::load(snapshots, &core.store.map, core.store.layout.logical_units, saved)
    }
}
