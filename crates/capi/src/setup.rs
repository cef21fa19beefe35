//! What a drive is opened from.

use crate::code::{CallRefusal, needed, text};
use serde_json::json;
use sim::{Catalogue, RunOptions};
use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use step::StepSetup;

/// Record that describes a drive to be opened, with its settings and options. `floatgate_setup` makes one with the
/// usual values; the caller then changes fields.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FloatgateSetup {
    /// Setting of the C interface: name of the drive, or path of its file; with `toml`, only the drive's name in messages.
    pub drive: *const c_char,
    /// Text of a drive file, or null if `drive` names one.
    pub toml: *const c_char,
    /// List of settings `key=value` that override keys of the drive file, ended by a null pointer; or null for none.
    pub set: *const *const c_char,
    /// Folder that contains the folders `drives` and `chips`; if null, the folder that the environment variable
    /// FLOATGATE_SHARE names, else the folder where the library was installed.
    pub share: *const c_char,
    /// Setting of the C interface: seed of all random numbers of the simulation; usually 1.
    pub seed: u64,
    /// Setting of the C interface: preconditioning of the drive before simulated time begins: `fill`, `steady` or
    /// `instant`; null for none.
    pub precondition: *const c_char,
    /// Setting of the C interface: fraction of the drive that preconditioning fills with data, from 0 to 1; usually 1.
    pub precondition_fill: f64,
    /// Path of a saved state of the drive to start from, or null.
    pub load: *const c_char,
    /// Greatest memory in bytes that the simulation of the drive may take; 0 for 95 % of the machine's available
    /// memory.
    pub memory_limit: u64,
    /// Setting of the C interface: true if an independent checker is to check the simulated drive in all that it does.
    pub check: bool,
}

/// Makes a setup of the C interface for the drive with the name or file `drive`, with the usual values in all other
/// fields.
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
    /// Converts the setup's C values to a Rust setup, and returns it with the catalogue of drives and chips in which
    /// the drive is to be looked up.
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

    /// Converts the C list `set` of settings (`key=value`, which override keys of the drive file) to a list of strings,
    /// and returns that list.
    ///
    /// # Safety
    /// `set` is null, or a list of C strings that ends with a null pointer.
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

/// Returns the folder in which drive and chip files are looked up: `share`, else the folder that the environment
/// variable FLOATGATE_SHARE names, else the folder of the installation; `None` if no such folder is known.
fn folders(share: Option<&str>) -> Option<PathBuf> {
    let named = share.map(PathBuf::from).or_else(|| std::env::var_os("FLOATGATE_SHARE").map(PathBuf::from));
    named.or_else(|| option_env!("FLOATGATE_SHARE_DIR").map(PathBuf::from))
}
