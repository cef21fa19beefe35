//! A channel: until when it is taken, who waits for it, and how long it was busy.

use crate::arbitration::{Arbiter, ChannelView, Want};
use units::SimTime;

pub(crate) struct Channel {
    pub free_at: SimTime,
    pub busy_ns: u64,
    pub wake_scheduled: bool,
    commands: u64,
    outs: u64,
    ins: u64,
    since: Vec<SimTime>,
    arbiter: Box<dyn Arbiter>,
}

impl Channel {
    pub fn new(dies: u32, arbiter: Box<dyn Arbiter>) -> Self {
        Self {
            free_at: SimTime::ZERO,
            busy_ns: 0,
            wake_scheduled: false,
            commands: 0,
            outs: 0,
            ins: 0,
            since: vec![SimTime::ZERO; 2 * dies as usize],
            arbiter,
        }
    }

    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.commands | self.outs | self.ins != 0
    }

    #[inline]
    pub fn wait(&mut self, die: u32, want: Want, out: bool, now: SimTime) {
        let bit = 1 << die;
        match (want, out) {
            (Want::Command, _) => self.commands |= bit,
            (Want::Data, true) => self.outs |= bit,
            (Want::Data, false) => self.ins |= bit,
        }
        self.since[2 * die as usize + want as usize] = now;
    }

    #[inline]
    pub fn pick(&mut self) -> (u32, Want) {
        let view =
            ChannelView { commands: self.commands, outs: self.outs, ins: self.ins, since: &self.since };
        let (die, want) = self.arbiter.pick(&view);
        let bit = 1 << die;
        let waiting = match want {
            Want::Command => self.commands,
            Want::Data => self.outs | self.ins,
        };
        assert!(waiting & bit != 0, "the arbiter picked die {die} of a channel, which does not wait");
        match want {
            Want::Command => self.commands &= !bit,
            Want::Data => {
                self.outs &= !bit;
                self.ins &= !bit;
            }
        }
        (die, want)
    }
}
