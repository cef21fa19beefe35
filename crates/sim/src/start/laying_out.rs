//! Laying out what a workload finds on the drive: untimed writing, in the order of addresses, before the clock starts.
//!
//! The workload names what held data where its requests come from; each unit of that which holds none is written. A
//! bit for each unit remembers what was named, so that it may be named in any order and twice.

use crate::run::limits::in_vain;
use crate::translation::HostTranslation;
use crate::{Drive, Error};
use ftl::{Ftl, Placing};
use host::{Extent, Workload};
use units::{Lpn, Ppa};

enum LayoutStep {
    /// Case of the steps of the layout (untimed writing of the data that a workload expects): checking the drive for
    /// units that hold no data.
    Look,
    /// Case of the steps of the layout (untimed writing of the data that a workload expects): asking the workload for
    /// the address ranges that must hold data.
    Name,
    /// Case of the steps of the layout (untimed writing of the data that a workload expects): writing the named units
    /// that hold no data.
    Write,
    Done,
}

/// State of the layout in progress: untimed writing, before the run, of the data that a workload expects on the drive.
pub(crate) struct LayingOut {
    step: LayoutStep,
    on: bool,
    /// Bit set with one bit for each logical unit, true if the workload named the unit as one that must hold data.
    named: Vec<u64>,
    /// Index of the next logical unit that the layout (untimed writing of the data that a workload expects) checks or
    /// writes.
    next: u32,
    fraction: f64,
    /// Number of mapping units that the layout (untimed writing, before the run, of the data that a workload expects on
    /// the drive) has written so far.
    pub units: u64,
}

impl LayingOut {
    /// Makes a layout (untimed writing of the data that a workload expects) that has not begun.
    pub fn new() -> Self {
        Self { step: LayoutStep::Look, on: true, named: Vec::new(), next: 0, fraction: 0.0, units: 0 }
    }

    /// Makes a layout (untimed writing of the data that a workload expects) that is switched off and writes nothing.
    pub fn off() -> Self {
        Self { step: LayoutStep::Done, on: false, ..Self::new() }
    }

    /// Returns true if the layout of the workload's data is not switched off.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Returns the progress of the layout (untimed writing of the data that a workload expects), from 0 to 1.
    pub fn fraction(&self) -> f64 {
        self.fraction
    }

    /// Does a part of the layout, worth about `count` requests or writes; returns true when the layout is done.
    ///
    /// # Errors
    /// When the workload turns out faulty, or the drive has no free space for the data that the workload reads.
    pub fn advance(
        &mut self,
        drive: &Drive,
        ftl: &mut Ftl,
        source: &mut dyn Workload,
        count: u64,
    ) -> Result<bool, Error> {
        let units = ftl.layout().logical_units;
        match self.step {
            LayoutStep::Look => {
                // A drive that is full already needs no pass over the workload.
                let first = ftl.first_unwritten(0, units);
                self.next = first.unwrap_or(units);
                self.named = if first.is_some() { vec![0; units.div_ceil(64) as usize] } else { Vec::new() };
                self.step = if first.is_some() { LayoutStep::Name } else { LayoutStep::Done };
            }
            LayoutStep::Name => {
                let unit = ftl.layout().unit.get();
                let named = &mut self.named;
                let done = source.lay_out(count, &mut |extent| {
                    drive.namespaces().on_flash(extent, &mut |extent| mark(named, extent, unit, units));
                })?;
                // Naming and writing share the bar half and half; which of them takes longer is not known.
                self.fraction = done.unwrap_or(1.0) / 2.0;
                if done.is_none() {
                    self.step = LayoutStep::Write;
                }
            }
            LayoutStep::Write => self.write(drive, ftl, count)?,
            LayoutStep::Done => {}
        }
        if matches!(self.step, LayoutStep::Done) && self.units > 0 {
            ftl.settle();
        }
        Ok(matches!(self.step, LayoutStep::Done))
    }

    /// Writes the blocks that the workload expects to hold data, and that hold none, into the log of a host that keeps
    /// blocks on zones, and then writes the whole log to the flash, without simulated time.
    ///
    /// # Errors
    /// When the workload turns out faulty.
    pub fn lay_blocks(
        &mut self,
        log: &mut HostTranslation,
        ftl: &mut Ftl,
        source: &mut dyn Workload,
    ) -> Result<(), Error> {
        let (unit, blocks) = (ftl.layout().unit.get(), log.blocks());
        self.named = vec![0; blocks.div_ceil(64) as usize];
        let named = &mut self.named;
        while self.on && source.lay_out(u64::MAX, &mut |extent| mark(named, extent, unit, blocks))?.is_some()
        {
        }
        while let Some(block) = self.next_named(blocks) {
            self.next = block + 1;
            if !log.holds(block) {
                log.write_untimed(block, 0);
                self.units += 1;
            }
        }
        log.lay_on(ftl);
        (self.step, self.named) = (LayoutStep::Done, Vec::new());
        Ok(())
    }

    fn write(&mut self, drive: &Drive, ftl: &mut Ftl, count: u64) -> Result<(), Error> {
        let units = ftl.layout().logical_units;
        let end = self.units.saturating_add(count);
        while self.units < end {
            let Some(lpn) = self.next_named(units) else {
                self.step = LayoutStep::Done;
                self.named = Vec::new();
                return Ok(());
            };
            let at_once = if self.units == 0 {
                ftl.write_in_order(Lpn(lpn), self.end_of_named(lpn, units) - lpn)
            } else {
                0
            };
            if at_once > 0 {
                (self.next, self.units) = (lpn + at_once, u64::from(at_once));
                continue;
            }
            self.next = lpn + 1;
            if ftl.lookup(Lpn(lpn)) != Ppa::NONE || ftl.buffer().slot_of(Lpn(lpn)).is_some() {
                continue;
            }
            ftl.set_placement(None);
            if !ftl.try_write_untimed(Lpn(lpn)) {
                return Err(in_vain(ftl).unwrap_or_else(|| self.no_room(drive, ftl)));
            }
            self.units += 1;
        }
        self.fraction = 0.5 + f64::from(self.next) / f64::from(units) / 2.0;
        Ok(())
    }

    /// Returns the index of the first logical unit, from `next` on, that the layout must look at because the workload
    /// named it (as one that must hold data); `None` if there are no more.
    fn next_named(&self, units: u32) -> Option<u32> {
        let mut lpn = self.next;
        while lpn < units {
            let word = self.named[(lpn / 64) as usize] >> (lpn % 64);
            if word != 0 {
                return Some(lpn + word.trailing_zeros());
            }
            lpn = (lpn / 64 + 1) * 64;
        }
        None
    }

    /// Returns the index of the unit after the sequence of units, beginning at `lpn`, that the workload named (units
    /// that must hold data).
    fn end_of_named(&self, lpn: u32, units: u32) -> u32 {
        let mut end = lpn;
        while end < units {
            let rest = !(self.named[(end / 64) as usize] >> (end % 64));
            let left = 64 - end % 64;
            if rest.trailing_zeros() < left {
                return (end + rest.trailing_zeros()).min(units);
            }
            end += left;
        }
        units
    }

    fn no_room(&self, drive: &Drive, ftl: &Ftl) -> Error {
        let unit = ftl.layout().unit.get();
        Error(format!(
            "{}: no room for what the workload finds on the drive: it takes no more after {} bytes of it; expected a \
             drive with fewer failed blocks, or --no-layout",
            drive.name,
            self.units * unit,
        ))
    }
}

/// Sets, in the bit set `named` (units that must hold data), the bits of the logical units that the address range
/// `extent` touches, up to the drive's end; a part beyond it is left to the run, which refuses it.
fn mark(named: &mut [u64], extent: Extent, unit: u64, units: u32) {
    let first = extent.offset / unit;
    let end = extent.offset.saturating_add(extent.bytes).div_ceil(unit).min(u64::from(units));
    let mut lpn = first;
    while lpn < end {
        let word = lpn / 64;
        let stop = end.min((word + 1) * 64);
        let below = |count: u64| if count >= 64 { u64::MAX } else { (1 << count) - 1 };
        named[word as usize] |= below(stop - word * 64) & !below(lpn - word * 64);
        lpn = stop;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_touched_is_marked_and_no_other() {
        for (offset, bytes) in [(0, 1), (4095, 2), (63 * 4096, 8192), (5, 200 * 4096), (199 * 4096, 1 << 30)]
        {
            let mut named = vec![0u64; 4];
            mark(&mut named, Extent { offset, bytes }, 4096, 200);
            for lpn in 0..256u64 {
                let touched = lpn < 200 && lpn * 4096 < offset + bytes && (lpn + 1) * 4096 > offset;
                let marked = named[(lpn / 64) as usize] >> (lpn % 64) & 1 == 1;
                assert_eq!(marked, touched, "unit {lpn} of {bytes} bytes at {offset}");
            }
        }
    }
}
