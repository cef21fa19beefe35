//! Signals that come while the core works.
//!
//! Python's handlers run between its own lines: while the core constructs a state, or a policy catches every exception raised in
//! it, they do not, or to no avail. Work that goes on for long asks here instead.

use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

create_exception!(
    floatgate._core,
    Stopped,
    PyKeyboardInterrupt,
    "A slice of work that did not end by itself after a stop was asked for."
);

/// A signal that a policy was interrupted by; it travels as a panic to the call from Python that began the work.
pub struct RaisedSignal(pub PyErr);

const NONE: u8 = 0;
const ASKED: u8 = 1;
const AT_ONCE: u8 = 2;
/// What SIGTERM makes a command exit with.
const TERMINATED: i32 = 128 + 15;
/// How long a slice of work may go on after a stop was asked for: most end by themselves, and then have a result.
const GRACE: Duration = Duration::from_secs(1);

static STATE: AtomicU8 = AtomicU8::new(NONE);
static SINCE: Mutex<Option<Instant>> = Mutex::new(None);

thread_local! {
    /// The exception that ended the running task: a signal's, or `Stopped`.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Asks that the running work end after its present slice; a slice that takes longer than the grace time is ended.
#[pyfunction]
pub fn ask_to_stop() {
    *SINCE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    STATE.store(ASKED, Ordering::Relaxed);
}

/// Says that work is to end now.
#[pyfunction]
pub fn end_at_once() {
    STATE.store(AT_ONCE, Ordering::Relaxed);
}

/// Says that what was asked concerns no work that begins from now on.
#[pyfunction]
pub fn forget_stop() {
    STATE.store(NONE, Ordering::Relaxed);
}

/// True when a running task must end.
pub fn is_overdue() -> bool {
    match STATE.load(Ordering::Relaxed) {
        NONE => false,
        AT_ONCE => true,
        _ => {
            let since = *SINCE.lock().unwrap_or_else(PoisonError::into_inner);
            since.is_some_and(|since| since.elapsed() > GRACE)
        }
    }
}

/// What work that must end is ended with.
pub fn overdue() -> PyErr {
    match STATE.load(Ordering::Relaxed) {
        AT_ONCE => PySystemExit::new_err(TERMINATED),
        _ => Stopped::new_err(()),
    }
}

/// The signal that an exception comes from, if it comes from one; without the lines that it passed, which hold what a policy
/// was lent.
pub fn signal_of(py: Python<'_>, error: &PyErr) -> Option<PyErr> {
    let ended = || py.import("floatgate.errors").and_then(|errors| errors.getattr("Ended"));
    let is_signal = error.is_instance_of::<PyKeyboardInterrupt>(py)
        || (error.is_instance_of::<PySystemExit>(py)
            && ended().is_ok_and(|ended| error.is_instance(py, &ended)));
    is_signal.then(|| {
        let arguments = error.value(py).getattr("args").map(Bound::unbind);
        PyErr::from_type(error.get_type(py), arguments.unwrap_or_else(|_| py.None()))
    })
}

/// Long work asks whether to end: a signal's handler, which may raise something, is run now.
pub fn is_stopped() -> bool {
    if RAISED.with_borrow(Option::is_some) {
        return true;
    }
    let raised = Python::attach(|py| py.check_signals()).err();
    let raised = raised.or_else(|| is_overdue().then(overdue));
    let is_stopped = raised.is_some();
    RAISED.set(raised);
    is_stopped
}

/// What ended the work that ends now, if it was a signal.
pub fn raised() -> Option<PyErr> {
    RAISED.take()
}
