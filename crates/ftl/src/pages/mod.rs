//! The page-mapped translation layer at work: what the host asks for, and what follows when the flash reports that
//! something is done. What is shared by all that write and read the flash is in `media`; who moves data, and why, in
//! `upkeep`.

mod checkpoint;
mod events;
mod failures;
mod found;
mod found_groups;
mod found_snapshots;
mod lookups;
mod power;
mod read;
mod rebuild;
mod recovery;
mod rollback;
mod saved;
mod snapshots;
mod translations;
mod trims;
mod upkeep;
mod view;
mod write;

pub use failures::DiesFailed;

use crate::buffer::eviction::BLOCK_UNITS;
use crate::host_side::Host;
use crate::map_on_flash::MapOnFlash;
use crate::media::Media;
use crate::parts::{Parts, Whole};
use crate::upkeep::Upkeep;

/// The page-mapped translation layer and everything below it.
pub struct PageMapped {
    pub(crate) media: Media,
    pub(crate) upkeep: Upkeep,
    pub(crate) host: Host,
}

impl PageMapped {
    /// A fresh drive: nothing written, every good superblock free; `map`: where it lies on flash.
    ///
    /// # Errors
    /// When the drive could not sustain writes; the text says why and what would help.
    pub(crate) fn new(parts: Parts<'_>, map: Option<MapOnFlash>) -> Result<Self, String> {
        // With parity a collection that one die gains from may be one that another gains nothing from.
        // A power cut may end the open superblocks of a die, of which there are two: what was to go there needs others.
        let spare = u32::from(parts.array.may_fail())
            + u32::from(parts.config.stripe.is_some())
            + if parts.config.has_power_cuts() { 2 } else { 0 };
        let Whole { media, upkeep, host } = parts.put_together(map, spare, BLOCK_UNITS)?;
        let mut ftl = Self { media, upkeep, host };
        ftl.media.free_all();
        ftl.check_sustainable()?;
        ftl.make_room_for_snapshots()?;
        Ok(ftl)
    }

    fn make_room_for_snapshots(&mut self) -> Result<(), String> {
        let spare = self.media.spare_units();
        let Some(snapshots) = &mut self.media.guards.snapshots else { return Ok(()) };
        snapshots.set_room(spare);
        if snapshots.room() > 0 {
            return Ok(());
        }
        Err(format!(
            "this drive cannot sustain writes with snapshots: {spare} mapping units are spare, of which they may \
             take none; raise ftl.op_ratio or ftl.snapshots.space_ratio"
        ))
    }

    fn check_sustainable(&self) -> Result<(), String> {
        let (logical, possible) = (self.media.store.layout.written_units(), self.media.sustainable_units());
        if logical <= possible {
            return Ok(());
        }
        let least = self.media.store.space.dies.iter().map(|die| die.usable).min().unwrap_or(0);
        let physical = self.media.store.layout.physical_units() as f64;
        // With fewer units for the host a map on flash does not take more.
        let host = f64::from(self.media.store.layout.logical_units) - (logical - possible) as f64;
        let advice = if host >= 1.0 {
            // Rounded up, so that the advice is enough.
            let op = ((physical / host - 1.0) * 1000.0).ceil() / 1000.0;
            format!("set ftl.op_ratio to {op:.3} or more")
        } else {
            "give each die more blocks".to_owned()
        };
        let (kept, advice) = match self.media.cache_reserved() {
            0 => (String::new(), advice),
            count => (format!(" and the SLC cache {count}"), format!("{advice}, or give ftl.slc_cache less")),
        };
        Err(format!(
            "this drive cannot sustain writes: the host sees {logical} mapping units, but of the {least} good \
             superblocks of a die garbage collection keeps {} free, open or in hand{kept}, which leaves \
             room for {possible}; {advice}",
            self.media.reserved_superblocks()
        ))
    }
}
