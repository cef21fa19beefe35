//! Eviction policies in Python, compiled.

use super::{Array, CompiledRandom, Machine, Method, Told};
use crate::own::asked::UserClass;
use engine::RandomStream;
use ftl::buffer::Slot;
use ftl::buffer::SlotState;
use ftl::buffer::eviction::{Access, EvictionPolicy, EvictionView, Maker};
use std::mem::offset_of;
use std::sync::Arc;
use units::Lpn;

/// Returns the function that makes instances of the user's compiled write-buffer eviction policy `class`.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(Eviction::new(&class)))
}

/// Record of the arguments that a compiled eviction policy gets in a notification about one slot of the write buffer:
/// the slot, its mapping unit, and `yes`, 1 or 0. In a notification that the slot now holds a unit, `yes` is 1 if the
/// unit is dirty; in one that the slot was used, 1 if the use was a write.
#[repr(C)]
struct Noted {
    slot: i64,
    lpn: i64,
    yes: i64,
}

#[repr(C)]
struct SlotsLeft {
    slot: i64,
    lpn: i64,
}

#[repr(C)]
struct EvictionArguments {
    kept: i64,
    keep: i64,
    lpn: Array,
    state: Array,
    random: usize,
}

// SAFETY: they are `repr(C)`, of fields of eight bytes.
#[allow(unsafe_code)]
mod told {
    use super::*;
    unsafe impl Told for Noted {}
    unsafe impl Told for SlotsLeft {}
    unsafe impl Told for EvictionArguments {}
    unsafe impl Told for () {}
}

struct Eviction {
    machine: Machine,
    on_keep: Option<Method<Noted>>,
    on_use: Option<Method<Noted>>,
    on_leave: Option<Method<SlotsLeft>>,
    choose: Option<Method<EvictionArguments>>,
    is_overdue: Option<Method<()>>,
    is_drain: bool,
    pads: bool,
}

impl Eviction {
    fn new(class: &Arc<UserClass>) -> Self {
        let machine = Machine::new(class);
        Self {
            is_drain: machine.plain("is_drain", false, "true or false"),
            pads: machine.plain("pads", false, "true or false"),
            machine,
            on_keep: None,
            on_use: None,
            on_leave: None,
            choose: None,
            is_overdue: None,
        }
    }
}

impl EvictionPolicy for Eviction {
    fn take_random(&mut self, random: RandomStream) {
        self.machine.random = CompiledRandom::of(random);
    }

    fn attach(&mut self, slots: u32, block_units: u32) {
        self.machine.attach((slots, block_units));
        self.on_keep = self.machine.method("on_keep");
        self.on_use = self.machine.method("on_use");
        self.on_leave = self.machine.method("on_leave");
        self.choose = self.machine.method("choose");
        self.is_overdue = self.machine.method("is_overdue");
    }

    fn on_keep(&mut self, slot: u32, lpn: Lpn, state: SlotState) {
        if let Some(on_keep) = &self.on_keep {
            let (slot, yes) = (i64::from(slot), i64::from(state == SlotState::Held));
            self.machine.ask(on_keep, &Noted { slot, lpn: i64::from(lpn.0), yes });
        }
    }

    fn on_use(&mut self, slot: u32, lpn: Lpn, access: Access) {
        if let Some(on_use) = &self.on_use {
            let (slot, yes) = (i64::from(slot), i64::from(access == Access::Write));
            self.machine.ask(on_use, &Noted { slot, lpn: i64::from(lpn.0), yes });
        }
    }

    fn on_leave(&mut self, slot: u32, lpn: Lpn) {
        if let Some(on_leave) = &self.on_leave {
            self.machine.ask(on_leave, &SlotsLeft { slot: i64::from(slot), lpn: i64::from(lpn.0) });
        }
    }

    fn choose(&mut self, view: &EvictionView<'_>) -> Option<u32> {
        if view.kept == 0 {
            return None;
        }
        let shown = EvictionArguments {
            kept: i64::from(view.kept),
            keep: i64::from(view.keep),
            lpn: Array::field(view.slots, offset_of!(Slot, lpn)),
            state: Array::field(view.slots, offset_of!(Slot, state)),
            random: self.machine.random.address(),
        };
        let choose = self.choose.as_ref().expect("every class has it");
        let [said, _] = self.machine.ask(choose, &shown);
        let slot = u32::try_from(said).ok().filter(|slot| (*slot as usize) < view.slots.len());
        match slot.filter(|slot| view.is_kept(*slot)) {
            Some(slot) => Some(slot),
            None => self.machine.asked.refuse(choose.name, said, "a slot that is kept"),
        }
    }

    fn is_drain(&self) -> bool {
        self.is_drain
    }

    fn pads(&self) -> bool {
        self.pads
    }

    fn is_overdue(&self) -> bool {
        self.is_overdue.as_ref().is_some_and(|is_overdue| self.machine.ask(is_overdue, &())[0] != 0)
    }
}
