//! The page-mapped translation layer at work: what the host asks for, and what follows when the flash reports that
//! something is done. What is shared by all that write and read the flash is in `media`; who moves data, and why, in
//! `upkeep`.

mod events;
mod failures;
mod found;
mod lookups;
mod read;
mod recovery;
mod saved;
mod streamed;
mod sustainable;
mod unreadable;
mod upkeep;
mod view;
mod write;

pub use failures::DiesFailed;
pub(crate) use saved::CollectsDies;

use crate::buffer::eviction::BLOCK_UNITS;
use crate::flash_map::MapOnFlash;
use crate::host_side::Host;
use crate::media::Media;
use crate::parts::{Parts, Whole};
use crate::settings::FtlConfig;
use crate::upkeep::Upkeep;

/// Returns the number of superblocks that each die needs, beside those for garbage collection, on a drive whose power
/// may be cut: a cut can end the open superblocks of the die (two or more) before they are full; 0 without cuts.
pub(crate) fn spare_for_cuts(config: &FtlConfig) -> u32 {
    if config.has_power_cuts() { config.streams().max(2) } else { 0 }
}

/// Type of the page-mapped translation layer with the flash, background work and host side that it works on.
pub struct PageMapped {
    pub(crate) media: Media,
    pub(crate) upkeep: Upkeep,
    pub(crate) host: Host,
    /// Present count in the state of a page-mapped drive: number of flash reads by which the drive rebuilds its map at
    /// power-up that were submitted and have not ended yet, after the drive was switched off without operations in
    /// flight.
    pub(crate) recovering: u32,
}

impl PageMapped {
    /// Makes a page-mapped drive without data: every good superblock is free. `map` describes a map that lies on flash
    /// (none: the map is in RAM).
    ///
    /// # Errors
    /// When the drive could not sustain writes; the string of the error message says why and what would help.
    pub(crate) fn new(parts: Parts<'_>, map: Option<MapOnFlash>) -> Result<Self, String> {
        // Where superblocks are reclaimed together, a collection that one die gains from may be one that another gains nothing from.
        let spare = u32::from(parts.array.may_fail())
            + u32::from(parts.config.beside.work_in_step())
            + spare_for_cuts(parts.config);
        let mut ftl = Self::from(parts.put_together(map, spare, BLOCK_UNITS)?);
        ftl.media.free_all();
        ftl.check_sustainable()?;
        ftl.make_room_for_features()?;
        Ok(ftl)
    }
}

impl From<Whole> for PageMapped {
    /// Makes a page-mapped layer that has no superblocks yet.
    fn from(whole: Whole) -> Self {
        let Whole { media, upkeep, host } = whole;
        Self { media, upkeep, host, recovering: 0 }
    }
}
