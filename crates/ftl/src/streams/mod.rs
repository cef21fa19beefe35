//! Which open superblock does a unit join?
//!
//! A die has one open superblock for each stream, so that units of one stream lie together: the better a policy tells those
//! apart that are overwritten soon, the less garbage collection has to move. Each drive has one instance. A stream takes
//! what the host writes, what is moved, or both; where a superblock of one bit a cell is open is none of a policy's
//! business, nor which die a unit goes to.

use units::Lpn;

/// The most streams that a policy may declare.
pub const STREAMS_MOST: usize = 32;

/// The data that a stream takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Data that the host writes.
    Host,
    /// Data that are moved.
    Moved,
    /// Data that the host writes, and data that are moved.
    Both,
}

/// A stream of a die.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamSpec {
    /// Name of the stream.
    pub name: String,
    /// The data that the stream takes.
    pub takes: Takes,
    /// The stream whose open superblock it goes on with, where that has room, before it opens one of its own: what was
    /// moved then need not wait for more of its kind to fill it. Only for a stream of the host's data, and one of what is
    /// moved.
    pub takes_over: Option<usize>,
    /// The placement handle whose data alone the stream holds.
    pub handle: Option<u16>,
}

impl StreamSpec {
    /// Makes a stream specification of this name.
    pub fn new(name: &str, takes: Takes) -> Self {
        Self { name: name.to_owned(), takes, takes_over: None, handle: None }
    }

    /// Returns the same stream, which may take over the open superblock of another one.
    #[must_use]
    pub fn taking_over(self, other: usize) -> Self {
        Self { takes_over: Some(other), ..self }
    }

    /// Returns the same stream, which holds the data of one placement handle alone.
    #[must_use]
    pub fn of_handle(self, handle: u16) -> Self {
        Self { handle: Some(handle), ..self }
    }
}

/// Whether the data of a handle stay apart from those of others when collection moves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Only when they are written: moved data may lie beside moved data of other such handles.
    Initially,
    /// Data of the handle stay apart for as long as they exist.
    Persistently,
}

/// The placement handles that a host may name with what it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandleSpec {
    /// Isolation of each handle, by its number; there is at least one, and handle 0 takes data that name none.
    pub isolation: Vec<Isolation>,
    /// Superblocks that make a reclaim unit; none: as many as the drive has dies.
    pub unit_superblocks: Option<u32>,
}

/// What a drive notes of its units because its policy asks for it. Neither outlives a loss of power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// True if the drive notes how many times the host wrote each unit.
    pub writes: bool,
    /// True if the drive notes when the host wrote each unit last, and when each superblock was opened.
    pub times: bool,
}

/// The information that a policy may use about a unit to be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitView {
    /// The unit; numbers above those of the host's units are parts of a map on flash.
    pub lpn: Lpn,
    /// True if the drive moves the unit; false if the host writes the unit.
    pub moved: bool,
    /// The placement handle that the host named with it, one that there is; none where the policy has no handles, and for what
    /// the host did not write or is moved.
    pub hint: Option<u16>,
    /// Units that the host wrote to the drive since it wrote this one last; none where it never did, or where times are not
    /// noted.
    pub age: Option<u64>,
    /// How many times the host wrote the unit before, as noted: all counts are halved when their mean reaches
    /// [`HALVED_AT`].
    pub writes: u32,
    /// The mean of that over all units that were written.
    pub writes_mean: f64,
    /// The stream of the superblock in which the unit lies now.
    pub last: Option<usize>,
}

/// The mean count of writes at which all counts are halved, so that older writes matter less.
pub const HALVED_AT: u64 = 16;

/// The streams of units, where they depend only on whether a unit is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByOrigin {
    /// The stream of what the host writes.
    pub host: usize,
    /// Number of the stream of moved data.
    pub moved: usize,
}

/// The choice of a stream.
pub trait StreamPolicy: Send {
    /// Returns the streams of each die, from one to [`STREAMS_MOST`]; the answer never changes.
    fn streams(&self) -> Vec<StreamSpec>;

    /// Returns the notes that the policy wants of units.
    fn notes(&self) -> Notes {
        Notes::default()
    }

    /// Returns the placement handles that the host may name; none: handles that it names are ignored.
    fn handles(&self) -> Option<HandleSpec> {
        None
    }

    /// Returns the streams of all units, where they depend only on the origin: the drive then does not ask
    /// for each unit.
    fn by_origin(&self) -> Option<ByOrigin> {
        None
    }

    /// Returns the number of the stream that a unit joins, one that takes such data. May be asked of one unit
    /// several times before it is written. Without an answer of its own a policy goes by origin alone.
    ///
    /// # Panics
    /// When it has no answer by origin, either.
    fn join(&mut self, unit: &UnitView) -> usize {
        let answer = self.by_origin().expect("a stream policy answers for each unit, or by origin");
        if unit.moved { answer.moved } else { answer.host }
    }

    /// Reports that collection takes a superblock of a stream, in whose life since it was opened the host
    /// wrote so many units to the drive. Told only where times are noted.
    fn on_reclaim(&mut self, _stream: usize, _lived: u64) {}

    /// Returns the policy's learnt state, for a saved state.
    fn learnt(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Goes on with what a saved state says it had learnt; false when that is not as [`Self::learnt`] gives it.
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
