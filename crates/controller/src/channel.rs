//! A channel: until when it is taken, who waits for it, and how long it was busy.

use crate::arbitration::{Arbiter, ChannelView, Want};
use engine::RandomStream;
use units::SimTime;

/// Kind of use for which a die gets the channel: command, status query, data-in or data-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    Command,
    /// Case of channel use: status query for the outcome of a program or erase; arbitration policies see it as a
    /// command.
    Status,
    DataIn,
    DataOut,
}

pub(crate) struct ChannelState {
    pub free_at: SimTime,
    pub busy_ns: u64,
    pub wake_scheduled: bool,
    commands: u64,
    statuses: u64,
    outs: u64,
    ins: u64,
    since: Vec<SimTime>,
    arbiter: Box<dyn Arbiter>,
}

impl ChannelState {
    pub fn new(dies: u32, arbiter: Box<dyn Arbiter>) -> Self {
        Self {
            free_at: SimTime::ZERO,
            busy_ns: 0,
            wake_scheduled: false,
            commands: 0,
            statuses: 0,
            outs: 0,
            ins: 0,
            since: vec![SimTime::ZERO; 2 * dies as usize],
            arbiter,
        }
    }

    pub fn begin(&mut self, random: RandomStream) {
        self.arbiter.take_random(random);
        self.arbiter.attach(self.since.len() as u32 / 2);
    }

    /// Removes all operations that wait for the channel, without carrying them out.
    pub fn forget_waiting(&mut self) {
        (self.commands, self.statuses, self.outs, self.ins) = (0, 0, 0, 0);
        self.wake_scheduled = false;
    }

    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.commands | self.statuses | self.outs | self.ins != 0
    }

    #[inline]
    pub fn wait(&mut self, die: u32, want: Grant, now: SimTime) {
        let bit = 1 << die;
        let commanded = (self.commands | self.statuses) & bit != 0;
        let set = match want {
            Grant::Command => &mut self.commands,
            Grant::Status => &mut self.statuses,
            Grant::DataIn => &mut self.ins,
            Grant::DataOut => &mut self.outs,
        };
        *set |= bit;
        match want {
            Grant::Command | Grant::Status if commanded => {}
            Grant::Command | Grant::Status => self.since[2 * die as usize] = now,
            Grant::DataIn | Grant::DataOut => self.since[2 * die as usize + 1] = now,
        }
    }

    #[inline]
    pub fn pick(&mut self) -> (u32, Grant) {
        let commands = self.commands | self.statuses;
        let view = ChannelView { commands, outs: self.outs, ins: self.ins, since: &self.since };
        let (die, want) = self.arbiter.pick(&view);
        let bit = 1 << die;
        let (set, grant) = match want {
            Want::Command if self.statuses & bit != 0 => (&mut self.statuses, Grant::Status),
            Want::Command => (&mut self.commands, Grant::Command),
            Want::Data if self.outs & bit != 0 => (&mut self.outs, Grant::DataOut),
            Want::Data => (&mut self.ins, Grant::DataIn),
        };
        assert!(*set & bit != 0, "the arbiter picked die {die} of a channel, which does not wait");
        *set &= !bit;
        (die, grant)
    }
}
