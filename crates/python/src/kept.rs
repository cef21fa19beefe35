//! What a user's own policy did wrong in work that is being done: told when it ends.

use std::cell::{Cell, RefCell};

/// Fault of a user's policy, in one line; it travels as a panic to the Python call that began the work.
pub struct PolicyFault(pub String);

thread_local! {
    /// Message about a policy that kept an array, which shows memory of the drive: that drive must stay.
    static KEPT: RefCell<Option<String>> = const { RefCell::new(None) };
    static LEFT_BEHIND: Cell<bool> = const { Cell::new(false) };
}

/// Notes that a policy kept an array; `text` is the message at the end of the work.
pub fn keep(text: String) {
    KEPT.set(Some(text));
}

/// Takes the message about a policy that kept an array during the work that ends now.
pub fn kept() -> Option<String> {
    let text = KEPT.take();
    LEFT_BEHIND.set(text.is_some());
    text
}

/// True while the drive of the present work must not be freed, because a policy kept one of its arrays.
pub fn is_kept() -> bool {
    KEPT.with_borrow(Option::is_some)
}

/// True, once, when the drive of the work that ended must never be freed.
pub fn left_behind() -> bool {
    LEFT_BEHIND.take()
}
