//! The calls on a drive.

use crate::FloatgateSetup;
use crate::code::{CallRefusal, FloatgateCode, guarded, needed, put};
use std::ffi::{CString, c_char};
use std::path::Path;
use step::{STAGE_COUNT, StepError, StepRequest, SteppedCompletion, SteppedDrive, SteppedStatus, op_of};

/// Constant: number of stages (parts such as waits, channel, array, host link) into which the latency of a request is
/// divided.
pub const FLOATGATE_STAGES: usize = 13;
/// Value for the latest simulated time in a call (`until_ns`): no limit, as a time that never comes.
pub const FLOATGATE_FOREVER: u64 = u64::MAX;
/// Bit of a request's `flags`: forced unit access, for a write whose data must be on durable storage before it is
/// answered.
pub const FLOATGATE_FUA: u8 = 1;
/// Bit of a request's `flags`: the request (a write or a handle update) has a placement identifier (as in NVMe Flexible
/// Data Placement), which is in the field `placement`.
pub const FLOATGATE_PLACED: u8 = 2;

const _: () = assert!(FLOATGATE_STAGES == STAGE_COUNT);

/// Type of the C interface for a simulated drive that the caller advances step by step, by the calls that take a
/// pointer to it.
pub struct FloatgateDrive {
    /// The stepped drive behind this handle of the C interface; `None` once a call has found a bug in Floatgate, so
    /// that the drive was discarded.
    drive: Option<SteppedDrive>,
}

/// Record of a host request to the drive, as a caller of the C interface fills it in. A field that is zero asks for
/// nothing special.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct FloatgateRequest {
    /// Simulated time at which the host issues the request, in ns.
    pub time_ns: u64,
    /// Offset of the request's first byte in its namespace, in bytes; a multiple of 512.
    pub offset: u64,
    /// Length of the request in bytes, a multiple of 512.
    pub bytes: u32,
    /// Number of the namespace that the request of the C interface addresses, from 1; 0 if the drive is a single
    /// namespace.
    pub nsid: u32,
    /// Placement identifier of a write or a handle update (a placement handle in a reclaim group); used only with the
    /// flag `FLOATGATE_PLACED`.
    pub placement: u16,
    /// Operation of the request: `FLOATGATE_READ`, `FLOATGATE_WRITE`, and so on.
    pub op: u8,
    /// Flags of the request: `FLOATGATE_FUA`, `FLOATGATE_PLACED`, both, or 0.
    pub flags: u8,
}

/// Kind of status of a request's completion in the C interface: whether the drive did what the request asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FloatgateStatus {
    /// Status of a request's completion in the C interface: the drive did what the request asked.
    Success = 0,
    /// Status of a request's completion in the C interface: the drive answered the request with an error.
    Failed = 1,
    /// Status of a request's completion in the C interface: data that the request read could not be corrected and are
    /// lost.
    Uncorrectable = 2,
}

/// Record of the completion of a request: what the drive answered, and when.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FloatgateCompletion {
    /// Number of the request, as the call that submitted it gave it.
    pub id: u64,
    /// Simulated time at which the host issued the completed request, in ns.
    pub submitted_ns: u64,
    /// Simulated time at which the host received the completion, in ns.
    pub completed_ns: u64,
    /// Offset in bytes of the request's first byte on the whole drive; for a zone append, where the drive put the data.
    pub offset: u64,
    /// Time in ns that the request spent in each stage (part of the latency); their sum is the latency.
    /// `floatgate_stage_name` gives the names.
    pub stages_ns: [u64; FLOATGATE_STAGES],
    /// Length of the completed request in bytes.
    pub bytes: u32,
    /// Operation of the request, as it was submitted: `FLOATGATE_READ` and so on.
    pub op: u8,
    /// Status of this completion in the C interface: whether the drive did what the request asked.
    pub status: FloatgateStatus,
    /// Index in `stages_ns` of the stage (part of the latency) that took longest.
    pub cause: u8,
    /// Greatest number of read attempts beyond the first (read retries) that one flash read of the request needed.
    pub retries: u8,
}

impl From<&SteppedCompletion> for FloatgateCompletion {
    #[inline]
    fn from(found: &SteppedCompletion) -> Self {
        let SteppedCompletion { id, submitted_ns, completed_ns, offset, stages_ns, .. } = *found;
        let SteppedCompletion { bytes, op, cause, retries, .. } = *found;
        let status = match found.status {
            SteppedStatus::Success => FloatgateStatus::Success,
            SteppedStatus::Failed => FloatgateStatus::Failed,
            SteppedStatus::Uncorrectable => FloatgateStatus::Uncorrectable,
        };
        Self { id, submitted_ns, completed_ns, offset, stages_ns, bytes, op, status, cause, retries }
    }
}

fn request(asked: &FloatgateRequest) -> Result<StepRequest, StepError> {
    let FloatgateRequest { time_ns, offset, bytes, nsid, placement, op, flags } = *asked;
    if flags & !(FLOATGATE_FUA | FLOATGATE_PLACED) != 0 {
        return Err(StepError::Input(format!(
            "flags = {flags}: expected FLOATGATE_FUA (1), FLOATGATE_PLACED (2)"
        )));
    }
    let placement = (flags & FLOATGATE_PLACED != 0).then_some(placement);
    let (op, fua) = (op_of(op)?, flags & FLOATGATE_FUA != 0);
    Ok(StepRequest { time_ns, op, offset, bytes, namespace: nsid, fua, placement })
}

/// Runs the work of a call on a drive and returns its code; if the work finds a bug, the drive is discarded and later
/// calls are refused.
///
/// # Safety
/// `drive` is null, or a drive that was opened and not closed, and no other thread uses it.
unsafe fn on(
    drive: *mut FloatgateDrive,
    work: impl FnOnce(&mut SteppedDrive) -> Result<FloatgateCode, CallRefusal>,
) -> FloatgateCode {
    // SAFETY: the caller says so.
    let held = unsafe { drive.as_mut() };
    let Some(held) = held else {
        return guarded(|| Err(CallRefusal::input("drive: a null pointer: expected a drive that is open")));
    };
    let code = guarded(|| match &mut held.drive {
        Some(drive) => work(drive),
        None => {
            let text = "the drive broke an invariant before: expected floatgate_close".to_owned();
            Err(CallRefusal { code: FloatgateCode::Broken, text })
        }
    });
    if code == FloatgateCode::Broken {
        // What it holds may be inconsistent, and is not even dropped.
        std::mem::forget(held.drive.take());
    }
    code
}

/// Opens a drive as `setup` describes it and writes a pointer to it to `drive`; its simulated time is 0.
///
/// # Safety
/// Pointers are null or what their comments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_open(
    setup: *const FloatgateSetup,
    drive: *mut *mut FloatgateDrive,
) -> FloatgateCode {
    guarded(|| {
        // SAFETY: the caller says so.
        let setup = unsafe { setup.as_ref() };
        let setup = setup.ok_or_else(|| CallRefusal::input("setup: a null pointer: expected a setup"))?;
        if drive.is_null() {
            return Err(CallRefusal::input("drive: a null pointer: expected a place for the answer"));
        }
        // SAFETY: as above.
        let (setup, catalogue) = unsafe { setup.read() }?;
        let opened = SteppedDrive::open(&setup, &catalogue)?;
        let opened = Box::into_raw(Box::new(FloatgateDrive { drive: Some(opened) }));
        // SAFETY: as above.
        unsafe { put("drive", drive, opened) }?;
        Ok(FloatgateCode::Ok)
    })
}

/// Closes a drive and frees its memory; a null pointer is ignored.
///
/// # Safety
/// `drive` is null, or was opened and not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_close(drive: *mut FloatgateDrive) {
    if !drive.is_null() {
        guarded(|| {
            // SAFETY: it was made by `floatgate_open`.
            drop(unsafe { Box::from_raw(drive) });
            Ok(FloatgateCode::Ok)
        });
    }
}

/// Submits a request and writes the number that its completion will have, counted from 0, to `id`, which may be null.
///
/// # Safety
/// Pointers are null or what their names say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_submit(
    drive: *mut FloatgateDrive,
    asked: *const FloatgateRequest,
    id: *mut u64,
) -> FloatgateCode {
    // SAFETY: the caller says so.
    unsafe { floatgate_submit_all(drive, asked, 1, id) }
}

/// Submits `count` requests in order, either all or, if one is wrong, none. Writes the number of the first to `first`,
/// which may be null; the numbers of further requests follow.
///
/// # Safety
/// Pointers are null or what their names say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_submit_all(
    drive: *mut FloatgateDrive,
    asked: *const FloatgateRequest,
    count: usize,
    first: *mut u64,
) -> FloatgateCode {
    let work = |drive: &mut SteppedDrive| {
        if asked.is_null() {
            return Err(CallRefusal::input("asked: a null pointer: expected requests"));
        }
        // SAFETY: the caller says so.
        let asked = unsafe { std::slice::from_raw_parts(asked, count) };
        let number = match asked {
            [one] => drive.submit(&request(one)?)?,
            several => drive.submit_all(several.iter().map(request))?,
        };
        if !first.is_null() {
            // SAFETY: the caller says so.
            unsafe { first.write(number) };
        }
        Ok(FloatgateCode::Ok)
    };
    // SAFETY: the caller says so.
    unsafe { on(drive, work) }
}

/// Advances the drive to `time_ns`: all events up to and including this simulated time have then happened.
///
/// # Safety
/// `drive` is null, or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_run_until(drive: *mut FloatgateDrive, time_ns: u64) -> FloatgateCode {
    let work = |drive: &mut SteppedDrive| Ok(drive.run_until(time_ns).map(|()| FloatgateCode::Ok)?);
    // SAFETY: the caller says so.
    unsafe { on(drive, work) }
}

/// Takes the next completion and writes it to `completion`. If none waits, advances the drive to its next completion,
/// but at most to `until_ns` (no limit with `FLOATGATE_FOREVER`). Returns `FLOATGATE_CODE_NONE` if no request is
/// outstanding or none is completed by then.
///
/// # Safety
/// Pointers are null or what their names say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_next(
    drive: *mut FloatgateDrive,
    until_ns: u64,
    completion: *mut FloatgateCompletion,
) -> FloatgateCode {
    let work = |drive: &mut SteppedDrive| {
        if completion.is_null() {
            return Err(CallRefusal::input("completion: a null pointer: expected a place for the answer"));
        }
        let until = (until_ns != FLOATGATE_FOREVER).then_some(until_ns);
        // SAFETY: the caller says so.
        let is_found = drive.next_with(until, |found| unsafe { completion.write(found.into()) })?;
        Ok(if is_found { FloatgateCode::Ok } else { FloatgateCode::None })
    };
    // SAFETY: the caller says so.
    unsafe { on(drive, work) }
}

/// Takes at most `most` waiting completions, writes them to `completions`, and writes their number to `count`.
/// Simulated time does not advance.
///
/// # Safety
/// `completions` has room for `most`; pointers are null or what their names say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_take(
    drive: *mut FloatgateDrive,
    completions: *mut FloatgateCompletion,
    most: usize,
    count: *mut usize,
) -> FloatgateCode {
    let work = |drive: &mut SteppedDrive| {
        if completions.is_null() || count.is_null() {
            return Err(CallRefusal::input(
                "completions, count: a null pointer: expected places for the answer",
            ));
        }
        let mut place = completions;
        let taken = drive.take_with(most, |found| {
            // SAFETY: the caller says so, and no more than `most` are taken.
            unsafe {
                place.write(found.into());
                place = place.add(1);
            }
        })?;
        // SAFETY: as above.
        unsafe { count.write(taken) };
        Ok(FloatgateCode::Ok)
    };
    // SAFETY: the caller says so.
    unsafe { on(drive, work) }
}

/// Finishes the drive: no request may follow, and simulated time advances to the last completion. Completions that wait
/// can still be taken.
///
/// # Safety
/// `drive` is null, or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_finish(drive: *mut FloatgateDrive) -> FloatgateCode {
    let work = |drive: &mut SteppedDrive| Ok(drive.finish().map(|()| FloatgateCode::Ok)?);
    // SAFETY: the caller says so.
    unsafe { on(drive, work) }
}

/// Writes to `json` a text with everything measured, as in `run.json`: so far or, after `floatgate_finish`, to the last
/// completion. The caller frees the text with `floatgate_free`.
///
/// # Safety
/// Pointers are null or what their names say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_statistics(
    drive: *mut FloatgateDrive,
    json: *mut *mut c_char,
) -> FloatgateCode {
    let work = |drive: &mut SteppedDrive| {
        let text = CString::new(drive.statistics()?.to_string()).unwrap_or_default();
        if json.is_null() {
            return Err(CallRefusal::input("json: a null pointer: expected a place for the answer"));
        }
        // SAFETY: the caller says so.
        unsafe { put("json", json, text.into_raw()) }?;
        Ok(FloatgateCode::Ok)
    };
    // SAFETY: the caller says so.
    unsafe { on(drive, work) }
}

/// Frees a text that `floatgate_statistics` gave; a null pointer is ignored.
///
/// # Safety
/// `text` is null, or was given and not taken back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it was made by `floatgate_statistics`.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Finishes the drive, waits until its internal work has ended, and saves its state to the file `path`, for `load` of a
/// setup; an existing file is replaced.
///
/// # Safety
/// Pointers are null or what their names say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_save(drive: *mut FloatgateDrive, path: *const c_char) -> FloatgateCode {
    let work = |drive: &mut SteppedDrive| {
        // SAFETY: the caller says so.
        let path = unsafe { needed("path", path) }?;
        Ok(drive.save(Path::new(path)).map(|()| FloatgateCode::Ok)?)
    };
    // SAFETY: the caller says so.
    unsafe { on(drive, work) }
}

/// Writes the simulated time in ns of the next event in the drive, internal work included, to `time_ns`; returns
/// `FLOATGATE_CODE_NONE` if no event is to come.
///
/// # Safety
/// Pointers are null or what their names say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_next_event(
    drive: *mut FloatgateDrive,
    time_ns: *mut u64,
) -> FloatgateCode {
    let work = |drive: &mut SteppedDrive| match drive.next_event_ns()? {
        None => Ok(FloatgateCode::None),
        // SAFETY: the caller says so.
        Some(next) => unsafe { put("time_ns", time_ns, next) }.map(|()| FloatgateCode::Ok),
    };
    // SAFETY: the caller says so.
    unsafe { on(drive, work) }
}

/// Writes the number, from 1, of the namespace that a host calls `name` to `nsid`.
///
/// # Safety
/// Pointers are null or what their names say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_namespace(
    drive: *mut FloatgateDrive,
    name: *const c_char,
    nsid: *mut u32,
) -> FloatgateCode {
    let work = |drive: &mut SteppedDrive| {
        // SAFETY: the caller says so.
        let number = drive.namespace_named(unsafe { needed("name", name) }?)?;
        // SAFETY: the caller says so.
        unsafe { put("nsid", nsid, number) }.map(|()| FloatgateCode::Ok)
    };
    // SAFETY: the caller says so.
    unsafe { on(drive, work) }
}

/// Returns the number that `of` reads from a drive; 0 for a null pointer or a drive that was discarded because of a
/// bug.
///
/// # Safety
/// `drive` is null, or open.
unsafe fn number(drive: *const FloatgateDrive, of: impl FnOnce(&SteppedDrive) -> u64) -> u64 {
    // SAFETY: the caller says so.
    unsafe { drive.as_ref() }.and_then(|held| held.drive.as_ref()).map_or(0, of)
}

/// Returns the drive's present in ns: the simulated time to which the caller has advanced it.
///
/// # Safety
/// `drive` is null, or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_now(drive: *const FloatgateDrive) -> u64 {
    // SAFETY: the caller says so.
    unsafe { number(drive, SteppedDrive::now_ns) }
}

/// Returns the number of submitted requests whose completions the caller has not taken yet.
///
/// # Safety
/// `drive` is null, or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_outstanding(drive: *const FloatgateDrive) -> u64 {
    // SAFETY: the caller says so.
    unsafe { number(drive, SteppedDrive::outstanding) }
}

/// Returns the drive's capacity for the host in bytes.
///
/// # Safety
/// `drive` is null, or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn floatgate_capacity(drive: *const FloatgateDrive) -> u64 {
    // SAFETY: the caller says so.
    unsafe { number(drive, SteppedDrive::capacity_bytes) }
}

/// Breaks an invariant of a drive on purpose, for a test of how the C interface reports a bug.
///
/// # Safety
/// `drive` is open.
#[doc(hidden)]
pub unsafe fn break_for_test(drive: *mut FloatgateDrive) -> FloatgateCode {
    // SAFETY: the caller says so.
    unsafe { on(drive, |_| panic!("broken on purpose")) }
}
