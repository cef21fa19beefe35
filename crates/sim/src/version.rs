//! Which Floatgate this is.

/// Returns the version number of Floatgate as text.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
