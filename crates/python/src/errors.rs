//! The two exceptions of the core, and how a Rust panic becomes one of them.

use crate::kept::PolicyFault;
use crate::{kept, stop};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

create_exception!(
    floatgate._core,
    InputError,
    PyException,
    "The user's input is not right; the message is one line with place, value and expectation."
);
create_exception!(
    floatgate._core,
    BrokenInvariant,
    PyException,
    "The core contradicted itself; the message is that of the panic."
);

/// Makes the Python exception `InputError` with the text of `error`, for wrong input of the user.
pub fn input(error: impl std::fmt::Display) -> PyErr {
    InputError::new_err(error.to_string())
}

/// Runs `work` without Python's interpreter lock and converts panics into Python exceptions: `InputError` for a fault
/// of a user's own policy, else `BrokenInvariant`. If a signal came meanwhile, returns the exception that the signal's
/// handler raised.
pub fn guarded<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    if let Some(text) = kept::kept() {
        // An array that a policy kept looks into what this may hold: it must never be freed.
        std::mem::forget(done);
        return Err(InputError::new_err(text));
    }
    if let Some(signal) = stop::raised() {
        return Err(signal);
    }
    done.unwrap_or_else(|panic| Err(exception(panic)))
}

/// Makes the Python exception for the panic that ended the work.
fn exception(panic: Box<dyn Any + Send>) -> PyErr {
    let panic = match panic.downcast::<PolicyFault>() {
        Ok(fault) => return InputError::new_err(fault.0),
        Err(panic) => panic,
    };
    match panic.downcast::<stop::RaisedSignal>() {
        Ok(signal) => signal.0,
        Err(panic) => BrokenInvariant::new_err(message(panic.as_ref())),
    }
}

/// Returns the error message string of a panic in Rust code.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic without a message").to_owned()
}
