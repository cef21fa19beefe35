//! What observers see. A run without observers is compiled without them.

use crate::{Transaction, TransactionId};
use engine::Calendar;
use units::{ChannelId, SimTime};

/// The context of every step of a simulation: the calendar, into which the step enters its events, and the probe, to
/// which it reports.
#[derive(Clone, Debug, Default)]
pub struct Context<P> {
    /// The calendar of future events.
    pub calendar: Calendar,
    /// Observer of the run.
    pub probe: P,
}

impl<P> Context<P> {
    /// Returns the beginning of time, under the eyes of `probe`.
    pub fn new(probe: P) -> Self {
        Self { calendar: Calendar::new(), probe }
    }
}

/// The use that a channel was busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelUse {
    /// The channel carries command and address cycles.
    Command,
    /// The question whether a program or erase succeeded, and the answer of the die.
    Status,
    /// The channel carries data to a die.
    DataIn,
    /// The channel carries data from a die.
    DataOut,
}

impl ChannelUse {
    /// Number of uses.
    pub const COUNT: usize = 4;
    /// Every use, in the order of its number.
    pub const ALL: [Self; Self::COUNT] = [Self::Command, Self::Status, Self::DataIn, Self::DataOut];

    /// Returns the name of the channel use in timelines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Status => "status",
            Self::DataIn => "data in",
            Self::DataOut => "data out",
        }
    }
}

/// An observer of flash operations. The crate above tells their meaning.
pub trait Probe {
    /// Notes that a channel will be busy from `from` to `to`, with a part of a transaction.
    fn on_channel(
        &mut self,
        _: ChannelId,
        _: TransactionId,
        _: &Transaction,
        _: ChannelUse,
        _from: SimTime,
        _to: SimTime,
    ) {
    }
    /// Reports that the array of a die was busy from `from` to `to`. A suspended operation shows as several
    /// intervals.
    fn on_array(&mut self, _: TransactionId, _: &Transaction, _from: SimTime, _to: SimTime) {}
    /// Reports that a transaction was submitted.
    fn on_submit(&mut self, _: TransactionId, _: &Transaction) {}
    /// Reports that a read was submitted that rides on another, `carrier`.
    fn on_ride(&mut self, _carrier: TransactionId, _: TransactionId, _: &Transaction) {}
    /// Reports that a transaction finished.
    fn on_finish(&mut self, _: TransactionId, _: &Transaction) {}
}

impl Probe for () {}
