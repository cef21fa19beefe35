//! What the drive has promised to survive a power cut, kept apart from how the drive keeps it: a write with FUA (or
//! behind a disabled write cache) from its acknowledgement on, any other from the end of a flush that came after it.

use crate::requests::Request;
use host::{HostRequest, Op};
use std::collections::BTreeMap;
use units::Lpn;

/// Units by version: higher is newer.
type Versions = BTreeMap<Lpn, u32>;

/// The checker's account of promises.
pub(crate) struct Durability {
    protected: bool,
    write_back: bool,
    /// The request whose data enter the drive now.
    entering: u32,
    /// What each write under way has brought.
    written: BTreeMap<u32, Versions>,
    /// The newest version of each unit written, and the newest that is on flash.
    newest: Versions,
    on_flash: Versions,
    /// Acknowledged and not on flash.
    open: Versions,
    /// What was open when each flush under way was asked for.
    flushes: BTreeMap<u32, Versions>,
}

impl Durability {
    pub fn new(protected: bool, write_back: bool) -> Self {
        Self {
            protected,
            write_back,
            entering: u32::MAX,
            written: BTreeMap::new(),
            newest: BTreeMap::new(),
            on_flash: BTreeMap::new(),
            open: BTreeMap::new(),
            flushes: BTreeMap::new(),
        }
    }

    pub fn on_request(&mut self, id: u32, request: &HostRequest) {
        if request.op == Op::Flush && !self.protected {
            self.flushes.insert(id, self.open.clone());
        }
    }

    pub fn on_data(&mut self, id: u32, _lpn: Lpn) {
        self.entering = id;
    }

    pub fn on_version(&mut self, lpn: Lpn, version: u32) {
        if !self.protected {
            self.newest.insert(lpn, version);
            self.written.entry(self.entering).or_default().insert(lpn, version);
        }
    }

    /// `version` of a unit is on flash, or was trimmed away.
    pub fn on_commit(&mut self, lpn: Lpn, version: u32) {
        if self.protected {
            return;
        }
        self.on_flash.insert(lpn, version);
        if self.open.get(&lpn).is_some_and(|open| *open <= version) {
            self.open.remove(&lpn);
        }
    }

    /// A version that a newer one overtook in the buffer is programmed, too, but no map entry tells where: it is not
    /// asked for.
    fn is_safe(&self, lpn: Lpn, version: u32) -> bool {
        let reached = |versions: &Versions, least| versions.get(&lpn).is_some_and(|there| *there >= least);
        reached(&self.on_flash, version) || reached(&self.newest, version + 1)
    }

    pub fn on_complete(&mut self, request: &Request) {
        let (id, host) = (request.id, &request.host);
        let expected = self.flushes.remove(&id).unwrap_or_default();
        let written = self.written.remove(&id).unwrap_or_default();
        if request.failed {
            return;
        }
        for (&lpn, &version) in &expected {
            assert!(self.is_safe(lpn, version), "{lpn} was acknowledged before a flush and is not on flash");
        }
        let forced = host.op == Op::Write && (host.fua || !self.write_back);
        for (lpn, version) in written {
            let there = self.is_safe(lpn, version);
            assert!(there || !forced, "a write of {lpn} that waits for the flash was acknowledged too early");
            if !there {
                self.open.insert(lpn, version);
            }
        }
    }
}
