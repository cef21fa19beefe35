//! Which waiting operation does a die take up next, and does a read interrupt what is running?

use crate::{Class, Kind};
use engine::RandomStream;
use units::{Nanos, SimTime};

/// The information about a die that a scheduler may use.
pub struct DieView {
    /// The classes ([`Class::bit`]) that wait and may be chosen; never empty. If the chosen operation needs more of the
    /// die than is free now, all others wait, too.
    pub ready: u8,
    /// For each class, when its oldest operation was queued; meaningless for empty ones.
    pub queued: [SimTime; Class::COUNT],
    /// For each class, the running number of its oldest operation: lower came earlier.
    pub submitted: [u64; Class::COUNT],
    /// True while the die is short of free superblocks, so that the host waits for garbage collection.
    pub urgent: bool,
    /// Present simulated time.
    pub now: SimTime,
}

impl DieView {
    /// Returns the ready class among `classes` whose oldest operation came first.
    #[inline]
    pub fn oldest(&self, classes: u8) -> Option<Class> {
        Class::ALL
            .into_iter()
            .filter(|class| self.ready & classes & class.bit() != 0)
            .min_by_key(|class| self.submitted[*class as usize])
    }
}

/// The order of work at a die.
pub trait Scheduler: Send {
    /// Gives a scheduler that draws at random a random stream of its own. Called before anything else on a drive.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Chooses one of the ready classes.
    fn pick(&mut self, view: &DieView) -> Class;

    /// True when a host read that just arrived interrupts the running operation, which still has
    /// `remaining` to go and was suspended `times` times before.
    fn suspends(&self, running: Kind, remaining: Nanos, times: u32) -> bool;

    /// True when a host read that was waiting when the running operation began interrupts it like one that arrives.
    fn suspends_for_waiting(&self) -> bool {
        false
    }

    /// True when garbage collection of an urgent die goes before the host's programs. Asked where collections are
    /// carried out without time.
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

/// When a running program or erase is suspended for reads: parameters that schedulers share.
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
