//! First come, first served.

use super::{DieView, Scheduler, Suspension};
use crate::{Class, Kind};
use config::{Card, ConfigError, Policy, Section};
use units::Nanos;

/// Policy `fcfs` for `controller.scheduler`: operations of a die start in the order in which they were queued.
#[derive(Clone, Debug)]
pub struct Fcfs {
    suspension: Suspension,
}

impl Policy for Fcfs {
    const CARD: Card = Card {
        name: "fcfs",
        rule: "the operation queued first, of any kind",
        paper: "baseline of every comparison",
        not_modelled: "the cost of a read that waits for a program or an erase",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self { suspension: Suspension::read(section)? })
    }
}

impl Scheduler for Fcfs {
    fn pick(&mut self, view: &DieView) -> Class {
        view.oldest(u8::MAX).expect("some class is ready")
    }

    fn suspends(&self, running: Kind, _remaining: Nanos, times: u32) -> bool {
        self.suspension.allows(running, times)
    }

    fn suspends_for_waiting(&self) -> bool {
        self.suspension.for_waiting()
    }
}
