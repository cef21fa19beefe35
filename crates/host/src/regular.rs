//! The one door through which files come in: only regular ones do.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

/// Opens the regular file at `path`, such as a trace or a fio job file, for reading; returns an error message if there
/// is no such file, or if it is a folder or no regular file.
///
/// The kind of file is checked before opening, because opening a pipe would wait for a writer, and a device may never
/// end.
pub(crate) fn open(path: &Path) -> Result<File, String> {
    let said = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => "no such file".to_owned(),
        _ => error.to_string(),
    };
    let about = std::fs::metadata(path).map_err(said)?;
    if about.is_dir() {
        return Err("is a folder".to_owned());
    }
    if !about.is_file() {
        return Err("not a regular file".to_owned());
    }
    File::open(path).map_err(said)
}
