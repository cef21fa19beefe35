//! Policies in Python: `mine.py:Mine` where a catalogue's name could stand.
//!
//! `floatgate.own` finds the class and says what it takes and defines; this module makes its objects and asks them.

mod asked;
mod compiled;
mod die;
mod flow;
mod heart;
mod lent;
mod place;
mod refresh_order;
mod slc_cache;
mod snapshot_expiry;
mod streams;
mod trigger;
mod victim;
mod watch;
mod wear;

pub use heart::{compiled_is_asked, compiled_watch};
pub use watch::{PolicyTimeout, policy_timeout};

use crate::errors::{BrokenInvariant, guarded, input};
use asked::{Given, UserClass};
use config::{Bringer, ConfigError, Document, Foreign, Section};
use pyo3::prelude::*;
use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;
use testkit::battery::{Starvation, Ties};

/// Makes the source of users' Python policies for a configuration document.
pub fn bringer() -> Bringer {
    Bringer::new(Arc::new(Own))
}

/// Imports and returns the Python module `floatgate.own.core`, which loads users' policies.
fn helper(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("floatgate.own.core")
}

struct Own;

/// Constant: list of the configuration key paths of the seams (replaceable decisions of a drive) for which users can
/// write a policy in Python; the same list as in the Python module `floatgate.own.seams`.
const SEAMS: [&str; 14] = [
    "controller.arbitration",
    "controller.scheduler",
    "ecc.flow",
    "ftl.buffer.eviction",
    "ftl.gc.trigger",
    "ftl.gc.victim",
    "ftl.placement",
    "ftl.refresh.order",
    "ftl.regulator",
    "ftl.slc_cache",
    "ftl.snapshots.expiry",
    "ftl.streams",
    "ftl.wear",
    "host.place",
];

impl Foreign for Own {
    fn knows(&self, name: &str) -> bool {
        name.contains(".py:")
    }

    fn offers(&self, seam: &str) -> Option<&'static str> {
        SEAMS.contains(&seam).then_some("FILE.py:CLASS for one of your own")
    }

    fn maker(
        &self,
        seam: &'static str,
        name: &str,
        section: &mut Section,
    ) -> Result<Box<dyn Any>, ConfigError> {
        let found = Python::attach(|py| find(py, seam, name));
        let (mut class, parameters) = found.map_err(|error| section.reject("name", &said(&error)))?;
        for parameter in parameters {
            let given = parameter.read(section)?;
            class.given.push((parameter.name, given));
        }
        let class = Arc::new(class);
        match seam {
            "controller.arbitration" => Ok(Box::new(compiled::arbitration::maker(class))),
            "controller.scheduler" => Ok(Box::new(compiled::scheduler::maker(class))),
            "ecc.flow" => Ok(Box::new(flow::maker(class))),
            "ftl.buffer.eviction" => Ok(Box::new(compiled::eviction::maker(class))),
            "ftl.gc.trigger" => Ok(Box::new(trigger::maker(class))),
            "ftl.gc.victim" => Ok(Box::new(victim::maker(class))),
            "ftl.placement" => Ok(Box::new(compiled::placement::maker(class))),
            "ftl.refresh.order" => Ok(Box::new(refresh_order::maker(class))),
            "ftl.regulator" => Ok(Box::new(compiled::regulator::maker(class))),
            "ftl.slc_cache" => Ok(Box::new(slc_cache::maker(class, section)?)),
            "ftl.snapshots.expiry" => Ok(Box::new(snapshot_expiry::maker(class))),
            "ftl.streams" => Ok(Box::new(streams::maker(class))),
            "ftl.wear" => Ok(Box::new(wear::maker(class))),
            "host.place" => Ok(Box::new(place::maker(class))),
            other => unreachable!("floatgate.own.seams has {other}"),
        }
    }
}

/// Record of the declaration of a parameter by a user's policy class: name, kind and default, before its value is read.
struct Parameter {
    name: String,
    kind: String,
    default: Option<Given>,
}

impl Parameter {
    fn read(&self, section: &mut Section) -> Result<Given, ConfigError> {
        const HELP: &str = "a parameter of this policy, see its file";
        let key = self.name.as_str();
        macro_rules! read {
            ($kind:ident) => {
                match &self.default {
                    Some(Given::$kind(default)) => section.or(key, default.clone(), HELP),
                    _ => section.required(key, HELP),
                }
                .map(Given::$kind)
            };
        }
        match self.kind.as_str() {
            "int" => read!(Int),
            "float" => read!(Float),
            "bool" => read!(Bool),
            _ => read!(Str),
        }
    }
}

fn find(py: Python<'_>, seam: &str, name: &str) -> PyResult<(UserClass, Vec<Parameter>)> {
    let found = helper(py)?.call_method1("load", (seam, name))?;
    let parameters = found.getattr("parameters")?.try_iter()?.map(|one| {
        let one = one?;
        let kind: String = one.getattr("kind")?.extract()?;
        let default = Given::of(&kind, &one.getattr("default")?)?;
        Ok(Parameter { name: one.getattr("name")?.extract()?, kind, default })
    });
    let parameters = parameters.collect::<PyResult<_>>()?;
    let class = UserClass {
        name: name.to_owned(),
        made_of: found.getattr("cls")?.unbind(),
        view: found.getattr("view")?.unbind(),
        defined: found.getattr("defined")?.extract::<HashSet<String>>()?,
        given: Vec::new(),
    };
    Ok((class, parameters))
}

/// Returns the message of an exception of the Python side.
fn said(error: &PyErr) -> String {
    Python::attach(|py| error.value(py).to_string())
}

/// Runs the test battery of the seam (replaceable decision of the drive) on the policy `name`; with `may_starve`, the
/// policy may leave a request waiting forever, as its documentation says. Raises InputError with the rule that the
/// policy breaks.
#[pyfunction]
pub fn check_policy(py: Python<'_>, seam: &str, name: &str, may_starve: bool) -> PyResult<()> {
    // What a battery finds is said by the exception alone.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let checked = guarded(py, || battery(seam, name, may_starve));
    std::panic::set_hook(hook);
    checked.map_err(|error| match error.is_instance_of::<BrokenInvariant>(py) {
        true => input(error.value(py)),
        false => error,
    })
}

const EVENTS: u64 = 20_000;

// Long: an arm for each seam.
fn battery(seam: &str, name: &str, may_starve: bool) -> PyResult<()> {
    let starvation = if may_starve { Starvation::Allowed } else { Starvation::Forbidden };
    let mut document = Document::empty();
    document.set(&format!("name={name:?}")).map_err(input)?;
    let document = document.with(bringer());
    let mut section = Section::root(&document);
    match seam {
        "controller.arbitration" => {
            let maker = controller::arbitration::read(&mut section).map_err(input)?;
            testkit::battery::arbitration::check(name, &maker, EVENTS, starvation);
        }
        "controller.scheduler" => {
            let maker = controller::scheduler::read(&mut section).map_err(input)?;
            testkit::battery::scheduler::check(name, &maker, EVENTS, starvation);
        }
        "ecc.flow" => {
            let maker = ecc::flow::read(&mut section).map_err(input)?;
            testkit::battery::flow::check(name, &maker, EVENTS);
        }
        "ftl.buffer.eviction" => {
            let maker = ftl::buffer::eviction::read(&mut section).map_err(input)?;
            testkit::battery::eviction::check(name, &maker, EVENTS);
        }
        "ftl.gc.trigger" => {
            testkit::battery::trigger::check(
                name,
                &ftl::gc::trigger::read(&mut section).map_err(input)?,
                EVENTS,
            );
        }
        "ftl.gc.victim" => {
            let maker = ftl::gc::victim::read(&mut section).map_err(input)?;
            testkit::battery::victim::check(name, &maker, EVENTS, Ties::ByNumber);
        }
        "ftl.placement" => {
            let maker = ftl::placement::read(&mut section).map_err(input)?;
            testkit::battery::placement::check(name, &maker, EVENTS / 10);
        }
        "ftl.refresh.order" => {
            let maker = ftl::refresh_order::read(&mut section).map_err(input)?;
            testkit::battery::refresh_order::check(name, &maker, EVENTS);
        }
        "ftl.regulator" => {
            let maker = ftl::regulator::read(&mut section).map_err(input)?;
            testkit::battery::regulator::check(name, &maker, EVENTS);
        }
        "ftl.slc_cache" => {
            testkit::battery::slc_cache::check(
                name,
                &ftl::slc_cache::read(&mut section).map_err(input)?,
                EVENTS,
            );
        }
        "ftl.snapshots.expiry" => {
            let maker = ftl::snapshot_expiry::read(&mut section).map_err(input)?;
            testkit::battery::snapshot_expiry::check(name, &maker, EVENTS);
        }
        "ftl.streams" => {
            let maker = ftl::streams::read(&mut section).map_err(input)?;
            testkit::battery::streams::check(name, &maker, EVENTS);
        }
        "host.place" => {
            let maker = host::place::read(&mut section).map_err(input)?;
            testkit::battery::place::check(name, &maker, EVENTS);
        }
        _ => testkit::battery::wear::check(name, &ftl::wear::read(&mut section).map_err(input)?, EVENTS),
    }
    Ok(())
}
