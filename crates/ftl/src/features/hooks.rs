//! Where features take part in the work of the layer: a few words for each hook, from which the trait and its calls follow.
//!
//! By `tell` hooks features are told what happens, by `ask` hooks they are asked for what they know. `any` is true when one of
//! them says so and `all` when each of them does, `sum` adds up, `first` is the answer of the first that
//! has one, and `worst` and `most` are the highest of all.

use super::{Features, features};
use crate::Probe;
use crate::core::{
    Act, Arriving, Core, Erased, Joining, Lookup, MapEntry, Members, Overtaken, Remedy, Round, Seen,
    SetMoment, SetPlan, Together, ToldOnFlash, Version, Waiter, Wish,
};
use crate::store::Mark;
use crate::store::spare::SpareAreas;
use controller::{Context, Origin, Transaction};
use engine::{Calendar, RandomStream};
use nand::ProgramStatus;
use std::ops::Range;
use units::{Lpn, Nanos, Ppa, SimTime};

/// What the answers come to, be there none.
macro_rules! fold {
    (each $($one:expr;)*) => {{ $($one;)* }};
    (any $($one:expr;)*) => { false $(|| $one)* };
    (all $($one:expr;)*) => { true $(&& $one)* };
    (sum $($one:expr;)*) => { 0 $(+ $one)* };
    (first $($one:expr;)*) => { None $(.or_else(|| $one))* };
    (worst $($one:expr;)*) => { Overtaken::Free $(.max($one))* };
    (most $($one:expr;)*) => { u64::MIN $(.max($one))* };
}

/// A hook that may change a feature.
macro_rules! tell {
    ($($rest:tt)*) => { hook! { [mut] [mut] $($rest)* } };
}

/// A hook that changes nothing.
macro_rules! ask {
    ($($rest:tt)*) => { hook! { [] [] $($rest)* } };
}

macro_rules! lend {
    ([mut] $($of:tt)*) => { &mut $($of)* };
    ([] $($of:tt)*) => { &$($of)* };
}

/// What a hook is by itself, for each feature, and behind the test whether there is one.
macro_rules! hook {
    ([$($mut:tt)?] $m:tt default [$($doc:tt)*] $hook:ident [$($p:ident)?] ($($params:tt)*) $args:tt [$out:ty, $fold:ident $($none:tt)*]) => {
        $($doc)*
        #[inline]
        fn $hook $(<$p: Probe>)? (&$($mut)? self, $($params)*) -> $out {
            fold!($fold)
        }
    };
    ([$($mut:tt)?] $m:tt [$($name:ident: $type:ty,)*] each $hook:ident [$($p:ident)?] ($($params:tt)*) $args:tt [$out:ty, $fold:ident $($none:tt)*]) => {
        fn $hook $(<$p: Probe>)? (&$($mut)? self, $($params)*) -> $out {
            fold!($fold $(match lend!($m self.$name) {
                Some(feature) => feature.$hook $args,
                None => fold!($fold),
            };)*)
        }
    };
    ([$($mut:tt)?] $m:tt test [$($doc:tt)*] $hook:ident [$($p:ident)?] ($($params:tt)*) ($($args:tt)*) [$out:ty, $fold:ident $($none:tt)*]) => {
        $($doc)*
        #[inline]
        pub(crate) fn $hook $(<$p: Probe>)? (&$($mut)? self, $($params)*) -> $out {
            if self.active { Feature::$hook(self, $($args)*) } else { fold!($fold) }
        }
    };
}

macro_rules! hooks {
    ($(
        $(#[$doc:meta])*
        $kind:ident $hook:ident $([$p:ident])? ($($arg:ident: $of:ty),*) $(-> $out:ty, $fold:ident)?;
    )*) => {
        /// What takes part in the work of the layer without owning it. Each hook does nothing by itself.
        #[allow(unused_variables, clippy::unused_unit)]
        pub(crate) trait Feature {
            $($kind! { default [$(#[$doc])*] $hook [$($p)?] ($($arg: $of),*) ($($arg),*) [$($out, $fold)? (), each] })*
        }

        #[allow(clippy::unused_unit)]
        impl Feature for Features {
            $(features! { $kind each $hook [$($p)?] ($($arg: $of),*) ($($arg),*) [$($out, $fold)? (), each] })*
        }

        #[allow(clippy::unused_unit)]
        impl Features {
            $($kind! { test [$(#[$doc])*] $hook [$($p)?] ($($arg: $of),*) ($($arg),*) [$($out, $fold)? (), each] })*
        }
    };
}

hooks! {
    /// Bytes of state of the simulator.
    ask bytes() -> usize, sum;
    /// Buffer slots that it may take now, and the host may not.
    ask slots_kept() -> u32, sum;
    /// Adds the units of its own that are read first when the power is back.
    ask reads_first(units: &mut Vec<Lpn>);
    /// The host may send more data.
    ask takes_data() -> bool, all;
    /// Parts of units are known: sectors, a bit each.
    ask knows_parts() -> bool, any;
    /// Which bytes of the drive a request is about.
    tell extent(request: u32, offset: u64, bytes: u64);
    /// So many units of a request, from the first on, are about to get a slot each: how many of them may, where that is known.
    tell promise(request: u32, first: Lpn, wanted: u32) -> Option<u32>, first;
    /// A unit that was promised a slot does not come after all.
    tell refused(lpn: Lpn);
    /// The data of a write are in a slot of their own.
    tell arrived(slot: u32, lpn: Lpn, write: Arriving);
    /// New data took the place of what a slot held.
    tell joined(slot: u32, lpn: Lpn);
    /// A slot holds nothing any more that the flash lacks.
    tell released(slot: u32);
    /// The part of a unit that a request asks for and the buffer does not hold.
    tell part_to_read(request: u32, lpn: Lpn, buffered: Option<u32>) -> Option<u64>, first;
    /// The host reads `part` of a unit: true when that part is read from the flash though nothing was ever written
    /// there.
    tell reads_part(lpn: Lpn, part: u64, place: Ppa, home_die: u32) -> bool, any;
    /// The part of its unit that a slot still lacks.
    ask lacks(slot: u32) -> Option<u64>, first;
    /// Bytes read from the buffer since the last call.
    tell take_cached() -> u64, sum;
    /// A program is about to be submitted, of a stream where there are streams.
    tell programs(core: &Core, program: &mut Transaction, stream: Option<usize>);
    /// Time begins again after writes that took none.
    tell settled(core: &Core);
    /// A unit that held something was trimmed.
    tell trimmed(core: &mut Core, lpn: Lpn);
    /// All that is there by now is to be durable, and `flush` waits for that: true where something has to be put into the
    /// buffer first. The flush is then asked for when it is.
    tell write_out(core: &mut Core, flush: Option<u32>) -> bool, any;
    /// Operations are done: what waited for room in the buffer may go on.
    tell go_on(core: &mut Core);
    /// A unit behind the host's came from a slot to the flash: true for one that no other feature has a part in.
    tell wrote_own(core: &Core, lpn: Lpn, slot: u32) -> bool, any;
    /// A unit behind the host's has this number on flash.
    tell numbered(lpn: Lpn, number: u64);
    /// Nothing can be moved any more, and no request waits.
    tell stalled();
    /// The power is back, and of each logical unit this is the newest copy, of copies with such numbers: some may be void.
    tell found(core: &mut Core, newest: &mut [Ppa], numbers: &[u64]);
    /// A unit is about to be overwritten or trimmed: what becomes of the version it has.
    tell overtakes(core: &mut Core, lpn: Lpn, now: SimTime) -> Overtaken, worst;
    /// A trim was ignored because what it would have overtaken has to stay.
    tell trim_refused();
    /// A write of a unit must be answered with an error.
    ask may_not_lose(core: &Core, lpn: Lpn) -> bool, any;
    /// The data in a slot are needed, although they were overwritten or trimmed.
    ask holds_slot(slot: u32) -> bool, any;
    /// Such an overwritten version is on flash now: its unit, slot and place.
    tell programmed_held[P](core: &mut Core, held: (Lpn, u32, Ppa), probe: &mut P);
    /// The version at this place is needed, although it is not the newest one.
    ask names(ppa: Ppa) -> bool, any;
    /// A version moved from one place to another: a former version, or the newest one.
    tell moved[P](core: &mut Core, moved: (Lpn, Ppa, Ppa), version: Version, probe: &mut P);
    /// The host's data of a unit are in the buffer.
    tell buffered[P](core: &Core, lpn: Lpn, probe: &mut P);
    /// True while the feature has operations on their way to the flash.
    ask is_busy() -> bool, any;
    /// A program is over, and its units are where they belong.
    tell programmed(core: &mut Core, now: SimTime);
    /// More may survive a power cut by now.
    tell survives[P](core: &mut Core, probe: &mut P);
    /// Work that waits until no operation is on its way to the flash may go on.
    tell finish(core: &mut Core);
    /// The map is what it was at a former time: a way back that began then is over.
    tell put_back(core: &mut Core, since: SimTime, now: SimTime);
    /// These units of a map on flash are being written anew.
    tell map_flushed(core: &mut Core, pages: &[u32], now: SimTime);
    /// The time at which the feature next has work to do by the clock.
    ask next_moment() -> Option<SimTime>, first;
    /// Does the next that is due by the clock; false when nothing is.
    tell moment[P](core: &mut Core, now: SimTime, probe: &mut P) -> bool, any;
    /// The host is gone, and nothing falls due any more.
    tell ended();
    /// Something is asked of the logical drive as a whole.
    tell act[P](core: &mut Core, act: Act, now: SimTime, probe: &mut P) -> Option<u32>, first;
    /// Where a version of a unit is that is kept under a number.
    ask seen_in(core: &Core, serial: u32, lpn: Lpn) -> Option<Seen>, first;
    /// Mapping units that neither the host's data and the map nor garbage collection need.
    tell set_room(spare: u64);
    /// Gives up something of what no longer has room; false when all has.
    tell gives_way(core: &mut Core, now: SimTime) -> bool, any;
    /// Why the spare units are too few, `advice` being how there would be more.
    ask lacks_room(spare: u64, advice: &str) -> Option<String>, first;
    /// Spare units that it must have at least.
    ask spare_least() -> u64, sum;
    /// It is at work by the clock.
    ask keeps_time() -> bool, any;
    /// It has room that only spare units give.
    ask shares_room() -> bool, any;
    /// True when the feature takes part in each write, so that a drive cannot be filled superblock by superblock.
    ask watches_writes() -> bool, any;
    /// True when the feature keeps old versions, which untimed writes do not know.
    ask keeps_versions() -> bool, any;
    /// Time begins, and what is there has numbers from this one on: the last of them.
    tell number_beginning(before: u64) -> Option<u64>, first;
    /// The number of what lies at a place then.
    ask number_of(lpn: Lpn, place: Ppa, before: u64) -> Option<u64>, first;
    /// The power fails: what was only in RAM is gone.
    tell cut(core: &mut Core);
    /// It is off, and a superblock is put on the flash that nothing tells of.
    tell put_there(superblock: usize);
    /// A unit behind the host's is lost with its die.
    tell lost_own();
    /// The map is found again: other versions are, too. The number that later writes must be above.
    tell find_versions(core: &mut Core, spare: &SpareAreas, marks: &[Mark]) -> u64, most;
    /// Simulated time goes on after a power cut: moments that fell due while the power was off are skipped.
    tell go_on_at(now: SimTime);
    /// True while the feature does work that a saved state does not hold.
    ask bars_saving() -> bool, any;
    /// Time begins.
    tell time_begins(core: &Core);
    /// Gives each die of a fresh drive its superblocks; false where each takes its own.
    tell frees(core: &mut Core) -> bool, any;
    /// So many programs of a superblock with all its bits were handed out.
    tell issued(core: &mut Core, superblock: u32, programs: u32);
    /// Such a superblock takes no more data before it is full.
    tell superblock_ended(core: &mut Core, superblock: u32);
    /// The die of this superblock has failed.
    tell died(core: &mut Core, superblock: u32);
    /// A superblock may hold nothing any more: true for one that is erased with others.
    tell emptied[P](core: &mut Core, superblock: u32, ctx: &mut Context<P>) -> bool, any;
    /// A program of its own is over.
    tell programmed_own[P](core: &mut Core, superblock: u32, status: ProgramStatus, ctx: &mut Context<P>);
    /// A power cut tore that page row, and its data can be found again.
    ask is_torn(superblock: u32, row: u32) -> bool, any;
    /// A read of a superblock will fail: the superblocks from which its data can be restored must stay.
    tell pinned(superblock: u32);
    /// Such a read was repaired or given up: the superblocks kept for it may be erased.
    tell unpinned[P](core: &mut Core, superblock: u32, ctx: &mut Context<P>);
    /// The page rows (numbered over the drive) that give back one of a superblock; none: nothing does.
    ask rows_beside(core: &Core, superblock: u32, row: u32) -> Option<Vec<u32>>, first;
    /// A read failed: asks for what makes it good, if anything does.
    tell unreadable(core: &mut Core, read: &Transaction) -> Option<Remedy>, first;
    /// A read that was asked for so is over; after the last of them: the one that failed, and whether it does for good.
    tell reread(read: &Transaction) -> Option<(Transaction, bool)>, first;
    /// What other dies hold gives back a page row.
    ask gives_back(core: &Core, superblock: u32, row: u32) -> bool, any;
    /// A torn page row of a superblock can be found again.
    ask protects(superblock: u32) -> bool, any;
    /// The power fails while these page rows of superblocks are torn: adds the rows that are lost.
    tell torn(core: &Core, rows: &[(u32, u32)], lost: &mut Vec<(u32, u32)>);
    /// Adds the page rows of superblocks that are read when the power is back.
    ask rows_to_read(core: &Core, rows: &mut Vec<(u32, u32)>);
    /// A superblock is found, and says this of itself: false for one that holds no data.
    tell holds_data(core: &mut Core, superblock: u32, mark: &Mark) -> bool, all;
    /// More may be written to what is left of one.
    ask takes_more(superblock: u32) -> bool, all;
    /// It holds something and takes no more data.
    tell takes_no_more(superblock: u32);
    /// All superblocks are told apart.
    tell all_told(core: &mut Core);
    /// The map is found, and time goes on.
    tell map_found(core: &mut Core);
    /// The dies whose superblocks are reclaimed with those of a die.
    ask dies_beside(die: usize) -> Option<Range<usize>>, first;
    /// A superblock is to be written anew with those beside it; false where it is being emptied anyway.
    tell asks_anew(core: &Core, superblock: u32, origin: Origin) -> bool, any;
    /// A program on a superblock failed that holds no data.
    tell rescues(superblock: u32);
    /// Wear levelling wants a superblock moved.
    tell relocates(superblock: u32);
    /// What a die's collection was asked for, and wishes, becomes a wish for superblocks of several dies.
    tell wishes(core: &mut Core, die: usize, wish: &Wish<'_>);
    /// The group that was asked for `at`th with a superblock of a die.
    ask asked_together(core: &Core, die: usize, at: usize) -> Option<Together>, first;
    /// Nothing of what was asked for has room.
    tell none_fits(core: &Core, die: usize);
    /// The `at`th group that was asked for is taken for collection.
    tell begins_together(die: usize, at: usize);
    /// A superblock of the group is taken for collection; true when it holds units to be moved.
    tell takes_member(core: &mut Core, die: usize, superblock: u32) -> bool, any;
    /// The die of this superblock begins to empty it.
    tell moves_member(superblock: u32);
    /// It is erased, and whole or not.
    tell erased_member(core: &mut Core, superblock: u32, erased: Erased);
    /// True when this superblock was the last of its group to be erased.
    tell erased_last(core: &mut Core, superblock: u32) -> bool, any;
    /// The superblocks of the group are free again: returns them, each with its die.
    tell gives_members_back(core: &mut Core, superblock: u32) -> Option<Vec<(usize, u32)>>, first;
    /// The superblocks that are reclaimed with one, each with its die: some, or all.
    ask members_of(superblock: u32, which: Members) -> Option<Vec<(usize, u32)>>, first;
    /// So many programs of a superblock were written in no time.
    tell wrote_untimed(core: &mut Core, superblock: u32, programs: u32);
    /// What the first dies look like whose superblocks are reclaimed together.
    ask moment_together(core: &Core, worn: u32) -> Option<SetMoment>, first;
    /// What the superblocks of such dies are to be, when a moment is built again.
    ask plans_together(core: &mut Core, set: usize, moment: &SetMoment, random: &mut RandomStream) -> Option<Result<SetPlan, String>>, first;
    /// They are built: the rest of these groups is free, in this order.
    tell begins_built(core: &mut Core, groups: &[u32]);
    /// The drive is made.
    tell made(core: &mut Core);
    /// Some superblocks hold one bit a cell.
    ask uses_one_bit() -> bool, any;
    /// Takes the superblocks of a fresh drive that stand apart for it.
    tell frees_own(core: &mut Core);
    /// The host's next program unit on a die may go to a superblock with one bit a cell.
    ask takes_hosts(core: &Core, die: usize) -> bool, any;
    /// The host's next program unit may go to a superblock with all bits per cell, where the SLC cache cannot take it.
    ask lets_pass(die: usize) -> bool, all;
    /// Opens a superblock with one bit a cell.
    tell opens_one_bit(core: &mut Core, die: usize) -> bool, any;
    /// A unit of the host's went to a stream of a die.
    tell wrote_host_unit(core: &mut Core, die: usize, stream: usize);
    /// A superblock with one bit a cell takes no more data.
    tell closes_one_bit(core: &mut Core, die: usize, superblock: u32);
    /// An erased superblock is free: true for one that stands apart.
    tell keeps_own(core: &mut Core, die: usize, superblock: u32) -> bool, any;
    /// A superblock that held one bit a cell was erased.
    tell erased_one_bit(core: &mut Core, die: usize, superblock: usize);
    /// The power is back, and a superblock holds one bit a cell.
    tell found_one_bit(core: &mut Core, die: usize, superblock: usize);
    /// How long a die must be idle before it folds.
    ask folds_after() -> Option<Nanos>, first;
    /// The die has a superblock in SLC mode to be folded.
    ask has_to_fold(core: &Core, die: usize) -> bool, any;
    /// The die should fold a superblock now.
    ask wants_folding(core: &Core, die: usize) -> bool, any;
    /// The host goes before folding.
    ask is_hosts_turn(core: &Core, die: usize) -> bool, any;
    /// The chip folds without the bus.
    ask folds_in_die() -> bool, any;
    /// Takes the next superblock to be folded; false when none is wanted, or can be.
    tell takes_folded(core: &mut Core, die: usize) -> bool, any;
    /// The host writes past superblocks with one bit a cell when they are full.
    ask is_written_past() -> Option<bool>, first;
    /// Full superblocks of a die with one bit a cell that wait before one is folded, where the host waits for folding; none where
    /// their number grows with what is spare.
    ask superblocks_before_folding() -> Option<u32>, first;
    /// Another superblock may be opened with one bit a cell.
    ask may_open_one_bit(core: &Core, die: usize) -> bool, any;
    /// Two superblocks may be opened in SLC mode, one after the other.
    ask may_open_two(die: usize) -> bool, any;
    /// The oldest full superblock in SLC mode.
    ask oldest_one_bit(die: usize) -> Option<u32>, first;
    /// The oldest superblock in SLC mode is being folded, and `rows` rows of it are done.
    tell folds_untimed(core: &mut Core, die: usize, rows: u32);
    /// Bytes that superblocks with one bit a cell hold.
    ask one_bit_bytes() -> Option<u64>, first;
    /// What superblocks stand apart for, and the key that says how many.
    ask apart_for() -> Option<(&'static str, &'static str)>, first;
    /// What the feature reports about a die that makes no progress.
    ask says_of(core: &Core, die: usize) -> Option<String>, first;
    /// Programs take a cost that is chosen for them, and reads what follows from it.
    ask chooses_costs() -> bool, any;
    /// A unit joins the next program of a stream.
    tell joins(core: &Core, joining: Joining, now: SimTime);
    /// What a program of a stream costs.
    tell sets_cost(core: &mut Core, program: &mut Transaction, stream: usize, calendar: &mut Calendar);
    /// What a program of a feature's own costs.
    tell sets_own_cost(core: &Core, program: &mut Transaction, now: SimTime);
    /// How a page row (numbered over the drive) is read.
    tell plans_read(core: &mut Core, read: &mut Transaction, row: u32, calendar: &mut Calendar);
    /// The host reads the unit `lpn`, which lies at `ppa`.
    tell host_reads(core: &Core, lpn: Lpn, ppa: Ppa);
    /// A read of the host's at a die rides on another.
    tell rides(die: usize, now: SimTime);
    /// A superblock was erased so often by now.
    tell worn(superblock: usize, cycles: u32);
    /// Units that wait at a die to be written anew.
    ask waiting_anew(die: usize) -> usize, sum;
    /// The next of them.
    tell next_anew(die: usize) -> Option<Lpn>, first;
    /// A unit that waited is not written anew after all.
    tell drops_anew(lpn: Lpn);
    /// Time begins, and what the drive holds falls due some day.
    tell begins_refresh(core: &mut Core, calendar: &mut Calendar);
    /// A superblock may hold data whose time is over.
    tell refresh_due(core: &mut Core, superblock: u32, calendar: &mut Calendar);
    /// A superblock is to be written anew as soon as its die has time for that.
    tell wants_anew(core: &mut Core, superblock: u32, origin: Origin, calendar: &mut Calendar);
    /// A superblock is moved for another reason than room.
    tell counts_moved(origin: Origin);
    /// When a superblock was opened, in ns; negative: before the run.
    ask opened(superblock: u32) -> Option<i64>, first;
    /// A patrol has read a superblock, and may have ended a round with it.
    tell patrolled(core: &Core, superblock: usize, round: Option<Round>);
    /// The chance that a codeword of a page row has more errors than this part of those the code corrects.
    ask near_limit(row: u32, margin: f64, now: SimTime) -> Option<f64>, first;
    /// How long ago what each superblock holds was written; an error where these are others.
    tell takes_ages(ages_ns: &[u64]) -> Option<String>, first;
    /// The shortest time after which data are to be written anew, and the key that asks for it.
    ask shortest_refresh() -> Option<(&'static str, Nanos)>, first;
    /// How often a page is sensed for a read.
    ask senses() -> Option<u64>, first;
    /// The costs that a program can have.
    ask ways_to_program() -> Option<&[u8]>, first;
    /// The entry of a unit in the map is at hand.
    ask has_entry(lpn: Lpn) -> bool, all;
    /// Of so many units that the host reads, how many come before the first one whose entry is not at hand; none: all entries are.
    tell finds(core: &mut Core, first: Lpn, count: u32) -> Option<u32>, first;
    /// The host writes a unit: whether its entry is at hand, where it may not be.
    tell finds_written(core: &mut Core, lpn: Lpn) -> Option<MapEntry>, first;
    /// A write waits for its entry, or a read for the entries that lie together: so many.
    tell awaits(core: &Core, waiter: Waiter) -> u32, sum;
    /// A write that waited waits no longer: true where nothing else of its unit must be read.
    tell stops_waiting(slot: u32) -> Option<bool>, first;
    /// What is to be done next for what waits, and for the map.
    tell next_lookup(core: &mut Core) -> Option<Lookup>, first;
    /// A unit with a part of the map was read for this owner.
    tell looked_up(core: &mut Core, owner: u32);
    /// The map is still being read: the units in a superblock are known, and which of them are valid is not.
    ask reads_map() -> bool, any;
    /// Bytes of RAM that the map takes, where not all of it is there.
    ask map_bytes() -> Option<u64>, first;
    /// All of a map on flash that changed is to be written: its units, by number.
    tell flushes_map() -> Option<Vec<u32>>, first;
    /// The place of a unit changed, or it has none any more.
    tell changes(lpn: Lpn);
    /// A superblock takes no more data.
    tell closed(superblock: usize);
    /// Its cells are being erased.
    tell erases(superblock: usize);
    /// A program is over, and its units are still to be told apart.
    tell program_ends(core: &Core, program: &Transaction);
    /// Units have places that were drawn.
    tell constructed();
    /// The host writes a unit in no time.
    tell looks_up_untimed(lpn: Lpn);
    /// A unit of its own that is written next in no time.
    tell due_untimed() -> Option<Lpn>, first;
    /// Time is about to begin again: adds the units of its own that have to be written before.
    tell settles(units: &mut Vec<Lpn>);
    /// What the flash tells of a superblock beside its data and their spare areas.
    ask told_of(superblock: usize) -> Option<ToldOnFlash>, first;
    /// The map must be found again at power-up, even by a drive that was at rest.
    ask recovers() -> bool, any;
    /// A drive that must find its map is switched on: adds the units of the feature that are read first.
    tell powers_up(units: &mut Vec<Lpn>);
}
