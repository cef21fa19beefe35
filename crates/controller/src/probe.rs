//! What observers see. A run without observers is compiled without them.

use crate::{TimedTransaction, Transaction, TransactionId};
use engine::Calendar;
use units::{ChannelId, SimTime};

/// Record that every step of a simulation is given, its context: the calendar, into which the step enters its events,
/// and the probe (observer), to which it reports.
#[derive(Clone, Debug, Default)]
pub struct Context<P> {
    /// Field of the context: calendar of the simulation's future events, into which each step enters new events.
    pub calendar: Calendar,
    /// Field of the context: observer of the run, to which flash operations are reported.
    pub probe: P,
}

impl<P> Context<P> {
    /// Makes the context at the beginning of simulated time, with the observer `probe`.
    pub fn new(probe: P) -> Self {
        Self { calendar: Calendar::new(), probe }
    }
}

/// Kind of use that a channel was busy with: command, status, data in or data out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelUse {
    /// Case of channel use: command and address cycles.
    Command,
    /// Case of channel use: a status query for a program or erase, and the answer of the die.
    Status,
    /// Case of channel use: data that are sent to a die.
    DataIn,
    /// Case of channel use: data that a die sends.
    DataOut,
}

impl ChannelUse {
    /// Constant: number of different uses of a channel (command, status query, data in, data out).
    pub const COUNT: usize = 4;
    /// Constant: list of all uses of a channel (command, status query, data in, data out), in the order of their
    /// numbers.
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

/// Interface of an observer of flash operations on channels and dies. The translation layer's observer adds what the
/// operations mean.
pub trait Probe {
    /// Reports that a channel is busy from `from` to `to` with a phase of a transaction.
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
    /// Reports that the array of a die was busy from `from` to `to` with a transaction. A suspended operation is
    /// reported as several intervals.
    fn on_array(&mut self, _: TransactionId, _: &Transaction, _from: SimTime, _to: SimTime) {}
    /// Reports to the observer that a transaction was submitted to the queue of its die.
    fn on_submit(&mut self, _: TransactionId, _: &Transaction) {}
    /// Reports that a read was submitted that has no array read (sense) of its own, but uses that of transaction
    /// `_carrier`.
    fn on_ride(&mut self, _carrier: TransactionId, _: TransactionId, _: &Transaction) {}
    /// Reports that a transaction has finished; for a read, this is usually before its data are decoded.
    fn on_finish(&mut self, _: TransactionId, _: &TimedTransaction) {}
}

impl Probe for () {}
