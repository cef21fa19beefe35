//! Intervals for a timeline: what each channel and each die did when.

use crate::tables::Type;
use controller::{ChannelUse, Transaction};
use units::{ChannelId, DieId, SimTime};

/// The columns of the timeline, with their types. `track`: channels from 0, dies from 2^16. `what`: first
/// the uses of a channel, then the kinds of operation, each in its own order. `origin`: as in the results, 255 on
/// channels.
pub const TIMELINE_COLUMNS: [(&str, Type); 6] = [
    ("from_ns", Type::Uint64),
    ("to_ns", Type::Uint64),
    ("track", Type::Uint32),
    ("what", Type::Uint8),
    ("origin", Type::Uint8),
    ("die", Type::Uint32),
];

const FIRST_DIE: u32 = 1 << 16;

/// Intervals, column by column, until they are taken.
#[derive(Default)]
pub(crate) struct Timeline {
    columns: [Vec<u8>; TIMELINE_COLUMNS.len()],
}

impl Timeline {
    fn push(&mut self, from: SimTime, to: SimTime, track: u32, what: u8, origin: u8, die: u32) {
        self.columns[0].extend_from_slice(&from.ns().to_le_bytes());
        self.columns[1].extend_from_slice(&to.ns().to_le_bytes());
        self.columns[2].extend_from_slice(&track.to_le_bytes());
        self.columns[3].push(what);
        self.columns[4].push(origin);
        self.columns[5].extend_from_slice(&die.to_le_bytes());
    }

    pub fn on_channel(
        &mut self,
        channel: ChannelId,
        die: DieId,
        usage: ChannelUse,
        from: SimTime,
        to: SimTime,
    ) {
        self.push(from, to, channel.0, usage as u8, u8::MAX, die.0);
    }

    pub fn on_array(&mut self, transaction: &Transaction, from: SimTime, to: SimTime) {
        let what = ChannelUse::COUNT as u8 + transaction.kind as u8;
        let die = transaction.die.0;
        self.push(from, to, FIRST_DIE + die, what, transaction.origin as u8, die);
    }

    /// Little-endian columns in the order of [`TIMELINE_COLUMNS`].
    pub fn take(&mut self) -> Vec<Vec<u8>> {
        self.columns.iter_mut().map(std::mem::take).collect()
    }
}
