//! The link between host and drive: queues, commands in flight, bandwidth, overhead of a command.
//!
//! Not modelled: frame overhead beyond the rate given, interrupts, the host's own software.

use config::{ConfigError, Section};
use units::{Bytes, Nanos, TransferRate};

/// How commands and data cross the link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// Both directions at once (NVMe over PCIe), or one at a time (SATA).
    pub full_duplex: bool,
    /// Payload bandwidth of one direction.
    pub rate: TransferRate,
    /// Submission queues.
    pub queues: u32,
    /// Commands each of them holds.
    pub queue_depth: u32,
    /// Commands the drive works on at once.
    pub max_commands: u32,
    /// Time added to each command by protocol and firmware.
    pub t_command: Nanos,
    /// The part of it during which no other command is looked at.
    pub t_command_service: Nanos,
    /// The data of a write that cross before the drive may go on with them; absent: as much as has room.
    pub frame: Option<Bytes>,
    /// Data flow through a FIFO while they still cross; else each piece is stored before it goes on.
    pub cut_through: bool,
    /// One command's data cross while the flash works on another's: two buffers take turns.
    pub double_buffer: bool,
    /// Commands are worked on in groups: as many as it takes to give each die this many pages, the next group
    /// when all of them are done. 0: each command for itself.
    pub group_pages_per_die: u32,
    /// Time a trim command takes.
    pub t_trim: Nanos,
}

impl LinkConfig {
    /// Reads `[host]`.
    ///
    /// # Errors
    /// When a value is wrong, or SATA is given more than its one queue of 32.
    pub fn read(root: &mut Section) -> Result<Self, ConfigError> {
        let mut host = root.child("host")?;
        let nvme = host.choice("link", &["sata", "nvme"], "nvme", "SATA with NCQ, or NVMe")? == "nvme";
        let rate = if nvme { 3_200_000_000 } else { 600_000_000 };
        let rate =
            host.or("rate", TransferRate::from_bytes_per_s(rate), "payload bandwidth of a direction")?;
        let queues = host.or("queues", if nvme { 8u32 } else { 1 }, "submission queues")?;
        let queue_depth =
            host.or("queue_depth", if nvme { 1024u32 } else { 32 }, "commands a queue holds")?;
        let max_commands =
            host.or("max_commands", if nvme { 256u32 } else { 32 }, "commands the drive works on at once")?;
        if queues == 0 || (!nvme && queues != 1) || queues > 1 << 16 {
            return Err(host.reject("queues", "expected 1 for sata, 1 to 65536 for nvme"));
        }
        if queue_depth == 0 || queue_depth > if nvme { 1 << 16 } else { 32 } {
            return Err(host.reject("queue_depth", "expected 1 to 32 for sata, 1 to 65536 for nvme"));
        }
        if max_commands == 0 || max_commands > 1 << 20 {
            return Err(host.reject("max_commands", "expected 1 to 1048576"));
        }
        let frame = host.optional::<Bytes>(
            "frame",
            "data of a write that cross before the drive goes on with them; else as much as has room",
        )?;
        if frame.is_some_and(|frame| frame.get() == 0) {
            return Err(host.reject("frame", "expected at least a mapping unit"));
        }
        let config = Self {
            frame,
            double_buffer: host.or(
                "double_buffer",
                false,
                "one command's data cross while the flash works on another's; else a command is over first",
            )?,
            group_pages_per_die: host.or(
                "group_pages_per_die",
                0,
                "commands are worked on in groups that give each die so many pages; 0: each for itself",
            )?,
            cut_through: host.or(
                "cut_through",
                false,
                "data go on to flash or host while they still come in, through a FIFO; else piece by piece",
            )?,
            full_duplex: nvme,
            rate,
            queues,
            queue_depth,
            max_commands,
            t_command: host.or("t_command", Nanos::new(5_000), "time added to each command")?,
            t_command_service: host.or(
                "t_command_service",
                Nanos::ZERO,
                "part of t_command during which no other command is looked at: bounds IOPS",
            )?,
            t_trim: host.or("t_trim", Nanos::new(10_000), "time a trim command takes")?,
        };
        host.finish()?;
        Ok(config)
    }
}
