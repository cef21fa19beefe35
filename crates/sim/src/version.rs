//! Which Floatgate this is.

/// Returns the version of Floatgate.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
