//! Which waiting operation does a die take up next, and does a read interrupt what is running?

use crate::{Class, Kind};
use engine::RandomStream;
use units::{Nanos, SimTime};

/// Read-only view, for a scheduler, of the queues of a die, or of all dies of a chip taken together.
pub struct DieView {
    /// Bit mask ([`Class::bit`]) of the classes (queues of the die) with waiting operations that may be chosen; never
    /// empty. If the chosen operation needs more of the die than is free now, all others wait, too.
    pub ready: u8,
    /// For each class: time at which its oldest operation was queued; without meaning for empty classes.
    pub queued: [SimTime; Class::COUNT],
    /// For each class: running number of its oldest operation, where a lower number was submitted earlier.
    pub submitted: [u64; Class::COUNT],
    /// True while the die is short of free superblocks, so that a scheduler may let the operations that free
    /// superblocks (garbage collection) go before host writes. The flag itself does not stop host writes.
    pub urgent: bool,
    /// Present simulated time, from which waiting times follow.
    pub now: SimTime,
}

impl DieView {
    /// Returns, of the ready classes in bit mask `classes`, the one with the operation that was submitted first; none
    /// if no such class is ready.
    #[inline]
    pub fn oldest(&self, classes: u8) -> Option<Class> {
        Class::ALL
            .into_iter()
            .filter(|class| self.ready & classes & class.bit() != 0)
            .min_by_key(|class| self.submitted[*class as usize])
    }
}

/// Trait of the die schedulers, the policies that decide the order of flash operations at a die.
pub trait Scheduler: Send {
    /// Gives the scheduler a random stream of its own, which only a scheduler with random choices uses. Called before
    /// the first choice.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Chooses, by this scheduler's rule, one of the ready classes (queues of the die); the oldest operation of the
    /// chosen class starts next.
    fn pick(&mut self, view: &DieView) -> Class;

    /// Returns true if the scheduler lets a host read suspend the running operation, which still needs the time
    /// `remaining` and was suspended `times` times before.
    fn suspends(&self, running: Kind, remaining: Nanos, times: u32) -> bool;

    /// Returns true if a host read that was already waiting when the running operation began may suspend it, too.
    fn suspends_for_waiting(&self) -> bool {
        false
    }

    /// Returns true if garbage collection goes before the host's programs on a die that is short of free superblocks.
    /// Called where garbage collection works without simulated time, in which no scheduler runs.
    fn hastens_collection(&self) -> bool {
        false
    }
}

config::policies! {
    seam: "controller.scheduler",
    question: "Which waiting operation does a die start next?",
    default: "read-priority",
    dyn Scheduler;
    fcfs::Fcfs,
    read_priority::ReadPriority,
    strict::Strict,
}

/// Set of settings, shared by the die schedulers, of when a running program or erase is suspended for host reads.
#[derive(Clone, Debug)]
pub struct Suspension {
    program: bool,
    erase: bool,
    limit: u32,
    waiting: bool,
}

impl Suspension {
    pub(crate) fn read(section: &mut config::Section) -> Result<Self, config::ConfigError> {
        Ok(Self {
            program: section.or("suspend_program", false, "a host read suspends a running program")?,
            erase: section.or("suspend_erase", false, "a host read suspends a running erase")?,
            limit: section.or("suspend_limit", 8, "how often one operation may be suspended")?,
            waiting: section.or(
                "suspend_for_waiting",
                false,
                "a host read that waits when a program or erase begins suspends it, too",
            )?,
        })
    }

    pub(crate) fn for_waiting(&self) -> bool {
        self.waiting && (self.program || self.erase)
    }

    pub(crate) fn allows(&self, running: Kind, times: u32) -> bool {
        let may = match running {
            Kind::Program => self.program,
            Kind::Erase => self.erase,
            Kind::Read | Kind::Copyback => false,
        };
        may && times < self.limit
    }
}
