//! The translation layers that there are.

use crate::{BlockMapped, PageMapped, ZoneMapped};

/// Macro that declares the kinds of translation layer, as an enum, and the macro that calls a method of the drive's own
/// kind.
macro_rules! layers {
    ($dollar:tt $($(#[$doc:meta])* $name:ident($layer:ty) by $as_layer:ident,)*) => {
        /// Kinds of the translation layer of a drive: each case holds a layer of one of the declared kinds.
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

        /// Macro that evaluates an expression with the translation layer of the drive, for each kind of layer that the
        /// drive can have.
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
    /// Case of translation layer: page-mapped, with a map entry for each mapping unit.
    Pages(PageMapped) by as_page_mapped,
    /// Case of translation layer: block-mapped, with a map of blocks and with log blocks.
    Blocks(BlockMapped) by as_block_mapped,
    /// Case of translation layer: zoned, with superblocks that belong to zones.
    Zones(ZoneMapped) by as_zone_mapped,
}
