//! The translation layers that there are.

use crate::{BlockMapped, PageMapped, ZoneMapped};

/// Declares the kinds of translation layer, as an enum, and the macro that calls a method of the drive's own kind.
macro_rules! layers {
    ($dollar:tt $($(#[$doc:meta])* $name:ident($layer:ty) by $as_layer:ident,)*) => {
        /// Translation layer of a drive, of one of the declared kinds.
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

        /// Evaluates an expression with the drive's own kind of translation layer.
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
    /// Page-mapped layer: a map entry for each mapping unit.
    Pages(PageMapped) by as_page_mapped,
    /// Block-mapped layer: a map of blocks, with log blocks.
    Blocks(BlockMapped) by as_block_mapped,
    /// Zoned layer: superblocks that belong to zones.
    Zones(ZoneMapped) by as_zone_mapped,
}
