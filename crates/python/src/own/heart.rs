//! Ends a compiled method that does not answer in time. Asking a clock for each call would cost more than the call, so
//! each thread counts its calls, and the thread that looks after questions sees a count that stands still.

use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Counter of the calls of compiled policy methods by one thread: it is odd while a call is open.
#[derive(Default)]
struct Heart {
    beats: AtomicU64,
    /// Value of `beats` for the open call that has taken too long.
    late: AtomicU64,
}

thread_local! {
    static HEART: Cell<Option<&'static Heart>> = const { Cell::new(None) };
}

/// Counters of all threads that ever called a compiled policy, each with the value last seen and the time since when it
/// has had this value.
static HEARTS: Mutex<Vec<(&'static Heart, u64, Option<Instant>)>> = Mutex::new(Vec::new());
/// Not 0 while a call of a compiled policy takes too long in any thread; each turn of a compiled loop reads this
/// number.
static SOME_LATE: AtomicU32 = AtomicU32::new(0);

impl Heart {
    fn is_open(&self) -> bool {
        !self.beats.load(Ordering::Relaxed).is_multiple_of(2)
    }

    fn is_late(&self) -> bool {
        self.is_open() && self.late.load(Ordering::Relaxed) == self.beats.load(Ordering::Relaxed)
    }
}

/// Calls a compiled policy method, and counts the beginning and the end of the call.
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

/// Returns true when the call of a compiled policy that this thread just ended took too long.
pub fn was_late() -> bool {
    HEART
        .get()
        .is_some_and(|heart| heart.late.load(Ordering::Relaxed) + 1 == heart.beats.load(Ordering::Relaxed))
}

/// Marks the calls of compiled policies, in all threads, that have been open for longer than `limit`.
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

/// Returns 1 if the open call of a compiled policy in this thread takes too long, else 0; a compiled loop calls this
/// when a call in any thread does.
extern "C" fn is_late() -> u32 {
    u32::from(HEART.get().is_some_and(Heart::is_late))
}

/// Returns two addresses for the loops of compiled policies: of the number that is not 0 while any call takes too long,
/// and of the function that tells whether it is the call of this thread.
#[pyfunction]
pub fn compiled_watch() -> (usize, usize) {
    (SOME_LATE.as_ptr() as usize, is_late as *const () as usize)
}

/// Returns true while this thread is in a method of a compiled policy.
#[pyfunction]
pub fn compiled_is_asked() -> bool {
    HEART.get().is_some_and(Heart::is_open)
}
