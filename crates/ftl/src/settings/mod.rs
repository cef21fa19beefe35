//! `[ftl]`: the sizes, the rules and the makers of the policies.

mod collection;
mod faults;
mod patrol;
mod policies;
mod upkeep;

pub use collection::CollectionRules;
pub use faults::FaultRules;
pub use patrol::PatrolRules;
pub use policies::{DestinationRules, ReadRules};
pub use upkeep::UpkeepRules;

use crate::buffer::BufferConfig;
use crate::compatibility::Feature;
use crate::mapping::zoning::{self, Zoning};
use crate::streams::HandleSpec;
use crate::{Layout, compatibility, features, mapping, refresh_order, wear};
use config::{ConfigError, Section};
use controller::ControllerConfig;
use nand::Geometry;

/// Set of all settings of the translation layer, from `[ftl]` of a drive file.
pub struct FtlConfig {
    /// Setting: geometry of the drive in mapping units.
    pub layout: Layout,
    /// Setting: rules of garbage collection: read-ahead, trigger and victim policy.
    pub gc: CollectionRules,
    /// Setting: rules of how the host's reads reach the flash: whether reads share array reads, and read-ahead.
    pub reads: ReadRules,
    /// Setting: rules of the write buffer.
    pub buffer: BufferConfig,
    /// Setting `ftl.mapping`: maker (factory) of the kind of mapping (page, block, zones).
    pub mapping: mapping::Maker,
    /// Setting `ftl.wear`: maker (factory) of the wear levelling policy.
    pub wear: wear::Maker,
    /// Setting: the makers (factories) of the policies, chosen in the drive file, that decide on the die, the write
    /// stream and the open superblock of a write.
    pub destination: DestinationRules,
    /// Setting: rules of background work that relocates data to keep them readable or to make their reads faster.
    pub upkeep: UpkeepRules,
    /// Setting `ftl.refresh.order`: maker (factory) of the policy that orders the refreshes of superblocks.
    pub refresh_order: refresh_order::Maker,
    /// Setting: rules of faults beside bad blocks: failed die, recovery after power cuts.
    pub faults: FaultRules,
    /// Setting: rules of the drive's optional features, such as parity or snapshots.
    pub beside: features::Settings,
    /// List of the enabled features, each with the key that enables it.
    pub features: Vec<compatibility::Found>,
    /// Number of logical units that are mapped one by one, on a drive that has zones: those of its namespaces without
    /// zones, which come first.
    pub beside_zones: u32,
}

impl FtlConfig {
    /// Reads all settings of the translation layer from `[ftl]`.
    ///
    /// # Errors
    /// When a key or a policy is unknown or wrong.
    pub fn read(
        root: &mut Section,
        geometry: &Geometry,
        controller: &ControllerConfig,
    ) -> Result<Self, ConfigError> {
        let mut ftl = root.child("ftl")?;
        let mut layout = Layout::read(&mut ftl, geometry, controller)?;
        let mut section = ftl.child("mapping")?;
        let mapping = mapping::read(&mut section)?;
        if let Err((key, expected)) = mapping().fit(&mut layout) {
            return Err(section.reject(key, &expected));
        }
        section.finish()?;
        let faults = FaultRules::read(&mut ftl, geometry, &mut layout)?;
        let beside = features::Settings::read(&mut ftl, &mut layout)?;
        if layout.is_wide() && layout.translation_units > 0 {
            let expected = format!(
                "expected fewer than 2^32 - 1 physical mapping units, as a map on flash, or a part of it, has entries of 4 bytes; \
                 there are {}: use a larger unit",
                layout.physical_units()
            );
            return Err(ftl.reject("mapping_unit", &expected));
        }
        layout.translation_units += beside.units_of_their_own(&layout);
        let gc = CollectionRules::read(&mut ftl, &layout)?;
        let wear = whole(&mut ftl, "wear", wear::read)?;
        let destination = DestinationRules::read(&mut ftl, &layout)?;
        let (upkeep, refresh_order) = UpkeepRules::read(&mut ftl, beside.retention())?;
        let buffer = whole(&mut ftl, "buffer", |section| BufferConfig::read(section, &layout))?;
        let reads = ReadRules::read(&mut ftl, &layout)?;
        ftl.finish()?;
        let features = compatibility::find(root, layout.program_units);
        compatibility::check(&features)?;
        Ok(Self {
            layout,
            gc,
            reads,
            buffer,
            mapping,
            wear,
            destination,
            upkeep,
            refresh_order,
            faults,
            beside,
            features,
            beside_zones: 0,
        })
    }
}

impl FtlConfig {
    /// Returns the settings that the drive file gives for the drive's optional feature of type `T`.
    pub fn said_of<T: features::Listed>(&self) -> &T::Settings {
        T::said(&self.beside)
    }

    /// Returns the number of write streams (open superblocks) of each die.
    pub fn streams(&self) -> u32 {
        (self.destination.streams)().streams().len() as u32
    }

    /// Returns the zone geometry of a zoned drive; none for another kind of mapping.
    pub fn zoning(&self) -> Option<Zoning> {
        let zoning = zoning::of(&*(self.mapping)(), &self.layout);
        zoning.map(|zoning| zoning.behind(self.beside_zones, self.layout.logical_units))
    }

    /// Changes the layout of a drive with zones to `zones` zones behind `beside` logical units that are mapped one by
    /// one; does nothing on a drive without zones.
    pub fn put_beside_zones(&mut self, beside: u32, zones: u32) {
        if let Some(zoning) = self.zoning() {
            self.layout.logical_units = beside + zones * zoning.capacity;
            self.beside_zones = beside;
        }
    }

    /// Returns the number of logical units that are mapped one by one and ever written: all of the drive's but those in
    /// zones.
    pub(crate) fn mapped_units(&self) -> u64 {
        self.zoning().map_or(self.layout.written_units(), |zoning| u64::from(zoning.beside))
    }

    /// Returns the settings of the placement handles (NVMe FDP) that the host may name; `None` without placement.
    pub fn handles(&self) -> Option<HandleSpec> {
        (self.destination.streams)().handles()
    }

    /// Returns true if the configuration asks for at least one power cut.
    pub fn has_power_cuts(&self) -> bool {
        self.features.iter().any(|found| found.feature == Feature::PowerCut)
    }
}

/// Reads the child section `name` of `parent` with `read`, and refuses unknown keys in it.
fn whole<T>(
    parent: &mut Section,
    name: &str,
    read: impl FnOnce(&mut Section) -> Result<T, ConfigError>,
) -> Result<T, ConfigError> {
    let mut section = parent.child(name)?;
    let value = read(&mut section)?;
    section.finish()?;
    Ok(value)
}
