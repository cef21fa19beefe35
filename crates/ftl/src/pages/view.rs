//! What can be asked of a page-mapped layer without changing it.

use crate::Probe;
use crate::events;
use crate::layer::{Base, Layer};
use crate::pages::PageMapped;
use crate::store::NONE;
use controller::Context;
use engine::Event;

impl PageMapped {
    /// Returns true if host data wait to be programmed but no operation is in flight that could free space for them, as
    /// on a worn-out drive. Timer-driven background work must then stop, or a run would never end.
    pub fn is_stuck(&self) -> bool {
        self.media.core.buffer.first_queued().is_some()
            && (self.media.core.store.controller.in_flight() == 0 || self.is_full_for_good())
    }

    /// Returns true if the drive is worn out and each die holds as many live units as it may: relocation, which
    /// background work could do without end, gains no space, and no program of the host is in flight.
    fn is_full_for_good(&self) -> bool {
        let is_full =
            |die: usize| self.media.core.assembly.bound[die] == 0 && !self.media.core.is_within_quota(die);
        self.media.core.read_only && (0..self.media.core.assembly.bound.len()).all(is_full)
    }

    /// Returns the number of superblocks of a die that are not closed while the drive writes in steady state: the free
    /// superblocks at which foreground garbage collection starts, superblocks withheld by wear levelling, and one open
    /// superblock for each write stream.
    pub fn superblocks_kept(&self) -> u32 {
        self.media.core.superblocks_kept()
    }

    /// Continues after recovery has rebuilt the map: the drive's features resume the work that the power cut
    /// interrupted, unless a die has failed.
    fn begin_found<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let dead = &self.media.core.store.dead;
        if dead.from_start == NONE && !dead.are_any() {
            self.media.features.map_found(&mut self.media.core);
            self.media.do_asked(ctx);
        }
    }

    /// Returns the number of superblocks of each die that are reserved for the SLC cache at all times.
    pub fn cache_reserved(&self) -> u32 {
        self.media.core.rules.apart
    }
}

impl Layer for PageMapped {
    #[inline]
    fn base(&self) -> Base<'_> {
        Base { media: &self.media, host: &self.host, upkeep: &self.upkeep }
    }

    fn begin<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.media.begin();
        self.stamp_beginning();
        if self.media.core.store.spare.is_some() {
            self.media.features.go_on_at(ctx.calendar.now());
            if self.media.features.shares_room() {
                self.media.fit_features(ctx);
            }
        }
        self.upkeep.begin(&mut self.media, &mut ctx.calendar);
        if self.media.core.store.spare.is_some() {
            self.begin_found(ctx);
        }
        for die in 0..self.media.core.store.layout.dies as usize {
            self.upkeep.collect(&mut self.media, die, ctx);
        }
        if self.media.features.reads_map() {
            self.look_on(ctx);
        }
    }

    #[inline(always)]
    fn handle<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) {
        if event.kind >= events::FIRST {
            return self.on_own_event(event, ctx);
        }
        self.media.core.store.controller.handle(event, ctx);
        let first = self.media.core.store.controller.take_finished();
        if first.is_some() {
            self.on_all_finished(first, ctx);
        }
    }

    /// Declares that no unit can be relocated any more, so that garbage collection cannot continue. The drive turns
    /// read-only if it lost blocks, or if it is made for power cuts, since many cuts in a row can leave its spare
    /// superblocks partly filled.
    fn declare_stalled(&mut self) {
        self.media.core.read_only |=
            self.media.core.store.stats.superblocks_lost > 0 || self.media.core.store.spare.is_some();
        self.media.core.buffer.forget_requests();
        self.host.flushes.clear();
        self.media.features.stalled();
    }

    fn explain_stall(&self) -> String {
        let die = |(die, space): (usize, &crate::store::DieSpace)| {
            format!(
                "die {die}: live {} of {}, free {}, candidates {} with {} garbage units, left {:?}, bound {}, {}{}",
                space.live,
                space.quota,
                space.free.len(),
                space.candidates.len(),
                self.media.core.store.space.garbage(die),
                space.frontiers.iter().map(|it| it.left(&self.media.core.store.layout)).collect::<Vec<_>>(),
                self.media.core.assembly.bound[die],
                self.media.core.collections[die].describe(),
                self.media.features.says_of(&self.media.core, die).unwrap_or_default(),
            )
        };
        let dies: Vec<String> = self.media.core.store.space.dies.iter().enumerate().map(die).collect();
        format!(
            "buffer {} used, {} reserved, {} in flight; {} being filled; superblock {} units, program {}; {}",
            self.media.core.buffer.used_slots(),
            self.media.core.reserved_slots,
            self.media.core.store.controller.in_flight(),
            self.media.core.assembly.filling(),
            self.media.core.store.layout.superblock_units,
            self.media.core.store.layout.program_units,
            dies.join("; ")
        )
    }

    /// Returns the bytes of RAM that the drive's map takes: the number that a map on flash gives for its part in RAM,
    /// else four bytes for each logical unit.
    fn map_bytes(&self) -> u64 {
        let all = 4 * u64::from(self.media.core.store.layout.logical_units);
        self.media.features.map_bytes().unwrap_or(all)
    }
}
