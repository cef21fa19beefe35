//! How are commands and data transferred between host and drive? One file per link.
//!
//! A link says what each step of a command costs on its wires: bringing the command, moving the data, giving
//! the answer. The simulator keeps the queues and lets the wires be shared. `[host]` holds what belongs to the
//! drive's side of any link: how many commands it works on, and what its firmware takes for each.
//!
//! Not modelled: the host's own software, interrupts held back (coalescing), errors on the wires.

use crate::place::PlaceMaker;
use crate::{Declared, Effect};
use config::{ConfigError, Limits, Section, at_least};
use std::fmt::Debug;
use std::sync::Arc;
use units::{Bytes, Nanos};

/// Kind of direction of a transfer on the host link: to the drive or to the host; its number is an index into
/// [`LinkStep::holds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Direction {
    /// Case of direction of a transfer on the host link: from the host to the drive.
    ToDrive = 0,
    /// Case of direction of a transfer on the host link: from the drive to the host.
    ToHost = 1,
}

/// Record of the times of the protocol messages of one step of a command (submission or completion) on the host link,
/// without the command's data: time on the wires in each direction, and latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStep {
    /// Two times in ns that the protocol messages of the step occupy the link's wires, one for each direction; on a
    /// half-duplex link the sum of both counts.
    pub holds: [Nanos; 2],
    /// Latency of the step in nanoseconds on an idle link. Messages are short and are sent between the data packets of
    /// other commands, so that this is their latency under load, too.
    pub takes: Nanos,
}

/// Record of the times in ns of the data transfer of one command over the host link: on the wires in both directions,
/// before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Burst {
    /// Time in ns that the data occupy the wires of the host link, including the framing of packets.
    pub holds: Nanos,
    /// Time in ns that read requests for the data occupy the wires of the host link in the opposite direction.
    pub against: Nanos,
    /// Time in ns from the request for the data to the first bit of the data on the wires of the host link.
    pub lead_in: Nanos,
    /// Time in ns from the last bit of the data on the wires of the host link until the receiver can use the data.
    pub lead_out: Nanos,
}

/// Kind of arbitration: the order in which the drive fetches commands from the submission queues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QueueOrder {
    /// Case of arbitration: round robin; the drive serves one queue after the other and fetches up to `burst` commands
    /// from each.
    RoundRobin {
        /// Number of commands that the drive fetches from a submission queue before it goes on to the next queue.
        burst: u32,
    },
    /// Case of arbitration: none, since the host link has a single submission queue.
    #[default]
    Single,
    /// Case of arbitration: weighted round robin with urgent priority class, as in NVMe.
    Weighted {
        /// Number of commands that the drive fetches from a submission queue before it goes on to the next queue of the
        /// same class.
        burst: u32,
        /// List of the priority classes of the submission queues, one for each queue, for weighted round robin.
        classes: Vec<QueueClass>,
        /// Three weights of arbitration: greatest number of commands that the drive fetches in one round from the
        /// queues of the classes high, medium and low.
        weights: [u32; 3],
    },
}

/// Kind of NVMe priority class of a submission queue, for weighted round robin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum QueueClass {
    /// Case of priority class of a submission queue: urgent, which always has strict priority over all other classes.
    Urgent = 0,
    /// Case of priority class of a submission queue: high, which has its weight in each round of arbitration.
    High = 1,
    /// Case of priority class of a submission queue: medium, which has its weight in each round of arbitration.
    Medium = 2,
    /// Case of priority class of a submission queue: low, which has its weight in each round of arbitration.
    Low = 3,
}

/// Record of the properties of a host link that are equal for all commands: queues, duplex mode and limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkShape {
    /// True if the host link is full duplex: data can cross in both directions at once; false if only one direction can
    /// transfer at a time.
    pub full_duplex: bool,
    /// Property of the host link: number of its submission queues.
    pub queues: u32,
    /// Depth of each submission queue: number of commands that a queue can hold, not counting commands that the drive
    /// has fetched.
    pub queue_depth: u32,
    /// Property of the host link: kind of arbitration, which is the order in which the drive fetches commands from the
    /// submission queues.
    pub order: QueueOrder,
    /// Greatest number of commands, of all submission queues together, that the link allows the drive to execute at the
    /// same time.
    pub commands_most: u32,
    /// Property of the host link: number of commands, of all submission queues together, that the drive executes at the
    /// same time, unless `host.max_commands` gives another number.
    pub commands_usual: u32,
}

/// Interface of the timing models of the link (interface) between host and drive, such as NVMe or SATA.
pub trait HostLink: Debug + Send + Sync {
    /// Returns the properties of the link that are equal for all commands: its queues, duplex mode and limits.
    fn shape(&self) -> LinkShape;

    /// Returns the wire times and the latency of sending a command: from its submission by the host until the drive has
    /// received it.
    fn command(&self, effect: Effect) -> LinkStep;

    /// Returns the times in ns of the transfer over the link of `bytes` bytes of one command's data, in this direction.
    fn data(&self, direction: Direction, bytes: Bytes) -> Burst;

    /// Returns the wire times and the latency of the completion: from the end of a command in the drive until the host
    /// has learnt of it.
    fn answer(&self, effect: Effect) -> LinkStep;
}

config::policies! {
    seam: "host.link",
    question: "How are commands and data transferred between host and drive?",
    default: "plain",
    dyn HostLink;
    nvme::Nvme,
    pata::Pata,
    plain::PlainLink,
    sata::Sata,
}

/// Returns the time in nanoseconds that the transfer of `count` items (bits, bytes, double words) takes if `per` items
/// take `ns` nanoseconds, rounded up once.
pub(crate) const fn time_of(count: u64, ns: u64, per: u64) -> Nanos {
    Nanos::new((count as u128 * ns as u128).div_ceil(per as u128) as u64)
}

/// Makes the range of allowed values, 1 to 65,536, for the number of queues of a link and for the depth of a queue.
fn of_queues() -> Limits {
    at_least(1u32).at_most(65_536u32)
}

/// Set of the settings of the host link and of the drive's host interface, as read from `[host]` of a drive file.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// List of the namespaces that the drive file declares; empty if the whole drive is one namespace.
    pub namespaces: Vec<Declared>,
    /// Setting `host.place` of the drive file: maker (factory) of the placement policy that the drive file names, which
    /// gives writes their placement handles (for example FDP placement identifiers).
    pub place: PlaceMaker,
    /// Setting `host.link` of the drive file: timing model of the link between host and drive, of the kind (such as
    /// NVMe or SATA) that the drive file selects.
    pub link: Arc<dyn HostLink>,
    /// Field of the settings of the host link: properties of the link that are equal for all commands, as its timing
    /// model gives them: queues, duplex mode and limits.
    pub shape: LinkShape,
    /// Greatest number of commands, of all submission queues together, that the drive executes at the same time.
    pub max_commands: u32,
    /// Latency in ns that the drive's firmware adds to each command (on a plain link: the latency of the whole
    /// protocol).
    pub t_command: Nanos,
    /// Part in ns of `t_command` (latency of the firmware) during which the firmware is busy and accepts no other
    /// command; limits the IOPS.
    pub t_command_service: Nanos,
    /// Number of bytes of a write that must have arrived before the drive continues with them; none: as many as there
    /// is space for in the write buffer.
    pub frame: Option<Bytes>,
    /// Number of bytes of a read that the drive collects before it sends them to the host; none: each page is sent when
    /// it has been read.
    pub read_frame: Option<Bytes>,
    /// True if the data of a command flow through a FIFO to flash or host while later bytes are still arriving; false
    /// if each piece of the data is stored completely before it is passed on.
    pub cut_through: bool,
    /// True if the drive has two data buffers that take turns: the data of one command cross the link while the flash
    /// executes another command.
    pub double_buffer: bool,
    /// Number of pages per die in a group of commands: the drive executes commands in groups of as many as give each
    /// die this many pages, and starts the next group when the group is complete. 0: commands are executed one by one.
    pub group_pages_per_die: u32,
    /// Setting `host.t_trim`: time in ns that the drive takes to execute a trim command.
    pub t_trim: Nanos,
    /// Time in ns that the host's own software takes between a completion and the request that waits for it.
    pub t_software: Nanos,
}

impl LinkConfig {
    // Long: a paragraph for each key.
    /// Reads the configuration of the host link and host interface from `[host]` of a drive file.
    ///
    /// # Errors
    /// When a value is wrong, or the queues and the drive hold more commands than a run can number.
    pub fn read(root: &mut Section) -> Result<Self, ConfigError> {
        let mut host = root.child("host")?;
        let mut section = host.child("link")?;
        let link: Arc<dyn HostLink> = Arc::from(read(&mut section)?());
        section.finish()?;
        let mut section = host.child("software")?;
        let t_software = section.or(
            "t_request",
            Nanos::ZERO,
            "time of the host's own software between a request's end and what waits for it; others go on meanwhile",
        )?;
        section.finish()?;
        let shape = link.shape();
        let usual = shape.commands_usual;
        let max_commands = host.or("max_commands", usual, "commands the drive works on at once")?;
        if max_commands == 0 || max_commands > shape.commands_most {
            let expected = format!("expected 1 to {} with this link", shape.commands_most);
            return Err(host.reject("max_commands", &expected));
        }
        let waiting = u64::from(shape.queues) * u64::from(shape.queue_depth);
        if waiting + u64::from(max_commands) > u64::from(engine::INDEX_MAX) {
            let expected = format!(
                "expected it and the {waiting} commands that all queues hold to be at most {} together, as many as a run can \
                 number",
                engine::INDEX_MAX
            );
            return Err(host.reject("max_commands", &expected));
        }
        let frame = host.optional::<Bytes>(
            "frame",
            "data of a write that cross before the drive goes on with them; else as much as has room",
        )?;
        if frame.is_some_and(|frame| frame.get() == 0) {
            return Err(host.reject("frame", "expected at least a mapping unit"));
        }
        let config = Self {
            link,
            shape,
            max_commands,
            frame,
            read_frame: host.optional::<Bytes>(
                "read_frame",
                "data of a read that gather before they go on to the host; else each page as it comes",
            )?,
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
            t_command: host.or("t_command", Nanos::new(5_000), "time added to each command by firmware")?,
            t_command_service: host.or(
                "t_command_service",
                Nanos::ZERO,
                "part of t_command during which no other command is looked at: bounds IOPS",
            )?,
            t_trim: host.or("t_trim", Nanos::new(10_000), "time a trim command takes")?,
            t_software,
            place: PlaceMaker::read(&mut host)?,
            namespaces: Declared::read(&mut host)?,
        };
        // Blocks on zones need the zones: the drive that has them reads that.
        host.child("translation")?;
        host.finish()?;
        Ok(config)
    }
}
