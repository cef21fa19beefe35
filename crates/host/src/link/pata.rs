//! Parallel ATA: sixteen data lines, one command at a time.
//!
//! Figures: ATA/ATAPI-7 volume 2 (ANSI INCITS 397-2005): Ultra DMA timing, typical time of two cycles; register
//! transfers in PIO mode 4. A cycle moves a word of two bytes.

use super::{Burst, Direction, HostLink, LinkShape, LinkStep, QueueOrder, time_of};
use crate::Effect;
use config::{Card, ConfigError, Policy, Section, at_least};
use units::{Bytes, Nanos};

/// Constant: duration in nanoseconds of two strobe cycles, which transfer four bytes over parallel ATA, in Ultra DMA
/// modes 0 to 6 (t2CYCTYP).
const TWO_CYCLES_NS: [u64; 7] = [240, 160, 120, 90, 60, 40, 30];

/// Constant: time in nanoseconds of one register access over parallel ATA in PIO mode 4: t0 of 8-bit register
/// transfers.
const REGISTER_NS: u64 = 120;

/// Constant: number of register writes over parallel ATA for one command with 28-bit addresses: features, count, three
/// of address, device, command. With 48-bit addresses five of these registers are written twice.
const REGISTERS_28: u64 = 7;
const REGISTERS_48: u64 = 12;

/// Constant: time in nanoseconds that the host waits after it wrote the command register over parallel ATA; the drive
/// shows BSY within this time.
const COMMAND_WAIT_NS: u64 = 400;

/// Implementation of the link `pata`: timing model of a parallel ATA link with Ultra DMA and one command at a time:
/// further requests wait in the queue of the host's driver.
#[derive(Clone, Debug)]
pub struct Pata {
    two_cycles_ns: u64,
    registers: u64,
    t_burst: Nanos,
}

impl Policy for Pata {
    const CARD: Card = Card {
        name: "pata",
        rule: "one command at a time; a burst of data takes the cycles of its Ultra DMA mode",
        paper: "ATA/ATAPI-7 volume 2, INCITS 397-2005",
        not_modelled: "pauses within a burst, the second drive on the cable, requests of more sectors than one \
                       command can address",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let mode = section.within(at_least(0u32).at_most(6u32)).or(
            "mode",
            5u32,
            "Ultra DMA mode, 0 to 6: 16.7 to 133 MB/s",
        )?;
        let two_cycles_ns = TWO_CYCLES_NS[mode as usize];
        let long = section.or("lba48", true, "48-bit addresses: five registers are written twice")?;
        let t_burst = section.or(
            "t_burst",
            Nanos::new(500),
            "starting and ending a burst: DMARQ, envelope, pause, CRC; the standard's limits add up to about this",
        )?;
        Ok(Self { two_cycles_ns, registers: if long { REGISTERS_48 } else { REGISTERS_28 }, t_burst })
    }
}

impl HostLink for Pata {
    fn shape(&self) -> LinkShape {
        LinkShape {
            full_duplex: false,
            queues: 1,
            // The queue of the host's driver: the drive itself knows of one command only.
            queue_depth: 1024,
            order: QueueOrder::Single,
            commands_most: 1,
            commands_usual: 1,
        }
    }

    fn command(&self, _: Effect) -> LinkStep {
        let takes = Nanos::new(self.registers * REGISTER_NS + COMMAND_WAIT_NS);
        LinkStep { holds: [takes, Nanos::ZERO], takes }
    }

    fn data(&self, _direction: Direction, bytes: Bytes) -> Burst {
        Burst { holds: self.t_burst + time_of(bytes.get(), self.two_cycles_ns, 4), ..Burst::default() }
    }

    /// Returns the times of a command's completion over parallel ATA: the interrupt line, and one read of the status
    /// register.
    fn answer(&self, _: Effect) -> LinkStep {
        let takes = Nanos::new(REGISTER_NS);
        LinkStep { holds: [Nanos::ZERO, takes], takes }
    }
}
