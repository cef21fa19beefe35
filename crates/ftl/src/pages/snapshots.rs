//! Snapshots of the logical drive, taken and dropped.

use crate::guards::snapshots::{Awaited, Seen, Snapshot, Snapshots};
use crate::host_side::Serves;
use crate::pages::PageMapped;
use crate::settings::WhenFull;
use crate::snapshot_expiry::ExpiryReason;
use crate::{Probe, SnapshotEvent};
use controller::Context;
use std::collections::BTreeMap;
use units::Lpn;

impl PageMapped {
    /// The snapshots; none where the drive takes none.
    pub fn snapshots(&self) -> Option<&Snapshots> {
        self.media.guards.snapshots.as_deref()
    }

    /// Takes a snapshot of the logical drive as it is now: all that was received, in the buffer or on flash. Gives
    /// its serial number.
    ///
    /// # Panics
    /// When the drive was built without `ftl.snapshots`.
    pub fn take_snapshot<P: Probe>(&mut self, ctx: &mut Context<P>) -> u32 {
        // What is buffered goes out without being held once it is overtaken.
        let epoch = self.media.buffer.end_epoch();
        let number = self.media.guards.power.as_ref().map_or(0, |power| power.last());
        let snapshots = self.media.guards.snapshots.as_mut().expect("the drive was built to take snapshots");
        let serial = snapshots.next_serial;
        snapshots.next_serial += 1;
        snapshots.counts.taken += 1;
        let snapshot = Snapshot::new(serial, ctx.calendar.now(), BTreeMap::new());
        snapshots.kept.push_back(Snapshot { number, epoch, ..snapshot });
        let excess = snapshots.kept.len().saturating_sub(snapshots.rules.keep as usize);
        snapshots.counts.expired += excess as u64;
        ctx.probe.on_snapshot(SnapshotEvent::Taken { serial });
        for _ in 0..excess {
            self.media.expire_snapshot(ExpiryReason::Count, ctx.calendar.now(), &mut ctx.probe);
        }
        self.ask_checkpoint(Awaited::Snapshot, ctx.calendar.now(), ctx);
        self.media.erase_emptied(ctx);
        self.pump(ctx);
        serial
    }

    /// Drops the snapshot of this serial number; false when it is not there.
    pub fn delete_snapshot<P: Probe>(&mut self, serial: u32, ctx: &mut Context<P>) -> bool {
        let Some(position) =
            self.media.guards.snapshots.as_ref().and_then(|snapshots| snapshots.position(serial))
        else {
            return false;
        };
        self.media.drop_snapshot(position, &mut ctx.probe);
        self.media.erase_emptied(ctx);
        self.pump(ctx);
        true
    }

    /// Where the snapshot of this serial number sees `lpn`; none when there is no such snapshot.
    pub fn lookup_in(&self, serial: u32, lpn: Lpn) -> Option<Seen> {
        let snapshots = self.media.guards.snapshots.as_ref()?;
        let place = snapshots.find(snapshots.position(serial)?, lpn);
        Some(place.map_or_else(|| self.media.seen_now(lpn), Seen::of))
    }

    /// True when a write of `lpn` must be answered with an error: snapshots see what it would overwrite, have no more
    /// room and may not be dropped.
    #[inline]
    pub fn refuses(&self, lpn: Lpn) -> bool {
        self.media.guards.snapshots.as_ref().is_some_and(|snapshots| {
            snapshots.rules.when_full == WhenFull::RefuseWrites
                && snapshots.is_full()
                && snapshots.is_unchanged(lpn)
                && self.media.seen_now(lpn) != Seen::Nowhere
        })
    }

    /// Gives back the buffer slot that was reserved for a unit which [`Self::refuses`] was asked about.
    pub fn refuse(&mut self, lpn: Lpn) {
        self.media.reserved_slots -= 1;
        if let Some(sectors) = &mut self.media.guards.sectors {
            sectors.break_promise(lpn);
        }
        if let Some(snapshots) = &mut self.media.guards.snapshots {
            snapshots.counts.units_refused += 1;
        }
    }
}
