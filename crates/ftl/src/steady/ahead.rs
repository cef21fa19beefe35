//! Writes without simulated time on dies that have clocks: which die is free for the host, and how far collections come
//! meanwhile.
//!
//! In time a collection goes on by itself once it has begun, an idle die collects more than writes need, and a host's program
//! goes to a die that has a place for it. Here each die has a clock, which nominal times of its operations move on: between two
//! programs of the host it collects as long as there is time, and dies that are behind are passed over. How much it collects
//! while a program of the host is on the die is a question of the scheduler, and how many units a program of the host takes
//! one of the requests: both are answered by a part of the run in time (`CollectionInTime`). Not modelled: channels that are
//! shared, reads that overtake programs, and different times of different page rows.

use crate::core::{CollectionInTime, UntimedStep};
use crate::pages::PageMapped;
use crate::store::{Frontier, NONE, SuperblockState};
use crate::upkeep::{Eager, NominalTimes};
use controller::Origin;
use std::ops::Range;
use units::{Lpn, Nanos, Ppa, SimTime};

/// Type of a wrapper around a page-mapped flash translation layer, for writes without simulated time in which each die
/// has a clock of nominal operation times.
pub struct RunsAhead<'a>(pub &'a mut PageMapped);

impl RunsAhead<'_> {
    /// Returns counts, summed over all dies since the drive was made, of how garbage collection and the host shared
    /// dies: units moved beside host programs, host units written beside collection, all host units and host programs.
    pub fn seen_in_time(&self) -> CollectionInTime {
        let dies = self.0.media.core.collections.iter();
        dies.fold(CollectionInTime::default(), |all, die| all.and(die.seen))
    }

    /// Returns the number of places on a die that programs can take: in free superblocks, in open ones, and in those
    /// page rows of superblocks being relocated that were read, less the units read out of them that have no place yet.
    fn free_places_of(&self, die: usize) -> u64 {
        let core = &self.0.media.core;
        let (layout, space, mover) =
            (&core.store.layout, &core.store.space.dies[die], &core.collections[die].mover);
        let open = space.frontiers.iter().filter(|frontier| frontier.superblock != NONE);
        let open: u32 = open.map(|frontier| layout.superblock_units - frontier.next_unit).sum();
        let rows = if mover.has_victim() { mover.next_row } else { 0 };
        let whole = (space.free.len() + mover.pending.len()) as u32 + mover.erasing;
        let places = open + rows * layout.row_units + whole * layout.superblock_units;
        u64::from(places.saturating_sub(mover.units_in_hand()))
    }

    /// Returns the number of places on flash that programs can take before any further page row is read to be
    /// relocated.
    pub fn free_places(&self) -> u64 {
        (0..self.0.media.core.store.layout.dies as usize).map(|die| self.free_places_of(die)).sum()
    }

    /// Counts the free places of a die anew, for collections that shall keep as many as in simulated time.
    fn count_places(&mut self, die: usize) {
        let free = self.free_places_of(die) as f64;
        if let Some(eager) = &mut self.0.upkeep.eager {
            eager.dies[die].free.now = free;
        }
    }

    /// Adds the places of the page rows of a die's victim from row `first` to the present one to the die's free places.
    #[inline]
    pub(super) fn note_rows(&mut self, die: usize, first: u32) {
        let core = &self.0.media.core;
        if let Some(eager) = &mut self.0.upkeep.eager {
            let rows = core.collections[die].mover.next_row - first;
            eager.dies[die].free.now += f64::from(rows * core.store.layout.row_units);
        }
    }

    /// Adds the time for an erase of a superblock to a die's clock, and counts the die's free places anew.
    #[inline]
    pub(super) fn note_erased(&mut self, die: usize) {
        if let Some(eager) = &mut self.0.upkeep.eager {
            eager.note_erased(die);
            self.count_places(die);
        }
    }

    /// Sets whether writes without simulated time follow nominal clocks of the dies from now on. `seen`: counts of how
    /// garbage collection and the host shared dies in simulated time, and the longest time from a host write to its
    /// program. `places`: mean number of free places of a die in simulated time ([`Self::free_places`]), which
    /// collections shall keep. `None`: without clocks, dies collect only as much as writes need.
    pub fn run_ahead(&mut self, seen: Option<(CollectionInTime, Nanos)>, places: f64) {
        self.end();
        let times = self.times();
        let core = &self.0.media.core;
        let (dies, streams) = (core.store.layout.dies, core.store.space.dies[0].frontiers.len());
        let idle_after = self.0.upkeep.trigger.idle_after();
        let (is_write_back, flush_after) = (core.rules.write_back, core.assembly.flush_after);
        self.0.upkeep.eager = seen.map(|(seen, slack)| {
            let mut eager = Eager::new(seen, times, idle_after, dies, streams);
            eager.slack = slack.ns() as f64;
            eager.places = places;
            if is_write_back {
                eager.pad_after(flush_after);
            }
            Box::new(eager)
        });
        (0..dies as usize).for_each(|die| self.count_places(die));
    }

    /// Ends writes without simulated time that follow clocks: the host's programs end, and each die collects until the
    /// present nominal time.
    fn end(&mut self) {
        let Some(now) = self.0.upkeep.eager.as_ref().map(|eager| eager.now) else { return };
        self.commit_all(f64::INFINITY);
        (0..self.0.media.core.store.layout.dies as usize).for_each(|die| self.catch_up(die));
        self.0.media.features.carried_forward(UntimedStep::TimePassed(now as i64));
    }

    /// Returns the nominal times of a die's operations: means over page rows, at the wear of the drive's first
    /// superblock.
    fn times(&self) -> NominalTimes {
        let core = &self.0.media.core;
        let (layout, controller) = (&core.store.layout, &core.store.controller);
        let wear = controller.wear_row(|| core.store.array.worn(0, 0));
        let programs = layout.rows / layout.program_rows;
        let rows = 0..layout.rows;
        let program: u64 =
            (0..programs).map(|at| controller.t_prog(at * layout.program_rows, wear, 0).ns()).sum();
        let read: u64 = rows.map(|row| controller.t_r(row).ns()).sum();
        let bus = controller.bus();
        let mean = |sum: u64, of: u32| sum as f64 / f64::from(of.max(1));
        NominalTimes {
            program: mean(program, programs),
            read: mean(read, layout.rows) + bus.read_command().ns() as f64,
            transfer: bus.data_out(1).ns() as f64,
            erase: controller.t_bers(wear).ns() as f64,
        }
    }

    /// Advances the host's nominal clock, for writes without simulated time, by `step`; or by more, as it may be behind
    /// the dies' nominal time by no more than the write buffer allows. `since` is the simulated time at which the clocks
    /// were at zero.
    #[inline]
    pub fn pass(&mut self, step: Nanos, since: SimTime) {
        if let Some(eager) = &mut self.0.upkeep.eager {
            eager.host = (eager.host + step.ns() as f64).max(eager.now - eager.slack);
            eager.now = eager.now.max(eager.host);
            let is_overdue = eager.is_overdue();
            self.0
                .media
                .features
                .carried_forward(UntimedStep::TimePasses(since.ns() as i64 + eager.now as i64));
            if is_overdue {
                self.pad_hosts();
            }
        }
    }

    /// Pads the host's open program units, as for a flush.
    #[cold]
    pub fn pad_hosts(&mut self) {
        let Some(eager) = &mut self.0.upkeep.eager else { return };
        eager.end_unit();
        for stream in 0..eager.last.len() {
            let streams = &self.0.media.core.assembly.streams;
            let last = self.0.upkeep.eager.as_ref().map_or(0, |eager| eager.last[stream]);
            if streams.takes_hosts(stream) && !streams.is_shared(stream) {
                self.pad_stream(last, stream);
            }
        }
    }

    /// Adds the time of a flash read, for a host read of unit `lpn`, to the nominal clock of the die that holds the
    /// unit; does nothing for a unit that is not on flash, or in the page row `last` that the request has just read.
    /// Returns the page row (numbered over the drive) that the request has read last.
    #[inline]
    pub fn read(&mut self, lpn: Lpn, last: Option<u32>) -> Option<u32> {
        let core = &mut self.0.media.core;
        core.store.map.outgrow();
        let place = core.store.map.lookup(lpn);
        if place == Ppa::NONE {
            return last;
        }
        let row = core.store.layout.row_number(place);
        if last == Some(row) {
            return last;
        }
        let die = (core.store.layout.superblock_of(place) / core.store.layout.superblocks_per_die) as usize;
        self.0.media.features.carried_forward(UntimedStep::Reads(row));
        self.catch_up(die);
        if let Some(eager) = &mut self.0.upkeep.eager {
            let die = &mut eager.dies[die];
            die.free_at = die.free_at.max(eager.host) + eager.times.read;
        }
        Some(row)
    }

    /// Gives a unit of the host, without simulated time, the next free place in the open superblock of a write stream
    /// of a die, and queues it with the end of its program, which was added to the die's clock of nominal times before.
    /// The map points to the unit only when that end is reached, as in simulated time.
    #[inline]
    pub(super) fn place(&mut self, die: usize, stream: usize, lpn: Lpn) {
        let store = &mut self.0.media.core.store;
        let space = &mut store.space.dies[die];
        space.clock += 1;
        let frontier = &mut space.frontiers[stream];
        let global = die as u32 * store.layout.superblocks_per_die + frontier.superblock;
        let ppa = Ppa(store.layout.first_ppa(global) + u64::from(frontier.next_unit));
        frontier.next_unit += 1;
        let is_last = frontier.next_unit == store.layout.data_units();
        let is_first = frontier.next_unit == 1;
        store.map.prefetch_lookup(lpn);
        store.map.assign(ppa, lpn);
        if is_first {
            self.0.media.features.carried_forward(UntimedStep::Opens(global as usize));
        }
        if is_last {
            let store = &mut self.0.media.core.store;
            store.space.dies[die].frontiers[stream] = Frontier::CLOSED;
            store.space.state[global as usize] = SuperblockState::Closed;
        }
        if let Some(eager) = &mut self.0.upkeep.eager {
            eager.note_placed(die, lpn, (ppa, is_last));
        }
    }

    /// Closes the full superblock of a die whose last place is `last`, as its programs have ended by the die's nominal
    /// clock.
    fn close(&mut self, die: usize, last: Ppa) {
        let media = &mut self.0.media;
        let global = media.core.store.layout.superblock_of(last) as usize;
        media.core.store.array.restore(global, media.core.store.layout.rows);
        media.core.store.stats.units_programmed[Origin::Map as usize] +=
            u64::from(media.core.store.layout.summary_units);
        media.features.closed(global);
        let superblock = global as u32 % media.core.store.layout.superblocks_per_die;
        media.core.store.space.close(die, superblock);
    }

    /// Ends the host's programs on a die whose nominal end time is not later than `until` (in ns): from now on the map
    /// points to the units of these programs.
    #[inline]
    fn commit(&mut self, die: usize, until: f64) {
        if let Some(eager) = &self.0.upkeep.eager {
            // Where older versions lie is all over the map: all are asked for before any is changed.
            let map = &self.0.media.core.store.map;
            eager.ended(die, until).for_each(|unit| map.prefetch_home(unit.lpn));
        }
        while let Some(eager) = &mut self.0.upkeep.eager
            && let Some((unit, is_newest)) = eager.take_ended(die, until)
        {
            if is_newest {
                let media = &mut self.0.media;
                let old = media.core.store.map.lookup(unit.lpn);
                media.features.changes(unit.lpn);
                media.core.store.map.set(unit.lpn, unit.ppa);
                let superblock = media.core.store.layout.superblock_of(unit.ppa) as usize;
                media.core.store.space.valid[superblock] += 1;
                if old != Ppa::NONE {
                    media.invalidate_host(old);
                }
            } else {
                self.0.media.lower_live(die);
            }
            if unit.is_last {
                self.close(die, unit.ppa);
            }
        }
    }

    /// Ends the host's programs on all dies whose nominal end time is not later than `until` (in ns).
    fn commit_all(&mut self, until: f64) {
        let mut next = 0;
        while let Some(eager) = &self.0.upkeep.eager
            && let Some(die) = eager.first_ended(next, until)
        {
            self.commit(die, until);
            next = die + 1;
        }
    }

    /// Lets a die collect garbage until the present nominal time, as it would in simulated time: where collection is
    /// needed, and in the background once the die has been idle for long enough.
    #[inline(never)]
    pub(super) fn catch_up(&mut self, die: usize) {
        let Some(eager) = &self.0.upkeep.eager else { return };
        let now = eager.now;
        let mut went_on = false;
        while let Some(eager) = &mut self.0.upkeep.eager
            && eager.dies[die].free_at < now
            && !self.0.media.core.turns_in_vain()
        {
            if self.0.go_on_untimed(die) {
                went_on = true;
                continue;
            }
            let wants = self.0.upkeep.trigger.background(&self.0.upkeep.trigger_view(&self.0.media, die));
            if !wants {
                break;
            }
            let Some(eager) = &mut self.0.upkeep.eager else { return };
            let clock = &mut eager.dies[die];
            if !clock.background {
                match eager.idle_after {
                    Some(wait) if now - clock.free_at >= wait => {
                        clock.free_at += wait;
                        clock.background = true;
                    }
                    _ => break,
                }
            }
            if !self.0.take_idle_untimed(die) {
                break;
            }
            went_on = true;
        }
        if went_on {
            self.pad_leftover(die);
        }
    }

    /// Chooses the die that takes the next unit of a host write stream, by nominal clocks: the die of the stream's last
    /// unit while its program unit is not full; else, with a program begun there, the next die in turn that can take
    /// one now or the die that can take one first. `None` if no die ever can.
    pub(super) fn next_die(&mut self, stream: usize) -> Option<usize> {
        let layout = &self.0.media.core.store.layout;
        let (program, dies) = (layout.program_units, layout.dies as usize);
        let last = self.0.upkeep.eager.as_ref()?.last[stream];
        let frontier = self.0.media.core.store.space.dies[last].frontiers[stream];
        if frontier.superblock != NONE && !frontier.next_unit.is_multiple_of(program) {
            return Some(last);
        }
        let now = self.0.upkeep.eager.as_ref()?.now;
        self.commit_all(now);
        let in_turns = [last + 1..dies, 0..last + 1];
        let die = in_turns.into_iter().find_map(|dies| self.first_taking(dies, stream));
        let die = die.or_else(|| self.first_to_take(stream))?;
        let eager = self.0.upkeep.eager.as_mut()?;
        eager.last[stream] = die;
        eager.begin_program(die);
        Some(die)
    }

    /// Returns the first of the dies `dies` that can take another host program of a write stream at the present nominal
    /// time, `None` if none can: it has a place in its program queue, and free space. Before the check for space, a die
    /// collects garbage up to this time.
    fn first_taking(&mut self, dies: Range<usize>, stream: usize) -> Option<usize> {
        let mut next = dies.start;
        while let Some(eager) = &self.0.upkeep.eager
            && let Some(at) = eager.has_place_at[next..dies.end].iter().position(|at| *at <= eager.now)
        {
            let die = next + at;
            self.catch_up(die);
            if self.has_room(die, stream) && self.0.make_room_untimed(die, stream) {
                return Some(die);
            }
            next = die + 1;
        }
        None
    }

    /// Returns true if a die can take a program unit of a write stream without further garbage collection: it is below
    /// its limit of live units, and has free space.
    fn has_room(&self, die: usize, stream: usize) -> bool {
        self.0.media.core.is_within_quota(die) && self.0.has_own_room_untimed(die, stream)
    }

    /// Returns a nominal time, in ns, and whether the die has free space for a write stream. If true, the die can take
    /// another host program from this time on; if false, its garbage collection can go on then. `None` if the die is at
    /// its limit of live units.
    fn ready(&self, die: usize, stream: usize) -> Option<(f64, bool)> {
        if !self.0.media.core.is_within_quota(die) {
            return None;
        }
        let eager = self.0.upkeep.eager.as_ref()?;
        let has_room = self.0.has_own_room_untimed(die, stream);
        Some((if has_room { eager.has_place_at[die] } else { eager.dies[die].free_at }, has_room))
    }

    /// Lets nominal time pass, and dies collect, until a die can take a program unit of a write stream; returns the
    /// die, `None` if no die ever can.
    fn first_to_take(&mut self, stream: usize) -> Option<usize> {
        // No die can take a program, nor go on to collect, before it has a place for a program.
        let mut earliest = self.0.upkeep.eager.as_ref()?.has_place_at.clone();
        while !self.0.media.core.turns_in_vain() {
            // Times are not negative: they have the order of their bits.
            let least = earliest.iter().map(|at| at.to_bits()).min()?;
            let at = f64::from_bits(least);
            let die = earliest.iter().position(|time| time.to_bits() == least)?;
            if at == f64::INFINITY {
                return None;
            }
            let Some((ready, has_room)) = self.ready(die, stream) else {
                earliest[die] = f64::INFINITY;
                continue;
            };
            if ready > at {
                earliest[die] = ready;
                continue;
            }
            self.commit(die, at);
            if has_room {
                if let Some(eager) = &mut self.0.upkeep.eager {
                    eager.now = eager.now.max(at);
                }
                if self.0.make_room_untimed(die, stream) {
                    return Some(die);
                }
            } else if self.0.go_on_untimed(die) {
                continue;
            }
            earliest[die] = f64::INFINITY;
        }
        None
    }

    /// Does the work that follows a host unit written to a die by nominal clocks: pads the unit's program unit once it
    /// holds as many host units as the mean in simulated time, and advances a garbage collection of the die in progress
    /// by as many units as in simulated time.
    #[inline(never)]
    pub(super) fn collect_ahead(&mut self, die: usize, stream: usize) {
        let Some(eager) = &mut self.0.upkeep.eager else { return };
        if eager.is_filled(self.0.media.core.store.layout.program_units)
            && !self.0.media.core.assembly.streams.is_shared(stream)
        {
            self.pad_stream(die, stream);
        }
        if self.0.media.core.collections[die].mover.has_victim()
            && let Some(eager) = &mut self.0.upkeep.eager
        {
            let clock = &mut eager.dies[die];
            clock.owed += eager.moved;
            if clock.free.mean() < eager.places {
                // Collections have come less far than in time.
                self.0.go_on_untimed(die);
            }
            self.move_owed(die);
        }
        self.pad_leftover(die);
    }

    /// Pads the open program units of moved data of a die, as in simulated time, if the die empties no superblock and
    /// need not begin to.
    fn pad_leftover(&mut self, die: usize) {
        let upkeep = &self.0.upkeep;
        if self.0.media.core.collections[die].mover.has_victim()
            || upkeep.trigger.foreground(&upkeep.trigger_view(&self.0.media, die))
        {
            return;
        }
        for stream in self.0.media.core.assembly.streams.of_moved() {
            if !self.0.media.core.assembly.streams.is_shared(stream) {
                self.pad_stream(die, stream);
            }
        }
    }

    /// Pads the open program unit of a write stream of a die, if it holds any unit.
    fn pad_stream(&mut self, die: usize, stream: usize) {
        let core = &mut self.0.media.core;
        let frontier = core.store.space.dies[die].frontiers[stream];
        let missing =
            frontier.next_unit.next_multiple_of(core.store.layout.program_units) - frontier.next_unit;
        if frontier.superblock != NONE && missing > 0 {
            if self.0.media.core.assembly.streams.takes_hosts(stream) {
                self.commit(die, f64::INFINITY);
            }
            if let Some(eager) = &mut self.0.upkeep.eager {
                eager.dies[die].free.now -= f64::from(missing);
            }
            let core = &mut self.0.media.core;
            core.store.stats.units_programmed[Origin::Padding as usize] += u64::from(missing);
            self.0.media.settle_stream(die, stream);
        }
    }

    /// Moves units of a die's garbage collection in progress until as many are moved as the host units written so far
    /// demand.
    fn move_owed(&mut self, die: usize) {
        while self.0.media.core.collections[die].mover.has_victim()
            && let Some(eager) = &self.0.upkeep.eager
            && eager.dies[die].owed > 0.0
        {
            let before = eager.moved_so_far;
            self.0.go_on_untimed(die);
            if let Some(eager) = &mut self.0.upkeep.eager {
                eager.dies[die].owed -= (eager.moved_so_far - before) as f64;
            }
        }
    }
}
