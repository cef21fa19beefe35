//! Which Floatgate this is.

/// The version of Floatgate.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
