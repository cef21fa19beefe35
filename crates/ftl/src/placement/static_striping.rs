//! The die follows from the logical address.

use super::{PlacementPolicy, PlacementView};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::DieId;

/// Constant: letters that stand for channels, ways, dies and planes in the setting `order` of the placement policy
/// `static`.
const LETTERS: &str = "CWDP";

/// Constant: order of the levels (CWDP) by which dies are numbered, so that planes do not matter.
const DIE_ORDER: [usize; 4] = [0, 1, 2, 3];

/// Implementation of the placement policy `static`: stripes logical addresses over the dies; if the die of an address
/// cannot take a program now, the next die that can. A choice costs O(1) for up to 64 dies.
#[derive(Clone, Debug)]
pub struct StaticStriping {
    /// Setting `order` of the placement policy `static`: indices, in [`LETTERS`], of the letters for channel, way, die
    /// and plane, the level that changes fastest with the logical address first.
    order: [usize; 4],
    /// Setting `planes` of the placement policy `static`: number of simulated dies of a way that stand for planes of
    /// one real die.
    planes: u32,
}

impl Policy for StaticStriping {
    const CARD: Card = Card {
        name: "static",
        rule: "the die is determined by lpn / program_units, counted over channels (C), ways (W), dies of a \
               way (D) and independent planes (P), in this `order`; if that die cannot take a program now, the \
               next one that can, because waiting for a die full of valid data could block the drive forever",
        paper: "static allocation: Hu et al., ICS 2011; Tavakkol, Arjomand and Sarbazi-Azad, ACM TOMPECS 1(3), 2016",
        not_modelled: "binding an address to one die in all cases: under load some units go to another die; \
                       binding an address to one plane",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let order = section.or(
            "order",
            "CWDP".to_owned(),
            "the letters C, W, D, P, the one that changes fastest with the address first",
        )?;
        let planes = section.within(at_least(1u32)).or(
            "planes",
            1u32,
            "dies of a way that are planes of one die, as P counts them",
        )?;
        let places: Vec<usize> = order.chars().filter_map(|letter| LETTERS.find(letter)).collect();
        let mut seen = 0u8;
        places.iter().for_each(|place| seen |= 1 << place);
        match <[usize; 4]>::try_from(places) {
            Ok(order) if seen == 0b1111 => Ok(Self { order, planes }),
            _ => Err(section.reject("order", "expected each of the letters C, W, D, P once")),
        }
    }
}

impl PlacementPolicy for StaticStriping {
    fn check_shape(&self, [_, _, dies_per_way, _]: [u32; 4]) -> Result<(), (&'static str, String)> {
        match self.order == DIE_ORDER || dies_per_way.is_multiple_of(self.planes) {
            true => Ok(()),
            false => Err(("planes", format!("expected a divisor of the {dies_per_way} dies of a way"))),
        }
    }

    #[inline]
    fn choose(&mut self, view: &PlacementView<'_>) -> Option<DieId> {
        view.next_eligible(self.home(view))
    }

    #[inline]
    fn home(&self, view: &PlacementView<'_>) -> u32 {
        let mut rest = view.lpn.0 / view.program_units;
        if self.order == DIE_ORDER {
            return rest % view.dies;
        }
        let [channels, ways, dies, apart] = view.shape;
        // Of a reclaim group that is no whole ways, each die is a place.
        let planes = if dies.is_multiple_of(self.planes) { self.planes } else { 1 };
        let dies = dies / planes;
        let shape = [channels, ways, dies, apart * planes];
        let mut at = [0; 4];
        for place in self.order {
            at[place] = rest % shape[place];
            rest /= shape[place];
        }
        // Planes that operate apart within a die of ours are one place.
        at[0] + channels * (at[1] + ways * (at[2] + dies * (at[3] % planes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Lpn;

    fn home(order: [usize; 4], lpn: u32) -> u32 {
        let shape = [8, 4, 2, 2];
        let view =
            PlacementView { eligible: &[], dies: 64, programs: &[], shape, lpn: Lpn(lpn), program_units: 1 };
        StaticStriping { order, planes: 1 }.home(&view)
    }

    #[test]
    fn channels_ways_dies_is_the_order_in_which_dies_are_numbered() {
        assert!((0..256).all(|lpn| home([0, 1, 2, 3], lpn) == lpn % 64));
        // Planes before dies: the ways come twice before the other die does.
        assert!((0..64).all(|lpn| home([0, 1, 3, 2], lpn) == lpn % 32));
    }

    #[test]
    fn what_comes_first_changes_fastest() {
        // Ways first: the next address is the next way of the same channel, eight dies on.
        assert_eq!([0, 1, 2, 3, 4].map(|lpn| home([1, 0, 2, 3], lpn)), [0, 8, 16, 24, 1]);
        // Planes first: two addresses stay on a die.
        assert_eq!([0, 1, 2, 3].map(|lpn| home([3, 0, 1, 2], lpn)), [0, 0, 1, 1]);
    }
}
