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

/// Combines the answers of all features, one arm for each kind of combination; a drive without features gets its
/// neutral value.
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

/// The three forms of a hook: its default in the trait, its call of each feature, and the call behind a test whether
/// the drive has any feature.
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
    /// Buffer slots that the feature may take now and the host may not.
    ask slots_kept() -> u32, sum;
    /// Adds the feature's own units that are read first when the power is back.
    ask reads_first(units: &mut Vec<Lpn>);
    /// The host may send more data.
    ask takes_data() -> bool, all;
    /// True when the feature knows which sectors of a unit hold data, one bit for each sector.
    ask knows_parts() -> bool, any;
    /// Which bytes of the drive a request is about.
    tell extent(request: u32, offset: u64, bytes: u64);
    /// `wanted` units of a request, from `first` on, are about to get a slot each: returns how many of them may, where
    /// the feature limits their number.
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
    /// A program is about to be submitted; `stream`: the stream whose superblock it goes to, if it belongs to one.
    tell programs(core: &Core, program: &mut Transaction, stream: Option<usize>);
    /// Simulated time begins again after untimed writes.
    tell settled(core: &Core);
    /// A unit that held something was trimmed.
    tell trimmed(core: &mut Core, lpn: Lpn);
    /// All data and trims that the drive has accepted must become durable, and `flush` waits for that: true when the
    /// feature must first put units into the buffer. The flush is asked for again once they are in it.
    tell write_out(core: &mut Core, flush: Option<u32>) -> bool, any;
    /// Operations have completed: work that waits for room in the buffer may go on.
    tell go_on(core: &mut Core);
    /// A unit behind the host's came from a slot to the flash: true for one that no other feature has a part in.
    tell wrote_own(core: &Core, lpn: Lpn, slot: u32) -> bool, any;
    /// A logical unit beyond the host's is on flash with this write number.
    tell numbered(lpn: Lpn, number: u64);
    /// Nothing can be moved any more, and no request waits.
    tell stalled();
    /// The power is back, and of each logical unit this is the newest copy, of copies with such numbers: some may be void.
    tell found(core: &mut Core, newest: &mut [Ppa], numbers: &[u64]);
    /// A unit is about to be overwritten or trimmed: says what happens to its present version.
    tell overtakes(core: &mut Core, lpn: Lpn, now: SimTime) -> Overtaken, worst;
    /// A trim was ignored because the version that it would have replaced must be kept.
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
    /// A program has completed, and the map has the places of its units.
    tell programmed(core: &mut Core, now: SimTime);
    /// Another program has reached the flash: more versions may survive a power cut from now on.
    tell survives[P](core: &mut Core, probe: &mut P);
    /// Work that waits until no operation is on its way to the flash may go on.
    tell finish(core: &mut Core);
    /// All units have the versions of a former time again: the rollback that began at `since` is complete.
    tell put_back(core: &mut Core, since: SimTime, now: SimTime);
    /// These units of a map on flash are being written anew.
    tell map_flushed(core: &mut Core, pages: &[u32], now: SimTime);
    /// The time at which the feature next has work to do by the clock.
    ask next_moment() -> Option<SimTime>, first;
    /// Does the next piece of work that is due by the clock; false when none is due.
    tell moment[P](core: &mut Core, now: SimTime, probe: &mut P) -> bool, any;
    /// The host has finished: no work of the feature falls due any more.
    tell ended();
    /// A command for the logical drive as a whole: take, drop or return to a snapshot ([`Act`]).
    tell act[P](core: &mut Core, act: Act, now: SimTime, probe: &mut P) -> Option<u32>, first;
    /// Where the version of a unit is that the snapshot with the number `serial` sees.
    ask seen_in(core: &Core, serial: u32, lpn: Lpn) -> Option<Seen>, first;
    /// Mapping units that neither the host's data and the map nor garbage collection need.
    tell set_room(spare: u64);
    /// Gives up a part of the feature's data, if they have more units than there is room for; false when all of them
    /// have room.
    tell gives_way(core: &mut Core, now: SimTime) -> bool, any;
    /// Why the drive has too few spare units for the feature, if it has; `advice`: how it could have more.
    ask lacks_room(spare: u64, advice: &str) -> Option<String>, first;
    /// Spare units that the feature needs at least.
    ask spare_least() -> u64, sum;
    /// True when the feature has work at set times.
    ask keeps_time() -> bool, any;
    /// True when the feature's data take room that only spare units give.
    ask shares_room() -> bool, any;
    /// True when the feature takes part in each write, so that a drive cannot be filled superblock by superblock.
    ask watches_writes() -> bool, any;
    /// True when the feature keeps old versions, which untimed writes do not know.
    ask keeps_versions() -> bool, any;
    /// Simulated time begins: gives the snapshots numbers from `before` on; returns the number of the last write so
    /// far.
    tell number_beginning(before: u64) -> Option<u64>, first;
    /// The number that the version at a place gets when simulated time begins; `before`: see
    /// [`Self::number_beginning`].
    ask number_of(lpn: Lpn, place: Ppa, before: u64) -> Option<u64>, first;
    /// The power fails: what was only in RAM is gone.
    tell cut(core: &mut Core);
    /// While the power is off, a superblock is put on the flash of which neither checkpoint nor log tells anything.
    tell put_there(superblock: usize);
    /// A unit behind the host's is lost with its die.
    tell lost_own();
    /// The drive has found its map: the feature finds the other versions. Returns the number that all later writes must
    /// exceed.
    tell find_versions(core: &mut Core, spare: &SpareAreas, marks: &[Mark]) -> u64, most;
    /// Simulated time goes on after a power cut: moments that fell due while the power was off are skipped.
    tell go_on_at(now: SimTime);
    /// True while the feature does work that a saved state does not hold.
    ask bars_saving() -> bool, any;
    /// Time begins.
    tell time_begins(core: &Core);
    /// Gives each die of a fresh drive its superblocks; false where each takes its own.
    tell frees(core: &mut Core) -> bool, any;
    /// `programs` programs of a superblock that uses all bits per cell were handed out.
    tell issued(core: &mut Core, superblock: u32, programs: u32);
    /// A superblock that uses all bits per cell takes no more data before it is full.
    tell superblock_ended(core: &mut Core, superblock: u32);
    /// The die of this superblock has failed.
    tell died(core: &mut Core, superblock: u32);
    /// A superblock may hold no valid units any more: true when it is erased together with others.
    tell emptied[P](core: &mut Core, superblock: u32, ctx: &mut Context<P>) -> bool, any;
    /// A program that the feature asked for has ended with this status.
    tell programmed_own[P](core: &mut Core, superblock: u32, status: ProgramStatus, ctx: &mut Context<P>);
    /// A power cut tore that page row, and its data can be found again.
    ask is_torn(superblock: u32, row: u32) -> bool, any;
    /// A read of a superblock will fail: the superblocks from which its data can be restored must stay.
    tell pinned(superblock: u32);
    /// Such a read was repaired or given up: the superblocks kept for it may be erased.
    tell unpinned[P](core: &mut Core, superblock: u32, ctx: &mut Context<P>);
    /// The page rows (numbered over the drive) that give back one of a superblock; none: nothing does.
    ask rows_beside(core: &Core, superblock: u32, row: u32) -> Option<Vec<u32>>, first;
    /// A read failed: returns how its data can be restored, and asks for the reads that this takes; none: they cannot
    /// be.
    tell unreadable(core: &mut Core, read: &Transaction) -> Option<Remedy>, first;
    /// A read that was asked for to restore data has ended; after the last one, returns the read that failed at first
    /// and whether it has failed for good.
    tell reread(read: &Transaction) -> Option<(Transaction, bool)>, first;
    /// True when the data of a page row can be restored from other dies.
    ask gives_back(core: &Core, superblock: u32, row: u32) -> bool, any;
    /// A torn page row of a superblock can be found again.
    ask protects(superblock: u32) -> bool, any;
    /// The power fails while these page rows of superblocks are torn: adds the rows that are lost.
    tell torn(core: &Core, rows: &[(u32, u32)], lost: &mut Vec<(u32, u32)>);
    /// Adds the page rows of superblocks that are read when the power is back.
    ask rows_to_read(core: &Core, rows: &mut Vec<(u32, u32)>);
    /// After a power cut a superblock was found with this mark: false when it holds no data of the logical drive.
    tell holds_data(core: &mut Core, superblock: u32, mark: &Mark) -> bool, all;
    /// True when more data may be written to the rest of a superblock that was found partly programmed.
    ask takes_more(superblock: u32) -> bool, all;
    /// A superblock that was found after a power cut holds data and takes no more.
    tell takes_no_more(superblock: u32);
    /// After a power cut: the role of every superblock is known.
    tell all_told(core: &mut Core);
    /// The map is found, and time goes on.
    tell map_found(core: &mut Core);
    /// The dies whose superblocks are reclaimed with those of a die.
    ask dies_beside(die: usize) -> Option<Range<usize>>, first;
    /// A superblock must be rewritten together with the others of its group; false when it is being emptied anyway.
    tell asks_anew(core: &Core, superblock: u32, origin: Origin) -> bool, any;
    /// A program failed on a superblock that holds no data.
    tell rescues(superblock: u32);
    /// Wear levelling wants a superblock moved.
    tell relocates(superblock: u32);
    /// Turns what was asked of a die's collection, and what the collection itself wishes, into a wish for superblocks
    /// of several dies.
    tell wishes(core: &mut Core, die: usize, wish: &Wish<'_>);
    /// The group that was asked for `at`th with a superblock of a die.
    ask asked_together(core: &Core, die: usize, at: usize) -> Option<Together>, first;
    /// None of the groups that were asked for has room for the units to be moved.
    tell none_fits(core: &Core, die: usize);
    /// The `at`th group that was asked for is taken for collection.
    tell begins_together(die: usize, at: usize);
    /// A superblock of the group is taken for collection; true when it holds units to be moved.
    tell takes_member(core: &mut Core, die: usize, superblock: u32) -> bool, any;
    /// The die of this superblock begins to empty it.
    tell moves_member(superblock: u32);
    /// A superblock of the group was erased: it can be written again, or it is lost.
    tell erased_member(core: &mut Core, superblock: u32, erased: Erased);
    /// True when this superblock was the last of its group to be erased.
    tell erased_last(core: &mut Core, superblock: u32) -> bool, any;
    /// The superblocks of the group are free again: returns them, each with its die.
    tell gives_members_back(core: &mut Core, superblock: u32) -> Option<Vec<(usize, u32)>>, first;
    /// The superblocks that are reclaimed with one, each with its die: some, or all.
    ask members_of(superblock: u32, which: Members) -> Option<Vec<(usize, u32)>>, first;
    /// `programs` programs of a superblock were written without simulated time.
    tell wrote_untimed(core: &mut Core, superblock: u32, programs: u32);
    /// The present state of the first set of dies whose superblocks are reclaimed together.
    ask moment_together(core: &Core, worn: u32) -> Option<SetMoment>, first;
    /// What each superblock of the set of dies `set` is to be when a recorded moment is built again.
    ask plans_together(core: &mut Core, set: usize, moment: &SetMoment, random: &mut RandomStream) -> Option<Result<SetPlan, String>>, first;
    /// The superblocks of a recorded moment are built: the groups that are left over are free, in this order.
    tell begins_built(core: &mut Core, groups: &[u32]);
    /// The drive is made.
    tell made(core: &mut Core);
    /// Some superblocks hold one bit a cell.
    ask uses_one_bit() -> bool, any;
    /// Takes the superblocks of a fresh drive that are set apart for the feature.
    tell frees_own(core: &mut Core);
    /// True when the host's next program unit on a die may go to a superblock in SLC mode.
    ask takes_hosts(core: &Core, die: usize) -> bool, any;
    /// The host's next program unit may go to a superblock with all bits per cell, where the SLC cache cannot take it.
    ask lets_pass(die: usize) -> bool, all;
    /// Opens a superblock with one bit a cell.
    tell opens_one_bit(core: &mut Core, die: usize) -> bool, any;
    /// A unit of the host's went to a stream of a die.
    tell wrote_host_unit(core: &mut Core, die: usize, stream: usize);
    /// A superblock in SLC mode takes no more data.
    tell closes_one_bit(core: &mut Core, die: usize, superblock: u32);
    /// An erased superblock is free: true when it is one of the superblocks that are set apart for the feature.
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
    /// Whether host data bypass the SLC cache when it is full; none: the drive has no SLC cache.
    ask is_written_past() -> Option<bool>, first;
    /// Full superblocks of a die with one bit a cell that wait before one is folded, where the host waits for folding; none where
    /// their number grows with what is spare.
    ask superblocks_before_folding() -> Option<u32>, first;
    /// True when another superblock may be opened in SLC mode.
    ask may_open_one_bit(core: &Core, die: usize) -> bool, any;
    /// Two superblocks may be opened in SLC mode, one after the other.
    ask may_open_two(die: usize) -> bool, any;
    /// The oldest full superblock in SLC mode.
    ask oldest_one_bit(die: usize) -> Option<u32>, first;
    /// The oldest superblock in SLC mode is being folded, and `rows` rows of it are done.
    tell folds_untimed(core: &mut Core, die: usize, rows: u32);
    /// Bytes that superblocks with one bit a cell hold.
    ask one_bit_bytes() -> Option<u64>, first;
    /// The purpose that superblocks are set apart for, and the configuration key that gives their number.
    ask apart_for() -> Option<(&'static str, &'static str)>, first;
    /// What the feature reports about a die that makes no progress.
    ask says_of(core: &Core, die: usize) -> Option<String>, first;
    /// True when a cost is chosen for each program, and reads take what follows from that cost.
    ask chooses_costs() -> bool, any;
    /// A unit joins the next program of a stream.
    tell joins(core: &Core, joining: Joining, now: SimTime);
    /// Sets the cost of a program that goes to a stream: its program step and voltages.
    tell sets_cost(core: &mut Core, program: &mut Transaction, stream: usize, calendar: &mut Calendar);
    /// Sets the cost of a program that a feature asked for.
    tell sets_own_cost(core: &Core, program: &mut Transaction, now: SimTime);
    /// Plans how a page row (numbered over the drive) is read: attempts, sensings and decoding.
    tell plans_read(core: &mut Core, read: &mut Transaction, row: u32, calendar: &mut Calendar);
    /// The host reads the unit `lpn`, which lies at `ppa`.
    tell host_reads(core: &Core, lpn: Lpn, ppa: Ppa);
    /// A read of the host's at a die rides on another.
    tell rides(die: usize, now: SimTime);
    /// A superblock has had `cycles` program/erase cycles.
    tell worn(superblock: usize, cycles: u32);
    /// Number of units that wait at a die to be rewritten.
    ask waiting_anew(die: usize) -> usize, sum;
    /// Takes the next unit that waits at a die to be rewritten.
    tell next_anew(die: usize) -> Option<Lpn>, first;
    /// A unit that waited is not written anew after all.
    tell drops_anew(lpn: Lpn);
    /// Simulated time begins: notes when the data that the drive holds must be refreshed.
    tell begins_refresh(core: &mut Core, calendar: &mut Calendar);
    /// A superblock may hold data whose retention time has expired.
    tell refresh_due(core: &mut Core, superblock: u32, calendar: &mut Calendar);
    /// A superblock must be rewritten as soon as its die has time for it.
    tell wants_anew(core: &mut Core, superblock: u32, origin: Origin, calendar: &mut Calendar);
    /// Counts a superblock that is moved for another reason than to free space.
    tell counts_moved(origin: Origin);
    /// When a superblock was opened, in ns; negative: before the run.
    ask opened(superblock: u32) -> Option<i64>, first;
    /// The patrol has read a superblock; `round`: how its round ended, if it ended with this superblock.
    tell patrolled(core: &Core, superblock: usize, round: Option<Round>);
    /// The chance that a codeword of a page row has more errors than this part of those the code corrects.
    ask near_limit(row: u32, margin: f64, now: SimTime) -> Option<f64>, first;
    /// Sets the age of the data in each superblock, in ns; an error when the number of ages is not that of the
    /// superblocks.
    tell takes_ages(ages_ns: &[u64]) -> Option<String>, first;
    /// The shortest time after which data must be rewritten, and the configuration key that asks for it.
    ask shortest_refresh() -> Option<(&'static str, Nanos)>, first;
    /// How many times a page is sensed for one read.
    ask senses() -> Option<u64>, first;
    /// The costs that a program can have.
    ask ways_to_program() -> Option<&[u8]>, first;
    /// The entry of a unit in the map is at hand.
    ask has_entry(lpn: Lpn) -> bool, all;
    /// The host reads `count` units: how many of them come before the first whose map entry is not in RAM; none: all
    /// entries are.
    tell finds(core: &mut Core, first: Lpn, count: u32) -> Option<u32>, first;
    /// The host writes a unit: whether its map entry is in RAM, on a drive where it can be missing.
    tell finds_written(core: &mut Core, lpn: Lpn) -> Option<MapEntry>, first;
    /// A write waits for its map entry, or a read for entries that lie in one translation unit: returns their number.
    tell awaits(core: &Core, waiter: Waiter) -> u32, sum;
    /// A write that waited for its map entry waits no longer: true when nothing else of its unit must be read.
    tell stops_waiting(slot: u32) -> Option<bool>, first;
    /// What the layer does next for requests that wait for map entries, and for the map itself.
    tell next_lookup(core: &mut Core) -> Option<Lookup>, first;
    /// A unit with a part of the map was read for this owner.
    tell looked_up(core: &mut Core, owner: u32);
    /// The map is still being read: the units in a superblock are known, and which of them are valid is not.
    ask reads_map() -> bool, any;
    /// Bytes of RAM that the map takes, on a drive that does not hold all of it in RAM.
    ask map_bytes() -> Option<u64>, first;
    /// All of a map on flash that changed is to be written: its units, by number.
    tell flushes_map() -> Option<Vec<u32>>, first;
    /// The place of a unit has changed, or the unit has none any more.
    tell changes(lpn: Lpn);
    /// A superblock is closed: it takes no more data.
    tell closed(superblock: usize);
    /// The cells of a superblock are being erased.
    tell erases(superblock: usize);
    /// A program has ended, and its units are not committed yet.
    tell program_ends(core: &Core, program: &Transaction);
    /// The drive was constructed in a used state: its units have places that were drawn at random.
    tell constructed();
    /// The host writes a unit without simulated time: its map entry is looked up.
    tell looks_up_untimed(lpn: Lpn);
    /// The feature's own unit that must be written next, without simulated time.
    tell due_untimed() -> Option<Lpn>, first;
    /// Simulated time is about to begin again: adds the feature's own units that must be written before.
    tell settles(units: &mut Vec<Lpn>);
    /// What the map on flash and its log tell of a superblock, beside its data and spare areas.
    ask told_of(superblock: usize) -> Option<ToldOnFlash>, first;
    /// The map must be found again at power-up, even by a drive that was at rest.
    ask recovers() -> bool, any;
    /// A drive that must find its map is switched on: adds the units of the feature that are read first.
    tell powers_up(units: &mut Vec<Lpn>);
}
