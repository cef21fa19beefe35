//! Programs of parity, which follow those that they protect.

use crate::Probe;
use crate::guards::Stripes;
use crate::media::Media;
use crate::store::{NONE, Source, SuperblockState};
use controller::{Class, Context, Kind, Origin, Transaction};
use units::DieId;

impl Media {
    pub fn stripes(&mut self) -> &mut Stripes {
        self.guards.parity.as_mut().expect("only a drive with parity has groups")
    }

    /// Gives each die the superblocks that hold data; those of groups that cannot be protected stay out of use.
    pub fn free_groups(&mut self) {
        let stripes = self.stripes();
        let mut data = Vec::new();
        let mut parity = Vec::new();
        for group in 0..stripes.groups.len() as u32 {
            let of = &stripes.groups[group as usize];
            if of.parity != NONE {
                parity.push(stripes.place_of(group, of.parity).1);
            }
            data.extend(stripes.data_places(group));
        }
        for superblock in parity {
            self.core.store.space.state[superblock as usize] = SuperblockState::Parity;
        }
        self.free_own();
        for (die, superblock) in data {
            self.core.store.space.push_free(die, superblock % self.core.store.space.per_die);
            self.core.store.space.dies[die].usable += 1;
        }
    }

    /// Gives the cache the superblocks that stand apart for it: the last ones of each die.
    fn free_own(&mut self) {
        let Some(cache) = &mut self.guards.slc_cache else { return };
        let (reserved, Some(own)) = (cache.reserved, &mut cache.own) else { return };
        let (per_die, array) = (self.core.store.layout.superblocks_per_die, &self.core.store.array);
        for (die, own) in own.iter_mut().enumerate() {
            let first = per_die.saturating_sub(reserved);
            own.extend((first..per_die).rev().filter(|&superblock| array.is_whole(die as u32, superblock)));
            for &superblock in own.iter() {
                let global = self.core.store.space.global(die, superblock);
                self.core.store.space.state[global] = SuperblockState::Free;
            }
        }
    }

    /// A program of a superblock (numbered over the drive) was handed out, `programs` with it: the parity follows where
    /// it was the last of its stripe.
    pub fn note_program<P: Probe>(&mut self, superblock: u32, programs: u32, ctx: &mut Context<P>) {
        let due = self.stripes().note_written(superblock, programs);
        self.program_parity(superblock, due, ctx);
    }

    /// A superblock was closed before it was full.
    pub fn note_ended<P: Probe>(&mut self, superblock: u32, ctx: &mut Context<P>) {
        let due = self.stripes().note_ended(superblock);
        self.program_parity(superblock, due, ctx);
    }

    /// Submits the `due` last of the parity programs handed out in the group of `superblock`.
    pub fn program_parity<P: Probe>(&mut self, superblock: u32, due: u32, ctx: &mut Context<P>) {
        if due == 0 {
            return;
        }
        let stripes = self.stripes();
        let group = stripes.group_of(superblock);
        let of = &stripes.groups[group as usize];
        let (end, member) = (of.parity_written, of.parity);
        let (die, global) = stripes.place_of(group, member);
        let within = global % self.core.store.space.per_die;
        for program in end - due..end {
            let slot = self.core.store.programs.take_slot();
            for unit in 0..self.core.store.layout.program_units {
                self.core.store.programs.set(slot, unit, Source::new(Origin::Parity, 0));
            }
            let (row, class) = (program * self.core.store.layout.program_rows, Class::InternalProgram);
            let mut transaction =
                Transaction::new(Kind::Program, Origin::Parity, class, DieId(die as u32), within, row);
            transaction.wear =
                self.core.store.controller.wear_row(|| self.core.store.array.worn(die as u32, within));
            transaction.rows = self.core.store.layout.program_rows;
            transaction.pages = self.core.store.layout.planes * self.core.store.layout.program_rows;
            transaction.owner = slot;
            if let Some(regulation) = &mut self.guards.regulation {
                let cost = regulation.table.for_parity();
                transaction.cost =
                    regulation.issue(cost, global as usize, row, transaction.rows, ctx.calendar.now());
                // The data that it protects fall due themselves.
                regulation.take_due();
            }
            self.core.store.space.in_flight[global as usize] += 1;
            let units = self.core.store.layout.program_units;
            ctx.probe.on_place(&transaction, units, |unit| self.core.store.programs.told(slot, unit));
            self.core.store.controller.submit(transaction, ctx);
        }
    }

    /// A read that will fail is under way: the others of its group stay until it is made good.
    #[cold]
    pub fn pin_group(&mut self, superblock: u32) {
        if let Some(stripes) = &mut self.guards.parity {
            let group = stripes.group_of(superblock);
            stripes.groups[group as usize].pins += 1;
        }
    }
}
