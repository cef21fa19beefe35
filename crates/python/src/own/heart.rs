//! Ends a compiled method that does not answer in time. Asking a clock for each call would cost more than the call, so
//! each thread counts its calls, and the thread that looks after questions sees a count that stands still.

use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Counts the calls of one thread: odd while one is open.
#[derive(Default)]
struct Heart {
    beats: AtomicU64,
    /// The call that has been open for too long.
    late: AtomicU64,
}

thread_local! {
    static HEART: Cell<Option<&'static Heart>> = const { Cell::new(None) };
}

/// The threads that ever called, and since when their counts stand.
static HEARTS: Mutex<Vec<(&'static Heart, u64, Option<Instant>)>> = Mutex::new(Vec::new());
/// Not 0 while a call is too late: each turn of a compiled loop looks here.
static SOME_LATE: AtomicU32 = AtomicU32::new(0);

impl Heart {
    fn is_open(&self) -> bool {
        !self.beats.load(Ordering::Relaxed).is_multiple_of(2)
    }

    fn is_late(&self) -> bool {
        self.is_open() && self.late.load(Ordering::Relaxed) == self.beats.load(Ordering::Relaxed)
    }
}

/// Calls a compiled method.
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

/// True when the call of this thread that just ended was too late.
pub fn was_late() -> bool {
    HEART
        .get()
        .is_some_and(|heart| heart.late.load(Ordering::Relaxed) + 1 == heart.beats.load(Ordering::Relaxed))
}

/// Looks for calls that are open for longer than `limit`.
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

/// What a loop calls when some thread is late: is it this one?
extern "C" fn is_late() -> u32 {
    u32::from(HEART.get().is_some_and(Heart::is_late))
}

/// Where compiled loops look, and what they call then.
#[pyfunction]
pub fn compiled_watch() -> (usize, usize) {
    (SOME_LATE.as_ptr() as usize, is_late as *const () as usize)
}

/// True while this thread is in a compiled method.
#[pyfunction]
pub fn compiled_is_asked() -> bool {
    HEART.get().is_some_and(Heart::is_open)
}
