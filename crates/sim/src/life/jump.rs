//! How far a drive's life jumps between two windows.

use super::{Ageing, FAILING, mean};
use crate::Error;

impl Ageing {
    /// Jumps ahead in the life of a drive without simulating writes: adds the wear `worn` (P/E cycles of each block in
    /// the last simulated window of the ageing run) to the blocks repeatedly, as many times as keeps the jump small,
    /// the failing blocks few and the data readable. Returns that number of repetitions.
    pub(super) fn jump(&mut self, worn: &[u32], written: u64) -> Result<u32, Error> {
        let each = mean(worn);
        if each <= 0.0 {
            return Ok(0);
        }
        let most = ((self.options.jump * self.life / each) as u32).min(self.most_before_failures(worn));
        let times = self.most_while_readable(worn, most);
        self.ftl.wear_on(worn, times);
        self.drive_writes += f64::from(times) * written as f64 / f64::from(self.units);
        Ok(times)
    }

    /// Returns how many times, at most `most`, the wear `worn` (P/E cycles of each block) can be added to the blocks so
    /// that data are still readable at the required error rate after the retention time; `most` where that is unknown.
    pub(super) fn most_while_readable(&mut self, worn: &[u32], most: u32) -> u32 {
        let asked = self.asked_uber();
        let Ok(limit) = &mut self.limit else { return most };
        let array = self.ftl.array();
        let mut holds =
            |times: u32| limit.after_retention(array, worn, times).is_ok_and(|found| found.uber <= asked);
        if most == 0 || holds(most) {
            return most;
        }
        let (mut low, mut high) = (0, most);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if holds(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// Returns the number of times that the wear `worn` (P/E cycles of each block) can be added before one in
    /// [`FAILING`] of the blocks with wear reaches the end of its life; `u32::MAX` if no life is limited, 0 if all
    /// lives are over.
    pub(super) fn most_before_failures(&self, worn: &[u32]) -> u32 {
        let array = self.ftl.array();
        if array.lives().is_empty() {
            return u32::MAX;
        }
        let mut left: Vec<u32> = array
            .lives()
            .iter()
            .zip(array.pe_cycles_by_block())
            .zip(worn)
            .filter(|((life, cycles), worn)| **worn > 0 && *life > *cycles)
            .map(|((life, cycles), worn)| (life - cycles) / worn)
            .collect();
        if left.is_empty() {
            return 0;
        }
        let rank = left.len() / FAILING;
        *left.select_nth_unstable(rank).1
    }
}
