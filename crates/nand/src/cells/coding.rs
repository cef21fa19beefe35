//! Which bits each state of a cell stands for: Gray codings, neighbouring states differ in one bit.

use crate::Cell;

/// Constant: Gray coding of SLC cells, as for cells whose pages are programmed one after the other: one text of bits
/// for each state, by rising threshold voltage; digit i is the bit of the i-th page that is programmed. In all such
/// codings, states that share their first digits must lie side by side, so that every pass only raises thresholds:
/// reading page i then takes 2^i sensings.
const SLC: [&str; 2] = ["1", "0"];
const MLC: [&str; 4] = ["11", "10", "00", "01"];
const TLC: [&str; 8] = ["111", "110", "100", "101", "001", "000", "010", "011"];
const QLC: [&str; 16] = [
    "1111", "1110", "1100", "1101", "1001", "1000", "1010", "1011", "0011", "0010", "0000", "0001", "0101",
    "0100", "0110", "0111",
];

/// Constant: Gray coding of TLC cells whose pages are programmed at once (one-shot), where any coding is possible: this
/// one divides the sensings evenly between the pages, 2-3-2.
const TLC_ONE_SHOT: [&str; 8] = ["111", "011", "001", "000", "010", "110", "100", "101"];
const QLC_ONE_SHOT: [&str; 16] = [
    "1111", "1011", "0011", "0001", "1001", "1000", "1010", "1110", "1100", "1101", "0101", "0100", "0000",
    "0010", "0110", "0111",
];

/// Returns the Gray coding (bits of each state by rising threshold) of a kind of cell whose pages are programmed one
/// after the other.
pub fn two_step_states(cell: Cell) -> &'static [&'static str] {
    match cell {
        Cell::Slc => &SLC,
        Cell::Mlc => &MLC,
        Cell::Tlc => &TLC,
        Cell::Qlc => &QLC,
    }
}

/// Returns the Gray coding (bits of each state by rising threshold) of a kind of cell whose pages are programmed at
/// once.
pub fn one_shot_states(cell: Cell) -> &'static [&'static str] {
    match cell {
        Cell::Slc => &SLC,
        Cell::Mlc => &MLC,
        Cell::Tlc => &TLC_ONE_SHOT,
        Cell::Qlc => &QLC_ONE_SHOT,
    }
}

/// Returns the index of the threshold group to which the cell state `state` belongs while only the first `pages` pages
/// of the wordline are programmed: states with equal bits in these pages share a group. Groups are numbered by rising
/// threshold.
pub fn group(states: &[&str], pages: usize, state: usize) -> usize {
    states[..=state].windows(2).filter(|pair| pair[0][..pages] != pair[1][..pages]).count()
}

/// Returns the number of sensings (reference voltages) that a read of page `page` takes: how often the page's bit
/// changes between neighbouring states in the order of threshold voltage.
pub fn sensings(states: &[&str], page: usize) -> usize {
    states.windows(2).filter(|pair| pair[0].as_bytes()[page] != pair[1].as_bytes()[page]).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Cell; 4] = [Cell::Slc, Cell::Mlc, Cell::Tlc, Cell::Qlc];

    #[test]
    fn neighbours_differ_in_one_bit_and_no_state_comes_twice() {
        for (cell, states) in
            KINDS.iter().flat_map(|cell| [(*cell, two_step_states(*cell)), (*cell, one_shot_states(*cell))])
        {
            assert_eq!(states.len(), 1 << cell.bits());
            assert!(states[0].bytes().all(|digit| digit == b'1'), "the erased state reads as ones");
            for pair in states.windows(2) {
                let differ = pair[0].bytes().zip(pair[1].bytes()).filter(|(a, b)| a != b).count();
                assert_eq!(differ, 1, "{pair:?}");
            }
            let mut sorted = states.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), states.len());
        }
    }

    #[test]
    fn pages_written_one_after_the_other_split_groups_in_two() {
        for cell in KINDS {
            let states = two_step_states(cell);
            for page in 0..cell.bits() as usize {
                assert_eq!(sensings(states, page), 1 << page);
                assert_eq!(group(states, page + 1, states.len() - 1) + 1, 2 << page, "{cell:?} {page}");
            }
        }
    }

    #[test]
    fn sensings_of_pages_written_at_once_are_even() {
        let of = |cell| -> Vec<usize> {
            let states = one_shot_states(cell);
            (0..states[0].len()).map(|page| sensings(states, page)).collect()
        };
        assert_eq!(of(Cell::Tlc), [2, 3, 2]);
        assert_eq!(of(Cell::Qlc), [3, 4, 4, 4]);
    }
}
