//! The kinds of event this crate schedules. Their index names a die, unless the kind says otherwise.

/// Constant: number of the translation layer's first event kind; lower numbers are the controller's.
pub const FIRST: u8 = controller::events::FIRST_FREE;

/// Constant, event kind: a die may have been idle long enough for background garbage collection.
pub const IDLE: u8 = FIRST;
/// Constant, event kind: a partly filled program unit may have waited long enough for more host data to be padded and
/// programmed. The event's index is the program unit's bank (set of dies of a block-mapped drive), or 0 with a page
/// map, for the program units of all streams.
pub const FLUSH: u8 = FIRST + 1;
/// Constant, event kind: a die may have been idle long enough to program units again that the cost regulator queued so
/// that their later reads take less time.
pub const REWRITE: u8 = FIRST + 2;
/// Constant, event kind: the next entry of the agenda (schedule of timer-driven background work) falls due; the event's
/// index is unused.
pub const UPKEEP: u8 = FIRST + 3;
/// Constant, event kind: a die may have been idle long enough to fold (relocate) data out of the SLC cache to
/// superblocks that use all bits per cell.
pub const FOLD: u8 = FIRST + 4;
/// Constant: first number that is no event kind of the controller or the translation layer.
pub const FIRST_FREE: u8 = FIRST + 5;
