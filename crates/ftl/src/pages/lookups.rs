//! What waits for entries of a map of which only a part is in RAM, and the flash operations that looking them up costs.

use crate::buffer::SlotState;
use crate::core::{Lookup, Waiter};
use crate::host_side::{Arrives, Reads};
use crate::pages::PageMapped;
use crate::{Output, Probe, Stages};
use controller::{Class, Context, Origin, Reading};
use units::{Lpn, Ppa};

/// Constant: number of bytes that the lookup of a map entry transfers over the channel, as a part of the translation
/// unit (unit of the map on flash) with the entry; used on drives that track sectors.
const LOOKUP_BYTES: u32 = 512;

impl PageMapped {
    /// Reads `count` units for a host request, where the map entries of the first `found` units are in RAM and others
    /// may have to be fetched from flash. Returns the number of reads that `request` has to wait for.
    pub(super) fn read_by_entries<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        (count, mut found): (u32, u32),
        ctx: &mut Context<P>,
    ) -> u32 {
        let (mut first, end) = (first, first.0 + count);
        let mut parts = 0;
        loop {
            parts += self.read_found(request, first, found, ctx);
            first.0 += found;
            if first.0 == end {
                return parts;
            }
            // This unit and those after it in the same unit of the map wait.
            parts += 1;
            let since = ctx.calendar.now();
            let waiter = Waiter::Read { request, first, count: end - first.0, since };
            first.0 += self.media.features.awaits(&self.media.core, waiter);
            self.look_on(ctx);
            let rest = end - first.0;
            found = self.media.features.finds(&mut self.media.core, first, rest).unwrap_or(rest);
        }
    }

    /// Continues the lookups of map entries for waiting host requests, on a drive whose map lies on flash, until all of
    /// them wait for flash reads.
    #[inline]
    pub(crate) fn look_on<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if let Some(first) = self.media.features.next_lookup(&mut self.media.core) {
            self.look_from(first, ctx);
        }
    }

    #[inline(never)]
    fn look_from<P: Probe>(&mut self, first: Lookup, ctx: &mut Context<P>) {
        let mut next = Some(first);
        while let Some(lookup) = next {
            match lookup {
                Lookup::Read { unit, home, owner } => self.read_lookup(unit, home, owner, ctx),
                Lookup::Answered(waiter) => self.resume(waiter, ctx),
                Lookup::Loaded => {
                    return (0..self.media.core.store.layout.dies as usize)
                        .for_each(|die| self.upkeep.collect(&mut self.media, die, ctx));
                }
            }
            next = self.media.features.next_lookup(&mut self.media.core);
        }
    }

    fn resume<P: Probe>(&mut self, waiter: Waiter, ctx: &mut Context<P>) {
        match waiter {
            Waiter::Read { request, first, count, since } => {
                let reads = self.read_found(request, first, count, ctx);
                let waited_ns = ctx.calendar.now().since(since).ns();
                if reads == 0 {
                    let reading = Reading { decodes: 0, ..Reading::HARD };
                    self.host.outputs.push(Output::Read {
                        request,
                        units: 0,
                        reading,
                        stages: Stages::default(),
                    });
                }
                self.host.outputs.push(Output::Mapped { request, more: reads.saturating_sub(1), waited_ns });
            }
            Waiter::Write { slot, complete } => {
                let merging = self.media.core.buffer.slot(slot).state == SlotState::Merging;
                if !(merging && !complete && self.read_rest(slot, ctx)) {
                    self.on_merged(slot, &mut ctx.probe);
                }
            }
        }
    }

    /// Writes the units of the logical-to-physical map that have to be stored on flash now, without simulated time;
    /// returns false if no die has space for one, which can happen after blocks failed.
    pub(crate) fn write_map_untimed(&mut self) -> bool {
        while let Some(unit) = self.media.features.due_untimed() {
            if !self.put_host_untimed(unit, Origin::Map) {
                return false;
            }
        }
        true
    }

    /// Writes the part of the logical-to-physical map that must be on flash when simulated time begins, without
    /// simulated time. A drive without space for its own map turns read-only.
    pub(crate) fn settle_map(&mut self) {
        let mut units = Vec::new();
        self.media.features.settles(&mut units);
        for unit in units {
            self.media.core.read_only |= !self.put_host_untimed(unit, Origin::Map);
        }
    }

    /// Submits the flash read of translation unit `unit` (map page) for the lookup of a map entry; `owner` is the
    /// number by which the map's feature knows the read when it has ended.
    fn read_lookup<P: Probe>(&mut self, unit: Lpn, home: Ppa, owner: u32, ctx: &mut Context<P>) {
        let bytes = if self.media.features.knows_parts() { LOOKUP_BYTES } else { 0 };
        if home == Ppa::NONE {
            self.read_unwritten(unit, Origin::Map, Class::InternalRead, owner, bytes, ctx);
            return;
        }
        self.media.core.read_bytes = bytes;
        let (row, bit) = self.media.core.store.layout.row_of(home);
        self.media.submit_read(row, bit, Origin::Map, Class::InternalRead, owner, ctx);
    }
}
