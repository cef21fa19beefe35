//! Which die gets the channel next?

use engine::RandomStream;
use units::SimTime;

/// What a die wants the channel for. A die can wait with a command and with data at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The die wants the channel for command and address cycles.
    Command,
    /// The die wants the channel for data, in or out.
    Data,
}

/// The information that an arbitration policy may use. Sets have one bit per die of the channel, in way order.
pub struct ChannelView<'a> {
    /// Dies that wait to be sent a command.
    pub commands: u64,
    /// Dies that wait to give data.
    pub outs: u64,
    /// Dies that wait to take data.
    pub ins: u64,
    /// Since when each die waits: index `2 * die` for its command, `2 * die + 1` for its data.
    pub since: &'a [SimTime],
}

impl ChannelView<'_> {
    /// Returns the first die of `set` from `start` on, around the end. `set` must not be empty.
    #[inline]
    pub fn next_in(set: u64, start: u32) -> u32 {
        let from = set & (u64::MAX << start);
        if from != 0 { from.trailing_zeros() } else { set.trailing_zeros() }
    }
}

/// The policy that decides which die gets a channel next. Each channel has its own instance.
pub trait Arbiter: Send {
    /// Gives a policy that draws at random a random stream of its own. Called before `attach`.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Tells the policy how many dies the channel has. Called before anything else on a drive.
    fn attach(&mut self, _dies: u32) {}

    /// Chooses one of the waiting dies, and what it gets the channel for. At least one die is waiting.
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
