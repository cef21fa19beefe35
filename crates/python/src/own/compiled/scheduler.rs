//! Schedulers in Python, compiled.

use super::{Array, CompiledRandom, Machine, Method, Told};
use crate::own::asked::UserClass;
use controller::scheduler::{DieView, Maker, Scheduler};
use controller::{Class, Kind};
use engine::RandomStream;
use std::sync::Arc;
use units::Nanos;

/// Returns the function that makes instances of the user's compiled die scheduler `class`, which chooses the class of
/// waiting operations (such as host reads or erases) from which a die executes the next.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(Scheduling::new(&class)))
}

#[repr(C)]
struct SchedulerArguments {
    urgent: u64,
    now: i64,
    queued: Array,
    submitted: Array,
    random: usize,
    ready: i64,
}

#[repr(C)]
struct Running {
    kind: i64,
    remaining: i64,
    times: i64,
}

// SAFETY: they are `repr(C)`, of fields of eight bytes.
#[allow(unsafe_code)]
mod told {
    use super::*;
    unsafe impl Told for SchedulerArguments {}
    unsafe impl Told for Running {}
}

struct Scheduling {
    machine: Machine,
    pick: Method<SchedulerArguments>,
    suspends: Option<Method<Running>>,
    hastens: bool,
}

impl Scheduling {
    fn new(class: &Arc<UserClass>) -> Self {
        let mut machine = Machine::new(class);
        let hastens = machine.plain("hastens_collection", false, "true or false");
        machine.attach(());
        let pick = machine.method("pick").expect("every class has it");
        Self { pick, suspends: machine.method("suspends"), hastens, machine }
    }
}

impl Scheduler for Scheduling {
    fn take_random(&mut self, random: RandomStream) {
        self.machine.random = CompiledRandom::of(random);
    }

    fn pick(&mut self, view: &DieView) -> Class {
        if view.ready.is_power_of_two() {
            return Class::ALL[view.ready.trailing_zeros() as usize];
        }
        let shown = SchedulerArguments {
            urgent: u64::from(view.urgent),
            now: view.now.ns() as i64,
            queued: Array::of(&view.queued),
            submitted: Array::of(&view.submitted),
            random: self.machine.random.address(),
            ready: i64::from(view.ready),
        };
        let [said, _] = self.machine.ask(&self.pick, &shown);
        let class = usize::try_from(said).ok().and_then(|at| Class::ALL.get(at));
        match class.filter(|class| view.ready & class.bit() != 0) {
            Some(class) => *class,
            None => self.machine.asked.refuse(self.pick.name, said, "a class that is ready"),
        }
    }

    fn suspends(&self, running: Kind, remaining: Nanos, times: u32) -> bool {
        let Some(suspends) = &self.suspends else { return false };
        let (kind, times) = (running as i64, i64::from(times));
        self.machine.ask(suspends, &Running { kind, remaining: remaining.ns() as i64, times })[0] != 0
    }

    fn hastens_collection(&self) -> bool {
        self.hastens
    }
}
