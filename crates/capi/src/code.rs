//! What a call answers, and the text behind it.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use step::StepError;

/// Kind of outcome of a call of the C interface: success, nothing to return, or a kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum FloatgateCode {
    /// Outcome of a call of the C interface: the call succeeded.
    Ok = 0,
    /// Outcome of a call of the C interface: there is nothing to return. For `floatgate_next`, no request is completed
    /// by the given time; for `floatgate_next_event`, no event is to come.
    None = 1,
    /// Outcome of a call of the C interface: an argument, or a file or key that it names, is wrong, or the drive cannot
    /// go on. A call that submits requests has then changed nothing.
    Input = 2,
    /// Outcome of a call of the C interface: the given time is before the drive's present, the simulated time that it
    /// has reached; the call has changed nothing.
    Past = 3,
    /// Outcome of a call of the C interface: the drive was finished and accepts no more requests.
    Over = 4,
    /// Outcome of a call of the C interface: the call met a bug in Floatgate itself; the drive can only be closed.
    Broken = 5,
}

/// Record of the refusal of a call of the C interface: the code that the call returns, and the error message.
pub(crate) struct CallRefusal {
    pub code: FloatgateCode,
    pub text: String,
}

impl CallRefusal {
    pub fn input(text: impl Into<String>) -> Self {
        Self { code: FloatgateCode::Input, text: text.into() }
    }
}

impl From<StepError> for CallRefusal {
    fn from(error: StepError) -> Self {
        let code = match &error {
            StepError::Input(_) => FloatgateCode::Input,
            StepError::Past(_) => FloatgateCode::Past,
            StepError::Over(_) => FloatgateCode::Over,
        };
        Self { code, text: error.text().to_owned() }
    }
}

impl From<sim::Error> for CallRefusal {
    fn from(error: sim::Error) -> Self {
        Self::input(error.to_string())
    }
}

thread_local! {
    static TEXT: RefCell<CString> = RefCell::default();
}

fn tell(text: &str) {
    let text: Vec<u8> =
        text.bytes().map(|byte| if matches!(byte, 0 | b'\n') { b' ' } else { byte }).collect();
    TEXT.set(CString::new(text).unwrap_or_default());
}

/// Returns the error message, in one line, of the last call of this thread that did not succeed; the text stays valid
/// until the thread's next call.
#[unsafe(no_mangle)]
pub extern "C" fn floatgate_error() -> *const c_char {
    TEXT.with_borrow(|text| text.as_ptr())
}

fn told(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic without a message").to_owned()
}

/// Runs the work of a call of the C interface and returns its code; a refusal's message is stored for the thread, and a
/// panic becomes the code for a bug.
pub(crate) fn guarded(work: impl FnOnce() -> Result<FloatgateCode, CallRefusal>) -> FloatgateCode {
    let done = catch_unwind(AssertUnwindSafe(work));
    let refusal = match done {
        Ok(Ok(code)) => return code,
        Ok(Err(refusal)) => refusal,
        Err(panic) => CallRefusal { code: FloatgateCode::Broken, text: told(panic.as_ref()) },
    };
    tell(&refusal.text);
    refusal.code
}

/// Reads the caller's text argument `name`, in UTF-8; returns `None` if the pointer is null.
///
/// # Safety
/// `text` is null, or a C string.
pub(crate) unsafe fn text<'a>(name: &str, text: *const c_char) -> Result<Option<&'a str>, CallRefusal> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller says so.
    let found = unsafe { CStr::from_ptr(text) };
    found
        .to_str()
        .map(Some)
        .map_err(|_| CallRefusal::input(format!("{name}: no UTF-8: expected a text in it")))
}

/// Reads the caller's text argument `name`, in UTF-8, and refuses a null pointer.
///
/// # Safety
/// `found` is null, or a C string.
pub(crate) unsafe fn needed<'a>(name: &str, found: *const c_char) -> Result<&'a str, CallRefusal> {
    // SAFETY: as there.
    unsafe { text(name, found) }?
        .ok_or_else(|| CallRefusal::input(format!("{name}: a null pointer: expected a text")))
}

/// Writes `value` to the address that the caller gave in argument `name` for the answer; refuses a null pointer.
///
/// # Safety
/// `place` is null, or can be written.
pub(crate) unsafe fn put<T>(name: &str, place: *mut T, value: T) -> Result<(), CallRefusal> {
    if place.is_null() {
        return Err(CallRefusal::input(format!("{name}: a null pointer: expected a place for the answer")));
    }
    // SAFETY: the caller says so.
    unsafe { place.write(value) };
    Ok(())
}
