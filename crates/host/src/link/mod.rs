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

/// A direction of transfer; its number indexes [`LinkStep::holds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Direction {
    /// Transfer from the host to the drive.
    ToDrive = 0,
    /// Transfer from the drive to the host.
    ToHost = 1,
}

/// The messages on the host link of one step of a command, other than its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStep {
    /// How long the messages occupy the wires in each direction; with one set of wires, the sum counts.
    pub holds: [Nanos; 2],
    /// How long the step takes on a link that has nothing else to do. Messages are short and slip in between the
    /// packets of others' data, so that this is their latency under load, too.
    pub takes: Nanos,
}

/// The data of one transfer over the host link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Burst {
    /// How long the data occupy the wires, framing included.
    pub holds: Nanos,
    /// How long requests for the data occupy the wires in the other direction.
    pub against: Nanos,
    /// Time from the request for the data to the first bit of the data.
    pub ahead: Nanos,
    /// Time from the last bit on the wires until the data are available.
    pub behind: Nanos,
}

/// Order in which submission queues are served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QueueOrder {
    /// The queues in turn, a number of commands at each turn.
    RoundRobin {
        /// Commands fetched from a queue before the next queue has its turn.
        burst: u32,
    },
    /// A single submission queue.
    #[default]
    Single,
    /// NVMe's weighted round robin with urgent priority class.
    Weighted {
        /// Commands fetched from a queue before the next queue of the same class has its turn.
        burst: u32,
        /// The class of each queue.
        classes: Vec<QueueClass>,
        /// Commands fetched from the classes high, medium and low in one round.
        weights: [u32; 3],
    },
}

/// NVMe's priority classes of submission queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum QueueClass {
    /// The class is served before all others, always.
    Urgent = 0,
    /// The class is served by its weight in each round, as high priority.
    High = 1,
    /// The class is served by its weight in each round, as medium priority.
    Medium = 2,
    /// The class is served by its weight in each round, as low priority.
    Low = 3,
}

/// What holds for every command of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkShape {
    /// True if data cross the link in both directions at once; false if in one direction at a time.
    pub full_duplex: bool,
    /// Number of submission queues.
    pub queues: u32,
    /// Commands that each queue holds, without commands that the drive works on.
    pub queue_depth: u32,
    /// Order in which the queues are served.
    pub order: QueueOrder,
    /// The most commands the link lets the drive work on at once.
    pub commands_most: u32,
    /// Commands that the drive works on at once, unless `host.max_commands` gives another number.
    pub commands_usual: u32,
}

/// Timing model of the link between host and drive.
pub trait HostLink: Debug + Send + Sync {
    /// Returns the queues, directions and limits.
    fn shape(&self) -> LinkShape;

    /// Returns the step from a command's submission until the drive holds it.
    fn command(&self, effect: Effect) -> LinkStep;

    /// Returns the transfer of `bytes` bytes of one command.
    fn data(&self, direction: Direction, bytes: Bytes) -> Burst;

    /// Returns the step from a command's end until the host knows of it.
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

/// Returns the time `count` things take of which `per` take `ns` nanoseconds: rounded up once.
pub(crate) const fn time_of(count: u64, ns: u64, per: u64) -> Nanos {
    Nanos::new((count as u128 * ns as u128).div_ceil(per as u128) as u64)
}

/// Returns the queues and commands in them, as many as NVMe and this simulator can have.
fn of_queues() -> Limits {
    at_least(1u32).at_most(65_536u32)
}

/// The drive's side of the link, and the link.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// Namespaces that the drive file declares; none: the whole drive is one namespace.
    pub namespaces: Vec<Declared>,
    /// Policy for the placement handles of writes.
    pub place: PlaceMaker,
    /// Timing model of the link.
    pub link: Arc<dyn HostLink>,
    /// Queues, directions and limits of that link.
    pub shape: LinkShape,
    /// Commands the drive works on at once.
    pub max_commands: u32,
    /// Time added to each command by the drive's firmware (and, on a plain link, by all the protocol).
    pub t_command: Nanos,
    /// The part of `t_command` during which the firmware takes no other command.
    pub t_command_service: Nanos,
    /// Data of a write that must arrive before the drive goes on with them; none: as much as there is room for.
    pub frame: Option<Bytes>,
    /// Data of a read that are collected before they go on to the host; none: each page goes on as it comes.
    pub read_frame: Option<Bytes>,
    /// True if data flow through a FIFO while later bytes still cross the link; false if each piece is stored
    /// before it goes on.
    pub cut_through: bool,
    /// True if the data of one command cross the link while the flash works on another command: two buffers
    /// take turns.
    pub double_buffer: bool,
    /// Commands are worked on in groups: as many as it takes to give each die this many pages, the next group
    /// when all of them are done. 0: each command for itself.
    pub group_pages_per_die: u32,
    /// Time a trim command takes.
    pub t_trim: Nanos,
    /// Time of the host's own software between a completion and the request that waits for it.
    pub t_software: Nanos,
}

impl LinkConfig {
    // Long: a paragraph for each key.
    /// Reads `[host]`.
    ///
    /// # Errors
    /// When a value is wrong, or the link cannot have so many commands at once.
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
        host.finish()?;
        Ok(config)
    }
}
