//! Ends a compiled method that does not answer in time. Asking a clock for each call would cost more than the call, so
//! each thread counts its calls, and the thread that looks after questions sees a count that stands still.

use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// State of the counter by which the calls of compiled policy methods in one thread are watched: it rises at the
/// beginning and at the end of each call, so that it is odd during a call.
#[derive(Default)]
struct Heart {
    beats: AtomicU64,
    /// Copy of the value of the counter `beats` during the call that exceeded the time limit, stored by the watching
    /// thread when it found that call; 0 if it never found one.
    late: AtomicU64,
}

thread_local! {
    static HEART: Cell<Option<&'static Heart>> = const { Cell::new(None) };
}

/// Static variable: list of the call counters of all threads that ever called a compiled policy, each with the value
/// that the watching thread last found and the time since which it has been that value.
static HEARTS: Mutex<Vec<(&'static Heart, u64, Option<Instant>)>> = Mutex::new(Vec::new());
/// Static variable: number that is not 0 while some thread's call of a compiled policy exceeds the time limit; each
/// turn of a loop in compiled code reads this number.
static SOME_LATE: AtomicU32 = AtomicU32::new(0);

impl Heart {
    fn is_open(&self) -> bool {
        !self.beats.load(Ordering::Relaxed).is_multiple_of(2)
    }

    fn is_late(&self) -> bool {
        self.is_open() && self.late.load(Ordering::Relaxed) == self.beats.load(Ordering::Relaxed)
    }
}

/// Calls a compiled policy method, and counts the beginning and the end of the call, so that the watching thread
/// notices a call that takes too long.
#[inline]
pub fn beating<T>(call: impl FnOnce() -> T) -> T {
    let heart = HEART.get().unwrap_or_else(first);
    let beats = heart.beats.load(Ordering::Relaxed);
    heart.beats.store(beats + 1, Ordering::Relaxed);
    let answer = call();
    heart.beats.store(beats + 2, Ordering::Relaxed);
    answer
}

#[cold]
fn first() -> &'static Heart {
    let heart = Box::leak(Box::<Heart>::default());
    HEARTS.lock().unwrap_or_else(PoisonError::into_inner).push((heart, 0, None));
    HEART.set(Some(heart));
    heart
}

/// Returns true if the call of a compiled policy that this thread ended last exceeded the time limit.
pub fn was_late() -> bool {
    HEART
        .get()
        .is_some_and(|heart| heart.late.load(Ordering::Relaxed) + 1 == heart.beats.load(Ordering::Relaxed))
}

/// Marks the calls of compiled policies, in all threads, that have lasted longer than `limit`; the watching thread
/// calls this at intervals.
pub fn look(limit: Duration) {
    let mut some = 0;
    for (heart, seen, since) in HEARTS.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
        let beats = heart.beats.load(Ordering::Relaxed);
        if beats != *seen || beats.is_multiple_of(2) {
            (*seen, *since) = (beats, Some(Instant::now()));
        } else if since.is_some_and(|since| since.elapsed() > limit) {
            heart.late.store(beats, Ordering::Relaxed);
        }
        some |= u32::from(heart.is_late());
    }
    SOME_LATE.store(some, Ordering::Relaxed);
}

/// Returns 1 if this thread's running call of a compiled policy exceeds the time limit, else 0; a compiled loop calls
/// this function when a call in any thread does.
extern "C" fn is_late() -> u32 {
    u32::from(HEART.get().is_some_and(Heart::is_late))
}

/// Returns two addresses for the loops of compiled policies: of the number that is not 0 while a call in any thread
/// exceeds the time limit, and of the function that returns whether the call of the present thread does.
#[pyfunction]
pub fn compiled_watch() -> (usize, usize) {
    (SOME_LATE.as_ptr() as usize, is_late as *const () as usize)
}

/// Returns true while this thread is in a method of a compiled policy.
#[pyfunction]
pub fn compiled_is_asked() -> bool {
    HEART.get().is_some_and(Heart::is_open)
}
