//! Arbiters: only what waits, the same again from the same history, and no operation waits for ever unless the
//! policy's card says so.

use super::Starvation;
use controller::arbitration::{Arbiter, ChannelView, Maker, Want};
use engine::RandomStream;
use units::{Nanos, SimTime};

/// Kind of state of a simulated die between two uses of its channel, in the randomised test that every channel arbiter
/// must pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Case of a die's state in the test of channel arbiters: the die waits for the channel, to receive its next
    /// command.
    Command,
    /// Case of a die's state in the test of channel arbiters: its array is busy until the channel's counter of turns
    /// (uses by any die, and idle turns) reaches this number; then the die waits to send the data of a read (true) or
    /// to receive a new command (false).
    Array(u64, bool),
    /// Case of a die's state in the test of channel arbiters: the die waits for the channel, to send the data of a read
    /// (true) or to receive the data of a program (false).
    Data(bool),
}

/// Simulated channel for the randomised test of channel arbiters: each die repeatedly does a read (command, array, data
/// out) or a program (command, data in, array).
struct KeptChannel {
    stages: Vec<Stage>,
    since: Vec<SimTime>,
    /// Field: list with, for each simulated die in the test of channel arbiters, the value of the channel's counter of
    /// turns (uses by any die, and idle turns) when the die began to wait for the channel.
    waits_from: Vec<u64>,
    grants: u64,
    reads: f64,
    array_grants: u64,
    random: RandomStream,
    policy: Box<dyn Arbiter>,
    longest: u64,
}

impl KeptChannel {
    fn new(maker: &Maker, dies: u32, reads: f64, array_grants: u64, seed: u64) -> Self {
        Self {
            stages: vec![Stage::Command; dies as usize],
            since: vec![SimTime::ZERO; 2 * dies as usize],
            waits_from: vec![0; dies as usize],
            grants: 0,
            reads,
            array_grants,
            random: RandomStream::new(seed, "battery.arbitration"),
            policy: maker(),
            longest: 0,
        }
    }

    fn now(&self) -> SimTime {
        SimTime::ZERO + Nanos::new(1000 * self.grants)
    }

    fn wait(&mut self, die: usize, stage: Stage) {
        self.stages[die] = stage;
        self.waits_from[die] = self.grants;
        self.since[2 * die + usize::from(stage != Stage::Command)] = self.now();
    }

    /// Moves each simulated die whose array operation has ended into the state in which it waits for the channel, to
    /// send data or to receive a command.
    fn wake(&mut self) {
        for die in 0..self.stages.len() {
            match self.stages[die] {
                Stage::Array(until, true) if until <= self.grants => self.wait(die, Stage::Data(true)),
                Stage::Array(until, false) if until <= self.grants => self.wait(die, Stage::Command),
                _ => {}
            }
        }
    }

    /// Asks the arbiter under test which waiting die may use the channel next and checks the answer, or lets the
    /// channel idle if no die waits. Returns the die and the use (command or data) that were granted; `None` if no die
    /// waited.
    fn step(&mut self, context: &str) -> Option<(u32, Want)> {
        self.wake();
        let set = |stage: Stage| {
            let members = self.stages.iter().enumerate().filter(|(_, at)| **at == stage);
            members.fold(0u64, |set, (die, _)| set | 1 << die)
        };
        let (commands, outs, ins) = (set(Stage::Command), set(Stage::Data(true)), set(Stage::Data(false)));
        if commands | outs | ins == 0 {
            self.grants += 1;
            return None;
        }
        let view = ChannelView { commands, outs, ins, since: &self.since };
        let (die, want) = self.policy.pick(&view);
        let waiting = if want == Want::Command { commands } else { outs | ins };
        assert!(
            die < 64 && waiting >> die & 1 == 1,
            "{context}: picked die {die} for its {want:?}, unwanted"
        );
        self.check_rule(context, die as usize);
        self.grants += 1;
        self.longest = self.longest.max(self.grants - self.waits_from[die as usize]);
        self.serve(die as usize);
        Some((die, want))
    }

    /// Checks, if the arbiter under test is `fifo`, that the die that has waited longest for the channel was chosen.
    fn check_rule(&self, context: &str, die: usize) {
        if context.split(' ').next() == Some("name=fifo") {
            let waiting = |other: &usize| !matches!(self.stages[*other], Stage::Array(..));
            let first = (0..self.stages.len()).filter(waiting).map(|other| self.waits_from[other]).min();
            assert_eq!(Some(self.waits_from[die]), first, "{context}: die {die} came later");
        }
    }

    fn serve(&mut self, die: usize) {
        let busy = self.grants + self.random.below(2 * self.array_grants + 1);
        match self.stages[die] {
            Stage::Command if self.random.chance(self.reads) => self.stages[die] = Stage::Array(busy, true),
            // Data follows the command of a program, as soon as the channel is free again.
            Stage::Command => self.wait(die, Stage::Data(false)),
            Stage::Data(_) => self.stages[die] = Stage::Array(busy, false),
            Stage::Array(..) => unreachable!("an array at work does not want the channel"),
        }
    }
}

/// Tests a channel arbiter with `events` turns on each of several simulated channels of various numbers of dies and
/// loads; `starvation` says whether the description (card) of the policy allows that a die waits for ever.
///
/// # Panics
/// When the arbiter breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64, starvation: Starvation) {
    for (dies, reads, array_grants) in
        [(1, 0.5, 0), (2, 1.0, 1), (3, 0.9, 2), (8, 0.95, 1), (8, 0.0, 20), (63, 0.7, 10), (64, 0.99, 100)]
    {
        let run = || {
            let mut channel = KeptChannel::new(maker, dies, reads, array_grants, 3);
            let served: Vec<_> = (0..events).map(|_| channel.step(context)).collect();
            (channel, served)
        };
        let (channel, first) = run();
        assert!(first == run().1, "{context}: not the same picks again");
        if starvation == Starvation::Forbidden {
            nobody_starves(context, &channel);
        }
    }
}

/// Checks that no die, neither one that was served nor one that still waits, was passed over by the arbiter for more
/// than 64 uses of the channel for each die on it.
fn nobody_starves(context: &str, channel: &KeptChannel) {
    const ROUNDS: u64 = 64;
    let waiting = |die: &usize| !matches!(channel.stages[*die], Stage::Array(..));
    let now = (0..channel.stages.len()).filter(waiting).map(|die| channel.grants - channel.waits_from[die]);
    let longest = channel.longest.max(now.max().unwrap_or(0));
    let dies = channel.stages.len();
    let bound = ROUNDS * dies as u64;
    assert!(longest <= bound, "{context}: one of {dies} dies was passed by {longest} times");
}
