//! An object of a user's class, and how it is asked: what it says is checked, what it raises ends the run.

use super::{helper, watch};
use crate::kept::{self, PolicyFault};
use crate::stop::{self, RaisedSignal};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashSet;
use std::sync::Arc;

/// Kind of reason why the call of a user's Python policy gave no valid answer: a fault of the policy, or a signal.
pub enum Wrong {
    /// Case of a policy's call without a valid answer: the user's Python policy is at fault; the string is the error
    /// message, in one line.
    Policy(String),
    /// Case of a policy's call without a valid answer: a signal interrupted the call, through no fault of the policy;
    /// the value is the exception that the signal's handler raised.
    Signal(PyErr),
}

impl Wrong {
    /// Ends the running simulation by a panic that carries this reason to the Python call that began the work.
    #[cold]
    pub fn end(self) -> ! {
        match self {
            Self::Policy(text) => fail(text),
            Self::Signal(error) => std::panic::resume_unwind(Box::new(RaisedSignal(error))),
        }
    }

    /// Makes the reason from an exception that came out of the policy called `name`: a signal's, or else a fault of the
    /// policy.
    #[cold]
    pub fn raised(py: Python<'_>, name: &str, error: &PyErr) -> Self {
        stop::signal_of(py, error).map_or_else(|| blamed(py, name, error), Self::Signal)
    }
}

/// Kind of value of a parameter of a user's Python policy, with the value itself: whole number, number with a fraction,
/// switch or text.
#[derive(Clone, Debug, IntoPyObjectRef)]
pub enum Given {
    Int(u64),
    Float(f64),
    Bool(bool),
    Str(String),
}

impl Given {
    /// Converts a Python value to the kind (`int`, `float`, `bool` or text) that the policy's class declares; `None`
    /// where the value is Python's None.
    pub fn of(kind: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if value.is_none() {
            return Ok(None);
        }
        Ok(Some(match kind {
            "int" => Self::Int(value.extract()?),
            "float" => Self::Float(value.extract()?),
            "bool" => Self::Bool(value.extract()?),
            _ => Self::Str(value.extract()?),
        }))
    }
}

/// Record of the Python class of a user's policy, with the values that the configuration gives the policy's parameters.
pub struct UserClass {
    /// Name of the policy in the configuration, such as `mine.py:Mine`.
    pub name: String,
    pub made_of: Py<PyAny>,
    /// Field of a policy class's record: the Python class of the views (objects that show the state of the drive) that
    /// are passed to the policy when it is asked.
    pub view: Py<PyAny>,
    /// Set of the names of the methods that the class defines, each of which answers a question of the simulator or
    /// receives a notification.
    pub defined: HashSet<String>,
    pub given: Vec<(String, Given)>,
}

impl UserClass {
    pub fn defines(&self, method: &str) -> bool {
        self.defined.contains(method)
    }

    fn object(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let given = PyDict::new(py);
        for (name, value) in &self.given {
            given.set_item(name, value)?;
        }
        Ok(self.made_of.bind(py).call((), Some(&given))?.unbind())
    }
}

/// Type of an instance of a user's Python policy class, by which the simulator asks and notifies the policy.
pub struct PolicyObject {
    class: Arc<UserClass>,
    object: Py<PyAny>,
}

/// Type for a reference to a method of a user's policy object that the simulator calls to ask a question or to notify;
/// looked up once.
pub struct Question {
    name: &'static str,
    method: Py<PyAny>,
}

impl PolicyObject {
    pub fn new(class: &Arc<UserClass>) -> Self {
        let object = Python::attach(|py| {
            class.object(py).unwrap_or_else(|error| Wrong::raised(py, &class.name, &error).end())
        });
        Self { class: class.clone(), object }
    }

    /// Looks up the method for a question or notification that every policy for its seam (replaceable decision)
    /// answers.
    pub fn question(&self, name: &'static str) -> Question {
        Python::attach(|py| {
            let method = self.object.bind(py).getattr(name);
            let method = method.unwrap_or_else(|error| Wrong::raised(py, &self.class.name, &error).end());
            Question { name, method: method.unbind() }
        })
    }

    /// Looks up the method for a question or notification that the class may leave out; `None` where it does.
    pub fn defined(&self, name: &'static str) -> Option<Question> {
        self.class.defines(name).then(|| self.question(name))
    }

    /// Notifies the policy by a call of its method; ends the simulation if the method returns anything, raises an
    /// exception or exceeds the time limit.
    pub fn tell(&self, question: &Question, arguments: impl for<'py> PyCallArgs<'py>) {
        self.ask(question, "nothing", arguments, |answer: &Bound<'_, PyAny>| answer.is_none().then_some(()));
    }

    /// Asks the policy a question and returns the answer as `taken` converts it; `expected` describes a valid answer
    /// for error messages. Ends the simulation with an error if there is no valid answer.
    pub fn ask<T>(
        &self,
        question: &Question,
        expected: &str,
        arguments: impl for<'py> PyCallArgs<'py>,
        taken: impl FnOnce(&Bound<'_, PyAny>) -> Option<T>,
    ) -> T {
        Python::attach(|py| {
            self.call(py, question, expected, arguments, taken).unwrap_or_else(|wrong| wrong.end())
        })
    }

    /// Asks the policy a question with one argument: a view of the drive, made from the values `shown`, of the Python
    /// class that belongs to this kind of policy.
    pub fn ask_with_view<T>(
        &self,
        question: &Question,
        expected: &str,
        shown: impl for<'py> PyCallArgs<'py>,
        taken: impl FnOnce(&Bound<'_, PyAny>) -> Option<T>,
    ) -> T {
        self.ask_with(&self.class.view, question, expected, shown, taken)
    }

    /// Asks the policy a question with one argument, an object of the Python class `view` made from the values `shown`.
    pub fn ask_with<T>(
        &self,
        view: &Py<PyAny>,
        question: &Question,
        expected: &str,
        shown: impl for<'py> PyCallArgs<'py>,
        taken: impl FnOnce(&Bound<'_, PyAny>) -> Option<T>,
    ) -> T {
        Python::attach(|py| {
            let view = view.bind(py).call1(shown);
            let view = view.map_err(|error| Wrong::raised(py, &self.class.name, &error));
            let said = view.and_then(|view| self.call(py, question, expected, (view,), taken));
            said.unwrap_or_else(|wrong| wrong.end())
        })
    }

    /// Asks the policy a question; returns the answer, or the reason why there is no valid answer within the time
    /// limit.
    pub fn call<'py, T>(
        &self,
        py: Python<'py>,
        question: &Question,
        expected: &str,
        arguments: impl PyCallArgs<'py>,
        taken: impl FnOnce(&Bound<'py, PyAny>) -> Option<T>,
    ) -> Result<T, Wrong> {
        let name = question.name;
        let said = watch::in_time(py, || question.method.bind(py).call1(arguments));
        // A policy may have caught what a signal raised.
        if stop::is_overdue() {
            return Err(Wrong::Signal(stop::overdue()));
        }
        let Some(said) = said else {
            return Err(Wrong::Policy(self.late(py, name)));
        };
        match said {
            Ok(answer) => taken(&answer).ok_or_else(|| Wrong::Policy(self.refused(name, expected, &answer))),
            Err(error) => Err(Wrong::raised(py, &self.class.name, &error)),
        }
    }

    /// Ends the simulation with an error because the policy kept a reference to an array of its view after the call;
    /// the drive is not freed, since the array shows its memory.
    #[cold]
    pub fn keep(&self, py: Python<'_>, question: &Question) -> ! {
        let (place, name) = (self.place(py, question.name), question.name);
        let text = format!("{place}: {name} kept an array of its view: expected a copy of it");
        kept::keep(text.clone());
        fail(text)
    }

    fn refused(&self, method: &str, expected: &str, answer: &Bound<'_, PyAny>) -> String {
        let shown = answer.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
        format!("{}: {method} returned {shown}: expected {expected}", self.place(answer.py(), method))
    }

    /// Ends the simulation with an error because the policy's answer is not a valid choice.
    #[cold]
    pub fn refuse(&self, method: &str, answer: impl std::fmt::Display, expected: &str) -> ! {
        let place = Python::attach(|py| self.place(py, method));
        fail(format!("{place}: {method} returned {answer}: expected {expected}"))
    }

    /// Ends the simulation with an error because the policy did not answer within the time limit.
    #[cold]
    pub fn refuse_late(&self, method: &str) -> ! {
        Python::attach(|py| fail(self.late(py, method)))
    }

    fn late(&self, py: Python<'_>, method: &str) -> String {
        let (place, limit) = (self.place(py, method), watch::limit());
        format!("{place}: {method} took longer than {limit:?}: expected an answer before (--policy-timeout)")
    }

    /// Calls `function` of the Python module `floatgate.own.core` with the policy object and, where given, the text
    /// `more`; returns the function's result; an exception raised there ends the simulation with its message.
    pub fn helped(&self, function: &str, more: Option<&str>) -> Py<PyAny> {
        Python::attach(|py| {
            let object = self.object.bind(py);
            let helped = helper(py).and_then(|helper| match more {
                Some(more) => helper.call_method1(function, (object, more)),
                None => helper.call_method1(function, (object,)),
            });
            let wrong = |error: PyErr| match stop::signal_of(py, &error) {
                Some(signal) => Wrong::Signal(signal).end(),
                None => fail(error.value(py).to_string()),
            };
            helped.map_or_else(wrong, Bound::unbind)
        })
    }

    fn place(&self, py: Python<'_>, method: &str) -> String {
        let place = helper(py).and_then(|helper| helper.call_method1("place", (&self.class.made_of, method)));
        place.and_then(|text| text.extract()).unwrap_or_else(|_| self.class.name.clone())
    }
}

/// Ends the running simulation with an error message about a policy.
pub fn fail(text: String) -> ! {
    std::panic::resume_unwind(Box::new(PolicyFault(text)))
}

/// Makes the fault of a policy from an exception that was raised in the policy; the message gives the policy's line of
/// code.
fn blamed(py: Python<'_>, name: &str, error: &PyErr) -> Wrong {
    let file = name.rsplit_once(':').map_or(name, |(file, _)| file);
    let text: PyResult<String> = helper(py).and_then(|helper| {
        helper.call_method1("blamed", (error.clone_ref(py).into_value(py), file))?.extract()
    });
    match text {
        Ok(text) => Wrong::Policy(text),
        Err(other) => match stop::signal_of(py, &other) {
            Some(signal) => Wrong::Signal(signal),
            None => Wrong::Policy(format!("{file}: {error}")),
        },
    }
}
