//! One die's collection at work: reading what is valid in a victim, moving it, erasing.
//!
//! A collection takes a victim only when the space it may need is there, so it never waits half-way for
//! space that only it could free.

use crate::PageMapped;
use crate::gc::trigger::TriggerView;
use crate::programs::Source;
use crate::space::{NONE, Space, SuperblockState};
use controller::{Class, Kind, Origin, Probe, Transaction};
use engine::Calendar;
use std::collections::VecDeque;
use units::{DieId, Ppa, SimTime};

/// Victims that are read completely but still wait for the programs of their last units.
pub(crate) const PENDING_MAX: usize = 4;

/// Program units that the host may save up while a collection runs.
const CREDIT_PROGRAMS: u32 = 4;

/// The state of a die's collection.
pub(crate) struct Collection {
    pub victim: u32,
    origin: Origin,
    pub next_row: u32,
    reading_rows: u32,
    reading_units: u32,
    pending: Vec<(u32, Origin)>,
    /// Superblocks taken with their group, where there is parity: to be read when it is their turn.
    pub taken: VecDeque<(u32, Origin)>,
    /// The victim policy's choice, waiting for the room it needs.
    declined: u32,
    pub erasing: u32,
    /// Superblocks that must be relocated whatever the victim policy says.
    forced: VecDeque<(u32, Origin)>,
    /// Units read, or to be moved again, for which there was no open superblock.
    backlog: VecDeque<(Ppa, Origin)>,
    /// The victim before was taken for the data's sake: where the host waits, it has a turn before the next one.
    kept_data: bool,
    /// Host units the collection has earned: see [`Collection::earn`].
    pub credit: f64,
    /// Host units earned by each unit moved.
    pub rate: f64,
    pub background: bool,
    pub idle_timer: bool,
    pub rewrite_timer: bool,
    pub idle_since: SimTime,
}

impl Collection {
    pub fn new() -> Self {
        Self {
            victim: NONE,
            origin: Origin::Gc,
            next_row: 0,
            reading_rows: 0,
            reading_units: 0,
            pending: Vec::with_capacity(PENDING_MAX),
            taken: VecDeque::new(),
            declined: NONE,
            erasing: 0,
            forced: VecDeque::new(),
            backlog: VecDeque::new(),
            kept_data: false,
            credit: 0.0,
            rate: 0.0,
            background: false,
            idle_timer: false,
            rewrite_timer: false,
            idle_since: SimTime::ZERO,
        }
    }

    /// At most this many units will still be moved for victims already taken.
    #[inline]
    pub fn reserved_units(&self, space: &Space, die: usize) -> u32 {
        let victim = if self.victim == NONE { 0 } else { space.valid[space.global(die, self.victim)] };
        let taken: u32 = self.taken.iter().map(|(taken, _)| space.valid[space.global(die, *taken)]).sum();
        self.reading_units + self.backlog.len() as u32 + victim + taken
    }

    /// The superblocks it has in hand.
    pub fn in_hand(&self) -> impl Iterator<Item = u32> {
        let listed = self.pending.iter().chain(&self.taken).map(|(superblock, _)| *superblock);
        listed.chain((self.victim != NONE).then_some(self.victim))
    }

    /// How many superblocks it has in hand.
    pub fn under_way(&self) -> usize {
        self.pending.len() + self.taken.len() + usize::from(self.victim != NONE)
    }

    /// Takes the next superblock that was asked for.
    pub fn take_forced(&mut self) -> Option<(u32, Origin)> {
        self.forced.pop_front()
    }

    /// A superblock was read completely and waits for what it held to be programmed elsewhere.
    pub fn is_pending(&self, superblock: u32) -> bool {
        self.pending.iter().any(|(pending, _)| *pending == superblock)
    }

    /// A superblock that was read completely is being erased. Gives on whose behalf, if it was in hand.
    pub fn begin_erase(&mut self, superblock: u32) -> Option<Origin> {
        let at = self.pending.iter().position(|(pending, _)| *pending == superblock)?;
        self.erasing += 1;
        Some(self.pending.swap_remove(at).1)
    }

    /// Asks for a superblock to be relocated; at most one request of wear levelling waits, and none twice for its data's
    /// sake.
    pub fn force(&mut self, superblock: u32, origin: Origin) {
        let vain = match origin {
            Origin::Wear => !self.forced.is_empty(),
            Origin::Refresh | Origin::Scrub => self.forced.iter().any(|(asked, _)| *asked == superblock),
            _ => false,
        };
        if !vain {
            self.forced.push_back((superblock, origin));
        }
    }

    /// It moves a superblock for its data's sake, or is about to.
    pub fn keeps_data(&self) -> bool {
        let keeps = |origin: Origin| matches!(origin, Origin::Refresh | Origin::Scrub);
        (self.victim != NONE && keeps(self.origin)) || self.forced.iter().any(|(_, origin)| keeps(*origin))
    }

    /// A superblock waits to be relocated, and nothing is being collected.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.victim == NONE && !self.forced.is_empty()
    }

    /// Moving `units` earns the host the right to write as many units as the victim gives back for them.
    /// Without this, the host runs ahead until nothing is free and then waits for a whole superblock to be
    /// collected: seconds of silence on a drive with large superblocks.
    #[inline]
    pub fn earn(&mut self, units: f64, program_units: u32) {
        // What the host did not use is soon forfeit, or it would run ahead after each wait.
        let most = f64::from(CREDIT_PROGRAMS * program_units);
        self.credit = (self.credit + units * self.rate).min(most);
    }

    /// The host wrote a unit.
    #[inline]
    pub fn spend(&mut self) {
        if self.is_pacing() {
            self.credit -= 1.0;
        }
    }

    /// True when the host must let the collection catch up.
    #[inline]
    pub fn holds_host_back(&self) -> bool {
        self.is_pacing() && self.credit < 0.0
    }

    #[inline]
    pub fn is_pacing(&self) -> bool {
        self.victim != NONE && self.rate > 0.0 && !self.background
    }

    /// Superblocks that will be free when what is under way has come to its end.
    #[inline]
    pub fn expected_superblocks(&self) -> u32 {
        self.erasing + self.under_way() as u32
    }

    /// What it is doing, for messages.
    pub fn describe(&self) -> String {
        format!(
            "collection: victim {}, row {}, reading {} rows, pending {:?}, erasing {}, forced {}, backlog {}",
            if self.victim == NONE { "none".to_owned() } else { self.victim.to_string() },
            self.next_row,
            self.reading_rows,
            self.pending,
            self.erasing,
            self.forced.len(),
            self.backlog.len()
        )
    }
}

/// The stream that moved data goes to.
#[inline]
pub(crate) fn moving_stream(mixed: bool) -> usize {
    usize::from(!mixed)
}

impl PageMapped {
    pub(crate) fn trigger_view(&self, die: usize) -> TriggerView {
        let (space, collection) = (&self.space.dies[die], &self.collections[die]);
        TriggerView {
            free: (self.free_superblocks(die) + collection.pending.len() as u32 + collection.erasing)
                .saturating_sub(self.spare + space.held),
            superblocks: space.usable,
            garbage_units: self.space.garbage(die),
            superblock_units: self.layout.data_units(),
        }
    }

    /// Lets the die's collection go on: takes victims while one is wanted, keeps reads under way, and lets
    /// nothing wait for units that will not come.
    pub(crate) fn collect<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        if self.failed_die != NONE {
            return; // What is there must stay: only the rest of a stripe gives back what the dead die held.
        }
        self.collect_garbage(die, calendar, probe);
        if self.slc_cache.is_some() {
            self.fold(die, calendar, probe);
        }
        self.update_eligible(die);
        self.wake_dies(calendar, probe);
    }

    /// Collection alone, without the folding that may need it.
    pub(crate) fn collect_garbage<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        if !self.collections[die].backlog.is_empty() {
            self.retry_backlog(die, calendar, probe);
        }
        while self.collections[die].victim != NONE || self.take_next(die, calendar, probe) {
            self.read_victim(die, calendar, probe);
            let collection = &mut self.collections[die];
            if collection.next_row < self.layout.rows {
                break;
            }
            let victim = std::mem::replace(&mut collection.victim, NONE);
            collection.pending.push((victim, collection.origin));
            let global = self.space.global(die, victim);
            if self.space.valid[global] == 0 {
                self.emptied.push(global as u32);
                self.erase_emptied(calendar, probe);
            }
        }
        self.pad_leftover(die, calendar, probe);
        let urgent = self.free_superblocks(die) < 2;
        self.controller.set_urgent(DieId(die as u32), urgent);
    }

    #[inline]
    fn take_next<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) -> bool {
        if self.parity.is_some() { self.take_member(die, calendar, probe) } else { self.take_victim(die) }
    }

    /// Takes the next victim, if one is wanted and there is room for all it holds.
    fn take_victim(&mut self, die: usize) -> bool {
        if self.collections[die].pending.len() >= PENDING_MAX {
            return false;
        }
        let foreground = self.trigger.foreground(&self.trigger_view(die));
        while let Some(&(superblock, origin)) = self.collections[die].forced.front() {
            let keeps_data = matches!(origin, Origin::Refresh | Origin::Scrub);
            let pressed = foreground || self.buffer.first_queued().is_some();
            if keeps_data && pressed && std::mem::take(&mut self.collections[die].kept_data) {
                break; // More may fall due than the die can move: the host must get on all the same.
            }
            let global = self.space.global(die, superblock);
            let rescue = origin == Origin::Rescue;
            if !rescue && !self.space.is_candidate(global) {
                self.collections[die].forced.pop_front();
                continue;
            }
            if !self.has_room_for(die, self.space.valid[global]) {
                break;
            }
            self.collections[die].forced.pop_front();
            self.collections[die].kept_data = keeps_data;
            self.count_victim(die, global, origin);
            if rescue {
                self.space.state[global] = SuperblockState::Victim;
            } else {
                self.space.take(die, superblock);
                self.stats.wear_relocations += u64::from(origin == Origin::Wear);
                self.count_refresh(origin);
            }
            self.begin_victim(die, superblock, origin);
            return true;
        }
        let view = self.trigger_view(die);
        let wanted = foreground || (self.collections[die].background && self.trigger.background(&view));
        if !wanted {
            return false;
        }
        // A choice for which there was no room is kept: asking again would draw again, and favour victims with
        // little in them beyond what the policy says.
        let kept = std::mem::replace(&mut self.collections[die].declined, NONE);
        let kept = (kept != NONE && self.space.is_candidate(self.space.global(die, kept))).then_some(kept);
        let Some(superblock) = kept.or_else(|| self.space.pick_victim(die)) else { return false };
        let valid = self.space.valid[self.space.global(die, superblock)];
        if !foreground && !self.trigger.worthwhile(self.gain_of(valid), self.layout.data_units()) {
            return false; // The die rests, or it would move all it holds for a little room nobody asks for.
        }
        if !self.has_room_for(die, valid) {
            if self.collections[die].expected_superblocks() > 0 {
                self.collections[die].declined = superblock;
            }
            return false;
        }
        self.count_victim(die, self.space.global(die, superblock), Origin::Gc);
        self.space.take(die, superblock);
        self.begin_victim(die, superblock, Origin::Gc);
        true
    }

    /// Units that a superblock gives back of which so many must move, in programs of their own.
    pub(crate) fn gain_of(&self, valid: u32) -> u32 {
        self.layout.data_units().saturating_sub(valid.next_multiple_of(self.layout.program_units))
    }

    pub(crate) fn begin_victim(&mut self, die: usize, superblock: u32, origin: Origin) {
        let (valid, units) = (self.space.valid[self.space.global(die, superblock)], self.space.units);
        let collection = &mut self.collections[die];
        collection.victim = superblock;
        collection.origin = origin;
        collection.next_row = 0;
        // Wear levelling and rescue move data without giving anything back: they do not pace the host.
        collection.rate = match origin {
            Origin::Gc if valid > 0 => f64::from(units - valid) / f64::from(valid),
            _ => 0.0,
        };
    }

    /// Room to move `units` more beside what is in hand.
    pub(crate) fn has_room_for(&self, die: usize, units: u32) -> bool {
        let program_units = self.layout.program_units;
        let space = &self.space.dies[die];
        let mut left = space.frontiers[moving_stream(self.mixed)].left(&self.layout);
        let mut reserved = self.reserved_units(die);
        if self.mixed {
            // The host's timer may pad the rest of a program unit that was begun: only whole ones count.
            left -= left % program_units;
            reserved = reserved.next_multiple_of(program_units);
        }
        let room = left + self.free_superblocks(die) * self.layout.data_units();
        room >= reserved + units.next_multiple_of(program_units)
    }

    /// At most so much room will still be needed on a die for what is in hand.
    #[inline]
    pub(crate) fn reserved_units(&self, die: usize) -> u32 {
        let collection = &self.collections[die];
        // Members of groups come when their group is taken, not one after the other: each may need padding.
        let pads =
            if self.parity.is_some() { collection.under_way() as u32 * self.layout.program_units } else { 0 };
        collection.reserved_units(&self.space, die) + pads
    }

    /// What is in hand and not on its way to the flash fits into what the die has left. Said for a frontier that the host
    /// shares, whose timer may pad it, and blocks that do not fail.
    pub(crate) fn fits_in_hand(&self, die: usize) -> bool {
        let others = self.parity.is_some() || self.slc_cache.is_some() || self.copyback;
        if !self.mixed || others || self.stats.program_failures > 0 {
            return true;
        }
        let collection = &self.collections[die];
        let mut units = collection.reading_units + collection.backlog.len() as u32;
        if collection.victim != NONE {
            let first = self.layout.first_ppa(self.space.global(die, collection.victim) as u32);
            let rows = collection.next_row..self.layout.rows;
            let starts = rows.map(|row| first + row * self.layout.row_units);
            units +=
                starts.map(|at| self.map.valid_mask(at, self.layout.row_units).count_ones()).sum::<u32>();
        }
        let left = self.space.dies[die].frontiers[moving_stream(self.mixed)].left(&self.layout);
        left + self.free_superblocks(die) * self.layout.data_units() >= units
    }

    /// Keeps up to `read_ahead` page rows of the victim under way.
    fn read_victim<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        let global = self.space.global(die, self.collections[die].victim) as u32;
        let first = self.layout.first_ppa(global);
        while self.collections[die].next_row < self.layout.rows
            && self.collections[die].reading_rows < self.read_ahead
        {
            let row = self.collections[die].next_row;
            self.collections[die].next_row += 1;
            let start = first + row * self.layout.row_units;
            let mask = self.map.valid_mask(start, self.layout.row_units);
            if mask == 0 {
                continue;
            }
            let origin = self.collections[die].origin;
            self.collections[die].reading_rows += 1;
            self.collections[die].reading_units += mask.count_ones();
            if self.copyback && self.copy_back(die, Ppa(start), origin, calendar, probe) {
                continue;
            }
            let row = start / self.layout.row_units;
            self.submit_read(row, mask, origin, Class::InternalRead, NONE, calendar, probe);
        }
    }

    /// Moves a page inside its plane, if the open superblock lies in the same plane. Data does not pass the
    /// ECC, as on the real part: errors may add up.
    fn copy_back<P: Probe>(
        &mut self,
        die: usize,
        source: Ppa,
        origin: Origin,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> bool {
        let stream = moving_stream(self.mixed);
        if self.space.dies[die].frontiers[stream].superblock == NONE && !self.open_own(die, stream) {
            return false;
        }
        self.order(die, stream);
        let from = self.layout.superblock_of(source) % self.space.per_die;
        let to = self.space.dies[die].frontiers[stream].superblock;
        if self.array.plane_of(die as u32, from) != self.array.plane_of(die as u32, to) {
            return false;
        }
        let lpn = self.map.holder(source);
        let frontier = &mut self.space.dies[die].frontiers[stream];
        frontier.slot = self.programs.take_slot();
        self.programs.set(frontier.slot, 0, Source::new(origin, source.0));
        let global = die as u32 * self.space.per_die + to;
        let target = Ppa(self.layout.first_ppa(global) + frontier.next_unit);
        frontier.next_unit += 1;
        self.space.dies[die].clock += 1;
        self.choose_cost(die, stream, global, lpn, origin, calendar.now());
        self.map.assign(target, lpn);
        self.issue_program(die, stream, Kind::Copyback, calendar, probe);
        true
    }

    /// Units of a victim were read: those still valid move on.
    pub(crate) fn on_moving_read<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let die = transaction.die.index();
        let global = self.space.global(die, transaction.superblock) as u32;
        let start = self.layout.first_ppa(global) + transaction.row * self.layout.row_units;
        self.collections[die].reading_rows -= 1;
        self.collections[die].reading_units -= transaction.mask.count_ones();
        self.collections[die].earn(f64::from(transaction.mask.count_ones()), self.layout.program_units);
        let mut mask = transaction.mask;
        while mask != 0 {
            let ppa = Ppa(start + mask.trailing_zeros());
            mask &= mask - 1;
            if self.map.is_valid(ppa) {
                self.move_unit(die, ppa, transaction.origin, calendar, probe);
            }
        }
        self.collect(die, calendar, probe);
    }

    /// A copyback finished, for good or ill.
    pub(crate) fn on_copied_back(&mut self, die: usize) {
        self.collections[die].reading_rows -= 1;
        self.collections[die].reading_units -= 1;
        self.collections[die].earn(1.0, self.layout.program_units);
    }

    pub(crate) fn move_unit<P: Probe>(
        &mut self,
        die: usize,
        ppa: Ppa,
        origin: Origin,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let stream = moving_stream(self.mixed);
        if self.space.dies[die].frontiers[stream].superblock == NONE && !self.open_own(die, stream) {
            self.collections[die].backlog.push_back((ppa, origin));
            return;
        }
        let lpn = self.map.holder(ppa);
        self.map.prefetch_lookup(lpn);
        self.append(die, stream, lpn, Source::new(origin, ppa.0), calendar, probe);
    }

    /// A superblock became free: units that waited for one go on.
    fn retry_backlog<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        for _ in 0..self.collections[die].backlog.len() {
            let Some((ppa, origin)) = self.collections[die].backlog.pop_front() else { return };
            if self.map.is_valid(ppa) {
                self.move_unit(die, ppa, origin, calendar, probe);
            }
        }
    }

    /// A moved unit was programmed: it is the home of its data unless the host wrote or trimmed meanwhile.
    #[inline]
    pub(crate) fn on_moved_unit<P: Probe>(
        &mut self,
        ppa: Ppa,
        old: Ppa,
        origin: Origin,
        done: bool,
        probe: &mut P,
    ) {
        let lpn = self.map.holder(ppa);
        let superblock = self.layout.superblock_of(ppa);
        // Where nobody needs it any more, its old place may have been erased since, and be named for what came there.
        let named = self.is_named(old) && self.map.holder(old) == lpn;
        let live = self.map.lookup(lpn) == old;
        if !live && !named {
            return;
        }
        if !done {
            let die = (superblock / self.space.per_die) as usize;
            match origin {
                Origin::Fold => self.fold_again(die, old),
                _ => self.collections[die].backlog.push_back((old, origin)),
            }
            return;
        }
        if named {
            self.move_named(lpn, old, ppa, live, probe);
        }
        if live {
            self.note_change(lpn);
            self.map.set(lpn, ppa);
            probe.on_commit(lpn, ppa, old, true);
        }
        self.space.valid[superblock as usize] += 1;
        self.invalidate(old);
    }

    /// Erases the victims that hold nothing any more and are read completely.
    pub(crate) fn erase_emptied<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        while let Some(global) = self.emptied.pop() {
            let (die, superblock) = ((global / self.space.per_die) as usize, global % self.space.per_die);
            let collection = &mut self.collections[die];
            if self.parity.is_some() {
                if collection.is_pending(superblock) {
                    self.on_member_emptied(global, calendar, probe);
                }
                continue;
            }
            let origin = match collection.begin_erase(superblock) {
                Some(origin) => origin,
                None if self.take_emptied_slc(die, superblock) => Origin::Fold,
                None => continue, // Not read to its end yet; the collection will come back to it.
            };
            self.space.state[global as usize] = SuperblockState::Erasing;
            let die = DieId(die as u32);
            let mut erase = Transaction::new(Kind::Erase, origin, Class::Erase, die, superblock, 0);
            erase.wear = self.controller.wear_row(|| self.array.worn(die.0, superblock));
            self.controller.submit(erase, calendar, probe);
        }
    }

    /// Pads a program unit that victims wait for when nothing else will fill it.
    fn pad_leftover<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        let collection = &self.collections[die];
        let waiting =
            collection.victim == NONE && collection.reading_rows == 0 && !collection.pending.is_empty();
        if !waiting {
            return;
        }
        let stream = moving_stream(self.mixed);
        let frontier = self.space.dies[die].frontiers[stream];
        let moved = (0..frontier.filled)
            .any(|unit| !matches!(self.programs.get(frontier.slot, unit).origin(), Origin::Host));
        if moved {
            self.pad(die, stream, calendar, probe);
        }
    }
}
