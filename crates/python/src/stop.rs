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

/// Type of the exception of a signal that interrupted a policy's call, which travels as a panic to the call from Python
/// that began the work.
pub struct RaisedSignal(pub PyErr);

const NONE: u8 = 0;
const ASKED: u8 = 1;
const AT_ONCE: u8 = 2;
/// Constant: exit status of a command that SIGTERM ends.
const TERMINATED: i32 = 128 + 15;
/// Constant: time for which a slice of work (one call from Python) may go on after a stop was asked for, before it is
/// ended by an exception: most slices end by themselves within it, and the run then has a result.
const GRACE: Duration = Duration::from_secs(1);

static STATE: AtomicU8 = AtomicU8::new(NONE);
static SINCE: Mutex<Option<Instant>> = Mutex::new(None);

thread_local! {
    /// Thread-local variable: exception, raised by a signal's handler or `Stopped`, that ended the running work of this
    /// thread; none while the work goes on.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Asks that the running work end after its present slice (call from Python); a slice that takes longer than one second
/// from now on is ended with the exception Stopped.
#[pyfunction]
pub fn ask_to_stop() {
    *SINCE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    STATE.store(ASKED, Ordering::Relaxed);
}

/// Asks that the running work end at once, within its present slice (call from Python), with the exception SystemExit.
#[pyfunction]
pub fn end_at_once() {
    STATE.store(AT_ONCE, Ordering::Relaxed);
}

/// Withdraws the request to stop, so that it does not concern work that begins from now on.
#[pyfunction]
pub fn forget_stop() {
    STATE.store(NONE, Ordering::Relaxed);
}

/// Returns true if the running work must end now, because it was asked to end at once, or to stop more than the grace
/// time ago.
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

/// Makes the exception that ends overdue work: SystemExit where the work was asked to end at once, else `Stopped`.
pub fn overdue() -> PyErr {
    match STATE.load(Ordering::Relaxed) {
        AT_ONCE => PySystemExit::new_err(TERMINATED),
        _ => Stopped::new_err(()),
    }
}

/// Returns the signal's exception if `error` comes from a signal, without its traceback, whose frames hold memory that
/// a policy was lent; else `None`.
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

/// Returns true if long work must end: runs the Python handlers of signals that came, and stores the exception that one
/// raises, or that of work that is overdue to stop.
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

/// Removes and returns the exception of the signal that ended the work, if there was one.
pub fn raised() -> Option<PyErr> {
    RAISED.take()
}
