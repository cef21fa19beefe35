//! Does a run without observers allocate for its requests? In a binary of its own: the allocator that counts is the whole
//! program's.

#[path = "../common/mod.rs"]
mod common;

use common::{SMALL, drive, uniform};
use host::Op;
use sim::{PreconditionKind, RunOptions, Session};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory allocator of the test program: the system's allocator, with a count of the requests for memory.
struct Counting;

static ASKED: AtomicU64 = AtomicU64::new(0);

// There is no other way to see what a program allocates; every call goes to the system's allocator as it came.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the number of requests for memory in a run of `requests` requests, from the first request to the last,
/// without those for the result.
fn asked(op: Op, requests: u64) -> u64 {
    let drive = drive(SMALL);
    let span = drive.capacity().get();
    let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let mut session = Session::with_workload(drive, uniform(requests, 16, op, 4096, span, 1), options)
        .unwrap_or_else(|error| panic!("{error}"));
    let before = ASKED.load(Ordering::Relaxed);
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    ASKED.load(Ordering::Relaxed) - before
}

/// Checks that requests of a run allocate no memory: twice as many requests cost hardly more allocations. Only the
/// series of intervals, which are bounded in number, allocate the same again each time that the run's length doubles.
#[test]
fn requests_allocate_nothing() {
    for op in [Op::READ, Op::WRITE] {
        let [once, twice, four] = [50_000, 100_000, 200_000].map(|requests| asked(op, requests));
        let (first, second) = (twice - once, four - twice);
        assert!(second < first + 50, "{}: {first} more for 50,000 requests, {second} for 100,000", op.name());
    }
}
