//! Which die gets the channel next?

use engine::RandomStream;
use units::SimTime;

/// Kind of purpose for which a die waits for its channel: to be sent a command, or to transfer data. A die can wait for
/// both purposes at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Case of purpose for getting the channel: command and address cycles to the die, or a status query.
    Command,
    /// Case of purpose for getting the channel: a data transfer, which is the data-out of a read or the data-in of a
    /// program.
    Data,
}

/// Read-only view of the dies that wait for a channel, for an arbitration policy. Bit masks have one bit per die of the
/// channel, in way order.
pub struct ChannelView<'a> {
    /// Bit mask of dies that wait to be sent a command or a status query.
    pub commands: u64,
    /// Bit mask of dies that wait to send data out (reads).
    pub outs: u64,
    /// Bit mask of dies that wait to be sent data (programs).
    pub ins: u64,
    /// List of the times since which the dies of the channel wait for it: at index `2 * die` for the die's command, at
    /// `2 * die + 1` for its data.
    pub since: &'a [SimTime],
}

impl ChannelView<'_> {
    /// Returns the number of the first die in bit mask `set` (one bit per die of the channel) from die `start` on,
    /// continuing with die 0 after the last. `set` must not be empty.
    #[inline]
    pub fn next_in(set: u64, start: u32) -> u32 {
        let from = set & (u64::MAX << start);
        if from != 0 { from.trailing_zeros() } else { set.trailing_zeros() }
    }
}

/// Trait of the channel arbitration policies, which decide which die gets a channel next. Each channel has its own
/// instance.
pub trait Arbiter: Send {
    /// Gives the channel arbitration policy a random stream of its own, which only a policy with random choices uses.
    /// Called before `attach`.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Tells the channel arbitration policy the number of dies on its channel. Called after `take_random` and before
    /// the policy makes its first choice.
    fn attach(&mut self, _dies: u32) {}

    /// Chooses the die that gets the channel next, and returns its number on the channel with the purpose: its command
    /// or its data transfer. At least one die is waiting.
    fn pick(&mut self, view: &ChannelView<'_>) -> (u32, Want);
}

config::policies! {
    seam: "controller.arbitration",
    question: "Which die gets the channel next?",
    default: "round-robin",
    dyn Arbiter;
    fifo::FifoArbitration,
    reads_first::ReadsFirst,
    round_robin::RoundRobinArbitration,
}
