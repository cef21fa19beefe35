//! Serial ATA with native command queuing: 32 tags, frames (FIS), one direction at a time.
//!
//! Figures: Serial ATA Revision 3.0: 1.5, 3 and 6 Gbit/s, every byte coded in ten bits (8b/10b), so that a dword
//! takes 40 bit times; a Data FIS carries at most 2048 dwords; a frame adds SOF, CRC and EOF; of 256 dwords two are
//! ALIGN. The reverse wires carry handshakes only, so that the link is half duplex for data.

use super::{Burst, Direction, HostLink, LinkShape, LinkStep, QueueOrder, time_of};
use crate::Effect;
use config::{Card, ConfigError, Policy, Section, at_least};
use units::{Bytes, Nanos};

/// Constant: number of double words (4 bytes) of framing of each SATA frame: SOF, CRC and EOF.
const FRAME_DWORDS: u64 = 3;
/// Constant: number of double words (4 bytes) of a SATA Register FIS; the same in both directions, from host to device
/// and from device to host.
const REGISTER_DWORDS: u64 = 5;
/// Constant: number of double words (4 bytes) of a SATA DMA Setup FIS, with which the drive names the tag of the
/// command whose data follow.
const SETUP_DWORDS: u64 = 7;
/// Constant: number of double words (4 bytes) of a SATA DMA Activate FIS, with which the drive says that it is ready
/// for the next Data FIS of a write.
const ACTIVATE_DWORDS: u64 = 1;
/// Constant: number of double words (4 bytes) of a SATA Set Device Bits FIS, with which the drive reports the tags of
/// completed commands.
const DONE_DWORDS: u64 = 2;
/// Constant: greatest number of data bytes in one SATA Data FIS.
const DATA_BYTES: u64 = 8192;
/// Constant: length of the header of a SATA Data FIS in double words (4 bytes).
const DATA_HEADER_DWORDS: u64 = 1;
const NCQ_TAGS: u32 = 32;

/// Implementation of the link `sata`: timing model of a Serial ATA link with native command queuing, or without queuing
/// (one command at a time).
#[derive(Clone, Debug)]
pub struct Sata {
    /// Bit rate of the SATA link in Mbit/s.
    mbit_per_s: u64,
    tags: u32,
    t_handshake: Nanos,
}

impl Policy for Sata {
    const CARD: Card = Card {
        name: "sata",
        rule: "one direction at a time; up to 32 tags; each frame (FIS) takes its dwords at 40 bit times and two handshakes",
        paper: "Serial ATA Revision 3.0",
        not_modelled: "port multipliers, link power states, non-zero buffer offsets, several tags in one Set Device Bits FIS",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let generation = section.within(at_least(1u32).at_most(3u32)).or(
            "generation",
            3u32,
            "1, 2 or 3: 1.5, 3 or 6 Gbit/s",
        )?;
        let tags = section.within(at_least(1u32).at_most(NCQ_TAGS)).or(
            "tags",
            NCQ_TAGS,
            "commands queued in the drive; 1: as without NCQ",
        )?;
        let t_handshake = section.or(
            "t_handshake",
            Nanos::new(150),
            "a primitive and its answer (X_RDY and R_RDY, WTRM and R_OK) through both ends; assumed",
        )?;
        Ok(Self { mbit_per_s: 1500 << (generation - 1), tags, t_handshake })
    }
}

impl Sata {
    /// Returns the time that one SATA frame with `dwords` double words of content takes on the link, framing included.
    fn frame(&self, dwords: u64) -> Nanos {
        self.frames(1, dwords)
    }

    /// Returns the time that `count` SATA frames with `dwords` double words of content in all take on the link, with
    /// framing, ALIGN primitives and two handshakes for each frame.
    fn frames(&self, count: u64, dwords: u64) -> Nanos {
        let wire = dwords + count * FRAME_DWORDS;
        // 254 dwords and two ALIGN: 256 x 40 bit times.
        time_of(wire, 256 * 40 * 1000, 254 * self.mbit_per_s) + Nanos::new(2 * count * self.t_handshake.ns())
    }
}

impl HostLink for Sata {
    fn shape(&self) -> LinkShape {
        LinkShape {
            full_duplex: false,
            queues: 1,
            // The queue of the host's driver; the drive's own is the tags.
            queue_depth: 1024,
            order: QueueOrder::Single,
            commands_most: self.tags,
            commands_usual: self.tags,
        }
    }

    /// Returns the times of sending a command over SATA: the Register FIS to the drive, one FIS back that frees the
    /// link for the next command, and for reads and writes a DMA Setup FIS before the data.
    fn command(&self, effect: Effect) -> LinkStep {
        let register = self.frame(REGISTER_DWORDS);
        let setup = match effect {
            Effect::Read | Effect::Write => self.frame(SETUP_DWORDS),
            Effect::Trim | Effect::Flush | Effect::Manage => Nanos::ZERO,
        };
        LinkStep { holds: [register, register + setup], takes: register }
    }

    fn data(&self, direction: Direction, bytes: Bytes) -> Burst {
        let frames = bytes.get().div_ceil(DATA_BYTES);
        let dwords = bytes.get().div_ceil(4) + frames * DATA_HEADER_DWORDS;
        let holds = self.frames(frames, dwords);
        match direction {
            Direction::ToHost => Burst { holds, ..Burst::default() },
            Direction::ToDrive => {
                let activate = self.frames(frames, frames * ACTIVATE_DWORDS);
                Burst { holds: holds + activate, ..Burst::default() }
            }
        }
    }

    fn answer(&self, _: Effect) -> LinkStep {
        let takes = self.frame(DONE_DWORDS);
        LinkStep { holds: [Nanos::ZERO, takes], takes }
    }
}
