//! Host reads first; then, if the die is short of space, garbage collection; then by age.

use super::{DieView, Scheduler, Suspension};
use crate::{Class, Kind};
use config::{Card, ConfigError, Policy, Section};
use units::Nanos;

/// Policy `read-priority` for `controller.scheduler`: host reads go first, then garbage collection and other internal
/// work if the die is short of free superblocks, then the oldest operation, which goes first of all once it has waited
/// too long.
#[derive(Clone, Debug)]
pub struct ReadPriority {
    max_wait: Nanos,
    suspension: Suspension,
}

const INTERNAL: u8 = Class::InternalRead.bit() | Class::InternalProgram.bit() | Class::Erase.bit();

impl Policy for ReadPriority {
    const CARD: Card = Card {
        name: "read-priority",
        rule: "host reads first, then garbage collection if the die is short of space, then the oldest \
               operation; an operation queued earlier that has waited longer than max_wait goes first",
        paper: "Wu and He, FAST 2012 (reads over programs and erases, suspension)",
        not_modelled: "fairness between hosts",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let max_wait = section.or(
            "max_wait",
            Nanos::new(20_000_000),
            "an operation that waited longer passes the reads",
        )?;
        Ok(Self { max_wait, suspension: Suspension::read(section)? })
    }
}

impl Scheduler for ReadPriority {
    #[inline]
    fn pick(&mut self, view: &DieView) -> Class {
        if view.ready.is_power_of_two() {
            return Class::ALL[view.ready.trailing_zeros() as usize];
        }
        let oldest = view.oldest(u8::MAX).expect("some class is ready");
        if oldest != Class::HostRead && view.queued[oldest as usize] + self.max_wait < view.now {
            return oldest;
        }
        if view.ready & Class::HostRead.bit() != 0 {
            return Class::HostRead;
        }
        let urgent = if view.urgent { view.oldest(INTERNAL) } else { None };
        urgent.unwrap_or(oldest)
    }

    fn suspends(&self, running: Kind, _remaining: Nanos, times: u32) -> bool {
        self.suspension.allows(running, times)
    }

    fn suspends_for_waiting(&self) -> bool {
        self.suspension.for_waiting()
    }

    fn hastens_collection(&self) -> bool {
        true
    }
}
