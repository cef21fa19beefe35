//! Ends a question that a policy does not answer in time: a thread looks after open questions.

use super::heart;
use crate::stop::{self, Stopped};
use pyo3::create_exception;
use pyo3::exceptions::PyBaseException;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::ffi::{c_long, c_ulong};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

create_exception!(floatgate._core, PolicyTimeout, PyBaseException, "A policy did not answer in time.");

static LIMIT_NS: AtomicU64 = AtomicU64::new(10_000_000_000);
static OPEN: Mutex<Vec<OpenQuestion>> = Mutex::new(Vec::new());
static LOOKING: Once = Once::new();
/// Constant: time between two checks of the watching thread for policies that exceed the time limit for an answer.
const EVERY: Duration = Duration::from_millis(50);
/// Constant: time after the beginning of a question to a policy from which on the watching thread briefly takes the
/// interpreter lock each time it checks, so that Python notices signals that came.
const LONG: Duration = Duration::from_millis(500);

/// Record of a question to a Python policy that is not answered yet: the asked thread, the time of asking, and whether
/// the time limit is exceeded. A thread has at most one such question.
struct OpenQuestion {
    thread: c_ulong,
    since: Instant,
    is_late: bool,
}

/// Sets the time limit, in ns, for one answer of a Python policy.
#[pyfunction]
pub fn policy_timeout(limit_ns: u64) {
    LIMIT_NS.store(limit_ns, Ordering::Relaxed);
}

/// Returns the time limit for one answer of a Python policy.
pub fn limit() -> Duration {
    Duration::from_nanos(LIMIT_NS.load(Ordering::Relaxed))
}

/// Calls `ask`, which asks a Python policy, under the watch of the time limit; returns the result of `ask`, or `None`
/// where the policy exceeded the limit.
#[allow(unsafe_code)]
pub fn in_time<T>(_py: Python<'_>, ask: impl FnOnce() -> T) -> Option<T> {
    begin();
    // SAFETY: a call without arguments, by a thread that is attached to the interpreter.
    let thread = unsafe { ffi::PyThread_get_thread_ident() };
    open().push(OpenQuestion { thread, since: Instant::now(), is_late: false });
    let answer = ask();
    let mut open = open();
    let at = open.iter().position(|question| question.thread == thread);
    let is_late = at.is_some_and(|at| open.swap_remove(at).is_late);
    if is_late {
        // SAFETY: as above; the exception that is on its way, if it is still, has nothing to end any more.
        unsafe { ffi::PyThreadState_SetAsyncExc(thread as c_long, std::ptr::null_mut()) };
    }
    (!is_late).then_some(answer)
}

/// Starts the thread that watches for policies that exceed the time limit, unless it runs already.
pub fn begin() {
    LOOKING.call_once(|| {
        std::thread::spawn(look);
    });
}

fn open() -> MutexGuard<'static, Vec<OpenQuestion>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn look() {
    loop {
        std::thread::sleep(EVERY);
        // After a signal every answer is late: a policy may go on for long, and catch what was raised in it, too.
        let is_stopped = stop::is_overdue();
        heart::look(if is_stopped { Duration::ZERO } else { limit() });
        let is_overdue =
            |question: &OpenQuestion| is_stopped || (!question.is_late && question.since.elapsed() > limit());
        if open().iter().any(|question| question.since.elapsed() > LONG) {
            // A signal that comes as a call of the system returns may leave CPython 3.11 without the mark by which its loop
            // notices it; the loop looks for signals, too, where another thread asks for its turn.
            Python::attach(|_py| ());
        }
        if open().iter().any(is_overdue) {
            Python::attach(|py| {
                let raised =
                    if is_stopped { py.get_type::<Stopped>() } else { py.get_type::<PolicyTimeout>() };
                open().iter_mut().filter(|question| is_overdue(question)).for_each(|late| end(&raised, late));
            });
        }
    }
}

/// Raises the exception `raised` in the thread in which a policy's answer is late. The policy cannot answer meanwhile,
/// since its thread would first have to take the interpreter lock.
#[allow(unsafe_code)]
fn end(raised: &Bound<'_, PyType>, question: &mut OpenQuestion) {
    question.is_late = true;
    // SAFETY: the interpreter is attached; it takes its own reference to the type.
    unsafe { ffi::PyThreadState_SetAsyncExc(question.thread as c_long, raised.as_ptr()) };
}
