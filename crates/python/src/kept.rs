//! What a user's own policy did wrong in work that is being done: told when it ends.

use std::cell::{Cell, RefCell};

/// What a policy did wrong, as one line; it travels as a panic to the call from Python that began the work.
pub struct PolicyFault(pub String);

thread_local! {
    /// Of a policy that kept an array: what is said of it. The drive, whose memory the array shows, must stay.
    static KEPT: RefCell<Option<String>> = const { RefCell::new(None) };
    static LEFT_BEHIND: Cell<bool> = const { Cell::new(false) };
}

/// A policy kept an array: says `text` of it when the work ends.
pub fn keep(text: String) {
    KEPT.set(Some(text));
}

/// What to say of a policy that kept an array, if one did in the work that ends now.
pub fn kept() -> Option<String> {
    let text = KEPT.take();
    LEFT_BEHIND.set(text.is_some());
    text
}

/// True while the drive of the work that ends must not be freed: a policy kept an array of it.
pub fn is_kept() -> bool {
    KEPT.with_borrow(Option::is_some)
}

/// True, once, when the drive of the work that ended must never be freed.
pub fn left_behind() -> bool {
    LEFT_BEHIND.take()
}
