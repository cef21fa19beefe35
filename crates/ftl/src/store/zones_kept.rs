//! What outlasts a power cut of a drive that is zones: what spare areas say of superblocks, and what capacitors keep.

use units::Lpn;

/// Record (label) in the spare areas of all pages of a superblock of a zoned drive: to which zone the superblock
/// belongs, and since which reset of the zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ZoneLabel {
    /// Number of the zone to which the superblock belongs.
    pub zone: u32,
    /// Index of the superblock among the superblocks of its zone.
    pub member: u32,
    /// Number of times that the zone had been reset when the superblock was assigned to it.
    pub resets: u32,
}

/// Record of what outlasts a power cut of a zoned drive, beside data and logical units in spare areas: labels of
/// superblocks, and what capacitors keep of zones and write buffer.
#[derive(Clone, Debug)]
pub(crate) struct ZonesKept {
    /// For each superblock of the drive: the label in its spare areas, which a drive can read once the superblock is
    /// programmed.
    pub labels: Vec<ZoneLabel>,
    /// For each zone: number of times that the zone was reset. Capacitors keep this.
    pub resets: Vec<u32>,
    /// For each zone, at a power cut: number of program units up to which a finish pads the zone; `None` for a zone
    /// that was not finished. Capacitors keep this.
    pub ends: Vec<Option<u32>>,
    /// List, at a power cut, of the units in the write buffer that the flash lacks, in the order of zones and
    /// addresses, each with its write number (number of the host's write). Capacitors keep this.
    pub waiting: Vec<(Lpn, u64)>,
    /// Field: statistics of zones up to a power cut, which only the simulation keeps: units of padding that finishes
    /// wrote, units that the host had written in finished zones, and superblocks assigned to zones.
    pub counted: [u64; 3],
}

impl ZonesKept {
    /// Makes the record of what outlasts a power cut for a zoned drive on which nothing is written.
    pub fn new(superblocks: usize, zones: usize) -> Self {
        Self {
            labels: vec![ZoneLabel::default(); superblocks],
            resets: vec![0; zones],
            ends: vec![None; zones],
            waiting: Vec::new(),
            counted: [0; 3],
        }
    }

    /// Records in its label that a superblock is assigned to a zone, as number `member` of the zone's superblocks.
    pub fn label(&mut self, superblock: u32, zone: u32, member: u32) {
        let resets = self.resets[zone as usize];
        self.labels[superblock as usize] = ZoneLabel { zone, member, resets };
    }

    /// Returns the label of a superblock if the superblock belongs to its zone now; `None` if the zone was reset since.
    pub fn of(&self, superblock: usize) -> Option<ZoneLabel> {
        let label = self.labels[superblock];
        (label.resets == self.resets[label.zone as usize]).then_some(label)
    }

    /// Returns the size, in bytes of the simulator's memory, of the record of a zoned drive's zones that outlasts power
    /// cuts.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.labels) + size_of_val(&*self.resets) + size_of_val(&*self.ends)
    }
}
