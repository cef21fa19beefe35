//! What a drive is opened from.

use crate::code::{CallRefusal, needed, text};
use serde_json::json;
use sim::{Catalogue, RunOptions};
use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use step::StepSetup;

/// A drive, and how it begins. `floatgate_setup` fills it with what is usual; then change what is to be otherwise.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FloatgateSetup {
    /// The drive's name or file; with `toml`, its name in messages.
    pub drive: *const c_char,
    /// The text of a drive file, or null.
    pub toml: *const c_char,
    /// `key=value` on top, ended by a null pointer; or null.
    pub set: *const *const c_char,
    /// The folder that has `drives` and `chips` in it; null: what the variable FLOATGATE_SHARE names, or else where the
    /// library was installed.
    pub share: *const c_char,
    /// Everything random follows from it; usually 1.
    pub seed: u64,
    /// What is done to the drive before: `fill`, `steady`, `instant`; null: nothing.
    pub precondition: *const c_char,
    /// How much of it that fills; usually 1.
    pub precondition_fill: f64,
    /// A saved state to begin from, or null.
    pub load: *const c_char,
    /// Bytes of memory that the drive may take; 0: what the machine has.
    pub memory_limit: u64,
    /// An independent account checks the drive throughout.
    pub check: bool,
}

/// The drive of this name or file as it usually begins.
#[unsafe(no_mangle)]
pub extern "C" fn floatgate_setup(drive: *const c_char) -> FloatgateSetup {
    FloatgateSetup {
        drive,
        toml: std::ptr::null(),
        set: std::ptr::null(),
        share: std::ptr::null(),
        seed: 1,
        precondition: std::ptr::null(),
        precondition_fill: 1.0,
        load: std::ptr::null(),
        memory_limit: 0,
        check: false,
    }
}

impl FloatgateSetup {
    /// The same in Rust.
    ///
    /// # Safety
    /// Every pointer is null or what its comment says.
    pub(crate) unsafe fn read(&self) -> Result<(StepSetup, Catalogue), CallRefusal> {
        // SAFETY: the caller says so.
        let (drive, toml, share, precondition, load) = unsafe {
            (
                needed("drive", self.drive)?,
                text("toml", self.toml)?,
                text("share", self.share)?,
                text("precondition", self.precondition)?,
                text("load", self.load)?,
            )
        };
        let options = json!({
            "seed": self.seed,
            "check": self.check,
            "precondition": precondition.unwrap_or("none"),
            "fill": self.precondition_fill,
            "load_state": load,
            "memory_limit": (self.memory_limit > 0).then_some(self.memory_limit),
        });
        let options = RunOptions::from_json(&options.to_string())?;
        // SAFETY: as above.
        let set = unsafe { self.overrides() }?;
        let setup = StepSetup { drive: drive.to_owned(), toml: toml.map(str::to_owned), set, options };
        Ok((setup, Catalogue::new(folders(share))))
    }

    /// The texts of `set`.
    ///
    /// # Safety
    /// As for [`Self::read`].
    unsafe fn overrides(&self) -> Result<Vec<String>, CallRefusal> {
        let mut found = Vec::new();
        let mut next = self.set;
        // SAFETY: a null pointer ends the texts, and each before it is a C string.
        while let Some(&one) = unsafe { next.as_ref() }.filter(|one| !one.is_null()) {
            let one = unsafe { CStr::from_ptr(one) }.to_str();
            let refused =
                |_| CallRefusal::input(format!("set: text {}: no UTF-8: expected a text in it", found.len()));
            let one = one.map_err(refused)?.to_owned();
            found.push(one);
            // SAFETY: this was not the last.
            next = unsafe { next.add(1) };
        }
        Ok(found)
    }
}

/// Where drives and chips are looked for.
fn folders(share: Option<&str>) -> Option<PathBuf> {
    let named = share.map(PathBuf::from).or_else(|| std::env::var_os("FLOATGATE_SHARE").map(PathBuf::from));
    named.or_else(|| option_env!("FLOATGATE_SHARE_DIR").map(PathBuf::from))
}
