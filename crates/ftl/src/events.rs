//! The kinds of event this crate schedules. Their index names a die, unless the kind says otherwise.

/// First number for event kinds of the translation layer; lower numbers are the controller's.
pub const FIRST: u8 = controller::events::FIRST_FREE;

/// Number of the event at which a die may have been idle long enough for background garbage collection.
pub const IDLE: u8 = FIRST;
/// Number of the event at which a partial program unit may have waited long enough to be padded and programmed. Its
/// index is the unit's bank, or 0 with a page map, which fills one program unit at a time.
pub const FLUSH: u8 = FIRST + 1;
/// Number of the event at which a die may have been idle long enough to rewrite units so that their reads cost less.
pub const REWRITE: u8 = FIRST + 2;
/// Number of the event at which the next entry of the agenda of background work falls due; its index is unused.
pub const UPKEEP: u8 = FIRST + 3;
/// Number of the event at which a die may have been idle long enough to fold data out of the SLC cache.
pub const FOLD: u8 = FIRST + 4;
/// First number for event kinds that neither the controller nor the translation layer uses.
pub const FIRST_FREE: u8 = FIRST + 5;
