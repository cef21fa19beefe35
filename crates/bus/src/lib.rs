//! The wires between controller and chips: how long each cycle takes, how many wires it needs, what it costs.
//!
//! An *interface* ([`interface`]) turns timing parameters into [`Signalling`]: the cycle of commands and
//! addresses, the cadence of data, and the waits between them. [`Bus`] turns that into the time each operation
//! holds a channel. Not modelled: training, on-die termination, bit errors on the wires, skew between lines.

mod bus;
mod energy;
mod family;
pub mod interface;
mod signalling;
mod strobes;
mod support;
pub mod waveform;

pub use bus::Bus;
pub use energy::IoEnergy;
pub use family::{Family, ModeSet};
pub use interface::Interface;
pub use signalling::{Cadence, CycleWaits, Pins, Signalling};
pub use strobes::Strobes;
pub use support::Support;
