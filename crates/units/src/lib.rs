//! Time, sizes, rates and addresses as distinct types, so that a nanosecond is never added to a byte.
//!
//! Depends on nothing. Every crate above speaks in these types.

mod address;
mod mask;
mod physical;
mod quantity;
mod size;
mod time;

pub use address::{ChannelId, DieId, Lpn, Ppa, SuperblockId};
pub use mask::units_in;
pub use physical::{Capacitance, Current, Energy, Femtos, Frequency, Potential, Power, Voltage};
pub use quantity::{ParseQuantityError, Quantity};
pub use size::{Bytes, TransferRate};
pub use time::{Nanos, SimTime};
