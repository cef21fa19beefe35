//! The kinds of event this crate schedules. Their index names a die, unless the kind says otherwise.

/// The first event number of the translation layer; lower numbers are the controller's.
pub const FIRST: u8 = controller::events::FIRST_FREE;

/// A die may have been idle long enough for background work.
pub const IDLE: u8 = FIRST;
/// A partial program unit may have waited long enough. The index is its bank; with a page map, which fills one at a
/// time, it is 0.
pub const FLUSH: u8 = FIRST + 1;
/// A die may have been idle long enough to rewrite units.
pub const REWRITE: u8 = FIRST + 2;
/// The next entry of the agenda of upkeep is due; no index.
pub const UPKEEP: u8 = FIRST + 3;
/// A die may have been idle long enough to fold.
pub const FOLD: u8 = FIRST + 4;
/// The first number not used here or below.
pub const FIRST_FREE: u8 = FIRST + 5;
