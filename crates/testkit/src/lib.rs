//! What Floatgate is tested with: batteries every registered policy must pass, models to compare it with.
//!
//! - [`battery`]: one battery per seam; a policy joins by its line of registration alone.
//! - [`choose`]: policies made by name, and the settings to try them with.
//! - [`oracle`]: write amplification in closed form.
//! - [`untimed`]: a small flash translation layer without time, which drives a victim policy.
//! - [`mod@reference`]: a map from logical unit to version, with random host histories.

pub mod battery;
pub mod choose;
pub mod oracle;
pub mod reference;
pub mod untimed;
