//! Arbiters in Python, compiled.

use super::{Array, CompiledRandom, Machine, Method, Told};
use crate::own::asked::UserClass;
use controller::arbitration::{Arbiter, ChannelView, Maker, Want};
use engine::RandomStream;
use std::sync::Arc;

/// Returns the function that makes instances of the user's compiled channel arbitration policy `class`.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(Arbitration { machine: Machine::new(&class), pick: None }))
}

#[repr(C)]
struct ArbitrationArguments {
    dies: i64,
    commands: u64,
    outs: u64,
    ins: u64,
    since: Array,
    random: usize,
}

// SAFETY: it is `repr(C)`, of fields of eight bytes.
#[allow(unsafe_code)]
unsafe impl Told for ArbitrationArguments {}

struct Arbitration {
    machine: Machine,
    pick: Option<Method<ArbitrationArguments>>,
}

impl Arbitration {
    #[cold]
    fn begin(&mut self, dies: u32) {
        self.machine.attach((dies,));
        self.pick = self.machine.method("pick");
    }
}

impl Arbiter for Arbitration {
    fn take_random(&mut self, random: RandomStream) {
        self.machine.random = CompiledRandom::of(random);
    }

    fn attach(&mut self, dies: u32) {
        self.begin(dies);
    }

    fn pick(&mut self, view: &ChannelView<'_>) -> (u32, Want) {
        let dies = view.since.len() as u32 / 2;
        if self.pick.is_none() {
            self.begin(dies);
        }
        let pick = self.pick.as_ref().expect("every class has it");
        let shown = ArbitrationArguments {
            dies: i64::from(dies),
            commands: view.commands,
            outs: view.outs,
            ins: view.ins,
            since: Array::of(view.since),
            random: self.machine.random.address(),
        };
        let [die, want] = self.machine.ask(pick, &shown);
        let (want, waiting) = match want {
            0 => (Want::Command, view.commands),
            1 => (Want::Data, view.outs | view.ins),
            _ => self.machine.asked.refuse(pick.name, format!("{die}, {want}"), "COMMAND or DATA"),
        };
        match u32::try_from(die).ok().filter(|die| *die < dies && waiting >> die & 1 == 1) {
            Some(die) => (die, want),
            None => {
                let said = format!("{die}, {}", if want == Want::Command { "COMMAND" } else { "DATA" });
                self.machine.asked.refuse(pick.name, said, "a die that waits for it")
            }
        }
    }
}
