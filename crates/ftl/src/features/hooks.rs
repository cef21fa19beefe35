//! Where features take part in the work of the layer: a few words for each hook, from which the trait and its calls follow.
//!
//! By `tell` hooks features are told what happens, by `ask` hooks they are asked for what they know. `any` is true when one of
//! them says so and `all` when each of them does, `sum` adds up, `first` is the answer of the first that
//! has one, and `worst` and `most` are the highest of all.

use super::{Features, features};
use crate::Probe;
use crate::core::{
    Act, Arriving, Core, Erased, Joining, Lookup, MapEntry, Members, Overtaken, Remedy, Round, Seen,
    SetMoment, SetPlan, Together, ToldOnFlash, UntimedStep, Version, Waiter, Wish,
};
use crate::store::Mark;
use crate::store::spare::SpareAreas;
use controller::{Context, Origin, TimedTransaction, Transaction};
use engine::{Calendar, RandomStream};
use nand::ProgramStatus;
use std::ops::Range;
use units::{Lpn, Nanos, Ppa, SimTime};

/// Macro that combines the answers of all features to one hook, with one arm for each way to combine them; a drive
/// without features gets the neutral value.
macro_rules! fold {
    (each $($one:expr;)*) => {{ $($one;)* }};
    (any $($one:expr;)*) => { false $(|| $one)* };
    (all $($one:expr;)*) => { true $(&& $one)* };
    (sum $($one:expr;)*) => { 0 $(+ $one)* };
    (first $($one:expr;)*) => { None $(.or_else(|| $one))* };
    (worst $($one:expr;)*) => { Overtaken::Free $(.max($one))* };
    (most $($one:expr;)*) => { u64::MIN $(.max($one))* };
}

/// Macro that makes a hook of a feature that may change the feature's state.
macro_rules! tell {
    ($($rest:tt)*) => { hook! { [mut] [mut] $($rest)* } };
}

/// Macro that makes a hook that asks a feature and does not change the feature's state.
macro_rules! ask {
    ($($rest:tt)*) => { hook! { [] [] $($rest)* } };
}

macro_rules! lend {
    ([mut] $($of:tt)*) => { &mut $($of)* };
    ([] $($of:tt)*) => { &$($of)* };
}

/// Macro that makes the three forms of a hook: the default in the trait, the call of each feature, and the call behind
/// a test whether the drive has any feature.
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
        /// Trait of a feature of the FTL, with one method for each hook. A hook tells the feature of an event in the
        /// FTL, or asks the feature a question; by default it does nothing and returns the neutral value.
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
    /// Returns the bytes of memory that the simulator's state of the feature takes.
    ask bytes() -> usize, sum;
    /// Returns the number of free write buffer slots that are reserved for the feature.
    ask slots_kept() -> u32, sum;
    /// Adds to `units` the feature's own logical units (map, trim records) that are read first at power-up.
    ask reads_first(units: &mut Vec<Lpn>);
    /// Returns true if the feature lets the host send more data to the write buffer now.
    ask takes_data() -> bool, all;
    /// Returns true if the feature tracks which sectors of a mapping unit hold data.
    ask knows_parts() -> bool, any;
    /// Tells the feature the byte range, offset and length, of host request `request` on the logical drive.
    tell extent(request: u32, offset: u64, bytes: u64);
    /// Tells the feature that `wanted` mapping units of a host write, from `first` on, are about to get a write buffer
    /// slot each. Returns how many of them the feature allows; `None` if the feature sets no limit.
    tell promise(request: u32, first: Lpn, wanted: u32) -> Option<u32>, first;
    /// Tells the feature that a host write of a unit with a reserved write buffer slot is refused with an error.
    tell refused(lpn: Lpn);
    /// Tells the feature that the data of a host write are in a new write buffer slot of their own.
    tell arrived(slot: u32, lpn: Lpn, write: Arriving);
    /// Tells the feature that a host write overwrote the unit in a write buffer slot that already held it.
    tell joined(slot: u32, lpn: Lpn);
    /// Tells the feature that a write buffer slot becomes free, or keeps as clean a unit or what a request read.
    tell released(slot: u32, kept: Option<(Lpn, u32)>);
    /// Returns the sectors (bit set) of a unit that a host read asks for and that write buffer slot `buffered` lacks;
    /// the others count as read from the write buffer.
    tell part_to_read(request: u32, lpn: Lpn, buffered: Option<u32>) -> Option<u64>, first;
    /// Tells the feature that the host reads the sectors `part` (bit set) of a mapping unit whose physical address is
    /// `place`. Returns true if the unit holds no data (`place` is `Ppa::NONE`) and the drive still performs a flash
    /// read for the unit, on die `home_die`.
    tell reads_part(lpn: Lpn, part: u64, place: Ppa, home_die: u32) -> bool, any;
    /// Returns the sectors (bit set) of its unit that a write buffer slot still lacks and that flash holds.
    ask lacks(slot: u32) -> Option<u64>, first;
    /// Returns, and resets, the number of bytes that host reads got from the write buffer since the last call.
    tell take_cached() -> u64, sum;
    /// Lets the feature set page number and transferred bytes of a program that is about to be submitted; `stream` is
    /// the stream whose open superblock it goes to, if there is one.
    tell programs(core: &Core, program: &mut Transaction, stream: Option<usize>);
    /// Tells the feature that simulated time begins again after writes without simulated time (preconditioning).
    tell settled(core: &Core);
    /// Tells the feature, such as the records of trims, that the host trimmed a logical unit that held data.
    tell trimmed(core: &mut Core, lpn: Lpn);
    /// Tells the feature that all data and trims accepted so far must become durable, for flush request `flush`
    /// (`None`: without one). Returns true if the feature must first put units into the write buffer; the feature then
    /// requests the flush again afterwards.
    tell write_out(core: &mut Core, flush: Option<u32>) -> bool, any;
    /// Tells the feature that operations have completed, so that the feature may continue work that waited for a write
    /// buffer slot.
    tell go_on(core: &mut Core);
    /// Tells the feature that a unit of the drive's own (map page, trim record) was programmed from a write buffer
    /// slot; true if the unit belongs to the feature alone.
    tell wrote_own(core: &Core, lpn: Lpn, slot: u32) -> bool, any;
    /// Tells the feature that a unit of the drive's own (map page, trim record) is on flash with this write number.
    tell numbered(lpn: Lpn, number: u64);
    /// Tells the feature that the FTL has stalled for good, so that all waiting requests are dropped.
    tell stalled();
    /// Lets the feature correct, in recovery from a power cut, the newest copy on flash found for each logical unit: it
    /// removes void copies. `numbers` has the write number of each physical unit.
    tell found(core: &mut Core, newest: &mut [Ppa], numbers: &[u64]);
    /// Lets the feature retain the present version of a unit that is about to be overwritten or trimmed; returns how
    /// the version must be treated.
    tell overtakes(core: &mut Core, lpn: Lpn, now: SimTime) -> Overtaken, worst;
    /// Tells the feature that a trim was ignored because the version that it would have replaced must be retained.
    tell trim_refused();
    /// Returns true if a host write of the unit must fail with an error, as the feature must retain the old version.
    ask may_not_lose(core: &Core, lpn: Lpn) -> bool, any;
    /// Returns true if the feature needs the data in a write buffer slot although they were overwritten or trimmed.
    ask holds_slot(slot: u32) -> bool, any;
    /// Tells the feature that an overwritten version that it needs was programmed: unit, write buffer slot and physical
    /// address.
    tell programmed_held[P](core: &mut Core, held: (Lpn, u32, Ppa), probe: &mut P);
    /// Returns true if the feature needs the version at this physical address although it may not be the newest.
    ask names(ppa: Ppa) -> bool, any;
    /// Tells the feature that the newest or a former version of a unit moved: unit, old and new physical address.
    tell moved[P](core: &mut Core, moved: (Lpn, Ppa, Ppa), version: Version, probe: &mut P);
    /// Tells the feature that the data of a host write of `lpn` are in the write buffer.
    tell buffered[P](core: &Core, lpn: Lpn, probe: &mut P);
    /// Returns true while the feature has work on flash in progress, such as a checkpoint, rollback or map reads.
    ask is_busy() -> bool, any;
    /// Tells the feature that a program has completed and the map points to the new places of its units.
    tell programmed(core: &mut Core, now: SimTime);
    /// Tells the feature that another program has reached the flash, so that more versions may survive a power cut.
    tell survives[P](core: &mut Core, probe: &mut P);
    /// Lets the feature check if work that waits until no program is in flight, such as a rollback, can continue.
    tell finish(core: &mut Core);
    /// Tells the feature that the rollback to a snapshot that began at `since` has put the map back.
    tell put_back(core: &mut Core, since: SimTime, now: SimTime);
    /// Tells the feature that these units of a map on flash are being written, which the hook `flushes_map` returned.
    tell map_flushed(core: &mut Core, pages: &[(u32, u32)], now: SimTime);
    /// Returns the next set time at which the feature has work to do, such as taking a snapshot; `None` without one.
    ask next_moment() -> Option<SimTime>, first;
    /// Does the feature's next work that is due at a set time, such as a snapshot; returns false if none is due.
    tell moment[P](core: &mut Core, now: SimTime, probe: &mut P) -> bool, any;
    /// Tells the feature that the host has finished the run, so that no timed work (snapshot, rollback) falls due any
    /// more.
    tell ended();
    /// Takes, deletes or rolls back to a snapshot ([`Act`]); returns the number of a snapshot taken or deleted.
    tell act[P](core: &mut Core, act: Act, now: SimTime, probe: &mut P) -> Option<u32>, first;
    /// Returns where the version of logical unit `lpn` that the snapshot with the number `serial` sees is stored: on
    /// flash at a physical address, in the write buffer, or nowhere; `None` if there is no such snapshot.
    ask seen_in(core: &Core, serial: u32, lpn: Lpn) -> Option<Seen>, first;
    /// Tells the feature the number of spare mapping units: capacity that neither host data and map nor garbage
    /// collection need.
    tell set_room(spare: u64);
    /// Asks the feature to delete data of its own, such as a snapshot, if they take more mapping units than allowed;
    /// false if nothing had to be deleted.
    tell gives_way(core: &mut Core, now: SimTime) -> bool, any;
    /// Returns an error message if the drive has too few spare mapping units (unneeded capacity) for the feature;
    /// `advice` says how the drive can have more.
    ask lacks_room(spare: u64, advice: &str) -> Option<String>, first;
    /// Returns the number of spare mapping units (capacity that nothing else needs) that the feature needs at least.
    ask spare_least() -> u64, sum;
    /// Returns true if the feature has timer-driven work, such as refresh or snapshots.
    ask keeps_time() -> bool, any;
    /// Returns true if the feature retains data, such as versions for snapshots, that take spare mapping units
    /// (unneeded capacity).
    ask shares_room() -> bool, any;
    /// Returns true if the feature takes part in each write, so that preconditioning cannot write by superblocks.
    ask watches_writes() -> bool, any;
    /// Returns true if the feature retains former versions of units, which untimed writes (preconditioning) lose.
    ask keeps_versions() -> bool, any;
    /// Tells the feature that simulated time begins: it gives its snapshots write numbers from `before` on, and returns
    /// the write number of the last write so far.
    tell number_beginning(before: u64) -> Option<u64>, first;
    /// Returns the write number that the version of `lpn` at `place` gets when simulated time begins: `before` if it is
    /// older than all snapshots, a higher one if it is newer than a snapshot.
    ask number_of(lpn: Lpn, place: Ppa, before: u64) -> Option<u64>, first;
    /// Tells the feature that the power fails: all of its state that was only in RAM is lost.
    tell cut(core: &mut Core);
    /// Tells the feature that, while the power is off, flash gets a superblock that no checkpoint or log of the map
    /// covers.
    tell put_there(superblock: usize);
    /// Tells the feature that a unit of the drive's own is lost with a failed die.
    tell lost_own();
    /// Lets the feature find its former versions of units when recovery has found the map. Returns the write number
    /// that all later writes must exceed.
    tell find_versions(core: &mut Core, spare: &SpareAreas, marks: &[Mark]) -> u64, most;
    /// Tells the feature that simulated time continues after a power cut: set times that passed while the power was off
    /// are skipped.
    tell go_on_at(now: SimTime);
    /// Returns true while the feature does work, such as reclaiming a parity group, that a saved state cannot contain.
    ask bars_saving() -> bool, any;
    /// Tells the feature that simulated time begins.
    tell time_begins(core: &Core);
    /// Frees the superblocks of a fresh drive on each die; false if the feature leaves that to the FTL.
    tell frees(core: &mut Core) -> bool, any;
    /// Tells the feature that programs were issued to a superblock that uses all bits per cell (not in SLC mode):
    /// `programs` since its last erase.
    tell issued(core: &mut Core, superblock: u32, programs: u32);
    /// Tells the feature that a superblock that uses all bits per cell was closed before it is full.
    tell superblock_ended(core: &mut Core, superblock: u32);
    /// Tells the feature that the die of this superblock has failed.
    tell died(core: &mut Core, superblock: u32);
    /// Tells the feature that a superblock may have lost its last valid unit while being reclaimed; true if the feature
    /// erases the superblock together with the other members of its parity group.
    tell emptied[P](core: &mut Core, superblock: u32, ctx: &mut Context<P>) -> bool, any;
    /// Tells the feature that a program of content that the feature requested, such as parity, has ended with this
    /// status.
    tell programmed_own[P](core: &mut Core, superblock: u32, status: ProgramStatus, ctx: &mut Context<P>);
    /// Returns true if this page row must be restored from parity, because a power cut tore it (cut its program short).
    ask is_torn(superblock: u32, row: u32) -> bool, any;
    /// Tells the feature that a submitted read of a superblock will be uncorrectable: superblocks that can restore its
    /// data must not be erased.
    tell pinned(superblock: u32);
    /// Tells the feature that an uncorrectable read was restored or given up: superblocks that were not erased because
    /// of the read may be erased.
    tell unpinned[P](core: &mut Core, superblock: u32, ctx: &mut Context<P>);
    /// Returns the page rows (numbered over the drive) from which a page row can be restored; `None`: it cannot.
    ask rows_beside(core: &Core, superblock: u32, row: u32) -> Option<Vec<u32>>, first;
    /// Tells the feature that a read is uncorrectable: returns how its data can be restored, and requests the reads
    /// that this takes; `None`: it cannot be restored.
    tell unreadable(core: &mut Core, read: &TimedTransaction) -> Option<Remedy>, first;
    /// Tells the feature that a read for a restoration has ended; after the last one, returns the original read and
    /// whether it has failed for good.
    tell reread(read: &TimedTransaction) -> Option<(TimedTransaction, bool)>, first;
    /// Returns true if the feature can restore the data of a page row from other dies.
    ask gives_back(core: &Core, superblock: u32, row: u32) -> bool, any;
    /// Returns true if a torn page row of a superblock may be restorable, because parity protects the superblock.
    ask protects(superblock: u32) -> bool, any;
    /// Tells the feature that a power cut tore these page rows of superblocks: it adds the rows that cannot be restored
    /// to `lost`.
    tell torn(core: &Core, rows: &[(u32, u32)], lost: &mut Vec<(u32, u32)>);
    /// Adds to `rows` the page rows, each with its superblock, that recovery must read for the feature at power-up.
    ask rows_to_read(core: &Core, rows: &mut Vec<(u32, u32)>);
    /// Tells the feature of a superblock that recovery found, with the facts from its spare areas and the bad block
    /// list (`mark`); returns false if the superblock is not one for data (it holds parity, or is out of use).
    tell holds_data(core: &mut Core, superblock: u32, mark: &Mark) -> bool, all;
    /// Returns true if the rest of a superblock that recovery found partly programmed may take more data.
    ask takes_more(superblock: u32) -> bool, all;
    /// Tells the feature that a superblock found by recovery holds data and takes no more.
    tell takes_no_more(superblock: u32);
    /// Tells the feature that recovery knows the role of every superblock.
    tell all_told(core: &mut Core);
    /// Tells the feature that recovery from a power cut has found the map, so that interrupted work may continue.
    tell map_found(core: &mut Core);
    /// Returns the dies whose superblocks are reclaimed together with superblocks of this die; `None`: only this die.
    ask dies_beside(die: usize) -> Option<Range<usize>>, first;
    /// Tells the feature that a superblock must be relocated, for refresh or scrub, together with its parity group;
    /// false if the superblock is being reclaimed anyway.
    tell asks_anew(core: &Core, superblock: u32, origin: Origin) -> bool, any;
    /// Tells the feature that a program failed on a superblock that holds parity and no data, so that its parity group
    /// must be reclaimed.
    tell rescues(superblock: u32);
    /// Tells the feature that wear levelling wants a superblock to be relocated.
    tell relocates(superblock: u32);
    /// Turns the relocations queued on a die, and the need of its garbage collection for a victim (`wish`), into
    /// requests to reclaim whole parity groups.
    tell wishes(core: &mut Core, die: usize, wish: &Wish<'_>);
    /// Returns the group of superblocks (parity group) at index `at` in the queue of groups to be reclaimed with die
    /// `die`; `None` beyond the end of the queue.
    ask asked_together(core: &Core, die: usize, at: usize) -> Option<Together>, first;
    /// Tells the feature that no queued group of superblocks can be reclaimed for lack of free space.
    tell none_fits(core: &Core, die: usize);
    /// Tells the feature that garbage collection begins to reclaim the group of superblocks (parity group) at index
    /// `at` in the queue of groups to be reclaimed with die `die`.
    tell begins_together(die: usize, at: usize);
    /// Tells the feature that garbage collection takes a superblock of a parity group to reclaim it; true if its valid
    /// units must be moved.
    tell takes_member(core: &mut Core, die: usize, superblock: u32) -> bool, any;
    /// Tells the feature that garbage collection begins to move the valid units out of this superblock of a parity
    /// group.
    tell moves_member(superblock: u32);
    /// Tells the feature that a superblock of a parity group was erased, and whether the superblock can be written
    /// again or is lost.
    tell erased_member(core: &mut Core, superblock: u32, erased: Erased);
    /// Tells the feature that an erase of a superblock of a parity group has ended; true if all erases of the group
    /// have ended.
    tell erased_last(core: &mut Core, superblock: u32) -> bool, any;
    /// Frees the superblocks for data of an erased parity group, of which `superblock` is a member; returns them, each
    /// with its die.
    tell gives_members_back(core: &mut Core, superblock: u32) -> Option<Vec<(usize, u32)>>, first;
    /// Returns the superblocks of the parity group to which `superblock` belongs, each with its die. `which` selects
    /// either only the superblocks that hold data, or also the superblocks that hold the group's parity.
    ask members_of(superblock: u32, which: Members) -> Option<Vec<(usize, u32)>>, first;
    /// Tells the feature that a superblock has had `programs` programs so far, without simulated time.
    tell wrote_untimed(core: &mut Core, superblock: u32, programs: u32);
    /// Returns a record of the present state of the first set of dies whose superblocks are reclaimed together, for a
    /// recorded steady state.
    ask moment_together(core: &Core, worn: u32) -> Option<SetMoment>, first;
    /// Plans the roles of all superblocks of set of dies number `set`, from a recorded steady state `moment`.
    ask plans_together(core: &mut Core, set: usize, moment: &SetMoment, random: &mut RandomStream) -> Option<Result<SetPlan, String>>, first;
    /// Tells the feature that the superblocks of a set of dies were built from a recorded steady state: it then frees,
    /// in this order, the superblocks of the parity groups `groups` that were left without data.
    tell begins_built(core: &mut Core, groups: &[u32]);
    /// Tells the feature that the drive has been made, so that it can prepare the FTL's state.
    tell made(core: &mut Core);
    /// Returns true if the drive uses superblocks in SLC mode, as an SLC cache.
    ask uses_one_bit() -> bool, any;
    /// Reserves the superblocks of a fresh drive that are set apart for the feature (SLC cache).
    tell frees_own(core: &mut Core);
    /// Returns true if the host's next program unit on a die may go to a superblock in SLC mode.
    ask takes_hosts(core: &Core, die: usize) -> bool, any;
    /// Returns true if the host's next program unit on a die may bypass an SLC cache that cannot take it.
    ask lets_pass(die: usize) -> bool, all;
    /// Opens a superblock of a die in SLC mode; false if no free superblock may be used for this.
    tell opens_one_bit(core: &mut Core, die: usize) -> bool, any;
    /// Tells the feature that a unit of the host joined the open superblock of a stream of a die.
    tell wrote_host_unit(core: &mut Core, die: usize, stream: usize);
    /// Tells the feature that a superblock in SLC mode is full and waits to be folded (moved into cells with all bits).
    tell closes_one_bit(core: &mut Core, die: usize, superblock: u32);
    /// Tells the feature that a superblock was erased; true if the superblock is reserved for the feature, so that no
    /// other data may use it.
    tell keeps_own(core: &mut Core, die: usize, superblock: u32) -> bool, any;
    /// Tells the feature that a superblock in SLC mode was erased.
    tell erased_one_bit(core: &mut Core, die: usize, superblock: usize);
    /// Tells the feature that recovery from a power cut found a superblock in SLC mode.
    tell found_one_bit(core: &mut Core, die: usize, superblock: usize);
    /// Returns the idle time of a die after which it folds superblocks out of SLC mode in background; `None`: never.
    ask folds_after() -> Option<Nanos>, first;
    /// Returns true if the die has a superblock in SLC mode that is full and must be folded (moved to cells with all
    /// bits), or is being folded.
    ask has_to_fold(core: &Core, die: usize) -> bool, any;
    /// Returns true if the die should fold a superblock out of SLC mode now.
    ask wants_folding(core: &Core, die: usize) -> bool, any;
    /// Returns true if the host's data go before folded data (moved out of SLC mode) in a die's next program.
    ask is_hosts_turn(core: &Core, die: usize) -> bool, any;
    /// Returns true if the drive folds SLC-mode pages inside the die, without a transfer over the channel.
    ask folds_in_die() -> bool, any;
    /// Begins to fold the next superblock in SLC mode of a die; false if none should or can be folded.
    tell takes_folded(core: &mut Core, die: usize) -> bool, any;
    /// Returns whether host data bypass the SLC cache when it is full; `None`: the drive has no SLC cache.
    ask is_written_past() -> Option<bool>, first;
    /// Returns the number of superblocks in SLC mode that can fill up on a die before folding (the move out of SLC
    /// mode) begins, on a drive whose host waits for folding; `None` on other drives, or if the number grows with spare
    /// capacity.
    ask superblocks_before_folding() -> Option<u32>, first;
    /// Returns true if another superblock of a die may be opened in SLC mode.
    ask may_open_one_bit(core: &Core, die: usize) -> bool, any;
    /// Returns true if two superblocks of a die may be opened in SLC mode, one after the other.
    ask may_open_two(die: usize) -> bool, any;
    /// Returns the oldest full superblock in SLC mode of a die; `None` if no full one waits to be folded.
    ask oldest_one_bit(die: usize) -> Option<u32>, first;
    /// Tells the feature that the oldest superblock in SLC mode of a die is taken for folding without simulated time,
    /// with `rows` page rows already folded.
    tell folds_untimed(core: &mut Core, die: usize, rows: u32);
    /// Returns the present size of the SLC cache in bytes, which is the capacity of the superblocks that are in SLC
    /// mode now; `None` on a drive without an SLC cache.
    ask one_bit_bytes() -> Option<u64>, first;
    /// Returns the purpose for which superblocks are set apart, and the configuration key that sets their number.
    ask apart_for() -> Option<(&'static str, &'static str)>, first;
    /// Returns a description of the feature's state on a die, for the message about a drive that makes no progress.
    ask says_of(core: &Core, die: usize) -> Option<String>, first;
    /// Returns true if a write cost (way to program) is chosen for each program, and reads depend on it.
    ask chooses_costs() -> bool, any;
    /// Tells the feature that a mapping unit joins the next program of a stream (write frontier of a die).
    tell joins(core: &Core, joining: Joining, now: SimTime);
    /// Sets the write cost (way to program) of a program of a stream: its ISPP program step or its set of voltages.
    tell sets_cost(core: &mut Core, program: &mut Transaction, stream: usize, calendar: &mut Calendar);
    /// Lets the feature choose the write cost (way to program) of `program`, requested by a feature such as parity.
    tell sets_own_cost(core: &Core, program: &mut Transaction, now: SimTime);
    /// Plans how a page row (numbered over the drive) is read: number of attempts, senses and decodes.
    tell plans_read(core: &mut Core, read: &mut Transaction, row: u32, calendar: &mut Calendar);
    /// Tells the feature that the host reads the unit `lpn` at physical address `ppa`.
    tell host_reads(core: &Core, lpn: Lpn, ppa: Ppa);
    /// Tells the feature that a host read at a die shares the array read of another read in flight.
    tell rides(die: usize, now: SimTime);
    /// Tells the feature that a superblock has had `cycles` program/erase cycles so far.
    tell worn(superblock: usize, cycles: u32);
    /// Returns the number of mapping units that wait at a die to be programmed again for faster reads.
    ask waiting_anew(die: usize) -> usize, sum;
    /// Removes and returns the next mapping unit that waits at a die to be programmed again for faster reads, if any.
    tell next_anew(die: usize) -> Option<Lpn>, first;
    /// Tells the feature that a mapping unit that waited to be programmed again for faster reads is left as it is.
    tell drops_anew(lpn: Lpn);
    /// Tells the feature that simulated time begins: it schedules the refresh of the data that the drive holds.
    tell begins_refresh(core: &mut Core, calendar: &mut Calendar);
    /// Tells the feature that the refresh of the data in a superblock, set by their retention time, may be due.
    tell refresh_due(core: &mut Core, superblock: u32, calendar: &mut Calendar);
    /// Tells the feature that a superblock must be relocated for refresh or background scrub, as soon as its die has
    /// time.
    tell wants_anew(core: &mut Core, superblock: u32, origin: Origin, calendar: &mut Calendar);
    /// Counts a superblock that is relocated for refresh or scrub, by its origin.
    tell counts_moved(origin: Origin);
    /// Returns the time at which a superblock was opened, in ns; negative: before the run.
    ask opened(superblock: u32) -> Option<i64>, first;
    /// Tells the feature that background scrub (patrol) has read a superblock; `round` says how the scrub's round over
    /// the die ended, if this was its last superblock.
    tell patrolled(core: &Core, superblock: usize, round: Option<Round>);
    /// Returns the chance that a codeword of a page row has more bit errors than the fraction `margin` of the number
    /// that the code corrects.
    ask near_limit(row: u32, margin: f64, now: SimTime) -> Option<f64>, first;
    /// Adds the ages `ages_ns`, in ns, to the data of the superblocks; returns an error message if there is not one age
    /// for each superblock.
    tell takes_ages(ages_ns: &[u64]) -> Option<String>, first;
    /// Returns the shortest time after which the feature refreshes data, and the key that sets it; `None`: no refresh.
    ask shortest_refresh() -> Option<(&'static str, Nanos)>, first;
    /// Returns the number of array senses of a page read in the first step of the read ladder, a hard read.
    ask senses() -> Option<u64>, first;
    /// Returns the write costs (ways to program) that a program can have, by their numbers in transactions.
    ask ways_to_program() -> Option<&[u8]>, first;
    /// Returns true if the map entry of a unit is in RAM.
    ask has_entry(lpn: Lpn) -> bool, all;
    /// Returns, for `count` units of a host read, how many come before the first whose map entry is not in RAM; `None`
    /// on a drive with the whole map in RAM.
    tell finds(core: &mut Core, first: Lpn, count: u32) -> Option<u32>, first;
    /// Returns whether the map entry of a unit that the host writes is in RAM; `None` on a drive with the whole map in
    /// RAM.
    tell finds_written(core: &mut Core, lpn: Lpn) -> Option<MapEntry>, first;
    /// Tells the feature that a write waits for its map entry, or a read for entries in one translation unit (map
    /// page); returns the number of entries.
    tell awaits(core: &Core, waiter: Waiter) -> u32, sum;
    /// Tells the feature that the host write in write buffer slot `slot` no longer waits for its map entry. Returns
    /// true if the write needs no read of other parts of its mapping unit, false if it does; `None` if the write was
    /// not waiting.
    tell stops_waiting(slot: u32) -> Option<bool>, first;
    /// Returns the next action that the FTL must carry out for requests that wait for map entries, or for the map
    /// itself; `None` if there is none.
    tell next_lookup(core: &mut Core) -> Option<Lookup>, first;
    /// Tells the feature that read number `owner`, of a translation unit (map page) from flash, has ended.
    tell looked_up(core: &mut Core, owner: u32);
    /// Returns true while the map is still being read after power-up, so that it is not known which units are valid.
    ask reads_map() -> bool, any;
    /// Returns the bytes of RAM that the map takes, on a drive with a map on flash; `None` on other drives.
    ask map_bytes() -> Option<u64>, first;
    /// Queues the changed translation units (map pages) of a map on flash to be written now. Returns all whose newest
    /// version is not on flash, with the slot of an older one in flight or `NONE`; `None` without a map on flash.
    tell flushes_map(core: &Core) -> Option<Vec<(u32, u32)>>, first;
    /// Tells the feature that the place of a unit in the map has changed.
    tell changes(lpn: Lpn);
    /// Tells the feature that a superblock is closed: it takes no more data.
    tell closed(superblock: usize);
    /// Tells the feature that a superblock is being erased.
    tell erases(superblock: usize);
    /// Tells the feature that a program has ended, before the map points to its units.
    tell program_ends(core: &Core, program: &Transaction);
    /// Tells the feature that the drive was constructed in a used state, with places of units drawn at random.
    tell constructed();
    /// Tells the feature that the host writes a unit without simulated time, which looks up its map entry.
    tell looks_up_untimed(lpn: Lpn);
    /// Tells the feature what happens while requests of a run are carried forward without simulated time.
    tell carried_forward(step: UntimedStep);
    /// Removes and returns the feature's own unit that must be written next without simulated time; `None` without one.
    tell due_untimed() -> Option<Lpn>, first;
    /// Tells the feature that simulated time is about to begin: it adds its own units that must be written before.
    tell settles(units: &mut Vec<Lpn>);
    /// Returns how much of a superblock's content the map on flash and its log tell recovery.
    ask told_of(superblock: usize) -> Option<ToldOnFlash>, first;
    /// Returns true if the map must be rebuilt at power-up even after a shutdown at rest.
    ask recovers() -> bool, any;
    /// Tells the feature that a drive that must rebuild its map is switched on: it adds its units that are read first.
    tell powers_up(units: &mut Vec<Lpn>);
}
