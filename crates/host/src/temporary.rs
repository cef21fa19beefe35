//! Files that are there for a while: on their way to a name, or while a trace is sorted.

use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Returns the folder for temporary files. Under WASI this is always `/tmp`, since asking a WASI module for its
/// temporary folder would end it.
#[allow(clippy::disallowed_methods)] // The one place that asks for it.
pub(crate) fn folder() -> PathBuf {
    if cfg!(target_os = "wasi") { PathBuf::from("/tmp") } else { std::env::temp_dir() }
}

/// Makes a temporary file in `folder`, with a name that begins with `prefix`, to be renamed when it is complete; its
/// permissions are those of any new file.
///
/// # Errors
/// When the file cannot be made.
pub fn beside(folder: &Path, prefix: &str) -> std::io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Less the umask.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Synchronises `folder` to disk, so that a file that was renamed in it is found there after a power cut; does nothing
/// on systems that are not Unix.
///
/// # Errors
/// When the folder cannot be opened or synchronised.
pub fn settle(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
