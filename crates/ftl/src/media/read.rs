//! How a page row is read, whoever asks for it.

use crate::media::Media;
use crate::store::Source;
use controller::{Class, Kind, Origin, Probe, Transaction, TransactionId};
use engine::Calendar;
use units::DieId;

impl Media {
    /// Submits the read of some units of one page row (numbered over the drive).
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(crate) fn submit_read<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        class: Class,
        owner: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> TransactionId {
        let global = row / self.store.layout.rows;
        let die = global / self.store.layout.superblocks_per_die;
        let superblock = global % self.store.layout.superblocks_per_die;
        let mut transaction =
            Transaction::new(Kind::Read, origin, class, DieId(die), superblock, row % self.store.layout.rows);
        transaction.mask = mask;
        if self.holds_one_bit(global as usize) {
            transaction.slc = true;
            let units = if origin == Origin::Host { mask.count_ones() } else { 0 };
            self.store.stats.slc_units_read += u64::from(units);
        }
        transaction.pages = self.store.layout.pages_touched(mask);
        transaction.owner = owner;
        transaction.bytes = std::mem::take(&mut self.read_bytes);
        if let Some(regulation) = &mut self.guards.regulation {
            if origin == Origin::Host {
                regulation.note_host_operation(die as usize, calendar.now());
            }
            transaction.reading = match transaction.slc {
                true => regulation.plan_one_bit_read(origin),
                false => regulation.plan_read(row, origin, calendar.now()),
            };
            if let Some(superblock) = regulation.take_worn_by_reads() {
                self.ask_upkeep(superblock, calendar.now(), Origin::Refresh, calendar);
            }
        }
        transaction.reading.uncorrectable |= die == self.guards.failed_die;
        if transaction.reading.uncorrectable && origin != Origin::ReadAhead {
            self.pin_group(global);
        }
        self.store.controller.submit(transaction, calendar, probe)
    }

    /// Says which page of its block a program is for, and that only the sectors which were written cross the channel.
    /// `hosts`: it belongs to the host's stream.
    #[cold]
    pub(crate) fn note_sectors_of(&mut self, program: &mut Transaction, hosts: bool) {
        let Some(sectors) = &mut self.guards.sectors else { return };
        program.page = if hosts { sectors.next_page(program.die.index()) } else { program.row };
        let (programs, units) = (&self.store.programs, self.store.layout.program_units_of(program.slc));
        let sources = || (0..units).map(|unit| programs.get(program.owner, unit));
        if program.kind == Kind::Program && sources().any(|source| source.origin() == Origin::Host) {
            let bytes = |source: Source| match source.origin() {
                Origin::Host => sectors.bytes_of(source.value()),
                Origin::Padding => 0,
                _ => self.store.layout.unit.get() as u32,
            };
            program.bytes = sources().map(bytes).sum();
        }
    }
}
