//! The door of a drive: which namespaces it has, where each lies, and what may be asked of it.
//!
//! Namespaces lie side by side on the logical drive, each from the beginning of a mapping unit on, and share all dies.
//! Here alone bytes of a namespace become bytes of the drive and back. A drive that declares none is one namespace.
//!
//! Not modelled: namespaces that are made, attached and deleted while the drive runs, several hosts, other block sizes
//! than 512 bytes, capacity that no namespace has (`ftl.user_capacity` makes the drive smaller instead).

mod identifiers;
mod zoned;

use config::{ConfigError, Entry, Place};
use ftl::{Ftl, Zoning};
use host::command::{self, CommandSet, Effect, SECTOR};
use host::{
    CompletionStatus, Declared, Extent, HostRequest, HostSpace, Namespace, NamespaceRoom, WorkloadError,
};
use std::collections::BTreeMap;
pub(crate) use zoned::{ZoneTurn, ZonedNamespace};

/// Record of one namespace of a drive: name, command set and address range on the drive.
#[derive(Clone, Debug)]
struct Placed {
    name: String,
    set: &'static CommandSet,
    /// Bit mask of the operations that address sectors, copied from the namespace's command set
    /// ([`CommandSet::on_sectors`]) for quick access.
    on_sectors: u64,
    extent: Extent,
    /// Number of placement identifiers that a write to the namespace can name.
    handles: u16,
}

impl Placed {
    fn new(name: String, set: &'static CommandSet, extent: Extent) -> Self {
        Self { name, set, on_sectors: set.on_sectors(), extent, handles: 0 }
    }
}

/// List of the namespaces of a drive, at least one, in the order of their address ranges.
#[derive(Clone, Debug)]
pub(crate) struct Namespaces {
    all: Vec<Placed>,
    /// Size in bytes of the whole drive, over all namespaces.
    bytes: u64,
    /// Two numbers for quick access, since most drives have a single namespace: size in bytes of the first namespace,
    /// and its bit mask of operations that address sectors.
    first: (u64, u64),
    /// Number of placement identifiers that a write can name, the greatest of all namespaces.
    handles: u16,
    /// Capacity in bytes, and number of placement handles, of a host that keeps blocks on the drive's zones; `None`
    /// where the workload sees the namespaces themselves.
    blocks_kept: Option<(u64, u16)>,
    /// Zoned namespace that is the whole drive, with the states of its zones; none on a drive without zones.
    zoned: Option<Box<ZonedNamespace>>,
}

impl Namespaces {
    /// Makes the list of namespaces of a drive with a single namespace that covers the whole drive of `bytes` bytes.
    pub fn whole(bytes: u64) -> Self {
        let extent = Extent { offset: 0, bytes };
        Self::of_all(vec![Placed::new(String::new(), command::USUAL, extent)], bytes)
    }

    /// Returns these namespaces with a host that keeps blocks on the drive's zones, by its capacity in bytes and its
    /// number of placement handles; `None` without such a host.
    pub fn with_blocks_kept(self, blocks_kept: Option<(u64, u16)>) -> Self {
        Self { blocks_kept, ..self }
    }

    /// Returns the capacity in bytes and the number of placement handles of a host that keeps blocks on the drive's
    /// zones; `None` without such a host.
    pub fn blocks_kept(&self) -> Option<(u64, u16)> {
        self.blocks_kept
    }

    fn of_all(all: Vec<Placed>, bytes: u64) -> Self {
        Self {
            first: (all[0].extent.bytes, all[0].on_sectors),
            all,
            bytes,
            handles: 0,
            blocks_kept: None,
            zoned: None,
        }
    }

    /// Makes the namespaces of a drive from the `declared` ones. A drive with zones becomes one zoned namespace, whose
    /// bytes count from the start of a zone to that of the next.
    ///
    /// # Errors
    /// When other namespaces are declared on a zoned drive, or zones on a drive without them.
    pub fn place_all(
        declared: &[Declared],
        (units, unit): (u64, u64),
        zoning: Option<Zoning>,
        entries: &[Entry],
    ) -> Result<Self, ConfigError> {
        let Some(zoning) = zoning else {
            if let Some(one) = declared.iter().find(|one| std::ptr::eq(one.set, command::ZONED)) {
                let expected = "expected nvm: this drive has no zones; ftl.mapping.name = zoned-all makes it one that has";
                return Err(refuse(entries, &one.name, "command_set", expected.to_owned()));
            }
            return Self::place(declared, units, unit, entries);
        };
        let bytes = u64::from(zoning.count) * zoning.size * unit;
        let name = match declared {
            [] => String::new(),
            [one] if !std::ptr::eq(one.set, command::ZONED) => {
                let expected = "expected zns: a drive whose ftl.mapping knows zones only has no blocks to write in any order";
                return Err(refuse(entries, &one.name, "command_set", expected.to_owned()));
            }
            [one] if one.room == NamespaceRoom::Rest => one.name.clone(),
            [one] => {
                let expected = "expected neither size nor share: the zones of a drive are one namespace";
                return Err(refuse(entries, &one.name, "size", expected.to_owned()));
            }
            _ => {
                let expected = "expected one name: zones and blocks, or the zones of several namespaces, on one drive are not \
                                modelled";
                return Err(refuse(entries, "", "names", expected.to_owned()));
            }
        };
        let extent = Extent { offset: 0, bytes };
        let placed = Self::of_all(vec![Placed::new(name, command::ZONED, extent)], bytes);
        Ok(Self { zoned: Some(Box::new(ZonedNamespace::new(zoning, unit))), ..placed })
    }

    /// Returns true if the drive is a zoned namespace.
    #[inline]
    pub fn is_zoned(&self) -> bool {
        self.zoned.is_some()
    }

    /// Returns the zoned namespace of the drive, with the states of its zones.
    ///
    /// # Panics
    /// When the drive is not zoned.
    pub fn zoned(&mut self) -> &mut ZonedNamespace {
        self.zoned.as_mut().expect("the drive is a zoned namespace")
    }

    /// Begins a run of the drive's namespaces on the drive `ftl`: for a zoned namespace takes the states of the zones
    /// from the contents of the drive; does nothing on a drive without zones.
    pub fn begin(&mut self, ftl: &Ftl) {
        if let Some(zoned) = &mut self.zoned {
            zoned.begin(ftl);
        }
    }

    /// Lets the drive's namespaces go on after a power cut of the drive `ftl`: a zoned namespace forgets the work in
    /// progress, and takes the states of the zones from the contents of the drive; does nothing on a drive without
    /// zones.
    pub fn go_on_after_cut(&mut self, ftl: &Ftl) {
        if let Some(zoned) = &mut self.zoned {
            zoned.go_on_after_cut(ftl);
        }
    }

    /// Begins the measured window of the run: a zoned namespace counts zone operations and errors from here on; does
    /// nothing on a drive without zones.
    pub fn begin_measuring(&mut self) {
        if let Some(zoned) = &mut self.zoned {
            zoned.begin_measuring();
        }
    }

    /// Returns the zoned namespace of the drive for reading; `None` where the drive has no zones.
    pub fn seen_zoned(&self) -> Option<&ZonedNamespace> {
        self.zoned.as_deref()
    }

    /// Returns the number of zone errors with which requests were answered, by name of the error; empty on a drive
    /// without zones.
    pub fn errors(&self) -> BTreeMap<String, u64> {
        self.zoned.as_ref().map_or_else(BTreeMap::new, |zoned| zoned.errors())
    }

    /// Calls `name` with each address range in the drive's own bytes (without the gaps between zones) that corresponds
    /// to a part of the range `extent` in the host's address space; on a zoned drive there may be several.
    pub fn on_flash(&self, extent: Extent, name: &mut dyn FnMut(Extent)) {
        match &self.zoned {
            None => name(extent),
            Some(zoned) => zoned.on_flash(extent, name),
        }
    }

    /// Makes the namespaces that a drive file declares, on a drive of `units` mapping units of `unit` bytes; `entries`
    /// give the places of the keys for error messages.
    ///
    /// # Errors
    /// When the namespaces do not fit the drive, or leave a part of it unused.
    pub fn place(
        declared: &[Declared],
        units: u64,
        unit: u64,
        entries: &[Entry],
    ) -> Result<Self, ConfigError> {
        let bytes = units * unit;
        if declared.is_empty() {
            return Ok(Self::whole(bytes));
        }
        let (mut rooms, left) = rooms(declared, units, unit, entries)?;
        let shares = declared.iter().filter(|one| matches!(one.room, NamespaceRoom::Share(_))).count() as u64;
        match declared.iter().position(|one| one.room == NamespaceRoom::Rest) {
            Some(at) if left > 0 => rooms[at] = left,
            Some(at) => {
                let name = &declared[at].name;
                let expected =
                    format!("expected others that leave some of the drive's {bytes} bytes to {name}");
                return Err(refuse(entries, "", "names", expected));
            }
            // Shares are rounded down.
            None if left <= shares => {}
            None => {
                let expected = format!(
                    "expected namespaces that are all of the drive: {} of its {bytes} bytes belong to none; one without \
                     size and share takes them, or ftl.user_capacity makes the drive smaller",
                    left * unit
                );
                return Err(refuse(entries, "", "names", expected));
            }
        }
        let mut all = Vec::new();
        let mut first = 0;
        for (one, room) in declared.iter().zip(rooms) {
            let bytes = if let NamespaceRoom::Bytes(bytes) = one.room { bytes } else { room * unit };
            all.push(Placed::new(one.name.clone(), one.set, Extent { offset: first * unit, bytes }));
            first += room;
        }
        Ok(Self::of_all(all, bytes))
    }

    /// Returns true if the drive has several namespaces.
    #[inline]
    pub fn is_parted(&self) -> bool {
        self.all.len() > 1
    }

    /// Returns the drive's address space as a workload sees it: bytes, namespaces, placement handles and zones.
    pub fn space(&self) -> HostSpace {
        match self.blocks_kept {
            Some((bytes, handles)) => HostSpace { handles, ..HostSpace::from(bytes) },
            None => self.space_of_drive(),
        }
    }

    /// Returns the address space of the drive itself, as its host sees it: zones, where the host keeps blocks on them.
    pub fn space_of_drive(&self) -> HostSpace {
        if !self.is_parted() {
            let zones = self.zoned.as_ref().map(|zoned| zoned.seen());
            let space = HostSpace::from(self.all[0].extent.bytes);
            return HostSpace { handles: self.handles, zones, ..space };
        }
        let seen =
            |one: &Placed| Namespace { name: one.name.clone(), extent: one.extent, handles: one.handles };
        HostSpace {
            bytes: self.bytes,
            namespaces: self.all.iter().map(seen).collect(),
            handles: self.handles,
            zones: None,
        }
    }

    /// Returns one text with the names, sizes and command sets of the drive's namespaces, for images of the drive;
    /// `None` where there is a single namespace.
    pub fn described(&self) -> Option<String> {
        let one = |one: &Placed| format!("{} of {} bytes ({})", one.name, one.extent.bytes, one.set.name);
        self.is_parted().then(|| self.all.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    /// Iterates over the namespaces: name, name of the command set, and size in bytes of each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'static str, u64)> {
        self.all.iter().map(|one| (one.name.as_str(), one.set.name, one.extent.bytes))
    }

    /// Returns the index of the namespace that contains byte `offset` of the drive.
    #[inline]
    pub fn of(&self, offset: u64) -> usize {
        self.all.partition_point(|one| one.extent.offset <= offset) - 1
    }

    /// Checks that a host request is acceptable before it enters the drive: its namespace, its operation, its address
    /// range.
    ///
    /// # Errors
    /// When the namespace's command set does not have the request, or the request reaches beyond the namespace;
    /// the message names the workload by `workload`.
    #[inline]
    pub fn admit(
        &self,
        request: &HostRequest,
        workload: impl FnOnce() -> String,
    ) -> Result<(), WorkloadError> {
        let (from, (most, on_sectors)) = if self.is_parted() {
            let one = &self.all[self.of(request.offset)];
            (one.extent.offset, (one.extent.bytes, one.on_sectors))
        } else {
            (0, self.first)
        };
        let (offset, bytes) = (request.offset - from, u64::from(request.bytes));
        let is_usual = offset <= most
            && bytes <= most - offset
            && bytes > 0
            && (offset | bytes).is_multiple_of(SECTOR)
            && on_sectors >> request.op.code() & 1 == 1;
        if is_usual { Ok(()) } else { self.look_closer(request, workload) }
    }

    #[cold]
    #[inline(never)]
    fn look_closer(
        &self,
        request: &HostRequest,
        workload: impl FnOnce() -> String,
    ) -> Result<(), WorkloadError> {
        let one = &self.all[self.of(request.offset)];
        let offset = request.offset - one.extent.offset;
        let what = if self.is_parted() { format!("namespace {}", one.name) } else { "drive".to_owned() };
        let refusal = one.set.refusal(request.op, offset, request.bytes, &what, one.extent.bytes);
        let refusal = refusal.or_else(|| self.lacks_handles(request));
        refusal.map_or(Ok(()), |refusal| Err(command::refused(&workload(), refusal)))
    }
}

/// Returns the number of mapping units that each declared namespace asks for by size or share (0 for a namespace that
/// takes the remaining space), and the number of units left on the drive.
fn rooms(
    declared: &[Declared],
    units: u64,
    unit: u64,
    entries: &[Entry],
) -> Result<(Vec<u64>, u64), ConfigError> {
    let bytes = units * unit;
    let mut left = units;
    let mut rooms = Vec::new();
    for one in declared {
        let (key, room) = match one.room {
            NamespaceRoom::Bytes(bytes) => ("size", bytes.div_ceil(unit)),
            NamespaceRoom::Share(share) => ("share", (units as f64 * share) as u64),
            NamespaceRoom::Rest => ("", 0),
        };
        if room == 0 && one.room != NamespaceRoom::Rest {
            let expected = format!("expected at least one mapping unit of the drive, of {unit} bytes");
            return Err(refuse(entries, &one.name, key, expected));
        }
        let Some(rest) = left.checked_sub(room) else {
            let expected = format!(
                "expected at most {} bytes, what those before it leave of the drive's {bytes}",
                left * unit
            );
            return Err(refuse(entries, &one.name, key, expected));
        };
        left = rest;
        rooms.push(room);
    }
    Ok((rooms, left))
}

/// Makes the error for a wrong value of key `key` of namespace `name`, or of all namespaces if `name` is empty.
fn refuse(entries: &[Entry], name: &str, key: &str, expected: String) -> ConfigError {
    let key = ["host.namespaces", name, key].map(str::to_owned).into_iter().filter(|part| !part.is_empty());
    let key = key.collect::<Vec<_>>().join(".");
    let entry = entries.iter().rev().find(|entry| entry.key == key);
    let place = entry.map_or(Place::Default, |entry| entry.place.clone());
    let value = entry.map(|entry| entry.value.to_string()).unwrap_or_default();
    ConfigError { place, key, value, expected, hint: None }
}

/// Counts of the requests to each namespace of a drive with several namespaces, by effect; a flush counts for the whole
/// drive, which has one write buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByNamespace(Vec<[EffectCounts; Effect::COUNT]>);

/// Counts of the requests to one namespace with one effect, such as reads: completed, their bytes, and failed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EffectCounts {
    /// Number of requests to the namespace, with one effect (read, write, trim, flush, or a change of a zone's state),
    /// that were completed successfully.
    pub done: u64,
    pub bytes: u64,
    /// Number of requests to the namespace, with one effect (read, write, trim, flush, or a change of a zone's state),
    /// that were answered with an error.
    pub failed: u64,
}

impl ByNamespace {
    /// Counts an answered request, by effect and status, to the namespace with index `at`.
    pub fn note(&mut self, at: usize, request: &HostRequest, status: CompletionStatus) {
        let is_done = status == CompletionStatus::Success;
        if self.0.len() <= at {
            self.0.resize(at + 1, <[EffectCounts; Effect::COUNT]>::default());
        }
        let asked = &mut self.0[at][request.op.effect() as usize];
        asked.done += u64::from(is_done);
        asked.bytes += if is_done { u64::from(request.bytes) } else { 0 };
        asked.failed += u64::from(!is_done);
    }

    /// Returns the counts of the requests to the namespace with index `at` that have the effect `effect` (read, write,
    /// trim, flush, or a change of a zone's state).
    pub fn of(&self, at: usize, effect: Effect) -> EffectCounts {
        self.0.get(at).map_or_else(EffectCounts::default, |asked| asked[effect as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Op;

    fn declared(rooms: &[NamespaceRoom]) -> Vec<Declared> {
        let one = |(at, room): (usize, &NamespaceRoom)| Declared {
            name: format!("n{at}"),
            set: command::USUAL,
            room: *room,
            handles: None,
            groups: None,
        };
        rooms.iter().enumerate().map(one).collect()
    }

    fn placed(rooms: &[NamespaceRoom]) -> Result<Vec<(u64, u64)>, String> {
        let placed =
            Namespaces::place(&declared(rooms), 100, 4096, &[]).map_err(|error| error.to_string())?;
        Ok(placed.all.iter().map(|one| (one.extent.offset / 4096, one.extent.bytes)).collect())
    }

    #[test]
    fn namespaces_lie_side_by_side_from_whole_units_on() {
        let sizes = [NamespaceRoom::Bytes(5 * 4096 + 512), NamespaceRoom::Share(0.333), NamespaceRoom::Rest];
        assert_eq!(placed(&sizes).unwrap(), [(0, 5 * 4096 + 512), (6, 33 * 4096), (39, 61 * 4096)]);
        assert_eq!(placed(&[]).unwrap(), [(0, 100 * 4096)]);
        // What rounding shares leaves over belongs to none.
        assert_eq!(
            placed(&[NamespaceRoom::Share(1.0 / 3.0); 3]).unwrap(),
            [(0, 33 * 4096), (33, 33 * 4096), (66, 33 * 4096)]
        );
    }

    #[test]
    fn what_does_not_fit_or_fill_the_drive_is_refused_in_a_line() {
        let refused = |rooms: &[NamespaceRoom]| placed(rooms).unwrap_err();
        let large = refused(&[NamespaceRoom::Share(0.5), NamespaceRoom::Bytes(51 * 4096)]);
        assert!(
            large.contains("host.namespaces.n1.size") && large.contains("at most 204800 bytes"),
            "{large}"
        );
        assert!(
            refused(&[NamespaceRoom::Bytes(90 * 4096)]).contains("40960 of its 409600 bytes belong to none")
        );
        assert!(
            refused(&[NamespaceRoom::Share(1.0), NamespaceRoom::Rest])
                .contains("leave some of the drive's 409600 bytes to n1")
        );
        assert!(
            refused(&[NamespaceRoom::Share(0.001), NamespaceRoom::Rest])
                .contains("at least one mapping unit")
        );
    }

    #[test]
    fn a_request_stays_within_one_namespace() {
        let rooms = [NamespaceRoom::Bytes(5 * 4096 + 512), NamespaceRoom::Rest];
        let namespaces = Namespaces::place(&declared(&rooms), 100, 4096, &[]).unwrap();
        let asked = |op, offset, bytes| {
            let request = HostRequest::plain(units::SimTime::ZERO, op, offset, bytes);
            namespaces.admit(&request, || "w".into()).map_err(|error| error.to_string())
        };
        assert_eq!(asked(Op::WRITE, 5 * 4096, 512), Ok(()));
        assert_eq!(asked(Op::READ, 6 * 4096, 94 * 4096), Ok(()));
        assert_eq!(asked(Op::FLUSH, 0, 0), Ok(()));
        let beyond =
            "w: a request of 1024 bytes at 20480: expected requests within the namespace n0's 20992 bytes";
        assert_eq!(asked(Op::WRITE, 5 * 4096, 1024).unwrap_err(), beyond);
        assert!(asked(Op::TRIM, 0, 7 * 4096).unwrap_err().contains("namespace n0's"));
        assert!(
            asked(Op::READ, 99 * 4096, 8192).unwrap_err().contains("at 380928: expected requests within")
        );
        assert!(asked(Op::READ, u64::MAX - 4095, 4096).unwrap_err().contains("namespace n1's"));
    }
}
