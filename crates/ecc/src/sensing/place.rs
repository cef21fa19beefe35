//! Where references should lie.

use super::SOFT_BITS_MOST;
use super::page::{Page, information};

/// Kind of rule by which the references of soft reads are placed around a boundary between cell states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Case of placement rule: references are placed where the values give the most information on the bit (Wang and
    /// others, JSAC 2014).
    Information,
    /// Case of placement rule: references are equally spaced at all boundaries, around the reference that misreads
    /// fewest cells, at the distance that gives the most information.
    Even,
    /// Case of placement rule: references are placed where the ratio of the two neighbouring states' densities changes
    /// in equal steps of its logarithm, with the step that gives the most information.
    Ratio,
}

impl Placement {
    /// Constant: list of all rules for the placement of the references of soft reads, each with its name in
    /// configurations and reports.
    pub const ALL: [(&'static str, Self); 3] =
        [("information", Self::Information), ("even", Self::Even), ("ratio", Self::Ratio)];

    /// Returns the rule of this name for the placement of the references of soft reads; `None` when there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(each, _)| *each == name).map(|(_, rule)| *rule)
    }
}

/// Constant: list of distances, as numbers of steps of the voltage grid, by which references are moved, the largest
/// first, in the search for the placement with the most information on the bit.
const MOVES: [usize; 6] = [32, 16, 8, 4, 2, 1];
/// Constant: number of density ratios (lower over upper state's cells) that are tried for the outermost references: the
/// logarithms are multiples of `RATIO_STEP`.
const RATIOS: usize = 40;
const RATIO_STEP: f64 = 0.25;
/// Constant: number of read references on either side of a reference between which the density of cells is computed;
/// fewer would have too few sampled cells.
const ASIDE: usize = 2;

/// Places the references of soft reads: returns for each boundary of the page the indices, in the grid of voltages, of
/// its `2^soft_bits - 1` references.
///
/// # Panics
/// When there are no soft bits or too many.
pub fn place(page: &Page, soft_bits: u32, placement: Placement) -> Vec<Vec<usize>> {
    assert!((1..=SOFT_BITS_MOST).contains(&soft_bits), "{soft_bits} soft bits");
    let count = (1usize << soft_bits) - 1;
    let hard: Vec<usize> = page.boundaries().iter().map(|lower| fewest(page, *lower)).collect();
    // Of all references of a boundary, once for all ratios that are tried.
    let ratios = || page.boundaries().iter().map(|lower| log_ratios(page, *lower)).collect::<Vec<_>>();
    let even = || {
        let widest = page.spreads().references() / count.max(2);
        best(page, (1..=widest).map(|apart| evenly(page, &hard, count, apart)))
    };
    let ratio = || {
        let ratios = ratios();
        best(page, (1..=RATIOS).map(|most| by_ratio(&hard, &ratios, count, RATIO_STEP * most as f64)))
    };
    match placement {
        Placement::Even => even(),
        Placement::Ratio => ratio(),
        Placement::Information => climb(page, best(page, [even(), ratio()].into_iter())),
    }
}

/// Returns the indices, in the grid of voltages, of the first and the last reference that a boundary may use: between
/// the medians of its two states.
fn between(page: &Page, lower: usize) -> (usize, usize) {
    let spreads = page.spreads();
    let high = spreads.middle(lower + 1).min(spreads.references() - 1);
    (spreads.middle(lower).min(high), high)
}

/// Returns the index, in the grid of voltages, of the reference between two neighbouring states that misreads fewest of
/// their cells.
fn fewest(page: &Page, lower: usize) -> usize {
    let (low, high) = between(page, lower);
    let spreads = page.spreads();
    let wrong = |at: &usize| 1.0 - spreads.below(lower, *at) + spreads.below(lower + 1, *at);
    (low..=high).min_by(|a, b| wrong(a).total_cmp(&wrong(b))).unwrap_or(low)
}

/// Returns, of several choices of read reference voltages, the one that gives the most information on the page's bit;
/// the first of choices that give equally much.
fn best(page: &Page, choices: impl Iterator<Item = Vec<Vec<usize>>>) -> Vec<Vec<usize>> {
    let told = choices.map(|choice| (information(&page.shares(&choice)), choice));
    let more = |most: (f64, Vec<Vec<usize>>), next: (f64, Vec<Vec<usize>>)| {
        if next.0 > most.0 { next } else { most }
    };
    told.reduce(more).map(|(_, choice)| choice).expect("a choice")
}

fn evenly(page: &Page, hard: &[usize], count: usize, apart: usize) -> Vec<Vec<usize>> {
    let of_boundary = |(lower, hard): (&usize, &usize)| {
        let (low, high) = between(page, *lower);
        let at = |number: usize| {
            let away = number as i64 - (count / 2) as i64;
            (*hard as i64 + away * apart as i64).clamp(low as i64, high as i64) as usize
        };
        (0..count).map(at).collect()
    };
    page.boundaries().iter().zip(hard).map(of_boundary).collect()
}

/// Returns the index, in the grid of voltages, of the lowest reference of a boundary, and the logarithm of the density
/// ratio at each reference from the lowest to the highest.
fn log_ratios(page: &Page, lower: usize) -> (usize, Vec<f64>) {
    let (low, high) = between(page, lower);
    (low, (low..=high).map(|at| log_ratio(page, lower, at)).collect())
}

fn by_ratio(hard: &[usize], ratios: &[(usize, Vec<f64>)], count: usize, most: f64) -> Vec<Vec<usize>> {
    let middle = count / 2;
    let of_boundary = |((low, ratios), hard): (&(usize, Vec<f64>), &usize)| {
        let (low, high) = (*low, low + ratios.len() - 1);
        let at = |number: usize| {
            if number == middle {
                return *hard;
            }
            // Lower references lie where the lower state's cells are more by so much, upper ones where they are fewer.
            let wanted = most * (middle as f64 - number as f64) / middle as f64;
            let falls = |at: &usize| ratios[at - low] <= wanted;
            if number < middle {
                (low..*hard).find(falls).unwrap_or(*hard)
            } else {
                (*hard..=high).find(falls).unwrap_or(high)
            }
        };
        (0..count).map(at).collect()
    };
    ratios.iter().zip(hard).map(of_boundary).collect()
}

/// Returns the logarithm of the density of the lower state's cells over that of the upper state's cells at reference
/// number `at`.
fn log_ratio(page: &Page, lower: usize, at: usize) -> f64 {
    let spreads = page.spreads();
    let (from, to) = (at.saturating_sub(ASIDE), (at + ASIDE).min(spreads.references() - 1));
    let density = |state: usize| (spreads.below(state, to) - spreads.below(state, from)).max(1e-300);
    libm::log(density(lower)) - libm::log(density(lower + 1))
}

/// Moves one reference voltage after the other as long as the information on the page's bit rises, by smaller and
/// smaller distances, and returns the references.
fn climb(page: &Page, mut references: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let ranges: Vec<(usize, usize)> = page.boundaries().iter().map(|lower| between(page, *lower)).collect();
    let mut most = information(&page.shares(&references));
    for by in MOVES {
        let mut is_moved = true;
        while is_moved {
            is_moved = false;
            for boundary in 0..references.len() {
                for number in 0..references[boundary].len() {
                    let was = references[boundary][number];
                    let (mut low, mut high) = ranges[boundary];
                    low = number.checked_sub(1).map_or(low, |before| references[boundary][before]);
                    high = references[boundary].get(number + 1).copied().unwrap_or(high);
                    for to in [was.checked_sub(by), was.checked_add(by)].into_iter().flatten() {
                        if to < low || to > high {
                            continue;
                        }
                        references[boundary][number] = to;
                        let told = information(&page.shares(&references));
                        if told > most {
                            (most, is_moved) = (told, true);
                            break;
                        }
                        references[boundary][number] = was;
                    }
                }
            }
        }
    }
    references
}
