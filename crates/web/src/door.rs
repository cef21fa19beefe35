//! What the page calls. Texts go through one buffer each way, which the module owns.
#![allow(unsafe_code)] // Exported names; the page writes into the buffer before it calls.

use crate::Lab;
use std::cell::RefCell;

/// The laboratory and the two buffers.
#[derive(Default)]
struct Door {
    lab: Lab,
    question: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static DOOR: RefCell<Door> = RefCell::default();
}

/// Where the page is to write a question of so many bytes.
// SAFETY: the name is this module's own.
#[unsafe(no_mangle)]
pub extern "C" fn lab_room(bytes: usize) -> *mut u8 {
    DOOR.with_borrow_mut(|door| {
        door.question.clear();
        door.question.resize(bytes, 0);
        door.question.as_mut_ptr()
    })
}

/// Answers the question in the buffer: the bytes of the answer.
// SAFETY: the name is this module's own.
#[unsafe(no_mangle)]
pub extern "C" fn lab_ask() -> usize {
    DOOR.with_borrow_mut(|door| {
        let question = String::from_utf8_lossy(&door.question).into_owned();
        door.answer = door.lab.answer(&question).into_bytes();
        door.answer.len()
    })
}

/// Where the answer is.
// SAFETY: the name is this module's own.
#[unsafe(no_mangle)]
pub extern "C" fn lab_answer() -> *const u8 {
    DOOR.with_borrow(|door| door.answer.as_ptr())
}
