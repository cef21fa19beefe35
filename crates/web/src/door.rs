//! What the page calls. Texts go through one buffer each way, which the module owns.
#![allow(unsafe_code)] // Exported names; the page writes into the buffer before it calls.

use crate::Lab;
use std::cell::RefCell;

/// State of the WebAssembly module: the `Lab`, which answers the web page's questions and holds at most one simulation
/// run, and the text buffers of question and answer.
#[derive(Default)]
struct Door {
    lab: Lab,
    question: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static DOOR: RefCell<Door> = RefCell::default();
}

/// Prepares the module's question buffer for a text of `bytes` bytes and returns the buffer's address, at which the web
/// page must write its question.
// SAFETY: the name is this module's own.
#[unsafe(no_mangle)]
pub extern "C" fn lab_room(bytes: usize) -> *mut u8 {
    DOOR.with_borrow_mut(|door| {
        door.question.clear();
        door.question.resize(bytes, 0);
        door.question.as_mut_ptr()
    })
}

/// Answers the question that the page has written into the module's buffer, and returns the length of the answer in
/// bytes.
// SAFETY: the name is this module's own.
#[unsafe(no_mangle)]
pub extern "C" fn lab_ask() -> usize {
    DOOR.with_borrow_mut(|door| {
        let question = String::from_utf8_lossy(&door.question).into_owned();
        door.answer = door.lab.answer(&question).into_bytes();
        door.answer.len()
    })
}

/// Returns the address of the answer to the last question, for the page to read.
// SAFETY: the name is this module's own.
#[unsafe(no_mangle)]
pub extern "C" fn lab_answer() -> *const u8 {
    DOOR.with_borrow(|door| door.answer.as_ptr())
}
