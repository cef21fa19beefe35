//! Files that are there for a while: on their way to a name, or while a trace is sorted.

use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Returns where files go that no one is to see. A module under WASI has no folder of that name of its own,
/// and asking for it would end it.
#[allow(clippy::disallowed_methods)] // The one place that asks for it.
pub(crate) fn folder() -> PathBuf {
    if cfg!(target_os = "wasi") { PathBuf::from("/tmp") } else { std::env::temp_dir() }
}

/// Returns a file in `folder`, to be put at its name once it is whole, then as readable as any new file.
///
/// # Errors
/// When it cannot be made.
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

/// Sees to it that a file that was put at its name is found there after a power cut, where a folder can be opened for that.
///
/// # Errors
/// When the folder cannot be written.
pub fn settle(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
