//! Numbers that stand for words, and the words.

use std::ffi::{CString, c_char};
use std::sync::OnceLock;
use step::{STAGE_NAMES, op_of};

/// Bytes from the drive.
pub const FLOATGATE_READ: u8 = 0;
/// Bytes to the drive.
pub const FLOATGATE_WRITE: u8 = 1;
/// The host no longer needs these bytes.
pub const FLOATGATE_TRIM: u8 = 2;
/// Everything acknowledged before must be on flash; without offset and length.
pub const FLOATGATE_FLUSH: u8 = 3;
/// On a drive of zones: a write at the pointer of the zone that the offset names.
pub const FLOATGATE_APPEND: u8 = 9;
/// On a drive of zones: opens the zone that the offset names, without length, like the next three.
pub const FLOATGATE_ZONE_OPEN: u8 = 4;
/// The zone no longer counts as open.
pub const FLOATGATE_ZONE_CLOSE: u8 = 12;
/// The zone counts as full.
pub const FLOATGATE_ZONE_FINISH: u8 = 20;
/// The zone is empty.
pub const FLOATGATE_ZONE_RESET: u8 = 28;

/// Words, as C has them.
fn texts(names: impl Iterator<Item = &'static str>) -> Vec<CString> {
    names.map(|name| CString::new(name).unwrap_or_default()).collect()
}

/// Name of a stage of `stages_ns`, from 0; null where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn floatgate_stage_name(stage: u8) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let names = NAMES.get_or_init(|| texts(STAGE_NAMES.into_iter()));
    names.get(usize::from(stage)).map_or(std::ptr::null(), |name| name.as_ptr())
}

/// Name of an operation; null where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn floatgate_op_name(op: u8) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let name = |code| op_of(code).map_or("", |op| op.name());
    let found = &NAMES.get_or_init(|| texts((0..=u8::MAX).map(name)))[usize::from(op)];
    if found.is_empty() { std::ptr::null() } else { found.as_ptr() }
}

/// Version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn floatgate_version() -> *const c_char {
    static VERSION: OnceLock<CString> = OnceLock::new();
    VERSION.get_or_init(|| CString::new(sim::version()).unwrap_or_default()).as_ptr()
}
