//! The zoned namespace command set: a namespace is zones of one size, each written from its beginning on, at its write pointer
//! or by appends that are told where they went, and reset as a whole.
//!
//! What is remembered of a namespace is [`ZoneStates`]: the state machine of the specification (NVM Express, Zoned Namespace
//! Command Set 1.1), without time and without flash. Offsets and lengths here are counted in the drive's blocks.
//!
//! Not here: conventional zones, the random write area (ZRWA), zone descriptor extensions, reports (a host that keeps its own
//! account asks for none while it runs), zones that are excursed or recommended to be finished or reset.

mod status;

pub use status::ZoneError;

use super::{CommandSet, CompletionKind, Effect, Op, Range, SetOperation};
use std::collections::VecDeque;

impl Op {
    /// Constant for the zone append command of the host: writes at the write pointer of the zone that the offset names;
    /// the completion gives the address of the data.
    pub const APPEND: Self = Self::new(Effect::Write, 1);
    /// Constant for the zone management send command "open": the host opens the zone, which stays open until it is
    /// closed, full or reset.
    pub const ZONE_OPEN: Self = Self::new(Effect::Manage, 0);
    /// Constant for the zone management send command "close": the zone no longer counts as open.
    pub const ZONE_CLOSE: Self = Self::new(Effect::Manage, 1);
    /// Constant for the zone management send command "finish": the zone becomes full and takes no more writes.
    pub const ZONE_FINISH: Self = Self::new(Effect::Manage, 2);
    /// Constant for the zone management send command "reset": the zone becomes empty.
    pub const ZONE_RESET: Self = Self::new(Effect::Manage, 3);
}

const fn of(op: Op, name: &'static str, range: Range) -> SetOperation {
    SetOperation { op, name, range, answer: CompletionKind::Status }
}

/// Static: the ZNS command set of zoned drives, with the operations read, write, flush, zone append and zone
/// management.
pub static SET: CommandSet = CommandSet {
    name: "zns",
    about: "zones that are written in order and reset as a whole",
    operations: &[
        of(Op::READ, "read", Range::Sectors),
        of(Op::WRITE, "write", Range::Sectors),
        of(Op::FLUSH, "flush", Range::Whole),
        SetOperation {
            op: Op::APPEND,
            name: "append",
            range: Range::Sectors,
            answer: CompletionKind::Address,
        },
        of(Op::ZONE_OPEN, "open", Range::Zone),
        of(Op::ZONE_CLOSE, "close", Range::Zone),
        of(Op::ZONE_FINISH, "finish", Range::Zone),
        of(Op::ZONE_RESET, "reset", Range::Zone),
    ],
};

/// Kind of state of a zone of a zoned namespace: one of the seven states that NVMe defines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ZoneState {
    /// Case of zone state: no block of the zone is written, and the zone is not open.
    #[default]
    Empty,
    /// Case of zone state: the zone is open because a write to the zone opened it, without an open command of the host.
    ImplicitlyOpen,
    /// Case of zone state: the zone is open because the host opened it with a command.
    ExplicitlyOpen,
    /// Case of zone state: the zone is partly written and not open, but still counts as active.
    Closed,
    /// Case of zone state: the zone takes no more writes, because it is written to its capacity or was finished.
    Full,
    /// Case of zone state: the zone can be read but not written.
    ReadOnly,
    /// Case of zone state: the zone can be neither read nor written.
    Offline,
}

impl ZoneState {
    /// Constant: list of all zone states, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Empty,
        Self::ImplicitlyOpen,
        Self::ExplicitlyOpen,
        Self::Closed,
        Self::Full,
        Self::ReadOnly,
        Self::Offline,
    ];

    /// Returns the name of the zone state in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::ImplicitlyOpen => "implicitly_open",
            Self::ExplicitlyOpen => "explicitly_open",
            Self::Closed => "closed",
            Self::Full => "full",
            Self::ReadOnly => "read_only",
            Self::Offline => "offline",
        }
    }

    const fn is_open(self) -> bool {
        matches!(self, Self::ImplicitlyOpen | Self::ExplicitlyOpen)
    }

    const fn is_active(self) -> bool {
        self.is_open() || matches!(self, Self::Closed)
    }
}

/// Record of the geometry of the zones of a drive, those of all its zoned namespaces together: number, size and
/// capacity of zones, in blocks, and limits on open and active zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneShape {
    /// Number of zones of the drive, in all its zoned namespaces together.
    pub count: u32,
    /// Zone size of the zoned namespace: number of blocks from the start of a zone to the start of the next.
    pub size: u64,
    /// Zone capacity of the zoned namespace: number of blocks of a zone that can be written.
    pub capacity: u64,
    /// Greatest number of zones of the drive, in all its zoned namespaces together, that can be open at the same time.
    pub open_most: u32,
    /// Greatest number of zones of the drive, in all its zoned namespaces together, that can be active at the same time
    /// (open or closed); at least `open_most`.
    pub active_most: u32,
    /// True if a read of blocks of the zoned namespace that were never written returns zeros; false if such a read
    /// returns an error.
    pub reads_unwritten: bool,
}

/// Record of one zone of a zoned namespace: the zone's state and write pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneRecord {
    /// Field: state of the zone, such as empty, open or full.
    pub state: ZoneState,
    /// Write pointer of the zone, in blocks from the zone's start; blocks that a finish left unwritten are not counted.
    pub written: u64,
}

/// Kind of operation on the flash that a zone management command requires: none, padding of a zone that is finished, or
/// discarding the zone's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneWork {
    /// Case of work on the flash for a zone management command: none.
    None,
    /// Case of work on the flash for a zone management command: the zone, which is finished, is padded as far as the
    /// flash translation layer needs.
    Finish,
    /// Case of work on the flash for a zone management command: the zone's data, this number of written blocks, are
    /// discarded.
    Reset(u64),
}

/// Set of counts of zone events since the beginning: opened, closed, finished, reset and filled zones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneCounts {
    /// Pair of counts of the openings of zones: first, implicitly for a write; second, by the host's open command.
    pub opened: [u64; 2],
    /// Pair of counts of the closings of zones: first, by the drive, to open another zone; second, by the host's close
    /// command.
    pub closed: [u64; 2],
    /// Number of times that the host finished a zone before it was full.
    pub finished: u64,
    /// Number of times that a zone was reset while it contained data or was full.
    pub reset: u64,
    /// Number of times that a zone became full by writes.
    pub filled: u64,
}

impl ZoneCounts {
    /// Returns the counts of zone events since an earlier state `then` of the counts.
    pub fn since(&self, then: &Self) -> Self {
        let less = |now: [u64; 2], then: [u64; 2]| [now[0] - then[0], now[1] - then[1]];
        Self {
            opened: less(self.opened, then.opened),
            closed: less(self.closed, then.closed),
            finished: self.finished - then.finished,
            reset: self.reset - then.reset,
            filled: self.filled - then.filled,
        }
    }
}

/// Type of the state machine of the zones of a drive, those of all its zoned namespaces together: states, write
/// pointers, and limits on open and active zones.
#[derive(Clone, Debug)]
pub struct ZoneStates {
    shape: ZoneShape,
    zones: Vec<ZoneRecord>,
    /// List of the numbers of the drive's open zones, in the order in which they were opened.
    open: VecDeque<u32>,
    active: u32,
    /// Field of the state machine of zones: counts of zone events so far, such as opened and reset zones.
    pub counts: ZoneCounts,
}

impl ZoneStates {
    /// Makes the state machine of the zones of a drive with this geometry; all zones are empty.
    pub fn new(shape: ZoneShape) -> Self {
        let zones = vec![ZoneRecord::default(); shape.count as usize];
        Self { shape, zones, open: VecDeque::new(), active: 0, counts: ZoneCounts::default() }
    }

    /// Returns the geometry of the drive's zones: number, size, capacity and limits.
    pub fn shape(&self) -> ZoneShape {
        self.shape
    }

    /// Returns the record of zone number `zone`: its state and its write pointer.
    pub fn get(&self, zone: u32) -> ZoneRecord {
        self.zones[zone as usize]
    }

    /// Counts the zones in each state and returns the seven counts, in the order of [`ZoneState::ALL`].
    pub fn by_state(&self) -> [u64; 7] {
        let mut counts = [0; 7];
        self.zones.iter().for_each(|zone| counts[zone.state as usize] += 1);
        counts
    }

    /// Sets the state of a zone before the run, on a drive that already has contents: the zone has `written` blocks of
    /// data, or was finished.
    pub fn found(&mut self, zone: u32, (written, is_finished): (u64, bool)) {
        let state = match written {
            _ if is_finished || written >= self.shape.capacity => ZoneState::Full,
            0 => ZoneState::Empty,
            _ => ZoneState::Closed,
        };
        self.set(zone, state);
        self.zones[zone as usize].written = written;
    }

    fn set(&mut self, zone: u32, state: ZoneState) {
        let before = std::mem::replace(&mut self.zones[zone as usize].state, state);
        self.active = self.active + u32::from(state.is_active()) - u32::from(before.is_active());
        if before.is_open() && !state.is_open() {
            self.open.retain(|open| *open != zone);
        } else if state.is_open() && !before.is_open() {
            self.open.push_back(zone);
        }
    }

    /// Ensures that the limits of the drive allow zone number `zone` to be active and open: if as many zones are open
    /// as may be, closes the implicitly open zone that was opened first. Returns an error if a limit still stands in
    /// the way.
    fn make_room(&mut self, zone: u32) -> Result<(), ZoneError> {
        let state = self.get(zone).state;
        if !state.is_active() && self.active >= self.shape.active_most {
            return Err(ZoneError::TooManyActive);
        }
        if state.is_open() || (self.open.len() as u32) < self.shape.open_most {
            return Ok(());
        }
        let is_implicit = |open: &&u32| self.get(**open).state == ZoneState::ImplicitlyOpen;
        let Some(&closed) = self.open.iter().find(is_implicit) else { return Err(ZoneError::TooManyOpen) };
        self.set(closed, ZoneState::Closed);
        self.counts.closed[0] += 1;
        Ok(())
    }

    /// Carries out a write command of `blocks` blocks from block `at` of a zone on: opens the zone if needed, and moves
    /// the write pointer behind the blocks.
    ///
    /// # Errors
    /// With the error status of the completion; nothing changes then.
    pub fn write(&mut self, zone: u32, at: u64, blocks: u64) -> Result<(), ZoneError> {
        let ZoneRecord { state, written } = self.get(zone);
        match state {
            ZoneState::Full => return Err(ZoneError::Full),
            ZoneState::ReadOnly => return Err(ZoneError::ReadOnly),
            ZoneState::Offline => return Err(ZoneError::Offline),
            _ if at + blocks > self.shape.capacity => return Err(ZoneError::Boundary),
            _ if at != written => return Err(ZoneError::InvalidWrite),
            _ => {}
        }
        self.make_room(zone)?;
        if !state.is_open() {
            self.set(zone, ZoneState::ImplicitlyOpen);
            self.counts.opened[0] += 1;
        }
        self.zones[zone as usize].written = at + blocks;
        if at + blocks == self.shape.capacity {
            self.set(zone, ZoneState::Full);
            self.counts.filled += 1;
        }
        Ok(())
    }

    /// Carries out a zone append of `blocks` blocks; `at` must be the zone's first block, 0. Returns the block of the
    /// zone at which the data are written.
    ///
    /// # Errors
    /// With the error status of the completion: when `at` is not 0, or when a write of these blocks at the zone's write
    /// pointer is refused. Nothing changes then.
    pub fn append(&mut self, zone: u32, at: u64, blocks: u64) -> Result<u64, ZoneError> {
        if at != 0 {
            return Err(ZoneError::InvalidWrite);
        }
        let to = self.get(zone).written;
        self.write(zone, to, blocks).map(|()| to)
    }

    /// Checks whether a read of `blocks` blocks from block `at` of zone `zone` on is allowed; the state of the zone
    /// stays unchanged.
    ///
    /// # Errors
    /// With the error status of the completion: when the zone is offline, when the read passes the end of the zone, or
    /// when the read includes unwritten blocks of a namespace that does not allow reads of unwritten blocks.
    pub fn read(&self, zone: u32, at: u64, blocks: u64) -> Result<(), ZoneError> {
        let ZoneRecord { state, written } = self.get(zone);
        match state {
            ZoneState::Offline => Err(ZoneError::Offline),
            _ if at + blocks > self.shape.size => Err(ZoneError::Boundary),
            _ if !self.shape.reads_unwritten && at + blocks > written => Err(ZoneError::Unwritten),
            _ => Ok(()),
        }
    }

    /// Carries out the zone management command `op`: changes the state of the zone, and returns the work that the flash
    /// has to do for it.
    ///
    /// # Errors
    /// With the error status of the completion: when the zone is offline or read-only, when its present state does not
    /// allow the command, or when an open command would exceed the limits on active and open zones. Nothing changes
    /// then.
    ///
    /// # Panics
    /// When `op` is no zone management command.
    pub fn manage(&mut self, zone: u32, op: Op) -> Result<ZoneWork, ZoneError> {
        let ZoneRecord { state, written } = self.get(zone);
        match state {
            ZoneState::Offline => return Err(ZoneError::Offline),
            ZoneState::ReadOnly => return Err(ZoneError::ReadOnly),
            _ => {}
        }
        match op {
            Op::ZONE_OPEN if state == ZoneState::Full => Err(ZoneError::Transition),
            Op::ZONE_OPEN => {
                self.make_room(zone)?;
                self.counts.opened[1] += u64::from(state != ZoneState::ExplicitlyOpen);
                self.set(zone, ZoneState::ExplicitlyOpen);
                Ok(ZoneWork::None)
            }
            Op::ZONE_CLOSE => {
                match state {
                    ZoneState::Closed => return Ok(ZoneWork::None),
                    _ if !state.is_open() => return Err(ZoneError::Transition),
                    _ if written == 0 => self.set(zone, ZoneState::Empty),
                    _ => self.set(zone, ZoneState::Closed),
                }
                self.counts.closed[1] += 1;
                Ok(ZoneWork::None)
            }
            Op::ZONE_FINISH => {
                if state == ZoneState::Full {
                    return Ok(ZoneWork::None);
                }
                self.set(zone, ZoneState::Full);
                self.counts.finished += 1;
                Ok(ZoneWork::Finish)
            }
            Op::ZONE_RESET => {
                self.set(zone, ZoneState::Empty);
                self.zones[zone as usize].written = 0;
                self.counts.reset += u64::from(written > 0 || state == ZoneState::Full);
                Ok(ZoneWork::Reset(written))
            }
            other => unreachable!("{} manages no zone", other.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: ZoneShape =
        ZoneShape { count: 6, size: 16, capacity: 10, open_most: 2, active_most: 3, reads_unwritten: true };

    fn states(zones: &ZoneStates) -> Vec<ZoneState> {
        (0..zones.shape().count).map(|zone| zones.get(zone).state).collect()
    }

    #[test]
    fn a_zone_is_written_at_its_pointer_up_to_its_capacity() {
        let mut zones = ZoneStates::new(SHAPE);
        assert_eq!(zones.write(0, 1, 1), Err(ZoneError::InvalidWrite));
        assert_eq!(zones.write(0, 0, 4), Ok(()));
        assert_eq!(zones.write(0, 0, 4), Err(ZoneError::InvalidWrite));
        assert_eq!(zones.write(0, 4, 7), Err(ZoneError::Boundary));
        assert_eq!(zones.append(0, 0, 5), Ok(4));
        assert_eq!(zones.append(0, 4, 1), Err(ZoneError::InvalidWrite));
        assert_eq!(zones.append(0, 0, 2), Err(ZoneError::Boundary));
        assert_eq!(zones.append(0, 0, 1), Ok(9));
        assert_eq!(zones.get(0), ZoneRecord { state: ZoneState::Full, written: 10 });
        assert_eq!(
            (zones.write(0, 10, 1), zones.append(0, 0, 1)),
            (Err(ZoneError::Full), Err(ZoneError::Full))
        );
        assert_eq!(zones.by_state(), [5, 0, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn the_drive_closes_what_a_write_opened_and_never_what_the_host_did() {
        let mut zones = ZoneStates::new(SHAPE);
        for zone in 0..3 {
            assert_eq!(zones.write(zone, 0, 1), Ok(()));
        }
        use ZoneState::{Closed, Empty, ExplicitlyOpen, Full, ImplicitlyOpen};
        assert_eq!(states(&zones)[..3], [Closed, ImplicitlyOpen, ImplicitlyOpen]);
        assert_eq!(zones.write(3, 0, 1), Err(ZoneError::TooManyActive));
        assert_eq!(zones.manage(3, Op::ZONE_OPEN), Err(ZoneError::TooManyActive));
        // The two that are opened explicitly cannot be closed for a third.
        assert_eq!(zones.manage(1, Op::ZONE_OPEN), Ok(ZoneWork::None));
        assert_eq!(zones.manage(0, Op::ZONE_OPEN), Ok(ZoneWork::None));
        assert_eq!(states(&zones)[..3], [ExplicitlyOpen, ExplicitlyOpen, Closed]);
        assert_eq!(zones.write(2, 1, 1), Err(ZoneError::TooManyOpen));
        assert_eq!(zones.manage(1, Op::ZONE_CLOSE), Ok(ZoneWork::None));
        assert_eq!(zones.write(2, 1, 9), Ok(()));
        assert_eq!(states(&zones)[..4], [ExplicitlyOpen, Closed, Full, Empty]);
        assert_eq!(zones.write(3, 0, 1), Ok(()));
    }

    #[test]
    fn management_moves_a_zone_from_state_to_state() {
        let mut zones = ZoneStates::new(SHAPE);
        assert_eq!(zones.manage(0, Op::ZONE_CLOSE), Err(ZoneError::Transition));
        zones.manage(0, Op::ZONE_OPEN).unwrap();
        // Closed with nothing written it is empty again, and no longer active.
        zones.manage(0, Op::ZONE_CLOSE).unwrap();
        assert_eq!(zones.get(0).state, ZoneState::Empty);
        zones.write(0, 0, 3).unwrap();
        assert_eq!(zones.manage(0, Op::ZONE_FINISH), Ok(ZoneWork::Finish));
        assert_eq!(zones.manage(0, Op::ZONE_FINISH), Ok(ZoneWork::None));
        assert_eq!(zones.manage(0, Op::ZONE_OPEN), Err(ZoneError::Transition));
        assert_eq!(zones.manage(0, Op::ZONE_RESET), Ok(ZoneWork::Reset(3)));
        assert_eq!(zones.get(0), ZoneRecord::default());
        assert_eq!(zones.manage(1, Op::ZONE_FINISH), Ok(ZoneWork::Finish));
        assert_eq!(zones.manage(1, Op::ZONE_RESET), Ok(ZoneWork::Reset(0)));
        assert_eq!((zones.counts.finished, zones.counts.reset), (2, 2));
        assert_eq!((zones.active, zones.open.len()), (0, 0));
    }

    #[test]
    fn reads_stay_in_a_zone_and_beyond_the_pointer_follow_the_rule() {
        let mut zones = ZoneStates::new(SHAPE);
        zones.write(0, 0, 3).unwrap();
        assert_eq!((zones.read(0, 2, 14), zones.read(0, 2, 15)), (Ok(()), Err(ZoneError::Boundary)));
        let mut strict = ZoneStates::new(ZoneShape { reads_unwritten: false, ..SHAPE });
        strict.write(0, 0, 3).unwrap();
        assert_eq!((strict.read(0, 0, 3), strict.read(0, 0, 4)), (Ok(()), Err(ZoneError::Unwritten)));
    }

    #[test]
    fn every_status_has_a_name_and_a_code_of_its_own() {
        let codes: std::collections::HashSet<_> = ZoneError::ALL.iter().map(|error| error.status()).collect();
        let names: std::collections::HashSet<_> = ZoneError::ALL.iter().map(|error| error.name()).collect();
        assert_eq!((codes.len(), names.len()), (ZoneError::ALL.len(), ZoneError::ALL.len()));
    }
}
