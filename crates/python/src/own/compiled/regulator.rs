//! Cost regulators in Python, compiled.

use super::{Array, CompiledRandom, Machine, Method, Told};
use crate::own::asked::{UserClass, fail};
use engine::RandomStream;
use ftl::regulator::{
    BITS_MAX, COSTS_MAX, Candidate, CostRegulator, Maker, ReadView, Steps, WriteCost, WriteView,
};
use pyo3::prelude::*;
use std::mem::offset_of;
use std::sync::Arc;
use units::{Nanos, Voltage};

/// Returns the function that makes instances of the user's compiled cost regulator `class`, which chooses a write cost
/// (way to program: ISPP step, voltages, retention time) for each program.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(Regulator::new(&class)))
}

#[repr(C)]
struct Write {
    origin: i64,
    first: u64,
    previous: i64,
    age: i64,
    waiting: i64,
    gap: i64,
    quiet: i64,
    t_prog: Array,
    references: Array,
    feasible: Array,
    random: usize,
    bits: i64,
}

#[repr(C)]
struct Read {
    first: u64,
    cost: i64,
    bits: i64,
}

// SAFETY: they are `repr(C)`, of fields of eight bytes.
#[allow(unsafe_code)]
mod told {
    use super::*;
    unsafe impl Told for Write {}
    unsafe impl Told for Read {}
}

struct Regulator {
    machine: Machine,
    bits: u32,
    methods: Option<(Method<Write>, Option<Method<Read>>)>,
}

impl Regulator {
    fn new(class: &Arc<UserClass>) -> Self {
        let machine = Machine::new(class);
        let bits = machine.plain("bits_per_unit", 0u32, "a whole number from 0 to 6");
        if bits > BITS_MAX {
            machine.asked.refuse("bits_per_unit", bits, "a whole number from 0 to 6");
        }
        Self { machine, bits, methods: None }
    }

    /// Compiles the regulator's methods when the first of them is needed: some regulators are only asked how many bits
    /// they store for each mapping unit.
    #[inline]
    fn begin(&mut self) {
        if self.methods.is_none() {
            self.compile();
        }
    }

    #[cold]
    fn compile(&mut self) {
        self.machine.attach(());
        let choose = self.machine.method("choose").expect("every class has it");
        self.methods = Some((choose, self.machine.method("on_read")));
    }

    /// Returns, from the answer of a compiled method, the bits that the cost regulator stores for a mapping unit; ends
    /// the simulation if the answer has more bits than the regulator declared.
    #[inline]
    fn bits_of(&self, method: &'static str, said: i64) -> u8 {
        if said >> self.bits != 0 {
            let most = (1u32 << self.bits) - 1;
            self.machine.asked.refuse(method, format!("bits {said}"), &format!("bits from 0 to {most}"));
        }
        said as u8
    }
}

fn helper(name: &str) -> Py<PyAny> {
    let found = Python::attach(|py| super::super::helper(py)?.getattr(name).map(Bound::unbind));
    found.unwrap_or_else(|error| fail(error.to_string()))
}

fn ns(time: Option<Nanos>) -> i64 {
    time.map_or(-1, |time| time.ns().min(i64::MAX as u64) as i64)
}

impl CostRegulator for Regulator {
    fn take_random(&mut self, random: RandomStream) {
        self.machine.random = CompiledRandom::of(random);
    }

    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        let asked = &self.machine.asked;
        let shown = (steps.fine.get(), steps.usual.get(), steps.coarse.get(), steps.retention.ns());
        let expected = format!("1 to {COSTS_MAX} fg.regulator.WriteCost with steps above 0");
        let taken = |answer: &Bound<'_, PyAny>| {
            let costs: Vec<WriteCost> =
                answer.try_iter().ok()?.map(|one| cost(&one.ok()?)).collect::<Option<_>>()?;
            (1..=COSTS_MAX).contains(&costs.len()).then_some(costs)
        };
        let steps = helper("Steps");
        asked.ask_with(&steps, &asked.question("costs"), &expected, shown, taken)
    }

    fn bits_per_unit(&self) -> u32 {
        self.bits
    }

    fn choose(&mut self, view: &WriteView<'_>, bits: &mut u8) -> usize {
        self.begin();
        let (choose, _) = self.methods.as_ref().expect("compiled");
        let shown = Write {
            origin: view.origin as i64,
            first: u64::from(view.first),
            previous: view.previous.map_or(-1, |cost| cost as i64),
            age: ns(view.age),
            waiting: i64::from(view.waiting),
            gap: ns(view.gap),
            quiet: ns(Some(view.quiet)),
            t_prog: Array::field(view.costs, offset_of!(Candidate, t_prog)),
            references: Array::field(view.costs, offset_of!(Candidate, references)),
            feasible: Array::field(view.costs, offset_of!(Candidate, feasible)),
            random: self.machine.random.address(),
            bits: i64::from(*bits),
        };
        let [cost, kept] = self.machine.ask_from(choose, &shown, [-1, shown.bits]);
        *bits = self.bits_of(choose.name, kept);
        match usize::try_from(cost).ok().filter(|cost| *cost < view.costs.len()) {
            Some(cost) => cost,
            None => {
                let expected = format!("a cost from 0 to {}", view.costs.len() - 1);
                self.machine.asked.refuse(choose.name, cost, &expected)
            }
        }
    }

    fn on_read(&mut self, view: &ReadView, bits: &mut u8) -> bool {
        self.begin();
        let (_, on_read) = self.methods.as_ref().expect("compiled");
        let Some(on_read) = on_read else { return false };
        let shown = Read { first: u64::from(view.first), cost: view.cost as i64, bits: i64::from(*bits) };
        let [again, kept] = self.machine.ask_from(on_read, &shown, [0, shown.bits]);
        *bits = self.bits_of(on_read.name, kept);
        again != 0
    }
}

/// Converts a write cost (way to program: ISPP step, voltages, retention time, refresh age) from its Python object;
/// `None` if a value is missing or wrong.
fn cost(said: &Bound<'_, PyAny>) -> Option<WriteCost> {
    let step: u64 = said.getattr("step_uv").ok()?.extract().ok()?;
    let retention: u64 = said.getattr("retention_ns").ok()?.extract().ok()?;
    let refresh: Option<u64> = said.getattr("refresh_ns").ok()?.extract().ok()?;
    let voltages = said.getattr("voltages").ok()?.extract().ok()?;
    let is_sound = step > 0 && retention > 0 && refresh.is_none_or(|refresh| refresh < retention);
    is_sound.then(|| WriteCost {
        step: Voltage::new(step),
        voltages,
        retention: Nanos::new(retention),
        refresh: refresh.map(Nanos::new),
    })
}
