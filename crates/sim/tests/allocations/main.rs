//! Does a run without observers allocate for its requests? In a binary of its own: the allocator that counts is the whole
//! program's.

#[path = "../common/mod.rs"]
mod common;

use common::{SMALL, drive, uniform};
use host::Op;
use sim::{PreconditionKind, RunOptions, Session};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator, and how often it was asked.
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

/// How often a run of so many requests asks for memory, from its first to its last; the result, with its tables, comes
/// after that.
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

/// Each time a run is twice as long its series, a bounded number of intervals, are drawn up once more with intervals of
/// twice the length. That takes as many allocations each time; what was allocated for requests would be twice as many.
#[test]
fn requests_allocate_nothing() {
    for op in [Op::READ, Op::WRITE] {
        let [once, twice, four] = [50_000, 100_000, 200_000].map(|requests| asked(op, requests));
        let (first, second) = (twice - once, four - twice);
        assert!(second < first + 50, "{}: {first} more for 50,000 requests, {second} for 100,000", op.name());
    }
}
