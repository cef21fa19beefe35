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
use crate::{Layout, compatibility, features, mapping, refresh_order, wear};
use config::{ConfigError, Section};
use controller::ControllerConfig;
use nand::Geometry;

/// Everything the FTL is configured by.
pub struct FtlConfig {
    /// The shape of the drive in mapping units.
    pub layout: Layout,
    /// Settings of garbage collection.
    pub gc: CollectionRules,
    /// How the host's reads reach the flash.
    pub reads: ReadRules,
    /// The DRAM that holds the host's data.
    pub buffer: BufferConfig,
    /// The kind of mapping.
    pub mapping: mapping::Maker,
    /// Policy of wear levelling.
    pub wear: wear::Maker,
    /// The policies that decide where a write goes.
    pub destination: DestinationRules,
    /// Settings of the work that moves data to keep them readable.
    pub upkeep: UpkeepRules,
    /// The order in which superblocks are rewritten.
    pub refresh_order: refresh_order::Maker,
    /// Faults that may happen beside bad blocks.
    pub faults: FaultRules,
    /// Settings of the drive's features.
    pub beside: features::Settings,
    /// Enabled features, and the keys that enable them.
    pub features: Vec<compatibility::Found>,
}

impl FtlConfig {
    /// Reads `[ftl]`.
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
        let destination = DestinationRules::read(&mut ftl)?;
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
        })
    }
}

impl FtlConfig {
    /// Returns the settings of a feature in the drive file.
    pub fn said_of<T: features::Listed>(&self) -> &T::Settings {
        T::said(&self.beside)
    }

    /// Returns the number of streams of each die.
    pub fn streams(&self) -> u32 {
        (self.destination.streams)().streams().len() as u32
    }

    /// Returns the zones of the drive; none where it has another kind of mapping.
    pub fn zoning(&self) -> Option<Zoning> {
        zoning::of(&*(self.mapping)(), &self.layout)
    }

    /// Returns the placement handles that the host may name.
    pub fn handles(&self) -> u16 {
        (self.destination.streams)().handles().map_or(0, |handles| handles.isolation.len() as u16)
    }

    /// True if the power fails at least once.
    pub fn has_power_cuts(&self) -> bool {
        self.features.iter().any(|found| found.feature == Feature::PowerCut)
    }
}

/// Reads a section of its own, all of whose keys must be known.
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
