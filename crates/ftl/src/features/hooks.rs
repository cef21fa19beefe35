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
    /// Returns the bytes of state of the simulator that the feature takes.
    ask bytes() -> usize, sum;
    /// Returns the number of buffer slots that the feature may take now and the host may not.
    ask slots_kept() -> u32, sum;
    /// Adds the feature's own units that are read first when the power is back.
    ask reads_first(units: &mut Vec<Lpn>);
    /// True if the host may send more data.
    ask takes_data() -> bool, all;
    /// True when the feature knows which sectors of a unit hold data, one bit for each sector.
    ask knows_parts() -> bool, any;
    /// Tells the feature which bytes of the drive a request is about.
    tell extent(request: u32, offset: u64, bytes: u64);
    /// Tells the feature that `wanted` units of a request, from `first` on, are about to get a slot each:
    /// returns how many of them may, where the feature limits their number.
    tell promise(request: u32, first: Lpn, wanted: u32) -> Option<u32>, first;
    /// Tells the feature that a unit that was promised a slot does not come after all.
    tell refused(lpn: Lpn);
    /// Tells the feature that the data of a write are in a slot of their own.
    tell arrived(slot: u32, lpn: Lpn, write: Arriving);
    /// Tells the feature that new data took the place of what a slot held.
    tell joined(slot: u32, lpn: Lpn);
    /// Tells the feature that a slot holds nothing any more that the flash lacks.
    tell released(slot: u32);
    /// Returns the part of a unit that a request asks for and the buffer does not hold.
    tell part_to_read(request: u32, lpn: Lpn, buffered: Option<u32>) -> Option<u64>, first;
    /// Tells the feature that the host reads `part` of a unit: true when that part is read from the flash
    /// though nothing was ever written there.
    tell reads_part(lpn: Lpn, part: u64, place: Ppa, home_die: u32) -> bool, any;
    /// Returns the part of its unit that a slot still lacks.
    ask lacks(slot: u32) -> Option<u64>, first;
    /// Returns the bytes read from the buffer since the last call.
    tell take_cached() -> u64, sum;
    /// Tells the feature that a program is about to be submitted; `stream`: the stream whose superblock it
    /// goes to, if it belongs to one.
    tell programs(core: &Core, program: &mut Transaction, stream: Option<usize>);
    /// Tells the feature that simulated time begins again after untimed writes.
    tell settled(core: &Core);
    /// Tells the feature that a unit that held something was trimmed.
    tell trimmed(core: &mut Core, lpn: Lpn);
    /// Tells the feature that all data and trims that the drive has accepted must become durable, and `flush`
    /// waits for that: true when the feature must first put units into the buffer. The flush is asked for
    /// again once they are in it.
    tell write_out(core: &mut Core, flush: Option<u32>) -> bool, any;
    /// Tells the feature that operations have completed: work that waits for room in the buffer may go on.
    tell go_on(core: &mut Core);
    /// Tells the feature that a unit behind the host's came from a slot to the flash: true for one that no
    /// other feature has a part in.
    tell wrote_own(core: &Core, lpn: Lpn, slot: u32) -> bool, any;
    /// Tells the feature that a logical unit beyond the host's is on flash with this write number.
    tell numbered(lpn: Lpn, number: u64);
    /// Tells the feature that nothing can be moved any more, and no request waits.
    tell stalled();
    /// Tells the feature that the power is back, and that of each logical unit this is the newest copy, of
    /// copies with such numbers: some may be void.
    tell found(core: &mut Core, newest: &mut [Ppa], numbers: &[u64]);
    /// Returns what happens to the present version of a unit that is about to be overwritten or trimmed.
    tell overtakes(core: &mut Core, lpn: Lpn, now: SimTime) -> Overtaken, worst;
    /// Tells the feature that a trim was ignored because the version that it would have replaced must be
    /// kept.
    tell trim_refused();
    /// True if a write of a unit must be answered with an error.
    ask may_not_lose(core: &Core, lpn: Lpn) -> bool, any;
    /// True if the data in a slot are needed, although they were overwritten or trimmed.
    ask holds_slot(slot: u32) -> bool, any;
    /// Tells the feature that an overwritten version, which it needs, is on flash now: its unit, slot and
    /// place.
    tell programmed_held[P](core: &mut Core, held: (Lpn, u32, Ppa), probe: &mut P);
    /// True if the version at this place is needed, although it is not the newest one.
    ask names(ppa: Ppa) -> bool, any;
    /// Tells the feature that a version moved from one place to another: a former version, or the newest one.
    tell moved[P](core: &mut Core, moved: (Lpn, Ppa, Ppa), version: Version, probe: &mut P);
    /// Tells the feature that the host's data of a unit are in the buffer.
    tell buffered[P](core: &Core, lpn: Lpn, probe: &mut P);
    /// True while the feature has operations on their way to the flash.
    ask is_busy() -> bool, any;
    /// Tells the feature that a program has completed, and the map has the places of its units.
    tell programmed(core: &mut Core, now: SimTime);
    /// Tells the feature that another program has reached the flash: more versions may survive a power cut
    /// from now on.
    tell survives[P](core: &mut Core, probe: &mut P);
    /// Tells the feature that work that waits until no operation is on its way to the flash may go on.
    tell finish(core: &mut Core);
    /// Tells the feature that all units have the versions of a former time again: the rollback that began at
    /// `since` is complete.
    tell put_back(core: &mut Core, since: SimTime, now: SimTime);
    /// Tells the feature that these units of a map on flash are being written anew.
    tell map_flushed(core: &mut Core, pages: &[u32], now: SimTime);
    /// Returns the time at which the feature next has work to do by the clock.
    ask next_moment() -> Option<SimTime>, first;
    /// Does the next piece of work that is due by the clock; false when none is due.
    tell moment[P](core: &mut Core, now: SimTime, probe: &mut P) -> bool, any;
    /// Tells the feature that the host has finished: no work of the feature falls due any more.
    tell ended();
    /// Carries out a command for the logical drive as a whole: take, drop or return to a snapshot ([`Act`]).
    tell act[P](core: &mut Core, act: Act, now: SimTime, probe: &mut P) -> Option<u32>, first;
    /// Returns where the version of a unit is that the snapshot with the number `serial` sees.
    ask seen_in(core: &Core, serial: u32, lpn: Lpn) -> Option<Seen>, first;
    /// Tells the feature the number of mapping units that neither the host's data and the map nor garbage
    /// collection need.
    tell set_room(spare: u64);
    /// Gives up a part of the feature's data, if they have more units than there is room for; false when all of them
    /// have room.
    tell gives_way(core: &mut Core, now: SimTime) -> bool, any;
    /// Returns why the drive has too few spare units for the feature, if it has; `advice`: how it could have
    /// more.
    ask lacks_room(spare: u64, advice: &str) -> Option<String>, first;
    /// Returns the number of spare units that the feature needs at least.
    ask spare_least() -> u64, sum;
    /// True when the feature has work at set times.
    ask keeps_time() -> bool, any;
    /// True when the feature's data take room that only spare units give.
    ask shares_room() -> bool, any;
    /// True when the feature takes part in each write, so that a drive cannot be filled superblock by superblock.
    ask watches_writes() -> bool, any;
    /// True when the feature keeps old versions, which untimed writes do not know.
    ask keeps_versions() -> bool, any;
    /// Tells the feature that simulated time begins: gives the snapshots numbers from `before` on; returns
    /// the number of the last write so far.
    tell number_beginning(before: u64) -> Option<u64>, first;
    /// Returns the number that the version at a place gets when simulated time begins; `before`: see
    /// [`Self::number_beginning`].
    ask number_of(lpn: Lpn, place: Ppa, before: u64) -> Option<u64>, first;
    /// Tells the feature that the power fails: what was only in RAM is gone.
    tell cut(core: &mut Core);
    /// Tells the feature that, while the power is off, a superblock is put on the flash of which neither
    /// checkpoint nor log tells anything.
    tell put_there(superblock: usize);
    /// Tells the feature that a unit behind the host's is lost with its die.
    tell lost_own();
    /// Lets the feature find the other versions, when the drive has found its map. Returns the number that
    /// all later writes must exceed.
    tell find_versions(core: &mut Core, spare: &SpareAreas, marks: &[Mark]) -> u64, most;
    /// Tells the feature that simulated time goes on after a power cut: moments that fell due while the power
    /// was off are skipped.
    tell go_on_at(now: SimTime);
    /// True while the feature does work that a saved state does not hold.
    ask bars_saving() -> bool, any;
    /// Tells the feature that time begins.
    tell time_begins(core: &Core);
    /// Gives each die of a fresh drive its superblocks; false where each takes its own.
    tell frees(core: &mut Core) -> bool, any;
    /// Tells the feature that `programs` programs of a superblock that uses all bits per cell were handed
    /// out.
    tell issued(core: &mut Core, superblock: u32, programs: u32);
    /// Tells the feature that a superblock that uses all bits per cell takes no more data before it is full.
    tell superblock_ended(core: &mut Core, superblock: u32);
    /// Tells the feature that the die of this superblock has failed.
    tell died(core: &mut Core, superblock: u32);
    /// Tells the feature that a superblock may hold no valid units any more: true when it is erased together
    /// with others.
    tell emptied[P](core: &mut Core, superblock: u32, ctx: &mut Context<P>) -> bool, any;
    /// Tells the feature that a program that the feature asked for has ended with this status.
    tell programmed_own[P](core: &mut Core, superblock: u32, status: ProgramStatus, ctx: &mut Context<P>);
    /// True if a power cut tore that page row, and its data can be found again.
    ask is_torn(superblock: u32, row: u32) -> bool, any;
    /// Tells the feature that a read of a superblock will fail: the superblocks from which its data can be
    /// restored must stay.
    tell pinned(superblock: u32);
    /// Tells the feature that a read that was to fail was repaired or given up: the superblocks kept for it
    /// may be erased.
    tell unpinned[P](core: &mut Core, superblock: u32, ctx: &mut Context<P>);
    /// Returns the page rows (numbered over the drive) that give back a page row of a superblock; none:
    /// nothing does.
    ask rows_beside(core: &Core, superblock: u32, row: u32) -> Option<Vec<u32>>, first;
    /// Tells the feature that a read failed: returns how its data can be restored, and asks for the reads
    /// that this takes; none: they cannot be.
    tell unreadable(core: &mut Core, read: &Transaction) -> Option<Remedy>, first;
    /// Tells the feature that a read that was asked for to restore data has ended; after the last one,
    /// returns the read that failed at first and whether it has failed for good.
    tell reread(read: &Transaction) -> Option<(Transaction, bool)>, first;
    /// True when the data of a page row can be restored from other dies.
    ask gives_back(core: &Core, superblock: u32, row: u32) -> bool, any;
    /// True if a torn page row of a superblock can be found again.
    ask protects(superblock: u32) -> bool, any;
    /// Tells the feature that the power fails while these page rows of superblocks are torn: adds the rows
    /// that are lost.
    tell torn(core: &Core, rows: &[(u32, u32)], lost: &mut Vec<(u32, u32)>);
    /// Adds the page rows of superblocks that are read when the power is back.
    ask rows_to_read(core: &Core, rows: &mut Vec<(u32, u32)>);
    /// Tells the feature that after a power cut a superblock was found with this mark: false when it holds no
    /// data of the logical drive.
    tell holds_data(core: &mut Core, superblock: u32, mark: &Mark) -> bool, all;
    /// True when more data may be written to the rest of a superblock that was found partly programmed.
    ask takes_more(superblock: u32) -> bool, all;
    /// Tells the feature that a superblock that was found after a power cut holds data and takes no more.
    tell takes_no_more(superblock: u32);
    /// Tells the feature that the role of every superblock is known after a power cut.
    tell all_told(core: &mut Core);
    /// Tells the feature that the map is found, and time goes on.
    tell map_found(core: &mut Core);
    /// Returns the dies whose superblocks are reclaimed with those of a die.
    ask dies_beside(die: usize) -> Option<Range<usize>>, first;
    /// Tells the feature that a superblock must be rewritten together with the others of its group; false
    /// when it is being emptied anyway.
    tell asks_anew(core: &Core, superblock: u32, origin: Origin) -> bool, any;
    /// Tells the feature that a program failed on a superblock that holds no data.
    tell rescues(superblock: u32);
    /// Tells the feature that wear levelling wants a superblock moved.
    tell relocates(superblock: u32);
    /// Turns what was asked of a die's collection, and what the collection itself wishes, into a wish for superblocks
    /// of several dies.
    tell wishes(core: &mut Core, die: usize, wish: &Wish<'_>);
    /// Returns the group that was asked for `at`th with a superblock of a die.
    ask asked_together(core: &Core, die: usize, at: usize) -> Option<Together>, first;
    /// Tells the feature that none of the groups that were asked for has room for the units to be moved.
    tell none_fits(core: &Core, die: usize);
    /// Tells the feature that the `at`th group that was asked for is taken for collection.
    tell begins_together(die: usize, at: usize);
    /// Tells the feature that a superblock of the group is taken for collection; true when it holds units to
    /// be moved.
    tell takes_member(core: &mut Core, die: usize, superblock: u32) -> bool, any;
    /// Tells the feature that the die of this superblock begins to empty it.
    tell moves_member(superblock: u32);
    /// Tells the feature that a superblock of the group was erased: it can be written again, or it is lost.
    tell erased_member(core: &mut Core, superblock: u32, erased: Erased);
    /// True when this superblock was the last of its group to be erased.
    tell erased_last(core: &mut Core, superblock: u32) -> bool, any;
    /// Frees the superblocks of the group again: returns them, each with its die.
    tell gives_members_back(core: &mut Core, superblock: u32) -> Option<Vec<(usize, u32)>>, first;
    /// Returns the superblocks that are reclaimed with a superblock, each with its die: some, or all.
    ask members_of(superblock: u32, which: Members) -> Option<Vec<(usize, u32)>>, first;
    /// Tells the feature that `programs` programs of a superblock were written without simulated time.
    tell wrote_untimed(core: &mut Core, superblock: u32, programs: u32);
    /// Returns the present state of the first set of dies whose superblocks are reclaimed together.
    ask moment_together(core: &Core, worn: u32) -> Option<SetMoment>, first;
    /// Returns what each superblock of the set of dies `set` is to be when a recorded moment is built again.
    ask plans_together(core: &mut Core, set: usize, moment: &SetMoment, random: &mut RandomStream) -> Option<Result<SetPlan, String>>, first;
    /// Tells the feature that the superblocks of a recorded moment are built: the groups that are left over
    /// are free, in this order.
    tell begins_built(core: &mut Core, groups: &[u32]);
    /// Tells the feature that the drive is made.
    tell made(core: &mut Core);
    /// True if some superblocks hold one bit a cell.
    ask uses_one_bit() -> bool, any;
    /// Takes the superblocks of a fresh drive that are set apart for the feature.
    tell frees_own(core: &mut Core);
    /// True when the host's next program unit on a die may go to a superblock in SLC mode.
    ask takes_hosts(core: &Core, die: usize) -> bool, any;
    /// True if the host's next program unit may go to a superblock with all bits per cell, where the SLC
    /// cache cannot take it.
    ask lets_pass(die: usize) -> bool, all;
    /// Opens a superblock with one bit a cell.
    tell opens_one_bit(core: &mut Core, die: usize) -> bool, any;
    /// Tells the feature that a unit of the host's went to a stream of a die.
    tell wrote_host_unit(core: &mut Core, die: usize, stream: usize);
    /// Tells the feature that a superblock in SLC mode takes no more data.
    tell closes_one_bit(core: &mut Core, die: usize, superblock: u32);
    /// Tells the feature that an erased superblock is free: true when it is one of the superblocks that are
    /// set apart for the feature.
    tell keeps_own(core: &mut Core, die: usize, superblock: u32) -> bool, any;
    /// Tells the feature that a superblock that held one bit a cell was erased.
    tell erased_one_bit(core: &mut Core, die: usize, superblock: usize);
    /// Tells the feature that the power is back, and a superblock holds one bit a cell.
    tell found_one_bit(core: &mut Core, die: usize, superblock: usize);
    /// Returns how long a die must be idle before it folds.
    ask folds_after() -> Option<Nanos>, first;
    /// True if the die has a superblock in SLC mode to be folded.
    ask has_to_fold(core: &Core, die: usize) -> bool, any;
    /// True if the die should fold a superblock now.
    ask wants_folding(core: &Core, die: usize) -> bool, any;
    /// True if the host goes before folding.
    ask is_hosts_turn(core: &Core, die: usize) -> bool, any;
    /// True if the chip folds without the bus.
    ask folds_in_die() -> bool, any;
    /// Takes the next superblock to be folded; false when none is wanted, or can be.
    tell takes_folded(core: &mut Core, die: usize) -> bool, any;
    /// Whether host data bypass the SLC cache when it is full; none: the drive has no SLC cache.
    ask is_written_past() -> Option<bool>, first;
    /// Returns the number of full superblocks of a die with one bit a cell that wait before one is folded,
    /// where the host waits for folding; none where their number grows with what is spare.
    ask superblocks_before_folding() -> Option<u32>, first;
    /// True when another superblock may be opened in SLC mode.
    ask may_open_one_bit(core: &Core, die: usize) -> bool, any;
    /// True if two superblocks may be opened in SLC mode, one after the other.
    ask may_open_two(die: usize) -> bool, any;
    /// Returns the oldest full superblock in SLC mode.
    ask oldest_one_bit(die: usize) -> Option<u32>, first;
    /// Tells the feature that the oldest superblock in SLC mode is being folded, and `rows` rows of it are
    /// done.
    tell folds_untimed(core: &mut Core, die: usize, rows: u32);
    /// Returns the bytes that superblocks with one bit a cell hold.
    ask one_bit_bytes() -> Option<u64>, first;
    /// Returns the purpose that superblocks are set apart for, and the configuration key that gives their
    /// number.
    ask apart_for() -> Option<(&'static str, &'static str)>, first;
    /// Returns what the feature reports about a die that makes no progress.
    ask says_of(core: &Core, die: usize) -> Option<String>, first;
    /// True when a cost is chosen for each program, and reads take what follows from that cost.
    ask chooses_costs() -> bool, any;
    /// Tells the feature that a unit joins the next program of a stream.
    tell joins(core: &Core, joining: Joining, now: SimTime);
    /// Sets the cost of a program that goes to a stream: its program step and voltages.
    tell sets_cost(core: &mut Core, program: &mut Transaction, stream: usize, calendar: &mut Calendar);
    /// Sets the cost of a program that a feature asked for.
    tell sets_own_cost(core: &Core, program: &mut Transaction, now: SimTime);
    /// Plans how a page row (numbered over the drive) is read: attempts, sensings and decoding.
    tell plans_read(core: &mut Core, read: &mut Transaction, row: u32, calendar: &mut Calendar);
    /// Tells the feature that the host reads the unit `lpn`, which lies at `ppa`.
    tell host_reads(core: &Core, lpn: Lpn, ppa: Ppa);
    /// Tells the feature that a read of the host's at a die rides on another.
    tell rides(die: usize, now: SimTime);
    /// Tells the feature that a superblock has had `cycles` program/erase cycles.
    tell worn(superblock: usize, cycles: u32);
    /// Returns the number of units that wait at a die to be rewritten.
    ask waiting_anew(die: usize) -> usize, sum;
    /// Takes the next unit that waits at a die to be rewritten.
    tell next_anew(die: usize) -> Option<Lpn>, first;
    /// Tells the feature that a unit that waited is not written anew after all.
    tell drops_anew(lpn: Lpn);
    /// Tells the feature that simulated time begins: notes when the data that the drive holds must be
    /// refreshed.
    tell begins_refresh(core: &mut Core, calendar: &mut Calendar);
    /// Tells the feature that a superblock may hold data whose retention time has expired.
    tell refresh_due(core: &mut Core, superblock: u32, calendar: &mut Calendar);
    /// Tells the feature that a superblock must be rewritten as soon as its die has time for it.
    tell wants_anew(core: &mut Core, superblock: u32, origin: Origin, calendar: &mut Calendar);
    /// Counts a superblock that is moved for another reason than to free space.
    tell counts_moved(origin: Origin);
    /// Returns when a superblock was opened, in ns; negative: before the run.
    ask opened(superblock: u32) -> Option<i64>, first;
    /// Tells the feature that the patrol has read a superblock; `round`: how its round ended, if it ended
    /// with this superblock.
    tell patrolled(core: &Core, superblock: usize, round: Option<Round>);
    /// Returns the chance that a codeword of a page row has more errors than this part of those the code
    /// corrects.
    ask near_limit(row: u32, margin: f64, now: SimTime) -> Option<f64>, first;
    /// Sets the age of the data in each superblock, in ns; an error when the number of ages is not that of the
    /// superblocks.
    tell takes_ages(ages_ns: &[u64]) -> Option<String>, first;
    /// Returns the shortest time after which data must be rewritten, and the configuration key that asks for
    /// it.
    ask shortest_refresh() -> Option<(&'static str, Nanos)>, first;
    /// Returns how many times a page is sensed for one read.
    ask senses() -> Option<u64>, first;
    /// Returns the costs that a program can have.
    ask ways_to_program() -> Option<&[u8]>, first;
    /// True if the entry of a unit in the map is at hand.
    ask has_entry(lpn: Lpn) -> bool, all;
    /// Returns, for `count` units that the host reads, how many of them come before
    /// the first whose map entry is not in RAM; none: all entries are.
    tell finds(core: &mut Core, first: Lpn, count: u32) -> Option<u32>, first;
    /// Returns, for a unit that the host writes, whether its map entry is in RAM, on a
    /// drive where it can be missing.
    tell finds_written(core: &mut Core, lpn: Lpn) -> Option<MapEntry>, first;
    /// Tells the feature that a write waits for its map entry, or a read for entries that lie in one
    /// translation unit: returns their number.
    tell awaits(core: &Core, waiter: Waiter) -> u32, sum;
    /// Tells the feature that a write that waited for its map entry waits no longer: true when nothing else
    /// of its unit must be read.
    tell stops_waiting(slot: u32) -> Option<bool>, first;
    /// Returns what the layer does next for requests that wait for map entries, and for the map itself.
    tell next_lookup(core: &mut Core) -> Option<Lookup>, first;
    /// Tells the feature that a unit with a part of the map was read for this owner.
    tell looked_up(core: &mut Core, owner: u32);
    /// True if the map is still being read: the units in a superblock are known, and which of them are valid
    /// is not.
    ask reads_map() -> bool, any;
    /// Returns the bytes of RAM that the map takes, on a drive that does not hold all of it in RAM.
    ask map_bytes() -> Option<u64>, first;
    /// Returns the changed units of a map on flash, by number: all of them are to be written.
    tell flushes_map() -> Option<Vec<u32>>, first;
    /// Tells the feature that the place of a unit has changed, or the unit has none any more.
    tell changes(lpn: Lpn);
    /// Tells the feature that a superblock is closed: it takes no more data.
    tell closed(superblock: usize);
    /// Tells the feature that the cells of a superblock are being erased.
    tell erases(superblock: usize);
    /// Tells the feature that a program has ended, and its units are not committed yet.
    tell program_ends(core: &Core, program: &Transaction);
    /// Tells the feature that the drive was constructed in a used state: its units have places that were
    /// drawn at random.
    tell constructed();
    /// Tells the feature that the host writes a unit without simulated time: its map entry is looked up.
    tell looks_up_untimed(lpn: Lpn);
    /// Returns the feature's own unit that must be written next, without simulated time.
    tell due_untimed() -> Option<Lpn>, first;
    /// Tells the feature that simulated time is about to begin again: adds the feature's own units that must
    /// be written before.
    tell settles(units: &mut Vec<Lpn>);
    /// Returns what the map on flash and its log tell of a superblock, beside its data and spare areas.
    ask told_of(superblock: usize) -> Option<ToldOnFlash>, first;
    /// True if the map must be found again at power-up, even by a drive that was at rest.
    ask recovers() -> bool, any;
    /// Tells the feature that a drive that must find its map is switched on: adds the units of the feature
    /// that are read first.
    tell powers_up(units: &mut Vec<Lpn>);
}
