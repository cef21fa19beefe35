//! The sections of policies that answer parts of one question.

use super::whole;
use crate::streams::PlacementArea;
use crate::{Layout, placement, program_order, read_ahead, read_merge, streams};
use config::{ConfigError, Section};

/// Settings of where a write goes: makers (factories) of the three policies chosen in the drive file (for die, write
/// stream, and open superblock), and the namespaces with the placement identifiers that their writes may name.
pub struct DestinationRules {
    /// Setting: maker (factory) of the policy, chosen in the drive file, that decides which die takes a write.
    pub placement: placement::Maker,
    /// Setting: namespaces of the drive with their placement identifiers, as `[host.namespaces]` gives them; empty
    /// where the drive is a single namespace, with all placement handles and reclaim groups.
    pub areas: Vec<PlacementArea>,
    /// Setting `ftl.streams`: maker (factory) of the policy that chooses which of the die's write streams takes a
    /// write.
    pub streams: streams::Maker,
    /// Setting `ftl.program_order`: maker (factory) of the policy that chooses which of a die's two open superblocks
    /// takes a write.
    pub program_order: program_order::Maker,
}

impl DestinationRules {
    pub(super) fn read(ftl: &mut Section, layout: &Layout) -> Result<Self, ConfigError> {
        Ok(Self {
            placement: whole(ftl, "placement", |section| read_placement(section, layout))?,
            streams: whole(ftl, "streams", |section| read_streams(section, layout))?,
            areas: Vec::new(),
            program_order: whole(ftl, "program_order", program_order::read)?,
        })
    }
}

/// Reads the placement policy from the drive file, and refuses parameters that do not suit a drive of this shape.
fn read_placement(section: &mut Section, layout: &Layout) -> Result<placement::Maker, ConfigError> {
    let placement = placement::read(section)?;
    placement().check_shape(layout.shape).map_err(|(key, expected)| section.reject(key, &expected))?;
    Ok(placement)
}

/// Reads the stream policy from the drive file, and refuses a number of reclaim groups that does not divide the number
/// of dies of this layout.
fn read_streams(section: &mut Section, layout: &Layout) -> Result<streams::Maker, ConfigError> {
    let streams = streams::read(section)?;
    let groups = streams().handles().map_or(1, |handles| handles.groups);
    if groups <= layout.dies && layout.dies.is_multiple_of(groups) {
        return Ok(streams);
    }
    let fit: Vec<String> = (1..=layout.dies)
        .filter(|count| layout.dies.is_multiple_of(*count))
        .map(|it| it.to_string())
        .collect();
    let expected = format!("expected equal parts of the drive's {} dies: {}", layout.dies, fit.join(", "));
    Err(section.reject("groups", &expected))
}

/// Set of the makers (factories) of the policies, chosen in the drive file, that decide how the host's reads reach the
/// flash: shared array reads, and read-ahead.
pub struct ReadRules {
    /// Setting `ftl.read_merge`: maker (factory) of the policy that decides which host reads share an array read
    /// (sense).
    pub merge: read_merge::Maker,
    /// Setting `ftl.read_ahead`: maker (factory) of the policy that chooses which data are fetched before the host asks
    /// for them.
    pub ahead: read_ahead::Maker,
}

impl ReadRules {
    pub(super) fn read(ftl: &mut Section, layout: &Layout) -> Result<Self, ConfigError> {
        let merge = whole(ftl, "read_merge", read_merge::read)?;
        let mut section = ftl.child("read_ahead")?;
        let ahead = read_ahead::read(&mut section)?;
        ahead().area_units(layout.unit).map_err(|(key, expected)| section.reject(key, &expected))?;
        section.finish()?;
        Ok(Self { merge, ahead })
    }
}
