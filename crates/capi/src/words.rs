//! Numbers that stand for words, and the words.

use std::ffi::{CString, c_char};
use std::sync::OnceLock;
use step::{STAGE_NAMES, op_of};

/// Value of a request's `op` for a read: the host reads bytes from the drive.
pub const FLOATGATE_READ: u8 = 0;
/// Value of `op` in a request of the C interface for a write: the host writes bytes to the drive.
pub const FLOATGATE_WRITE: u8 = 1;
/// Value of `op` in a request of the C interface for a trim: the host no longer needs the data in these bytes.
pub const FLOATGATE_TRIM: u8 = 2;
/// Value of a request's `op` for a flush: all data acknowledged before must be on durable storage before the flush is
/// answered; offset and length are 0.
pub const FLOATGATE_FLUSH: u8 = 3;
/// Value of a request's `op` for a zone append: a write at the write pointer of the zone at the offset, on a drive with
/// zones.
pub const FLOATGATE_APPEND: u8 = 9;
/// Value of a request's `op` for a zone open, on a drive with zones: opens the zone at the offset; the length is 0.
pub const FLOATGATE_ZONE_OPEN: u8 = 4;
/// Value of a request's `op` for a zone close, on a drive with zones: closes the zone at the offset, which no longer
/// counts as open; the length is 0.
pub const FLOATGATE_ZONE_CLOSE: u8 = 12;
/// Value of a request's `op` for a zone finish, on a drive with zones: makes the zone at the offset full; the length is
/// 0.
pub const FLOATGATE_ZONE_FINISH: u8 = 20;
/// Value of a request's `op` for a zone reset, on a drive with zones: makes the zone at the offset empty; the length is
/// 0.
pub const FLOATGATE_ZONE_RESET: u8 = 28;
/// Value of a request's `op` for a reclaim unit handle update, on a drive with placement handles: data that are written
/// through the request's placement identifier from then on begin another reclaim unit; the length is 0.
pub const FLOATGATE_HANDLE_UPDATE: u8 = 36;

/// Converts names to C strings, and returns them as a list in the same order.
fn texts(names: impl Iterator<Item = &'static str>) -> Vec<CString> {
    names.map(|name| CString::new(name).unwrap_or_default()).collect()
}

/// Returns the name of the latency stage (part of a request's latency) with index `stage` in `stages_ns`, from 0; null
/// if there is no such stage.
#[unsafe(no_mangle)]
pub extern "C" fn floatgate_stage_name(stage: u8) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let names = NAMES.get_or_init(|| texts(STAGE_NAMES.into_iter()));
    names.get(usize::from(stage)).map_or(std::ptr::null(), |name| name.as_ptr())
}

/// Returns the name of the operation with the number `op`, such as `FLOATGATE_READ`; null if there is no such
/// operation.
#[unsafe(no_mangle)]
pub extern "C" fn floatgate_op_name(op: u8) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let name = |code| op_of(code).map_or("", |op| op.name());
    let found = &NAMES.get_or_init(|| texts((0..=u8::MAX).map(name)))[usize::from(op)];
    if found.is_empty() { std::ptr::null() } else { found.as_ptr() }
}

/// Returns the version of the Floatgate library, such as `0.1.0`, to a caller of the C interface.
#[unsafe(no_mangle)]
pub extern "C" fn floatgate_version() -> *const c_char {
    static VERSION: OnceLock<CString> = OnceLock::new();
    VERSION.get_or_init(|| CString::new(sim::version()).unwrap_or_default()).as_ptr()
}
