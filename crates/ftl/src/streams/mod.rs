//! Which open superblock does a unit join?
//!
//! A die has one open superblock for each stream, so that units of one stream lie together: the better a policy tells those
//! apart that are overwritten soon, the less garbage collection has to move. Each drive has one instance. A stream takes
//! what the host writes, what is moved, or both; where a superblock of one bit a cell is open is none of a policy's
//! business, nor which die a unit goes to.

use units::{Lpn, Nanos};

/// Constant: greatest number of write streams that a stream policy may declare.
pub const STREAMS_MOST: usize = 32;

/// Kind of data that a write stream takes: host data, relocated data, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Case of data: only data that the host writes join the write stream.
    Host,
    /// Case of data: only data that the drive relocates join the write stream.
    Moved,
    /// Case of data: both host data and relocated data join the write stream.
    Both,
}

/// Record with the specification of a write stream: data that share open superblocks of their own, one on each die.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamSpec {
    /// Name of the write stream in results.
    pub name: String,
    /// Field of a write stream's specification: kind of data that the stream takes (host data, relocated data or both).
    pub takes: Takes,
    /// Index of a write stream of relocated data whose open superblock this stream of host data continues, if space is
    /// left in it, before it opens one of its own: relocated data then need not wait for further relocated data to fill
    /// the superblock. None for a stream that continues no other.
    pub takes_over: Option<usize>,
    /// Number of the placement handle whose data alone join the write stream; none for a stream that belongs to no
    /// handle.
    pub handle: Option<u16>,
}

impl StreamSpec {
    /// Makes a write stream specification with this name and kind of data.
    pub fn new(name: &str, takes: Takes) -> Self {
        Self { name: name.to_owned(), takes, takes_over: None, handle: None }
    }

    /// Returns this specification changed so that the write stream may continue the open superblock of stream `other`.
    #[must_use]
    pub fn taking_over(self, other: usize) -> Self {
        Self { takes_over: Some(other), ..self }
    }

    /// Returns this specification changed so that the write stream holds the data of one placement handle alone.
    #[must_use]
    pub fn of_handle(self, handle: u16) -> Self {
        Self { handle: Some(handle), ..self }
    }
}

/// Kind of isolation of a placement handle (NVMe FDP): whether its data stay apart from data of other handles when
/// garbage collection relocates them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Case of isolation (NVMe FDP): data of the placement handle stay apart only when the host writes them; once
    /// relocated, they may lie beside data of other initially isolated handles.
    Initially,
    /// Case of isolation (NVMe FDP): data of the placement handle stay apart for as long as they exist, also when
    /// relocated.
    Persistently,
}

/// Set of settings of the placement handles (NVMe FDP) that the host may name in writes: isolation of each, size of a
/// reclaim unit, and number of reclaim groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandleSpec {
    /// Setting: isolation of each handle, by its number. There is at least one; handle 0 takes data written without a
    /// handle.
    pub isolation: Vec<Isolation>,
    /// Setting: number of superblocks that make a reclaim unit; none: as many as a reclaim group has dies.
    pub unit_superblocks: Option<u32>,
    /// Setting: number of reclaim groups (NVMe FDP), which have equally many dies each; 1 makes all dies one group.
    pub groups: u32,
    /// Setting: greatest time for which a reclaim unit takes data; none without a limit.
    pub unit_time_limit: Option<Nanos>,
}

/// Record of a part of the logical drive, a namespace, with the placement identifiers (NVMe FDP) that writes to the
/// part may name: for each of its handles, one in each of its reclaim groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementArea {
    /// Name of the namespace whose placement identifiers these are; empty where the drive is a single namespace without
    /// name.
    pub name: String,
    /// Number of the first logical unit of the namespace.
    pub first: Lpn,
    /// Number of logical units of the namespace.
    pub units: u64,
    /// List of the numbers of the placement handles of the namespace (its placement handle list), at least one; the
    /// first takes writes that name no identifier.
    pub handles: Vec<u16>,
    /// List of the numbers of the reclaim groups in which data of the namespace lie, at least one.
    pub groups: Vec<u16>,
}

impl PlacementArea {
    /// Returns the number of placement identifiers that writes to the namespace may name.
    pub fn identifiers(&self) -> u16 {
        (self.handles.len() * self.groups.len()) as u16
    }

    /// Returns the placement handle and the reclaim group of a placement identifier, by its position in the list that
    /// NVMe's reclaim unit handle status gives: handle by handle, and for each handle group by group. `None` beyond the
    /// list.
    #[inline]
    pub fn identified(&self, identifier: u16) -> Option<(u16, u16)> {
        let (at, groups) = (usize::from(identifier), self.groups.len());
        Some((*self.handles.get(at / groups)?, self.groups[at % groups]))
    }
}

/// Set of settings of what the drive records about its units for the stream policy: counts and times of the host's
/// writes. The records do not survive a loss of power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Setting: true if the drive counts how many times the host wrote each unit.
    pub writes: bool,
    /// Setting: true if the drive records when the host wrote each unit last, and when each superblock was opened.
    pub times: bool,
}

/// Type of the read-only view of a unit to be written, for a stream policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitView {
    /// Logical number of the unit for which a stream policy chooses the write stream; numbers above those of the host's
    /// units are parts of a map on flash.
    pub lpn: Lpn,
    /// True if the drive relocates the unit; false if the host writes the unit.
    pub moved: bool,
    /// Number of the placement handle (NVMe FDP) that the host named in the write. `None` for relocated data and data
    /// of the drive itself, and where the policy has no handles.
    pub hint: Option<u16>,
    /// Age of the unit, in units that the host wrote to the drive since it wrote this unit last; none if it never did,
    /// or if times are not recorded.
    pub age: Option<u64>,
    /// Number of times that the host wrote the unit before, as counted: all counts are halved when their mean reaches
    /// [`HALVED_AT`].
    pub writes: u32,
    /// Mean of the count `writes` over all units that were written.
    pub writes_mean: f64,
    /// Index of the write stream of the superblock in which the unit lies now; none if it is not known.
    pub last: Option<usize>,
}

/// Constant limit of the mean count of writes per unit: when the mean reaches it, the counts of all units are halved,
/// so that older writes matter less.
pub const HALVED_AT: u64 = 16;

/// Type of the answer of a stream policy that chooses only by whether the host or the drive writes the data: the
/// indices of the write streams for host data and for relocated data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByOrigin {
    /// Field of a stream policy's answer: index of the write stream for all host data, where the stream policy decides
    /// only by whether the host or the drive writes the data.
    pub host: usize,
    /// Index of the write stream that a stream policy chooses for all relocated data.
    pub moved: usize,
}

/// Interface of the stream policies, which choose the write stream, and so the open superblock, of each unit.
pub trait StreamPolicy: Send {
    /// Returns the specifications of each die's write streams, from one to [`STREAMS_MOST`]; the answer never changes.
    fn streams(&self) -> Vec<StreamSpec>;

    /// Returns the settings of what the drive is to record about its units (write counts, times) for this policy.
    fn notes(&self) -> Notes {
        Notes::default()
    }

    /// Returns the placement handles (NVMe FDP) that, under this stream policy, the host may name in writes; none:
    /// handles in the host's writes are ignored.
    fn handles(&self) -> Option<HandleSpec> {
        None
    }

    /// Returns the indices of the write streams for host data and for relocated data if the choice depends on nothing
    /// else; the drive then does not call [`Self::join`] for each unit.
    fn by_origin(&self) -> Option<ByOrigin> {
        None
    }

    /// Returns the index of the write stream that a unit joins, which must take data of its kind. May be called several
    /// times for one unit before the unit is written. By default a policy goes by origin alone.
    ///
    /// # Panics
    /// When the policy has no answer by origin, either.
    fn join(&mut self, unit: &UnitView) -> usize {
        let answer = self.by_origin().expect("a stream policy answers for each unit, or by origin");
        if unit.moved { answer.moved } else { answer.host }
    }

    /// Informs the policy that garbage collection takes a superblock of write stream `_stream` as its victim, and that
    /// the host wrote `_lived` units to the drive since the superblock was opened. Called only where times are
    /// recorded.
    fn on_reclaim(&mut self, _stream: usize, _lived: u64) {}

    /// Returns the state that the policy has learnt from the run's writes, as 64-bit words for a saved state.
    fn learnt(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Restores the state that the policy had learnt from a saved state; returns false if it is not as [`Self::learnt`]
    /// returns it.
    fn go_on_with(&mut self, learnt: &[u64]) -> bool {
        learnt.is_empty()
    }
}

config::policies! {
    seam: "ftl.streams",
    question: "Which open superblock does a unit join?",
    default: "separate",
    dyn StreamPolicy;
    fdp::Fdp,
    hot_cold::HotCold,
    mixed::Mixed,
    sepbit::SepBit,
    separate::Separate,
    two_region::TwoRegion,
}
