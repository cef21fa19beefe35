//! What a host sees of a drive: how many bytes, and which namespaces lie where in them.
//!
//! Requests name bytes of the drive. Where each namespace lies is found by the drive (`sim/namespaces`); a workload takes
//! the place it is given, as it takes that of the whole drive.

use crate::Extent;
use config::nearest;

/// Record of an NVMe namespace as a workload sees it: name and place on the drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Name of the NVMe namespace, by which workloads choose it.
    pub name: String,
    /// Field of a namespace's record: byte range of the NVMe namespace on the drive.
    pub extent: Extent,
    /// Number of placement identifiers (NVMe FDP) that writes to the namespace may name; 0 on most drives.
    pub handles: u16,
    /// Field of a namespace's record: number, sizes and limits of the zones of the namespace; none if it has no zones
    /// (blocks written in any order).
    pub zones: Option<HostZones>,
}

/// Record of the logical address space of the drive as a workload sees it: capacity, namespaces, placement handles and
/// zones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSpace {
    /// Field of the drive's address space: capacity of the drive in bytes.
    pub bytes: u64,
    /// List of the namespaces of the drive in their order, if there are several; empty if the drive is a single
    /// namespace, of any name.
    pub namespaces: Vec<Namespace>,
    /// Number of placement handles (such as FDP placement identifiers) that writes may name, where namespaces differ
    /// the greatest of theirs; 0 on most drives.
    pub handles: u16,
    /// Field of the drive's address space: number, sizes and limits of the zones of a drive that is one zoned
    /// namespace; none on most drives, and where several namespaces have zones of their own.
    pub zones: Option<HostZones>,
}

/// Record of the zone numbers and limits of a zoned namespace, as the host learns them from the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostZones {
    /// Byte of the drive at which the first zone of the zoned namespace begins.
    pub offset: u64,
    /// Number of zones that the zoned namespaces before this one have; the drive reports the states of the zones of all
    /// namespaces in one list, in which those of this namespace begin here.
    pub first: u32,
    /// Number of zones of the zoned namespace.
    pub count: u32,
    /// Zone size of the zoned namespace: distance in bytes from the start of a zone to the start of the next zone.
    pub size: u64,
    /// Zone capacity of the zoned namespace: number of bytes of a zone that can be written.
    pub capacity: u64,
    /// Greatest number of zones of the whole drive, over all its zoned namespaces, that can be open (writable) at the
    /// same time.
    pub open_most: u32,
    /// Greatest number of zones of the whole drive, over all its zoned namespaces, that can be active (open or closed)
    /// at the same time.
    pub active_most: u32,
    /// Size of a logical block of the zoned namespace in bytes; offsets and lengths of requests are multiples of it.
    pub block: u64,
}

impl HostZones {
    /// Returns the number, within the namespace, of the zone in which byte `offset` of the drive lies.
    #[inline]
    pub fn zone_of(&self, offset: u64) -> u32 {
        ((offset - self.offset) / self.size) as u32
    }

    /// Returns the byte of the drive at which zone number `zone` of the namespace begins.
    #[inline]
    pub fn start(&self, zone: u32) -> u64 {
        self.offset + u64::from(zone) * self.size
    }
}

impl From<u64> for HostSpace {
    /// Makes the address space of a drive of `bytes` bytes that is one namespace without zones or placement handles.
    fn from(bytes: u64) -> Self {
        Self { bytes, namespaces: Vec::new(), handles: 0, zones: None }
    }
}

impl From<&Self> for HostSpace {
    fn from(space: &Self) -> Self {
        space.clone()
    }
}

impl HostSpace {
    /// Returns true if the drive has several namespaces, among which a workload must choose.
    pub fn is_parted(&self) -> bool {
        !self.namespaces.is_empty()
    }

    /// Returns all namespaces of the drive; a drive with a single namespace gives one that has no name and covers all
    /// bytes.
    pub fn each(&self) -> Vec<Namespace> {
        let extent = Extent { offset: 0, bytes: self.bytes };
        let whole = || Namespace { name: String::new(), extent, handles: self.handles, zones: self.zones };
        if self.is_parted() { self.namespaces.clone() } else { vec![whole()] }
    }

    /// Returns the number of placement handles that a write at byte `offset` of the drive may name: those of its
    /// namespace.
    pub fn handles_at(&self, offset: u64) -> u16 {
        let begins = |namespace: &&Namespace| namespace.extent.offset <= offset;
        self.namespaces.iter().take_while(begins).last().map_or(self.handles, |namespace| namespace.handles)
    }

    /// Returns the zones of each zoned namespace of the drive, in the order of the namespaces; empty on a drive without
    /// zones.
    pub fn all_zones(&self) -> Vec<HostZones> {
        self.each().into_iter().filter_map(|namespace| namespace.zones).collect()
    }

    /// Returns true if a namespace of the drive has zones.
    pub fn has_zones(&self) -> bool {
        self.zones.is_some() || self.namespaces.iter().any(|namespace| namespace.zones.is_some())
    }

    /// Returns the zones of the namespace in which byte `offset` of the drive lies; none where that namespace has no
    /// zones.
    pub fn zones_at(&self, offset: u64) -> Option<HostZones> {
        let holds = |namespace: &&Namespace| {
            (namespace.extent.offset..namespace.extent.offset + namespace.extent.bytes).contains(&offset)
        };
        match self.is_parted() {
            true => self.namespaces.iter().find(holds).and_then(|namespace| namespace.zones),
            false => self.zones,
        }
    }

    /// Returns the namespace that has exactly this name; none if there is none.
    pub fn named(&self, name: &str) -> Option<&Namespace> {
        self.namespaces.iter().find(|namespace| namespace.name == name)
    }

    /// Returns the namespace that the name of a device on a host means, as a workload gives it: the namespace's own
    /// name, with or without `/dev/`, or an NVMe device name with its number as in Linux, where `/dev/nvme0n2` is the
    /// second namespace.
    pub fn device(&self, name: &str) -> Option<&Namespace> {
        let device = name.strip_prefix("/dev/").unwrap_or(name);
        let by_number = || {
            let (controller, number) = device.strip_prefix("nvme")?.split_once('n')?;
            let number: usize = controller.parse::<u32>().ok().and(number.parse().ok())?;
            self.namespaces.get(number.checked_sub(1)?)
        };
        self.named(device).or_else(by_number)
    }

    /// Returns the part of an error message that lists the namespaces a workload can name, with the nearest name as a
    /// suggestion: `a namespace of the drive: log, data; did you mean "log"?`
    pub fn expected(&self, name: &str) -> String {
        let names = || self.namespaces.iter().map(|namespace| namespace.name.as_str());
        let near = nearest(name.strip_prefix("/dev/").unwrap_or(name), names());
        let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        format!("a namespace of the drive: {}{near}", names().collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_goes_by_its_name_as_a_device_and_by_its_number() {
        let namespace = |name: &str, offset| Namespace {
            name: name.into(),
            extent: Extent { offset, bytes: 4096 },
            handles: 0,
            zones: None,
        };
        let space = HostSpace {
            bytes: 8192,
            namespaces: vec![namespace("log", 0), namespace("data", 4096)],
            handles: 0,
            zones: None,
        };
        for name in ["data", "/dev/data", "/dev/nvme0n2", "nvme3n2"] {
            assert_eq!(space.device(name).map(|found| found.extent.offset), Some(4096), "{name}");
        }
        for name in ["dat", "/dev/nvme0n0", "/dev/nvme0n3", "/dev/nvmen1", "/dev/sda", ""] {
            assert_eq!(space.device(name), None, "{name}");
        }
        assert_eq!(space.expected("dat"), "a namespace of the drive: log, data; did you mean \"data\"?");
        assert!(HostSpace::from(4096).device("log").is_none() && !HostSpace::from(4096).is_parted());
    }
}
