//! What the host sees of a translation layer with any kind of map: how its reads reach the flash, what it waits
//! for, what it is told.

mod arriving;
mod reads;
mod serves;

pub(crate) use arriving::Arrives;
pub(crate) use reads::{ReadPath, Reads};
pub(crate) use serves::Serves;

use crate::Output;
use crate::buffer::{Buffer, Dram, Recent, Risk};
use crate::settings::FtlConfig;
use controller::Controller;
use std::collections::VecDeque;

/// The state of a layer's dealings with the host.
pub(crate) struct Host {
    pub outputs: Vec<Output>,
    /// For each flush in flight: the buffer epoch before which all data must be on flash, and its request.
    pub flushes: VecDeque<(u32, u32)>,
    /// Slots that wait for an older slot to get the rest of their unit, each after that older slot.
    pub following: Vec<(u32, u32)>,
    /// The state of the host's reads.
    pub reads: ReadPath,
    /// Units that the host wrote lately, on a drive where they decide which units stay in the buffer.
    pub recent: Option<Box<Recent>>,
    /// Access times of the buffer's DRAM, where accesses take time.
    pub dram: Option<Dram>,
    pub risk: Risk,
}

impl Host {
    pub fn new(config: &FtlConfig, controller: &mut Controller) -> Self {
        Self {
            outputs: Vec::with_capacity(64),
            flushes: VecDeque::new(),
            following: Vec::new(),
            reads: ReadPath::new(config, controller),
            recent: Recent::new(config.buffer.keep_rewritten, &config.layout),
            dram: config.buffer.dram,
            risk: Risk::default(),
        }
    }

    /// Returns the number of bytes of state.
    pub fn bytes(&self) -> usize {
        self.reads.bytes() + self.recent.as_ref().map_or(0, |recent| recent.bytes())
    }

    /// Lets a flush wait until all that the buffer received so far is on flash.
    pub fn await_flushed(&mut self, request: u32, buffer: &mut Buffer) {
        self.flushes.push_back((buffer.end_epoch(), request));
        self.answer_flushes(buffer);
    }

    pub fn answer_flushes(&mut self, buffer: &mut Buffer) {
        while let Some(&(epoch, request)) = self.flushes.front() {
            if buffer.oldest_epoch() <= epoch {
                return;
            }
            self.flushes.pop_front();
            self.outputs.push(Output::Flushed { request });
        }
    }

    /// Takes the slots that wait for `slot` to be completed.
    #[cold]
    pub fn take_followers(&mut self, slot: u32) -> impl Iterator<Item = u32> + use<> {
        let all = std::mem::take(&mut self.following);
        let (behind, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(older, _)| *older == slot);
        self.following = others;
        behind.into_iter().map(|(_, follower)| follower)
    }
}
