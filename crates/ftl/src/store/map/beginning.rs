//! What a map held at one moment, for an account of its own: nothing that happens to the map later changes it.
//!
//! A rule is shared, since none ever changes; what differed from it, and arrays, are copied.

use super::{Ground, Places};
use engine::ByNumber;
use std::sync::Arc;
use units::{Lpn, Ppa};

/// Type of a copy of the map at one moment: the physical place of each logical unit, which later changes of the map do
/// not affect.
pub struct Beginning(pub(super) Held);

pub(super) enum Held {
    Rule { ground: Option<Arc<dyn Ground>>, forward: ByNumber<u32, u64>, backward: ByNumber<u64, u32> },
    Arrays { forward: Places, backward: Vec<u32> },
}

impl Beginning {
    /// Returns the physical place of logical unit `lpn` in this copy of the map, or [`Ppa::NONE`].
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        match &self.0 {
            Held::Rule { ground, forward, .. } => match (forward.get(&lpn.0), ground) {
                (Some(&place), _) => Ppa(place),
                (None, Some(ground)) => ground.lookup(lpn),
                (None, None) => Ppa::NONE,
            },
            Held::Arrays { forward, .. } => forward.get(lpn),
        }
    }

    /// Returns the logical unit whose valid data were at physical place `ppa` when the map was copied; [`Lpn::NONE`] if
    /// the map then had no logical unit there.
    pub fn living_at(&self, ppa: Ppa) -> Lpn {
        let named = match &self.0 {
            Held::Rule { ground, backward, .. } => match (backward.get(&ppa.0), ground) {
                (Some(&lpn), _) => Lpn(lpn),
                (None, Some(ground)) => ground.holder(ppa),
                (None, None) => Lpn::NONE,
            },
            Held::Arrays { backward, .. } => Lpn(backward[ppa.index()]),
        };
        if named != Lpn::NONE && self.lookup(named) == ppa { named } else { Lpn::NONE }
    }

    /// Calls `visit` for each logical unit that has a physical place in this copy of the map, with that place.
    pub fn each(&self, mut visit: impl FnMut(Lpn, Ppa)) {
        match &self.0 {
            Held::Rule { ground, forward, .. } => {
                if let Some(ground) = ground {
                    ground.each(&mut |lpn, ppa| {
                        if !forward.contains_key(&lpn.0) {
                            visit(lpn, ppa);
                        }
                    });
                }
                let there = forward.iter().filter(|(_, place)| **place != Ppa::NONE.0);
                there.for_each(|(&lpn, &place)| visit(Lpn(lpn), Ppa(place)));
            }
            Held::Arrays { forward, .. } => {
                let places = (0..forward.low.len() as u32).map(|lpn| (Lpn(lpn), forward.get(Lpn(lpn))));
                places.filter(|(_, ppa)| *ppa != Ppa::NONE).for_each(|(lpn, ppa)| visit(lpn, ppa));
            }
        }
    }
}
