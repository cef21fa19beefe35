//! What a drive can have beside what every drive has: a folder for each feature, with its settings, its state, what it does at
//! its hooks, and what is left of it when the power fails.
//!
//! A feature stands in the list below, and nowhere else is it named. It is told of what happens by hooks ([`Feature`]), changes
//! its own state and that of the core, and asks the layer for all that other features may have a part in
//! ([`Ask`](crate::core::Ask)). A drive without any pays one test for a hook.

pub mod costs;
mod demand;
mod hooks;
mod make;
pub mod parity;
mod sectors;
mod slc_cache;
pub mod snapshots;
mod trims;

pub use costs::CorrectionParts;
pub(crate) use hooks::Feature;
pub(crate) use make::{Chore, Made, Making, Settings};
pub use make::{Listed, Said};

/// Macro that holds the list of all features and passes the list, before its other arguments, to another macro. Hooks
/// are called in this order.
macro_rules! features {
    ($call:ident $($rest:tt)*) => {
        $call! {
            [
                costs: crate::features::costs::Regulation,
                parity: crate::features::parity::Stripes,
                slc_cache: crate::features::slc_cache::SlcCache,
                snapshots: crate::features::snapshots::Snapshots,
                sectors: crate::features::sectors::Sectors,
                trims: crate::features::trims::Trims,
                demand: crate::features::demand::Demand,
            ]
            $($rest)*
        }
    };
}
use features;

/// Macro that makes the struct of a drive's features, with one field for each feature of the list.
macro_rules! fields {
    ([$($name:ident: $type:ty,)*]) => {
        /// Set of the optional features of a drive's FTL (parity, SLC cache, snapshots and so on), each present or
        /// absent.
        #[derive(Default)]
        pub struct Features {
            /// True if the drive has at least one feature; otherwise the FTL calls no hook.
            active: bool,
            $($name: Option<Box<$type>>,)*
        }
    };
}

features! { fields }
