//! Sizes before memory: what a drive will take is reckoned from its configuration and compared with what the machine has,
//! or with what the user allows, before any of it is allocated.

use crate::Error;
use ecc::Ladder;
use ftl::FtlConfig;
use nand::Geometry;
use units::Bytes;

/// Constant: fraction of the available memory of the computer that a run may use if the user gives no limit.
const SHARE: f64 = 0.95;
/// Constant: number of bytes of the simulator's memory for each flash block: its place in the array, wear (P/E cycles),
/// endurance (life) and next page row to program.
const BLOCK: u64 = 24;
/// Constant: number of bytes of the simulator's memory for each superblock: counts, flags, times, position among the
/// garbage collection candidates and in policies, state of background work (upkeep).
const SUPERBLOCK: u64 = 120;
/// Constant: number of bytes of the simulator's memory for each mapping unit on flash (the logical unit in it, and
/// whether it is valid).
const PHYSICAL: f64 = 4.125;
/// Constant: number of bytes of the simulator's memory for each logical unit (its physical address).
const LOGICAL: u64 = 4;
/// Constant: number of bytes of the simulator's memory for each logical unit on a drive with too many mapping units on
/// flash for 32-bit physical addresses.
const LOGICAL_WIDE: u64 = 5;
/// Constant: greatest numbers of bytes of memory that the checkers use, for each mapping unit on flash and for each
/// logical unit (in this order): their arrays, a copy of the logical-to-physical map as it was when the run began, and
/// changes to that copy. The sectors of partly written units are not counted.
const CHECKED: [u64; 2] = [18, 22];
/// Constant: greatest number of bytes that the file of a saved drive state may take in addition to the state's arrays.
const STATE_HEAD: u64 = 1 << 20;

/// Limit, in bytes, on the computer's memory that simulated drives may take, with a flag whether the user gave the
/// limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MemoryLimit {
    bytes: u64,
    is_given: bool,
}

impl MemoryLimit {
    /// Returns the memory limit that the user gave, else 95 % of the computer's available memory; `None` where neither
    /// is known.
    pub fn of(given: Option<u64>) -> Option<Self> {
        let machine = || available().map(|bytes| (bytes as f64 * SHARE) as u64);
        let limit = given.map(|bytes| Self { bytes, is_given: true });
        limit.or_else(|| machine().map(|bytes| Self { bytes, is_given: false }))
    }

    fn check(self, needed: u64, what: &str, advice: &str) -> Result<(), Error> {
        if needed <= self.bytes {
            return Ok(());
        }
        let source =
            if self.is_given { "--memory-limit allows" } else { "this machine has (see --memory-limit)" };
        Err(Error(format!(
            "{what}, {} together, and {source} {}: expected {advice}",
            readable(needed),
            readable(self.bytes)
        )))
    }
}

fn readable(bytes: u64) -> String {
    let (value, unit) = match bytes {
        bytes if bytes >= 1 << 30 => (bytes as f64 / f64::from(1 << 30), "GiB"),
        bytes => (bytes as f64 / f64::from(1 << 20), "MiB"),
    };
    format!("{value:.1} {unit}")
}

/// Returns the number of bytes of memory available to this process: of the computer, or of the process's control group
/// if that has less. None where unknown.
fn available() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let machine = line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)?;
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let group = || {
        let most = number("/sys/fs/cgroup/memory.max")?;
        Some(most.saturating_sub(number("/sys/fs/cgroup/memory.current")?))
    };
    Some(group().map_or(machine, |group| machine.min(group)))
}

/// Checks that the simulator's records of all flash blocks of a drive fit into memory; called before the blocks'
/// properties are drawn at random.
///
/// # Errors
/// When the blocks do not fit; the text has the arithmetic.
pub(crate) fn check_blocks(geometry: &Geometry) -> Result<(), Error> {
    let Some(limit) = MemoryLimit::of(None) else { return Ok(()) };
    let blocks = u64::from(geometry.dies()) * u64::from(geometry.blocks_per_die());
    let what = format!(
        "nand.blocks_per_plane = {}: {BLOCK} bytes for each of the drive's {blocks} blocks",
        geometry.blocks_per_plane
    );
    limit.check(blocks.saturating_mul(BLOCK), &what, "fewer blocks, planes or dies")
}

/// Kind of checking of a run: on, if checkers (observers of the run) verify the consistency of the simulated drive
/// during the run, or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checking {
    /// Case of the checking of a run: observers check the consistency of the drive during the run.
    On,
    /// Case of the checking of a run: no observer checks the consistency of the drive during the run.
    Off,
}

impl Checking {
    /// Returns the two numbers of bytes of memory that the checkers use: for each mapping unit on flash, and for each
    /// logical unit.
    const fn bytes(self) -> [u64; 2] {
        match self {
            Self::On => CHECKED,
            Self::Off => [0, 0],
        }
    }
}

/// Returns the number of bytes of the computer's available memory that simulated drives may take; `None` where unknown.
pub fn free_memory() -> Option<u64> {
    MemoryLimit::of(None).map(|limit| limit.bytes)
}

/// Sizes of one drive (numbers of blocks, superblocks and units) from which the simulator's memory for the drive is
/// calculated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryNeeds {
    blocks: u64,
    superblocks: u64,
    physical: u64,
    written: u64,
    /// Field: number of bytes of the simulator's memory for each logical unit of the drive.
    logical: u64,
    buffer: u64,
    /// Field: number of bytes that the features of the flash translation layer take in the simulator's memory, from
    /// [`FtlConfig::bytes_beside`].
    beside: u64,
}

impl MemoryNeeds {
    /// Returns these sizes with `bytes` bytes of memory more, such as those of the log of a host that keeps blocks on
    /// the drive's zones.
    pub fn with_more(self, bytes: u64) -> Self {
        Self { beside: self.beside + bytes, ..self }
    }

    pub fn of(geometry: &Geometry, ftl: &FtlConfig, code: Option<&Ladder>) -> Self {
        let layout = &ftl.layout;
        Self {
            beside: ftl.bytes_beside(code),
            blocks: u64::from(geometry.dies()) * u64::from(geometry.blocks_per_die()),
            superblocks: layout.superblocks() as u64,
            physical: layout.physical_units_reckoned(),
            written: layout.written_units(),
            logical: if layout.is_wide() { LOGICAL_WIDE } else { LOGICAL },
            buffer: u64::from(ftl.buffer.slots) * 48,
        }
    }

    /// Returns the number of bytes of the simulator's memory that the simulated drive takes, calculated from its sizes,
    /// with the checkers if `checking` is `On`.
    pub fn bytes(&self, checking: Checking) -> u64 {
        let [physical, logical] = checking.bytes();
        self.blocks * BLOCK
            + self.superblocks * SUPERBLOCK
            + (self.physical as f64 * PHYSICAL) as u64
            + self.physical * physical
            + self.written * (self.logical + logical)
            + self.buffer
            + self.beside
    }

    /// Checks that the simulated drive fits into the memory limit `given`, or without one into the computer's available
    /// memory.
    ///
    /// # Errors
    /// When the drive does not fit; the text has the arithmetic.
    pub fn check(&self, given: Option<u64>, checking: Checking) -> Result<(), Error> {
        let Some(limit) = MemoryLimit::of(given) else { return Ok(()) };
        let [physical, logical] = checking.bytes();
        let what = format!(
            "the drive takes {:.3} bytes for each of {} units on flash, {} for each of {} logical ones, {} for its features{}",
            PHYSICAL + physical as f64,
            self.physical,
            self.logical + logical,
            self.written,
            readable(self.beside),
            if checking == Checking::On { " with --check" } else { "" }
        );
        limit.check(
            self.bytes(checking),
            &what,
            "a smaller drive (nand.blocks_per_plane, ftl.user_capacity), or a larger ftl.mapping_unit",
        )
    }

    /// Returns the greatest number of bytes to which a saved state of this drive can unpack.
    pub fn state_most(&self) -> u64 {
        let arrays = self.beside
            + 8 * self.physical
            + self.logical * self.written
            + 64 * (self.blocks + self.superblocks);
        STATE_HEAD + 2 * arrays
    }
}

/// Constant: greatest size, in bytes, of the header of a saved drive state; the header names the drive.
pub(crate) const HEAD_MOST: Bytes = Bytes::new(STATE_HEAD);
