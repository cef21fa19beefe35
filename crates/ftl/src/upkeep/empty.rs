//! Superblocks emptied one after the other, for any customer: each is taken, its page rows are kept in flight, and
//! what comes back finds a place. A customer only says which superblock is next, and how its rows go.

use crate::Probe;
use crate::media::Media;
use crate::relocate::Customer;
use crate::store::NONE;
use crate::upkeep::Upkeep;
use controller::{Class, Context, Transaction};
use units::{Ppa, units_in};

/// Kind of way in which the valid units of a page row (the pages of one number on all planes) are moved out of a
/// superblock that is being reclaimed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// Case: way out of the superblock: the units of the row are read over the channel bus into the controller, and
    /// programmed from there.
    Bus,
    /// Case: way out of the superblock: the units of the row are copied inside the die (copyback), if the target
    /// superblock allows that.
    InDie,
    /// Case in which the units of the row cannot be moved out of the superblock now: they stay where they are until a
    /// later attempt.
    Wait,
}

impl Upkeep {
    /// Advances, as far as possible now, the reclaiming of superblocks of a die, one after the other: for garbage
    /// collection or for folding of the SLC cache, as `customer` says.
    #[inline(always)]
    pub fn empty<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        customer: Customer,
        ctx: &mut Context<P>,
    ) {
        while media.core.mover(die, customer).has_victim() || self.take(media, die, customer, ctx) {
            if !self.read_rows(media, die, customer, ctx) {
                return;
            }
            media.end_victim(die, customer, ctx);
        }
    }

    /// Picks the next superblock of a die to be reclaimed, for garbage collection or for folding of the SLC cache, as
    /// `customer` says; returns false if none is wanted or none can be taken.
    #[inline(always)]
    fn take<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        customer: Customer,
        ctx: &mut Context<P>,
    ) -> bool {
        match customer {
            Customer::Collection if media.core.rules.in_step => self.take_together(media, die, ctx),
            Customer::Collection => self.take_victim(media, die),
            Customer::Folding => media.features.takes_folded(&mut media.core, die),
        }
    }

    /// Submits reads of the victim's valid units so that up to `read_ahead` page rows are in flight; returns true when
    /// reads of the whole victim have been submitted.
    #[inline(always)]
    fn read_rows<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        customer: Customer,
        ctx: &mut Context<P>,
    ) -> bool {
        // Folding passes over rows without anything valid even where it reads none.
        while (customer == Customer::Folding
            || media.core.collections[die].mover.reading_rows < media.core.rules.read_ahead)
            && !media.core.assembly.is_still
            && !self.rests(media, die, customer)
            && let Some((row, mask)) = media.core.next_row(die, customer)
        {
            let route = match customer {
                Customer::Collection if media.core.rules.copyback => Route::InDie,
                Customer::Collection => Route::Bus,
                Customer::Folding => media.route_of_folding(die, row),
            };
            if route == Route::Wait {
                break;
            }
            media.core.pass_rows(die, customer, 1);
            let mover = media.core.mover(die, customer);
            mover.begin_read(units_in(mask));
            let origin = mover.origin;
            if customer == Customer::Collection && media.core.turns.has_bursts() {
                let is_over = media.core.turns.note_read(die, units_in(mask));
                self.let_host_on(media, is_over);
            }
            let first = Ppa(media.core.store.layout.first_of_row(row));
            let moved = route == Route::InDie
                && match customer {
                    Customer::Collection => media.copy_back(die, first, origin, ctx),
                    Customer::Folding => self.fold_in_die(media, die, first, ctx),
                };
            if !moved {
                media.submit_read(row, mask, origin, Class::InternalRead, NONE, ctx);
            }
        }
        media.core.mover(die, customer).next_row == media.core.rows_of(customer)
    }

    /// Returns true if the die's garbage collection works in bursts and waits for the next one.
    #[inline(always)]
    fn rests(&self, media: &mut Media, die: usize, customer: Customer) -> bool {
        customer == Customer::Collection
            && media.core.turns.has_bursts()
            && self.rests_between_bursts(media, die)
    }

    /// Returns true if the collection of a die waits for the next burst: the host has credit and room on the die.
    #[cold]
    fn rests_between_bursts(&self, media: &mut Media, die: usize) -> bool {
        let (core, collection) = (&media.core, &media.core.collections[die]);
        let mut lanes = core.assembly.lanes_of(die);
        let rests = !core.turns.is_burst()
            && collection.is_pacing()
            && collection.forced.is_empty()
            && !collection.holds_host_back()
            && lanes.any(|lane| core.has_own_room(die, core.assembly.lanes[lane].own));
        if rests {
            media.core.turns.rest();
        }
        rests
    }

    /// Lets the host write to all dies again if the burst of garbage collection is over.
    #[cold]
    fn let_host_on(&self, media: &mut Media, is_over: bool) {
        for die in 0..if is_over { media.core.collections.len() } else { 0 } {
            media.update_eligible(die);
        }
    }

    /// Takes a die out of the present burst of garbage collection if the die has no victim that the host waits for, or
    /// collects no more.
    #[inline]
    pub fn leave_burst(&self, media: &mut Media, die: usize) {
        let core = &media.core;
        if core.turns.has_bursts() && (!core.collections[die].is_pacing() || core.rests(die)) {
            let is_over = media.core.turns.give_up(die);
            self.let_host_on(media, is_over);
        }
    }

    /// Handles a completed read of a superblock being reclaimed: queues the units that are still valid to be programmed
    /// elsewhere.
    pub fn on_moving_read<P: Probe>(&mut self, media: &mut Media, read: &Transaction, ctx: &mut Context<P>) {
        let (die, customer) = (read.die.index(), Customer::of(read.origin));
        let count = units_in(read.mask);
        media.core.mover(die, customer).end_read(count);
        match customer {
            Customer::Collection => {
                let host_programs = media.core.assembly.bound[die];
                let program_units = media.core.store.layout.program_units;
                media.core.collections[die].earn(count, &media.core.turns, program_units, host_programs);
                for ppa in media.core.store.units_of(read) {
                    if media.core.store.map.is_valid(ppa) {
                        media.move_unit(die, ppa, read.origin, ctx);
                    }
                }
            }
            // Folded units find places as the host's do: when it is their turn.
            Customer::Folding => {
                let units = media.core.store.units_of(read).map(|ppa| (ppa, read.origin));
                media.core.mover(die, customer).waiting.extend(units);
            }
        }
        self.collect(media, die, ctx);
    }
}
