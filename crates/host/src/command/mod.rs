//! Command sets: which operations a namespace understands, by which rules, and what the host is told when one is done.
//! A set is one file here and one line in the list below; `nvm` is the one that every drive has.
//!
//! An operation belongs to a set, and there may be any number of them. What it does to data is one of a few *effects*,
//! which are the calls of a translation layer: code that moves, counts or times data looks at the effect, code that makes
//! requests names the operation. So a set that is added changes nothing where data are moved, counted and timed.
//!
//! A set may have something to remember of a namespace, such as the states of its zones ([`zns`]): its file says what that is and
//! by which rules it changes, the drive keeps one for each such namespace.

use crate::workload_error::WorkloadError;
use std::fmt;
use units::SimTime;

/// Macro that declares the module of each NVMe command set (one file each), and collects the sets in the list `SETS`.
macro_rules! command_sets {
    ($($set:ident),+ $(,)?) => {
        $(pub mod $set;)+
        /// Static: list of all NVMe command sets of the simulator, in the order in which their modules are declared.
        pub static SETS: &[&CommandSet] = &[$(&$set::SET),+];
    };
}

command_sets! {
    nvm,
    zns,
}

/// Static: command set of a namespace whose declaration names none: the NVM command set.
pub static USUAL: &CommandSet = &nvm::SET;

/// Static: the command set of a namespace with zones, which is the ZNS command set.
pub static ZONED: &CommandSet = &zns::SET;

/// Constant: size of a sector in bytes: offsets and lengths of requests are multiples of this number.
pub const SECTOR: u64 = 512;

/// Constant: greatest number of operations (host commands) of all command sets together: each has one bit in the 64-bit
/// mask [`CommandSet::on_sectors`].
const OPS_MOST: u32 = u64::BITS;

/// Kind of effect that a host command has on data (read, write, trim, flush, management); it decides which call of
/// the flash translation layer carries the command out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Effect {
    /// Case of effect of a command: data are transferred from the drive to the host.
    Read = 0,
    /// Case of effect of a command: data are transferred from the host to the drive.
    Write = 1,
    /// Case of effect of a command: the drive learns that the host no longer needs the data (deallocate).
    Trim = 2,
    /// Case of effect of a command: the drive makes all acknowledged data durable, by writing them to the flash unless
    /// its write buffer survives power cuts (flush).
    Flush = 3,
    /// Case of effect of a command: a state of the namespace changes, that of a zone or that of a placement handle, and
    /// no data are transferred.
    Manage = 4,
}

impl Effect {
    /// Constant: list of all effects that a host command can have on data (read, write, trim, flush, management), in
    /// the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Read, Self::Write, Self::Trim, Self::Flush, Self::Manage];
    /// Constant: number of different effects of commands.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns true for a command that transfers data between host and drive; a trim names bytes and transfers none.
    pub const fn transfers_data(self) -> bool {
        matches!(self, Self::Read | Self::Write)
    }

    /// Returns the name of a host command's effect on data, as results show it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Flush => "flush",
            Self::Manage => "manage",
        }
    }
}

/// Type of a host command (operation) of an NVMe command set, packed into one byte: the low bits give the command's
/// effect on data, the bits above them number the commands that have this effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Op(u8);

impl Op {
    const EFFECT_BITS: u32 = Effect::COUNT.next_power_of_two().trailing_zeros();

    /// Makes the host command (operation) of an NVMe command set that has this effect on data (read, write, trim, flush
    /// or manage) and this number among the commands of that effect; the file of each command set declares its commands
    /// so.
    const fn new(effect: Effect, number: u8) -> Self {
        assert!((number as u32) < OPS_MOST >> Self::EFFECT_BITS);
        Self(effect as u8 | number << Self::EFFECT_BITS)
    }

    /// Returns the effect of the command on data: read, write, trim, flush or manage.
    #[inline]
    pub const fn effect(self) -> Effect {
        // Effects have the numbers of the bits, so that nothing is left of this in machine code.
        match self.0 & ((1 << Self::EFFECT_BITS) - 1) {
            0 => Effect::Read,
            1 => Effect::Write,
            2 => Effect::Trim,
            3 => Effect::Flush,
            _ => Effect::Manage,
        }
    }

    /// Returns the number that stands for the operation (host command) in bit masks, in temporary files of requests,
    /// and in the interfaces to C and Python.
    pub const fn code(self) -> u8 {
        self.0
    }

    /// Returns the operation (host command) whose number (see [`Self::code`]) is `code`; `None` where no command set
    /// has such an operation.
    pub fn of_code(code: u8) -> Option<Self> {
        SETS.iter().flat_map(|set| set.operations).map(|operation| operation.op).find(|op| op.0 == code)
    }

    /// Returns the name of the operation (host command), as messages and the interfaces to C and Python use it.
    pub fn name(self) -> &'static str {
        self.operation().name
    }

    /// Returns the description of the host command (operation) in the first NVMe command set that has it.
    fn operation(self) -> &'static SetOperation {
        let mut all = SETS.iter().flat_map(|set| set.operations);
        all.find(|operation| operation.op == self).expect("a set declares every operation")
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Record of an operation (host command) within its command set.
#[derive(Debug)]
pub struct SetOperation {
    /// Operation (host command) that this entry of a command set describes, as requests carry it.
    pub op: Op,
    /// Name of the operation (host command) in messages and in the interfaces to C and Python.
    pub name: &'static str,
    /// Field of an operation's entry in a command set: kind of range that a request with this operation applies to:
    /// sectors, the whole namespace, or a zone.
    pub range: Range,
    /// Field of an operation's entry in a command set: kind of completion of the operation (host command): with a
    /// status alone, or with an address, too.
    pub answer: CompletionKind,
}

/// Kind of range that an operation (host command) applies to: sectors, the whole namespace, or one zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// Case of range of an operation: sectors, so that each request names an offset and a length in whole sectors of
    /// 512 bytes, at least one, within the namespace.
    Sectors,
    /// Case of range of an operation: the whole namespace, so that a request has neither offset nor length.
    Whole,
    /// Case of range of an operation: the namespace that holds the byte at the request's offset; the request has no
    /// length.
    Namespace,
    /// Case of range of an operation: one zone, which a request names by the zone's first byte; the request has no
    /// length.
    Zone,
}

/// Kind of completion of an operation (host command): with a status alone, or with an address, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// Case of completion of a host command: only a status.
    Status,
    /// Case of completion of a host command: a status and the address of the data, which the drive chose (zone append).
    Address,
}

/// Record of an NVMe command set: its name, and the operations (host commands) that a namespace with this command set
/// accepts.
#[derive(Debug)]
pub struct CommandSet {
    /// Name of this NVMe command set, by which drive files choose it for a namespace.
    pub name: &'static str,
    /// Field of an NVMe command set: text that describes the set in one line, for listings.
    pub about: &'static str,
    /// Field of an NVMe command set: list of the operations (host commands) that belong to the set, each with its
    /// description.
    pub operations: &'static [SetOperation],
}

impl CommandSet {
    /// Returns the bit mask, by [`Op::code`], of the host commands (operations) of this NVMe command set that apply to
    /// sectors.
    pub fn on_sectors(&self) -> u64 {
        self.bits(|operation| operation.range == Range::Sectors)
    }

    /// Returns the bit mask, by [`Op::code`], of the host commands (operations) of this NVMe command set whose
    /// completions give the address of the data.
    pub fn with_address(&self) -> u64 {
        self.bits(|operation| operation.answer == CompletionKind::Address)
    }

    fn bits(&self, has: impl Fn(&SetOperation) -> bool) -> u64 {
        let found = self.operations.iter().filter(|operation| has(operation));
        found.fold(0, |bits, operation| bits | 1 << operation.op.code())
    }

    /// Returns why this command set refuses a request to a namespace of `size` bytes (named `what` in the text): a text
    /// of the fault and a text of what was expected; `None` for a valid request.
    pub fn refusal(
        &self,
        op: Op,
        offset: u64,
        bytes: u32,
        what: &str,
        size: u64,
    ) -> Option<(String, String)> {
        let found = || format!("a request of {bytes} bytes at {offset}");
        let Some(operation) = self.operations.iter().find(|operation| operation.op == op) else {
            let known = self.operations.iter().map(|operation| operation.name).collect::<Vec<_>>().join(", ");
            return Some((
                op.name().to_owned(),
                format!("an operation of command set {}: {known}", self.name),
            ));
        };
        let wide = u64::from(bytes);
        match operation.range {
            Range::Whole if (offset, bytes) == (0, 0) => None,
            Range::Whole => Some((found(), format!("a {} without offset and length", operation.name))),
            Range::Sectors if offset.checked_add(wide).is_none_or(|end| end > size) => {
                Some((found(), format!("requests within the {what}'s {size} bytes")))
            }
            Range::Sectors if bytes == 0 || !(offset | wide).is_multiple_of(SECTOR) => {
                Some((found(), format!("whole sectors of {SECTOR} bytes, at least one")))
            }
            Range::Zone if offset >= size || bytes > 0 || !offset.is_multiple_of(SECTOR) => Some((
                found(),
                format!("a {} at the first byte of a zone of the {what}, without length", operation.name),
            )),
            Range::Namespace if offset >= size || bytes > 0 => {
                Some((found(), format!("an {} within the {what}, without length", operation.name)))
            }
            Range::Sectors | Range::Zone | Range::Namespace => None,
        }
    }
}

/// Kind of status in the completion of a host request: success, failure, or loss in a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompletionStatus {
    /// Case of status of a completion: the host's request succeeded.
    #[default]
    Success,
    /// Case of status of a completion: the host's request failed, because the drive returned an error.
    Failed,
    /// Case of status of a completion: the host's request was lost in a power cut, before the drive answered it.
    Lost,
}

/// Record of the completion of a host request: time, status, and the address of the data where the drive chose the
/// address (zone append).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Simulated time at which the host's request was completed.
    pub at: SimTime,
    /// Field of a completion: status (success, failure, loss) with which the host's request was completed.
    pub status: CompletionStatus,
    /// Byte offset of the data of the host's request, where the drive chose their place ([`CompletionKind::Address`]);
    /// none for any other operation, or without success.
    pub address: Option<u64>,
}

impl Completion {
    /// Makes the completion, at time `at`, of a request that succeeded.
    #[inline]
    pub fn success(at: SimTime) -> Self {
        Self { at, status: CompletionStatus::Success, address: None }
    }
}

/// Makes the error of the workload called `workload` for a request that a command set refuses.
#[cold]
pub fn refused(workload: &str, (found, expected): (String, String)) -> WorkloadError {
    WorkloadError::of(workload.to_owned(), found, expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_operation_has_a_number_and_a_name_of_its_own_and_is_found_by_its_number() {
        // Sets may have an operation in common.
        let all: Vec<&SetOperation> = SETS.iter().flat_map(|set| set.operations).collect();
        let pairs: HashSet<_> = all.iter().map(|operation| (operation.op, operation.name)).collect();
        assert_eq!(all.iter().map(|operation| operation.op).collect::<HashSet<_>>().len(), pairs.len());
        assert_eq!(all.iter().map(|operation| operation.name).collect::<HashSet<_>>().len(), pairs.len());
        for operation in all {
            assert_eq!(Op::of_code(operation.op.code()), Some(operation.op));
        }
        assert_eq!(Op::of_code(u8::MAX), None);
        assert_eq!(SETS.iter().map(|set| set.name).collect::<HashSet<_>>().len(), SETS.len());
    }

    #[test]
    fn effects_are_numbered_in_order_and_operations_keep_theirs() {
        for (number, effect) in Effect::ALL.into_iter().enumerate() {
            assert_eq!(effect as usize, number);
            assert_eq!(Op::new(effect, 0).effect(), effect);
            assert_eq!(Op::new(effect, 7).effect(), effect);
        }
    }

    #[test]
    fn a_set_says_of_each_operation_what_it_is_about_and_what_its_completion_holds() {
        let append = Op::new(Effect::Write, 7);
        static OPERATIONS: [SetOperation; 2] = [
            SetOperation {
                op: Op::FLUSH,
                name: "flush",
                range: Range::Whole,
                answer: CompletionKind::Status,
            },
            SetOperation {
                op: Op::new(Effect::Write, 7),
                name: "append",
                range: Range::Sectors,
                answer: CompletionKind::Address,
            },
        ];
        let set = CommandSet { name: "test", about: "", operations: &OPERATIONS };
        assert_eq!((set.on_sectors(), set.with_address()), (1 << append.code(), 1 << append.code()));
        assert_eq!((USUAL.on_sectors(), USUAL.with_address()), (0b0111, 0));
        assert_eq!(append.effect(), Effect::Write);
        let (found, expected) = set.refusal(Op::TRIM, 0, 512, "drive", 4096).unwrap();
        assert_eq!(
            (found.as_str(), expected.as_str()),
            ("trim", "an operation of command set test: flush, append")
        );
    }

    #[test]
    fn a_request_is_refused_by_the_rule_that_it_breaks() {
        let of = |op, offset, bytes| {
            let refusal = USUAL.refusal(op, offset, bytes, "drive", 1 << 20);
            refusal.map(|(found, expected)| format!("{found}: {expected}"))
        };
        assert_eq!(of(Op::READ, 0, 1 << 20), None);
        assert_eq!(of(Op::FLUSH, 0, 0), None);
        let beyond = "a request of 512 bytes at 1048576: requests within the drive's 1048576 bytes";
        assert_eq!(of(Op::WRITE, 1 << 20, 512).as_deref(), Some(beyond));
        assert!(of(Op::WRITE, u64::MAX, 512).is_some_and(|text| text.contains("within the drive")));
        let sectors = "a request of 100 bytes at 512: whole sectors of 512 bytes, at least one";
        assert_eq!(of(Op::TRIM, 512, 100).as_deref(), Some(sectors));
        assert!(of(Op::READ, 0, 0).is_some_and(|text| text.contains("at least one")));
        assert!(of(Op::FLUSH, 512, 0).is_some_and(|text| text.contains("a flush without offset")));
    }
}
