//! Placement policies in Python, compiled.

use super::{Array, CompiledRandom, Machine, Method, Told};
use crate::own::asked::UserClass;
use engine::RandomStream;
use ftl::placement::{Maker, PlacementPolicy, PlacementView};
use std::sync::Arc;
use units::DieId;

/// Returns the function that makes instances of the user's compiled placement policy `class`, which chooses dies for
/// programs.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(CompiledPlacement { machine: Machine::new(&class), methods: None }))
}

#[repr(C)]
struct PlacementArguments {
    dies: i64,
    shape: [i64; 4],
    lpn: i64,
    program_units: i64,
    programs: Array,
    eligible: Array,
    random: usize,
}

// SAFETY: it is `repr(C)`, of fields of eight bytes.
#[allow(unsafe_code)]
unsafe impl Told for PlacementArguments {}

struct CompiledPlacement {
    machine: Machine,
    methods: Option<(Method<PlacementArguments>, Option<Method<PlacementArguments>>)>,
}

impl CompiledPlacement {
    #[cold]
    fn begin(&mut self, dies: u32) {
        self.machine.attach((dies,));
        let choose = self.machine.method("choose").expect("every class has it");
        self.methods = Some((choose, self.machine.method("home")));
    }

    #[inline]
    fn shown(&self, view: &PlacementView<'_>) -> PlacementArguments {
        PlacementArguments {
            dies: i64::from(view.dies),
            shape: view.shape.map(i64::from),
            lpn: i64::from(view.lpn.0),
            program_units: i64::from(view.program_units),
            programs: Array::of(view.programs),
            eligible: Array::of(view.eligible),
            random: self.machine.random.address(),
        }
    }
}

impl PlacementPolicy for CompiledPlacement {
    fn take_random(&mut self, random: RandomStream) {
        self.machine.random = CompiledRandom::of(random);
    }

    fn attach(&mut self, dies: u32) {
        self.begin(dies);
    }

    fn choose(&mut self, view: &PlacementView<'_>) -> Option<DieId> {
        if view.eligible.iter().all(|word| *word == 0) {
            return None;
        }
        if self.methods.is_none() {
            self.begin(view.dies);
        }
        let (choose, _) = self.methods.as_ref().expect("just made");
        let [said, _] = self.machine.ask(choose, &self.shown(view));
        if said == -1 {
            return None;
        }
        let die = u32::try_from(said).ok().filter(|die| *die < view.dies).map(DieId);
        match die.filter(|die| view.is_eligible(*die)) {
            Some(die) => Some(die),
            None => self.machine.asked.refuse(choose.name, said, "a die that is eligible, or None"),
        }
    }

    fn home(&self, view: &PlacementView<'_>) -> u32 {
        let home = self.methods.as_ref().and_then(|(_, home)| home.as_ref());
        let Some(home) = home else { return view.lpn.0 / view.program_units % view.dies };
        let [said, _] = self.machine.ask(home, &self.shown(view));
        match u32::try_from(said).ok().filter(|die| *die < view.dies) {
            Some(die) => die,
            None => {
                let expected = format!("a die from 0 to {}", view.dies - 1);
                self.machine.asked.refuse(home.name, said, &expected)
            }
        }
    }
}
