//! Addresses: logical, physical, and the places they name. None converts into another by `as`.

use std::fmt;

macro_rules! address {
    ($(#[$doc:meta])* $name:ident($repr:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub $repr);

        impl $name {
            /// Converts this number (of a logical or physical mapping unit, die, channel or superblock) to an index
            /// into a flat array.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), " {}"), self.0)
            }
        }
    };
}

address! {
    /// Type for the logical number (LPN) of a mapping unit: host byte offset divided by the size of a mapping unit.
    Lpn(u32)
}
address! {
    /// Type for the physical page address (PPA), which is the number of a mapping unit on flash, counted over the whole
    /// drive: die after die, superblock after superblock, unit after unit.
    Ppa(u64)
}
address! {
    /// Type for the index of a die, counted channel first: `die = (die in way * ways + way) * channels + channel`.
    DieId(u32)
}
address! {
    /// Type for the index of a channel of the drive.
    ChannelId(u32)
}
address! {
    /// Type for the index of a superblock within its die; a superblock consists of one block from each of the planes
    /// that operate together.
    SuperblockId(u32)
}

impl Lpn {
    /// Constant: value that stands for no logical unit, as for a unit of padding on flash.
    pub const NONE: Self = Self(u32::MAX);
}

impl Ppa {
    /// Constant: value that stands for no physical address, as for a logical unit that was never written, or was
    /// trimmed.
    pub const NONE: Self = Self(u64::MAX);
}
