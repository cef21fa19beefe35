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

/// State of a translation layer's work for the host: outputs, flushes, reads, and the count of units that a power cut
/// would lose.
pub(crate) struct Host {
    pub outputs: Vec<Output>,
    /// For each flush request in progress: the flush epoch (running number of the write buffer's periods between two
    /// flushes or snapshots) up to which all data must be on flash, and the number of the request.
    pub flushes: VecDeque<(u32, u32)>,
    /// List of pairs of write buffer slots with two versions of one unit, the older slot first. The newer slot holds a
    /// partial write, and waits until the older slot has received, from flash, the sectors that the host did not write.
    pub following: Vec<(u32, u32)>,
    /// Field: state of the host's read path: reads that use the array read (sense) of another read, and read-ahead.
    pub reads: ReadPath,
    /// The record of the units that the host wrote recently, kept only on a drive whose write buffer holds back just
    /// the units that are likely to be overwritten soon.
    pub recent: Option<Box<Recent>>,
    /// Field: access times of the DRAM that holds the write buffer; none where these accesses take no time.
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

    /// Returns the number of bytes of the simulator's memory that the state of the host's reads and writes takes.
    pub fn bytes(&self) -> usize {
        self.reads.bytes() + self.recent.as_ref().map_or(0, |recent| recent.bytes())
    }

    /// Registers a flush request of the host, which is then completed once all data that the write buffer has received
    /// so far are on flash.
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

    /// Removes and returns the write buffer slots with newer partial writes of a unit that wait until `slot`, with an
    /// older version, has received the unit's missing sectors from flash.
    #[cold]
    pub fn take_followers(&mut self, slot: u32) -> impl Iterator<Item = u32> + use<> {
        let all = std::mem::take(&mut self.following);
        let (behind, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(older, _)| *older == slot);
        self.following = others;
        behind.into_iter().map(|(_, follower)| follower)
    }
}
