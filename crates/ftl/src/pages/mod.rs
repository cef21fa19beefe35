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

use crate::buffer::eviction::BLOCK_UNITS;
use crate::flash_map::MapOnFlash;
use crate::host_side::Host;
use crate::media::Media;
use crate::parts::{Parts, Whole};
use crate::upkeep::Upkeep;

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
        // A power cut may end the open superblocks of a die, of which there are two or more: what was to go there needs
        // others.
        let spare = u32::from(parts.array.may_fail())
            + u32::from(parts.config.beside.work_in_step())
            + if parts.config.has_power_cuts() { parts.config.streams().max(2) } else { 0 };
        let Whole { media, upkeep, host } = parts.put_together(map, spare, BLOCK_UNITS)?;
        let mut ftl = Self { media, upkeep, host, recovering: 0 };
        ftl.media.free_all();
        ftl.check_sustainable()?;
        ftl.make_room_for_features()?;
        Ok(ftl)
    }
}
