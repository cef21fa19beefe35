//! A drive that is made up for tests: it says of itself what a test puts in.

use crate::examined::{Busy, DriveCounts, Examined, Facts, KeptAt, MapAtFirst, Promise};
use crate::shape::FlashShape;
use bus::{Cadence, CycleWaits, Pins, Signalling};
use host::HostSpace;
use std::collections::BTreeMap;
use units::{Femtos, Lpn, Ppa, SimTime};

/// Constant: configuration keys of the made-up drive for the checker's tests: one channel with two dies, and cells of
/// two bits.
const KEYS: [&str; 15] = [
    "geometry.channels=1",
    "nand.cell=mlc",
    "nand.t_r=50us",
    "nand.t_prog=300us",
    "nand.t_bers=2ms",
    "nand.t_suspend_program=20us",
    "nand.t_suspend_erase=30us",
    "nand.t_resume=7us",
    "nand.oob_size=128B",
    "bus.cycles_read=7",
    "bus.cycles_program=6",
    "bus.cycles_erase=5",
    "bus.cycles_status=2",
    "bus.transfer_oob=true",
    "ecc.t_decode=3us",
];

/// Type of the map from the number of each logical unit of the made-up test drive to the physical address of its data.
type Homes = BTreeMap<u32, u64>;

/// Type of the made-up drive for the checker's tests: it holds the map and the counts that a test puts in.
pub(crate) struct MadeUp {
    pub homes: Homes,
    /// List of the logical units whose physical address changed since the checker's own model began; `None` if the
    /// made-up drive is to answer that it has no list of changed units.
    pub changed: Option<Vec<Lpn>>,
    /// Number of valid units in each superblock, as the made-up drive counts them.
    pub valid: Vec<u32>,
    pub snapshots: Option<Vec<u32>>,
    pub promise: Promise,
}

impl MadeUp {
    /// Makes a made-up test drive that holds no data.
    pub fn empty() -> Self {
        let valid = vec![0; shape().superblocks()];
        let (homes, promise) = (Homes::new(), Promise { writes_back: true, ..Promise::default() });
        Self { homes, changed: Some(Vec::new()), valid, snapshots: None, promise }
    }

    /// Makes a made-up drive for the checker's tests on which logical units 0 to `units` - 1 lie at the physical
    /// addresses of the same numbers.
    pub fn filled(units: u32) -> Self {
        let mut drive = Self::empty();
        (0..units).for_each(|lpn| drive.write(Lpn(lpn), Ppa(u64::from(lpn))));
        Self { changed: Some(Vec::new()), ..drive }
    }

    /// Records in the made-up test drive that the data of unit `lpn` are at physical address `ppa`; the old address of
    /// the unit becomes invalid.
    pub fn write(&mut self, lpn: Lpn, ppa: Ppa) {
        self.trim(lpn);
        self.homes.insert(lpn.0, ppa.0);
        self.valid[shape().superblock_of(ppa)] += 1;
    }

    /// Removes the physical address of unit `lpn` from the made-up test drive, as a trim does.
    pub fn trim(&mut self, lpn: Lpn) {
        if let Some(home) = self.homes.remove(&lpn.0) {
            self.valid[shape().superblock_of(Ppa(home))] -= 1;
        }
        self.changed.iter_mut().for_each(|changed| changed.push(lpn));
    }
}

/// Returns the sizes of the made-up test drive's flash (units, page rows, superblocks, dies).
pub(crate) fn shape() -> FlashShape {
    FlashShape {
        unit_bytes: 4096,
        dies: 2,
        superblocks_per_die: 8,
        rows: 64,
        one_bit_rows: 32,
        row_units: 2,
        page_units: 2,
        planes: 1,
        logical_units: 1024,
        map_units: 0,
    }
}

impl MapAtFirst for Homes {
    fn lookup(&self, lpn: Lpn) -> Ppa {
        self.get(&lpn.0).map_or(Ppa::NONE, |&home| Ppa(home))
    }

    fn living_at(&self, ppa: Ppa) -> Lpn {
        self.iter().find(|(_, home)| **home == ppa.0).map_or(Lpn::NONE, |(&lpn, _)| Lpn(lpn))
    }

    fn each(&self, mut name: impl FnMut(Lpn, Ppa)) {
        self.iter().for_each(|(&lpn, &home)| name(Lpn(lpn), Ppa(home)));
    }
}

impl Examined for MadeUp {
    type Beginning = Homes;

    fn facts(&self) -> Facts {
        let cadence = Cadence { femtos: Femtos::new(5_000_000), bytes: 1 };
        Facts {
            keys: KEYS.map(str::to_owned).to_vec(),
            shape: shape(),
            space: HostSpace::from(1024 * 4096),
            signalling: Signalling {
                cycle: Femtos::new(25_000_000),
                data_in: cadence,
                data_out: cadence,
                shortest: Femtos::new(25_000_000),
                double_data_rate: false,
                waits: CycleWaits::default(),
                pins: Pins { shared: 1, per_way: 1, strobes: 1 },
                io_supply: None,
            },
            ways_to_write: Vec::new(),
            stripe: None,
            promise: self.promise,
            reads_may_fail: false,
        }
    }

    fn beginning(&self) -> Homes {
        self.homes.clone()
    }

    fn changed_since(&self, _: &Homes) -> Option<Vec<Lpn>> {
        self.changed.clone()
    }

    fn lookup(&self, lpn: Lpn) -> Ppa {
        MapAtFirst::lookup(&self.homes, lpn)
    }

    fn holder(&self, ppa: Ppa) -> Lpn {
        self.homes.living_at(ppa)
    }

    fn is_valid(&self, ppa: Ppa) -> bool {
        self.homes.living_at(ppa) != Lpn::NONE
    }

    fn valid_units(&self) -> &[u32] {
        &self.valid
    }

    fn rows_programmed(&self, _: usize) -> u32 {
        0
    }

    fn holds_one_bit(&self, _: usize) -> bool {
        false
    }

    fn holds_parity(&self, _: usize) -> bool {
        false
    }

    fn snapshots(&self) -> Option<Vec<u32>> {
        self.snapshots.clone()
    }

    fn kept_at(&self, _: u32, _: Lpn) -> KeptAt {
        KeptAt::Nowhere
    }

    fn is_read_only(&self) -> bool {
        false
    }

    fn buffered(&self, _: Lpn) -> Option<u32> {
        None
    }

    fn zones(&self) -> Vec<(u32, bool)> {
        Vec::new()
    }

    fn is_draining(&self) -> bool {
        false
    }

    fn counted(&self) -> DriveCounts {
        DriveCounts::default()
    }

    fn busy(&self, _: SimTime) -> Busy {
        let shape = shape();
        Busy { channels: vec![0], arrays: vec![[0; 4]; shape.dies as usize], ..Busy::default() }
    }
}
