//! One class before the other, always.

use super::{DieView, Scheduler, Suspension};
use crate::{Class, Kind};
use config::{Card, ConfigError, Policy, Section};
use units::Nanos;

/// Constant: names of the classes of operations in the key `order`, in the order of their numbers.
const NAMES: [&str; Class::COUNT] =
    ["host-read", "internal-read", "host-program", "internal-program", "erase"];

/// Policy `strict` for `controller.scheduler`: starts the operations of a die class by class (host reads, internal
/// reads, host programs, internal programs, erases) in a fixed order that the key `order` gives.
#[derive(Clone, Debug)]
pub struct Strict {
    order: [Class; Class::COUNT],
    suspension: Suspension,
}

impl Policy for Strict {
    const CARD: Card = Card {
        name: "strict",
        rule: "the first waiting class in `order`; within a class the oldest operation",
        paper: "the transaction scheduling of MQSim: Tavakkol et al., FAST 2018",
        not_modelled: "starvation: the last class may wait forever",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let usual: Vec<String> = NAMES.map(str::to_owned).to_vec();
        let names =
            section.or("order", usual, "classes of operations, the one that goes first at the front")?;
        let places: Option<Vec<usize>> =
            names.iter().map(|name| NAMES.iter().position(|known| known == name)).collect();
        let mut seen = 0u8;
        places.iter().flatten().for_each(|place| seen |= 1 << place);
        match places {
            Some(places) if places.len() == Class::COUNT && seen.count_ones() == Class::COUNT as u32 => {
                let order = std::array::from_fn(|at| Class::ALL[places[at]]);
                Ok(Self { order, suspension: Suspension::read(section)? })
            }
            _ => Err(section.reject("order", &format!("expected each once: {}", NAMES.join(", ")))),
        }
    }
}

impl Scheduler for Strict {
    #[inline]
    fn pick(&mut self, view: &DieView) -> Class {
        let first = self.order.into_iter().find(|class| view.ready & class.bit() != 0);
        first.expect("some class is ready")
    }

    fn suspends(&self, running: Kind, _remaining: Nanos, times: u32) -> bool {
        self.suspension.allows(running, times)
    }

    fn suspends_for_waiting(&self) -> bool {
        self.suspension.for_waiting()
    }
}
