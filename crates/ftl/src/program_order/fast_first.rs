//! Fast pages for the host, slow ones for what is moved.

use super::{OrderView, ProgramOrder};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the program order policy `fast-first`: swaps the two open superblocks of a die, if needed, so that
/// host data go to the one whose next page programs faster, and relocated data to the other.
#[derive(Clone, Debug)]
pub struct FastFirst;

impl Policy for FastFirst {
    const CARD: Card = Card {
        name: "fast-first",
        rule: "the host takes the open superblock whose next page programs faster, moved data the one whose \
               next page programs slower; with equal times each stream takes its own",
        paper: "the poster of Wang, Xie and Zhou: rearranging the programming order could improve performance; that \
                bursts should return to fast pages: Grupp et al., MICRO 2009",
        not_modelled: "which of the host's writes are waited for: behind a write cache none is",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl ProgramOrder for FastFirst {
    #[inline]
    fn trades(&mut self, view: &OrderView) -> bool {
        if view.moved { view.other > view.own } else { view.other < view.own }
    }
}
