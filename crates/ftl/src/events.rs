//! The kinds of event this crate schedules.

use controller::events::FIRST_FREE as FIRST;

/// A die may have been idle long enough for background work.
pub const IDLE: u8 = FIRST;
/// A partial program unit has waited long enough.
pub const FLUSH: u8 = FIRST + 1;
/// A die may have been idle long enough to write units anew.
pub const REWRITE: u8 = FIRST + 2;
/// A superblock may hold data that must be written anew. From the number of superblocks on the index counts dies: the
/// patrol of that die goes on.
pub const REFRESH: u8 = FIRST + 3;
/// The first number not used here or below.
pub const FIRST_FREE: u8 = FIRST + 4;
