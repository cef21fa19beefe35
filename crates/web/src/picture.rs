//! The blocks of a drive as the page draws them: how much of each is valid, how worn it is, which were erased last.

use ftl::{Ftl, SuperblockState};
use serde_json::{Value, json};

/// Constant: greatest number of cells (coloured fields) in the web page's picture of the drive's superblocks; on larger
/// drives each cell stands for several superblocks.
const CELLS_MOST: usize = 2048;

/// Record of the P/E cycles that each superblock had in the web page's last picture of the drive; from it the next
/// picture tells which superblocks were erased since.
#[derive(Default)]
pub(crate) struct Album {
    cycles: Vec<u32>,
}

impl Album {
    /// Returns the web page's picture of the drive's superblocks now, in JSON. For each cell (field for one or several
    /// superblocks) it gives the share of valid units (0 to 255), the state and the greatest number of P/E cycles, and
    /// in `erased` whether a superblock of the cell was erased since the last picture.
    pub fn take(&mut self, ftl: &Ftl) -> Value {
        let (layout, states) = (ftl.layout(), ftl.superblock_states());
        let (count, per_die) = (layout.superblocks(), layout.superblocks_per_die);
        let units = f64::from(layout.superblock_units);
        let cycles: Vec<u32> =
            (0..count as u32).map(|block| ftl.array().pe_cycles(block / per_die, block % per_die)).collect();
        let before = std::mem::replace(&mut self.cycles, cycles);
        let together = count.div_ceil(CELLS_MOST).max(1);
        let cells: Vec<usize> = (0..count).step_by(together).collect();
        let of = |from: usize| from..(from + together).min(count);
        let share = |from: usize| {
            let valid: u64 = ftl.valid_units()[of(from)].iter().map(|&units| u64::from(units)).sum();
            (255.0 * valid as f64 / (units * of(from).len() as f64)) as u32
        };
        let erased = |from: usize| {
            of(from).any(|block| before.get(block).is_some_and(|was| *was < self.cycles[block]))
        };
        json!({
            "dies": layout.dies,
            "superblocks_per_die": per_die,
            "together": together,
            "valid": cells.iter().map(|&from| share(from)).collect::<Vec<_>>(),
            "state": cells.iter().map(|&from| states[of(from)].iter().map(code).max()).collect::<Vec<_>>(),
            "cycles": cells.iter().map(|&from| self.cycles[of(from)].iter().max()).collect::<Vec<_>>(),
            "erased": cells.iter().map(|&from| u8::from(erased(from))).collect::<Vec<_>>(),
        })
    }
}

/// Returns the number by which the page knows a superblock's state: 0 erased, 1 closed or reserved for a feature such
/// as parity, 2 open, 3 being collected or erased, 4 out of use.
fn code(state: &SuperblockState) -> u8 {
    match state {
        SuperblockState::Free => 0,
        SuperblockState::Closed | SuperblockState::Owned => 1,
        SuperblockState::Open => 2,
        SuperblockState::Victim | SuperblockState::Erasing => 3,
        SuperblockState::Lost => 4,
    }
}
