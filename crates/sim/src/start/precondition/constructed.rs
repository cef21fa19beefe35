//! States that are constructed instead of written, and the buffer that goes with them.

use super::pilots::Pilots;
use super::{OVERWRITES_WAITING, Precondition, WRITES_AT_ONCE, put};
use crate::embedding;
use crate::{Drive, Error};
use ftl::Ftl;
use units::Lpn;

impl Precondition {
    /// Fills a new drive without data in the order of addresses, in a single step instead of unit by unit, except the
    /// last unit, which the caller writes in the normal way.
    pub(super) fn fill_at_once(&mut self, ftl: &mut Ftl) {
        if self.written == 0 {
            self.written = u64::from(ftl.write_in_order(Lpn(0), self.filled - 1));
        }
    }

    /// Brings the dies out of step (gives their open superblocks different fill levels) by writing a random part of a
    /// superblock to each die. Written in turns from the beginning, all dies would fill their superblocks at the same
    /// times for ever, as dies of a busy drive do not. Dies that share a parity group stay in step and collect garbage
    /// in step; for them the random part (one for each group of dies) is written after steady state, up to as many
    /// superblocks on each die as the group has dies.
    pub(super) fn stagger(&mut self, ftl: &mut Ftl) {
        let width = ftl.feature::<ftl::Stripes>().map_or(1, |stripes| stripes.stripe() + 1);
        let (dies, program, units) =
            (ftl.layout().dies, ftl.layout().program_units, ftl.layout().data_units());
        let Some(pages) = ftl.as_page_mapped() else { return };
        for first in (0..dies).step_by(width as usize) {
            let programs = self.random.below(u64::from(width * units / program));
            for die in (0..programs).flat_map(|_| first..first + width) {
                for _ in 0..program {
                    let lpn = Lpn(self.random.below(u64::from(self.filled)) as u32);
                    self.uncounted += u64::from(pages.write_to_die_untimed(die as usize, lpn));
                }
            }
        }
        self.written += self.uncounted;
    }

    pub(super) fn construct(&mut self, drive: &Drive, ftl: &mut Ftl, seed: u64) -> Result<(), Error> {
        match ftl.as_block_mapped() {
            Some(blocks) => blocks.construct_used(self.filled, seed),
            None => {
                let share = ftl.as_page_mapped().map_or(1.0, |pages| pages.urgent_share());
                let slots = self.waiting_slots(ftl);
                let waiting = u64::from(slots.unwrap_or(0));
                let about = [u64::from(self.filled), seed, share.to_bits(), waiting];
                let moments = Pilots::answer(self.pilots.as_ref(), ("history", drive, &about), || {
                    super::miniature::history(drive, ftl, (self.filled, slots), seed)
                })?;
                ftl.as_page_mapped()
                    .expect("a layer maps pages or blocks")
                    .construct_steady(&moments, self.filled, seed)
                    .map_err(|reason| Error(format!("{}: {reason}", drive.name)))?;
            }
        }
        self.written = u64::from(self.filled);
        (self.done, self.steady) = (true, true);
        self.fill_buffer(drive, ftl)
    }

    /// Overwrites a drive whose steady state was constructed (its map and superblocks were set, not written), if the
    /// write buffer is large, until the buffer contains units as after long writing.
    pub(super) fn fill_buffer(&mut self, drive: &Drive, ftl: &mut Ftl) -> Result<(), Error> {
        self.waiting = self.buffer_of(self.waiting_slots(ftl));
        if self.waiting.is_none() {
            return Ok(());
        }
        for written in 0..(OVERWRITES_WAITING * f64::from(self.filled)) as u64 {
            if written.is_multiple_of(WRITES_AT_ONCE) {
                embedding::look()?;
            }
            if let Some(lpn) = self.next_uniform(u64::from(self.filled)) {
                put(drive, ftl, lpn)?;
                self.written += 1;
            }
        }
        Ok(())
    }
}
