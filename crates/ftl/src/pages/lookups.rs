//! Looking up and changing a map of which only a part is in RAM: the flash operations that this costs.

use crate::buffer::SlotState;
use crate::core::Arriving;
use crate::guards::demand::{Checkpoints, Task, Waiter};
use crate::host_side::{Arrives, Reads, Serves};
use crate::pages::PageMapped;
use crate::{Output, Probe, Stages};
use controller::{Class, Context, Origin, Reading};
use units::{Lpn, Ppa};

/// Bytes of a translation unit that a lookup takes over the channel, where parts of units are known.
const LOOKUP_BYTES: u32 = 512;

impl PageMapped {
    /// True when the map entry of `lpn` can be used at once; counts hits and misses.
    fn find_entry(&mut self, lpn: Lpn) -> bool {
        let Some(demand) = &mut self.media.guards.demand else { return true };
        if demand.checkpoints.is_some() {
            return !demand.is_loading() || self.is_loaded(lpn);
        }
        if demand.touch(lpn) {
            self.media.core.store.stats.map_hits += 1;
            return true;
        }
        self.media.core.store.stats.map_misses += 1;
        let unit = demand.unit_of(demand.page_of(lpn));
        // A translation unit that does not exist yet, or is in the buffer, costs no flash read.
        let missing = self.media.core.store.map.lookup(unit) == Ppa::NONE && !demand.stored;
        let at_hand = missing || self.media.core.buffer.find(unit).is_some();
        if at_hand {
            demand.install(lpn);
        }
        at_hand
    }

    /// True when the map entry of `lpn` is in RAM, of a map that is still being read.
    #[cold]
    fn is_loaded(&mut self, lpn: Lpn) -> bool {
        let Some(demand) = &mut self.media.guards.demand else { return true };
        let page = demand.page_of(lpn);
        let unit = demand.unit_of(page);
        let Some(loading) = demand.loading() else { return true };
        if !loading.is_missing(page) {
            self.media.core.store.stats.map_hits += 1;
            return true;
        }
        self.media.core.store.stats.map_misses += 1;
        let at_hand = self.media.core.store.map.lookup(unit) == Ppa::NONE
            || self.media.core.buffer.find(unit).is_some();
        if at_hand {
            loading.note_loaded(page);
        }
        at_hand
    }

    /// The next translation unit to read of a map that belongs into RAM, while nobody waits for another.
    fn next_to_load(&mut self) -> Option<u32> {
        loop {
            let demand = self.media.guards.demand.as_mut().filter(|demand| !demand.tasks.is_half_full())?;
            let page = demand.loading()?.next()?;
            let unit = demand.unit_of(page);
            if self.media.core.store.map.lookup(unit) == Ppa::NONE
                || self.media.core.buffer.find(unit).is_some()
            {
                demand.loading()?.note_loaded(page);
            } else if !demand.tasks.has(page) {
                return Some(page);
            }
        }
    }

    /// The whole map is in RAM: what had to wait for that goes on.
    #[cold]
    fn end_loading<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let Some(demand) = &mut self.media.guards.demand else { return };
        if !demand.loading().is_some_and(|loading| loading.is_done()) {
            return;
        }
        demand.end_loading();
        for die in 0..self.media.core.store.layout.dies as usize {
            self.upkeep.collect(&mut self.media, die, ctx);
        }
    }

    /// Sends the units of the log that are full.
    fn send_log(&mut self) {
        while let Some(demand) = &mut self.media.guards.demand
            && demand.used_slots + demand.tasks.updates() < demand.slots
            && let Some(unit) = demand.take_full_log_unit()
        {
            demand.used_slots += 1;
            let slot = self.media.core.buffer.insert(unit, u32::MAX, SlotState::Queued);
            self.media.core.stamp(slot);
            self.media.core.buffer.enqueue(slot);
        }
    }

    /// Units from `first` on whose entries must be read before the units can be: at most `count`. They report to
    /// `request` as one read, or more.
    pub(crate) fn read_by_demand<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        ctx: &mut Context<P>,
    ) -> u32 {
        let mut parts = 0;
        let mut found = first.0;
        let mut at = first.0;
        while at < first.0 + count {
            let lpn = Lpn(at);
            at += 1;
            if self.media.core.buffer.find(lpn).is_some() || self.find_entry(lpn) {
                continue;
            }
            // What lies before is read now; this unit and those after it in the same translation unit wait.
            parts += self.read_found(request, Lpn(found), at - 1 - found, ctx);
            let demand = self.media.guards.demand.as_ref().expect("only a drive with a cached map misses");
            let end = ((lpn.0 / demand.entries_per_unit + 1) * demand.entries_per_unit).min(first.0 + count);
            parts += 1;
            let waiter = Waiter::Read { request, first: lpn, count: end - lpn.0, since: ctx.calendar.now() };
            self.await_entry(lpn, waiter, ctx);
            (at, found) = (end, end);
        }
        parts + self.read_found(request, Lpn(found), at - found, ctx)
    }

    /// True when a write must wait for the map entry of its unit; its slot is then taken care of.
    pub(crate) fn write_by_demand<P: Probe>(
        &mut self,
        lpn: Lpn,
        write: Arriving,
        ctx: &mut Context<P>,
    ) -> bool {
        if let Some(demand) = &mut self.media.guards.demand {
            demand.outdated.earn();
        }
        if self.find_entry(lpn) {
            self.start_tasks(ctx);
            return false;
        }
        let slot = self.media.core.take_in(lpn, write.request, write.coverage);
        ctx.probe.on_buffered(lpn, slot, write.older);
        self.note_arrived(slot, lpn, write);
        self.note_buffered(lpn, &mut ctx.probe);
        let complete = write.whole && !self.media.features.knows_parts();
        self.await_entry(lpn, Waiter::Write { slot, complete }, ctx);
        true
    }

    fn await_entry<P: Probe>(&mut self, lpn: Lpn, waiter: Waiter, ctx: &mut Context<P>) {
        let demand =
            self.media.guards.demand.as_mut().expect("only a drive with a cached map waits for entries");
        demand.tasks.wait_for(demand.page_of(lpn), waiter);
        self.start_tasks(ctx);
    }

    /// Starts what is queued while there is a place for it: what must be written goes first.
    pub(crate) fn start_tasks<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.send_log();
        loop {
            let Some(demand) = &mut self.media.guards.demand else { return };
            if demand.tasks.is_full() {
                return;
            }
            let room = demand.used_slots + demand.tasks.updates() < demand.slots;
            // The map must not run ahead of what can be written, but nothing makes room until all of it is there, nor on a
            // drive that only reads.
            let gets_room = !demand.is_loading() && !self.media.core.read_only;
            if !room && !demand.outdated.evicted.is_empty() && gets_room {
                return;
            }
            let update = if room { demand.outdated.next() } else { None };
            let task = match update {
                Some(page) => {
                    demand.clean(page);
                    Task { page, update: true, waiters: Vec::new() }
                }
                None => match demand.tasks.take_queued() {
                    Some(task) => task,
                    None => match self.next_to_load() {
                        Some(page) => Task { page, update: false, waiters: Vec::new() },
                        None => return self.end_loading(ctx),
                    },
                },
            };
            self.start_task(task, ctx);
        }
    }

    fn start_task<P: Probe>(&mut self, task: Task, ctx: &mut Context<P>) {
        let demand = self.media.guards.demand.as_mut().expect("only a drive with a cached map has tasks");
        let unit = demand.unit_of(task.page);
        let is_missing = demand.loading().is_some_and(|loading| loading.is_missing(task.page));
        let in_ram = demand.checkpoints.is_some() && !is_missing;
        let stored = demand.stored;
        let place = demand.tasks.begin(task);
        let home = self.media.core.store.map.lookup(unit);
        if (home == Ppa::NONE && !stored) || self.media.core.buffer.find(unit).is_some() || in_ram {
            self.end_task(place, ctx);
            return;
        }
        self.read_lookup(unit, home, place, ctx);
    }

    /// A translation unit was read.
    pub(crate) fn end_task<P: Probe>(&mut self, place: u32, ctx: &mut Context<P>) {
        let demand = self.media.guards.demand.as_mut().expect("only a drive with a cached map has tasks");
        let task = demand.tasks.end(place);
        if let Some(loading) = demand.loading() {
            loading.note_loaded(task.page);
        }
        if task.update {
            self.write_translation(task.page);
        }
        for waiter in task.waiters {
            self.resume(waiter, ctx);
        }
        self.start_tasks(ctx);
    }

    /// Puts a changed translation unit into the buffer.
    fn write_translation(&mut self, page: u32) {
        let demand = self.media.guards.demand.as_mut().expect("only a drive with a cached map has tasks");
        let unit = demand.unit_of(page);
        let waits = self
            .media
            .core
            .buffer
            .find(unit)
            .is_some_and(|slot| self.media.core.buffer.slot(slot).state == SlotState::Queued);
        if !waits {
            demand.used_slots += 1;
            let slot = self.media.core.buffer.insert(unit, u32::MAX, SlotState::Queued);
            self.media.core.stamp(slot);
            self.media.core.buffer.enqueue(slot);
        }
    }

    fn resume<P: Probe>(&mut self, waiter: Waiter, ctx: &mut Context<P>) {
        let demand = self.media.guards.demand.as_mut().expect("only a drive with a cached map has tasks");
        match waiter {
            Waiter::Read { request, first, count, since } => {
                (first.0..first.0 + count).for_each(|lpn| demand.install(Lpn(lpn)));
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
                let lpn = self.media.core.buffer.slot(slot).lpn;
                demand.install(lpn);
                let merging = self.media.core.buffer.slot(slot).state == SlotState::Merging;
                if !(merging && !complete && self.read_rest(slot, ctx)) {
                    self.on_merged(slot, &mut ctx.probe);
                }
            }
        }
    }

    /// A snapshot sees what the buffer holds of `lpn`, which a newer version or a trim overtakes: where that is a part of the
    /// unit and waits for its map entry, the rest is read now, while the map still says where it is.
    #[cold]
    pub(crate) fn complete_overtaken<P: Probe>(&mut self, lpn: Lpn, ctx: &mut Context<P>) {
        let Some(slot) = self.media.core.find_unwritten(lpn) else { return };
        let waits = self.media.guards.demand.as_mut().and_then(|demand| demand.tasks.take_write(slot));
        if waits.is_some_and(|complete| complete || !self.read_rest(slot, ctx)) {
            self.on_merged(slot, &mut ctx.probe);
        }
    }

    /// Looks an entry up without time, and writes what falls out of the cache.
    pub(crate) fn look_up_untimed(&mut self, lpn: Lpn) {
        let Some(demand) = &mut self.media.guards.demand else { return };
        match &mut demand.checkpoints {
            Some(checkpoints) => checkpoints.outdated = true,
            None => demand.install(lpn),
        }
        demand.outdated.earn();
    }

    /// Writes translation units without time, as many as are due; false when no die has room for one, as blocks that failed
    /// can bring about.
    pub(crate) fn write_map_untimed(&mut self) -> bool {
        while let Some(page) = self.media.guards.demand.as_mut().and_then(|demand| demand.outdated.next()) {
            let demand = self.media.guards.demand.as_mut().expect("seen above");
            demand.clean(page);
            let unit = demand.unit_of(page);
            demand.note_written(unit);
            if !self.put_host_untimed(unit, Origin::Map) {
                return false;
            }
        }
        true
    }

    /// Time begins again: the map on flash is complete, the cache empty, as after a power-up. A drive that has no room left
    /// for its own map takes no more writes.
    pub(crate) fn settle_map(&mut self) {
        let Some(demand) = &mut self.media.guards.demand else { return };
        for page in demand.forget() {
            let unit = self.media.guards.demand.as_ref().expect("seen above").unit_of(page);
            self.media.core.read_only |= !self.put_host_untimed(unit, Origin::Map);
        }
        if let Some(demand) = &mut self.media.guards.demand {
            demand.forget();
            if let Some(checkpoints) = &mut demand.checkpoints {
                let new =
                    Checkpoints::new(checkpoints.every, checkpoints.on_demand, &self.media.core.store.layout);
                *checkpoints = new;
            }
        }
    }

    /// Reads the translation unit `unit`, of which a lookup takes one sector over the channel. `owner` is told.
    pub(crate) fn read_lookup<P: Probe>(&mut self, unit: Lpn, home: Ppa, owner: u32, ctx: &mut Context<P>) {
        let part = self.media.features.knows_parts();
        if home == Ppa::NONE {
            let bytes = if part { LOOKUP_BYTES } else { 0 };
            self.read_unwritten(unit, Origin::Map, Class::InternalRead, owner, bytes, ctx);
            return;
        }
        self.media.core.read_bytes = if part { LOOKUP_BYTES } else { 0 };
        let (row, bit) = self.media.core.store.layout.row_of(home);
        self.media.submit_read(row, bit, Origin::Map, Class::InternalRead, owner, ctx);
    }
}
