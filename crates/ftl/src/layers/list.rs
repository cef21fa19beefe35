//! The translation layers that there are.

use crate::{BlockMapped, PageMapped, ZoneMapped};

/// Declares the layers, and the branch that a call of any of them costs.
macro_rules! layers {
    ($dollar:tt $($(#[$doc:meta])* $name:ident($layer:ty) by $as_layer:ident,)*) => {
        /// The translation layer of a drive: one of those listed.
        pub(crate) enum AnyLayer {
            $($(#[$doc])* $name(Box<$layer>),)*
        }

        impl AnyLayer {
            $($(#[$doc])*
            pub fn $as_layer(&mut self) -> Option<&mut $layer> {
                #[allow(unreachable_patterns)]
                match self {
                    Self::$name(layer) => Some(layer),
                    _ => None,
                }
            })*
        }

        /// What the layer at hand answers.
        macro_rules! each {
            ($dollar any:expr, $dollar layer:ident => $dollar answer:expr) => {
                match $dollar any {
                    $($crate::layers::AnyLayer::$name($dollar layer) => $dollar answer,)*
                }
            };
        }
        pub(super) use each;
    };
}

layers! { $
    /// A map of mapping units.
    Pages(PageMapped) by as_page_mapped,
    /// A map of blocks, and log blocks.
    Blocks(BlockMapped) by as_block_mapped,
    /// Superblocks of zones.
    Zones(ZoneMapped) by as_zone_mapped,
}
