//! The kinds of event this crate schedules.

use controller::events::FIRST_FREE as FIRST;

/// A die may have been idle long enough for background work.
pub const IDLE: u8 = FIRST;
/// A partial program unit has waited long enough.
pub const FLUSH: u8 = FIRST + 1;
/// A die may have been idle long enough to write units anew.
pub const REWRITE: u8 = FIRST + 2;
/// The next entry of the agenda of upkeep is due.
pub const UPKEEP: u8 = FIRST + 3;
/// A die may have been idle long enough to fold.
pub const FOLD: u8 = FIRST + 4;
/// The first number not used here or below.
pub const FIRST_FREE: u8 = FIRST + 5;
