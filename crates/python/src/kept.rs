//! What a user's own policy did wrong in work that is being done: told when it ends.

use std::cell::{Cell, RefCell};

/// Type of a fault of a user's Python policy: an error message of one line, which travels as a panic to the Python call
/// that began the work.
pub struct PolicyFault(pub String);

thread_local! {
    /// Thread-local variable with the error message about a policy that kept a reference, after its call, to an array
    /// of the drive's memory, so that the drive must not be freed; none if no policy did so in this thread's work.
    static KEPT: RefCell<Option<String>> = const { RefCell::new(None) };
    static LEFT_BEHIND: Cell<bool> = const { Cell::new(false) };
}

/// Stores the error message `text` about a policy that kept a reference to an array of a drive's memory after its call;
/// the memory must then not be freed.
pub fn keep(text: String) {
    KEPT.set(Some(text));
}

/// Removes and returns the error message about a policy that kept a reference to an array of the drive's memory during
/// the work that ends now, if there is one; notes for [`left_behind`] whether there was.
pub fn kept() -> Option<String> {
    let text = KEPT.take();
    LEFT_BEHIND.set(text.is_some());
    text
}

/// Returns true while the drive of the present work must not be freed, because a policy has kept a reference to an
/// array of its memory after a call.
pub fn is_kept() -> bool {
    KEPT.with_borrow(Option::is_some)
}

/// Returns true, only once, if the drive of the work that ended must never be freed, because a policy kept a reference
/// to an array of its memory after a call.
pub fn left_behind() -> bool {
    LEFT_BEHIND.take()
}
