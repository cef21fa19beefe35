//! A page of cells as a channel: which zone between references a cell is found in, and what that says of its bit.
//!
//! `2^k - 1` comparisons at each boundary between states where a page's bit changes, k soft bits, part the cells there into
//! zones. What a drive sends of each cell is its bit by the middle comparison, and how far from a boundary it was found: `2^k`
//! values, the same for all boundaries of the page. The log-likelihood ratio of each is that of the shares of all states' cells.
//!
//! - [`Page`]: the states' cells and which of them hold a one; [`Zones`]: the shares of a page's values, and their ratios.
//! - [`Noise`]: which Gaussian noise fails as often as a page.
//! - [`place`]: where the references should lie; [`Placement`]: by which rule.
//!
//! A controller knows its own tables: references and ratios come from what it holds the page for ([`sense`] of two pages),
//! shares from what the page is. Not modelled: a boundary's own ratios, where a drive sends which boundary was near; cells that
//! are sensed anew otherwise each time; errors that go together, as neighbouring cells' do.

mod alike;
mod evolution;
mod page;
mod place;

pub use alike::Noise;
pub(crate) use alike::{RATE_MOST, of_noise};
pub use evolution::evolved;
pub use page::{Page, Sensed, Zones, sense};
pub use place::{Placement, place};

/// Constant: greatest number of soft bits with which a page can be read; no source reports a gain by further soft bits.
pub const SOFT_BITS_MOST: u32 = 3;

#[cfg(test)]
mod tests;
