//! The door of a drive: which namespaces it has, where each lies, and what may be asked of it.
//!
//! Namespaces lie side by side on the logical drive, each from the beginning of a mapping unit on, and share all dies.
//! Here alone bytes of a namespace become bytes of the drive and back. A drive that declares none is one namespace.
//!
//! Not modelled: namespaces that are made, attached and deleted while the drive runs, several hosts, other block sizes
//! than 512 bytes, capacity that no namespace has (`ftl.user_capacity` makes the drive smaller instead).

mod counted;
mod fillings;
mod identifiers;
mod placing;
mod zoned;

use ftl::Ftl;
use host::command::{self, CommandSet, SECTOR};
use host::{Effect, Extent, HostRequest, HostSpace, HostZones, Namespace, WorkloadError};
use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) use counted::ByNamespace;
pub(crate) use zoned::{DriveZones, ZoneTurn};

/// Record of one namespace of a drive: name, command set, address range on the drive, and zones.
#[derive(Clone, Debug)]
struct Placed {
    name: String,
    set: &'static CommandSet,
    /// Bit mask of the operations that address sectors, copied from the namespace's command set
    /// ([`CommandSet::on_sectors`]) for quick access.
    on_sectors: u64,
    /// Byte range of the namespace on the drive, as a workload sees it.
    extent: Extent,
    /// Number of placement identifiers that a write to the namespace can name.
    handles: u16,
    /// Byte range of the namespace in the drive's own bytes, which have no gaps between zones; the range that a
    /// workload sees on a drive without zones.
    flash: Extent,
    /// Range of the numbers, on the drive, of the namespace's zones; empty where it has none.
    zones: Range<u32>,
}

impl Placed {
    fn new(name: String, set: &'static CommandSet, extent: Extent) -> Self {
        Self { name, set, on_sectors: set.on_sectors(), extent, flash: extent, handles: 0, zones: 0..0 }
    }

    /// Returns true if the namespace has zones.
    fn is_zoned(&self) -> bool {
        !self.zones.is_empty()
    }
}

/// Record of a host request to a drive with zones in its translated form, in the drive's own byte addresses (without
/// the gaps between zones).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamespaceEntry {
    /// Translated request, with an offset in the drive's own bytes (without the gaps between zones).
    pub inner: HostRequest,
    /// Original request, with an offset among the zones of the drive, where it cannot be derived from the translated
    /// request because it reaches beyond a zone's capacity; `None` for all other requests.
    pub odd: Option<HostRequest>,
}

/// Record of the namespaces of a drive, at least one, in the order of their address ranges, and of the zones' states.
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
    /// Field of a drive's namespaces: states of the zones of all of them; none on a drive without zones.
    zoned: Option<Box<DriveZones>>,
}

impl Namespaces {
    /// Makes the list of namespaces of a drive with a single namespace that covers the whole drive of `bytes` bytes.
    pub fn whole(bytes: u64) -> Self {
        let extent = Extent { offset: 0, bytes };
        Self::of_all(vec![Placed::new(String::new(), command::USUAL, extent)], bytes)
    }

    /// Returns these namespaces with a host that keeps blocks on the drive's zones, given by its capacity in bytes and
    /// its number of placement handles; with `None` as the argument, without such a host.
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

    /// Returns true if a namespace of the drive has zones.
    #[inline]
    pub fn is_zoned(&self) -> bool {
        self.zoned.is_some()
    }

    /// Returns the states of the zones of all namespaces.
    ///
    /// # Panics
    /// When the drive has no zones.
    pub fn zoned(&mut self) -> &mut DriveZones {
        self.zoned.as_mut().expect("a namespace of the drive has zones")
    }

    /// Returns the number of zones of all namespaces, and the bytes of all namespaces without zones beside them; `None`
    /// on a drive without zones.
    pub fn beside_zones(&self) -> Option<(u32, u64)> {
        self.zoned.as_ref().map(|zones| (zones.zones().shape().count, zones.base()))
    }

    /// Begins a run of the drive's namespaces on the drive `ftl`: takes the states of the zones from the contents of
    /// the drive; does nothing on a drive without zones.
    pub fn begin(&mut self, ftl: &Ftl) {
        if let Some(zoned) = &mut self.zoned {
            zoned.begin(ftl);
        }
    }

    /// Lets the drive's namespaces go on after a power cut of the drive `ftl`: work in progress on zones is forgotten,
    /// and the states of the zones are taken from the contents of the drive; does nothing on a drive without zones.
    pub fn go_on_after_cut(&mut self, ftl: &Ftl) {
        if let Some(zoned) = &mut self.zoned {
            zoned.go_on_after_cut(ftl);
        }
    }

    /// Begins the measured window of the run: zone operations and errors are counted from here on; does nothing on a
    /// drive without zones.
    pub fn begin_measuring(&mut self) {
        if let Some(zoned) = &mut self.zoned {
            zoned.begin_measuring();
        }
    }

    /// Returns the states of the zones of all namespaces for reading; `None` where the drive has no zones.
    pub fn seen_zoned(&self) -> Option<&DriveZones> {
        self.zoned.as_deref()
    }

    /// Returns the number of zone errors with which requests were answered, by name of the error; empty on a drive
    /// without zones.
    pub fn errors(&self) -> BTreeMap<String, u64> {
        self.zoned.as_ref().map_or_else(BTreeMap::new, |zoned| zoned.errors())
    }

    /// Calls the callback `name` with each address range in the drive's own bytes (without the gaps between zones) that
    /// corresponds to a part of the host's range `extent`; on a drive with zones there may be several such ranges.
    pub fn on_flash(&self, extent: Extent, name: &mut dyn FnMut(Extent)) {
        let Some(zones) = &self.zoned else { return name(extent) };
        let end = extent.offset.saturating_add(extent.bytes);
        for one in &self.all {
            let from = extent.offset.max(one.extent.offset);
            let to = end.min(one.extent.offset + one.extent.bytes);
            if from >= to {
                continue;
            }
            let part = Extent { offset: from - one.extent.offset, bytes: to - from };
            match one.is_zoned() {
                true => zones.on_flash(
                    Extent { offset: zones.start(one.zones.start) + part.offset, ..part },
                    &mut *name,
                ),
                false => name(Extent { offset: one.flash.offset + part.offset, ..part }),
            }
        }
    }

    /// Returns why a drive with zones cannot accept the request at all: the fault found, and what was expected; `None`
    /// if the request is acceptable, and on a drive without zones.
    pub fn refusal(&self, request: &HostRequest) -> Option<(String, String)> {
        let (zones, one) = (self.zoned.as_ref()?, &self.all[self.of(request.offset)]);
        let within = HostRequest { offset: request.offset - one.extent.offset, ..*request };
        if one.is_zoned() { zones.refusal(&within) } else { None }
    }

    /// Translates a request of the host on a drive with zones to the drive's own byte addresses; of a request that
    /// reaches beyond a zone's capacity, the part inside.
    ///
    /// # Panics
    /// When a namespace has zones whose states the drive lacks.
    pub fn enter(&self, request: &HostRequest) -> NamespaceEntry {
        let one = &self.all[self.of(request.offset)];
        let within = request.offset - one.extent.offset;
        if !one.is_zoned() {
            let inner = HostRequest { offset: one.flash.offset + within, ..*request };
            return NamespaceEntry { inner, odd: None };
        }
        let zones = self.zoned.as_ref().expect("a namespace has zones");
        zones.enter(&HostRequest { offset: zones.start(one.zones.start) + within, ..*request })
    }

    /// Translates the request `id`, which is at `inner` in the drive's own byte addresses, back to the form in which
    /// the host made it, and returns with it the byte address at which its data begin (for an append, where the drive
    /// put them; 0 for a flush).
    ///
    /// # Panics
    /// When the drive has no zones, unless the request is a flush.
    pub fn in_hosts_words(&mut self, id: u32, inner: &HostRequest) -> (HostRequest, u64) {
        if inner.op.effect() == Effect::Flush {
            return (*inner, 0);
        }
        let one = &self.all[self.at_flash(inner.offset)];
        let zones = self.zoned.as_mut().expect("a namespace of the drive has zones");
        let base = one.extent.offset;
        if !one.is_zoned() {
            let offset = base + inner.offset - one.flash.offset;
            return (HostRequest { offset, ..*inner }, offset);
        }
        let (request, address) = zones.in_hosts_words(id, inner);
        let placed = |offset: u64| base + offset - zones.start(one.zones.start);
        (HostRequest { offset: placed(request.offset), ..request }, placed(address))
    }

    /// Returns true if byte `offset` of the drive's own addresses lies in a zone.
    #[inline]
    pub fn is_in_zone(&self, offset: u64) -> bool {
        self.zoned.as_ref().is_some_and(|zones| offset >= zones.base())
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

    /// Returns the address space of the drive itself, as its host sees it. Where the host keeps blocks on the drive's
    /// zones, a workload sees the host's blocks instead.
    pub fn space_of_drive(&self) -> HostSpace {
        let zones = |one: &Placed| {
            let zones = self.zoned.as_ref().filter(|_| one.is_zoned())?;
            let (first, count) = (one.zones.start, one.zones.len() as u32);
            Some(HostZones { offset: one.extent.offset, first, count, ..zones.seen() })
        };
        if !self.is_parted() {
            let space = HostSpace::from(self.all[0].extent.bytes);
            return HostSpace { handles: self.handles, zones: zones(&self.all[0]), ..space };
        }
        let seen = |one: &Placed| Namespace {
            name: one.name.clone(),
            extent: one.extent,
            handles: one.handles,
            zones: zones(one),
        };
        HostSpace {
            bytes: self.bytes,
            namespaces: self.all.iter().map(seen).collect(),
            handles: self.handles,
            zones: None,
        }
    }

    /// Returns the address space of the drive in its own bytes, by which observers see requests: without the gaps
    /// between zones (only its total size counts them), and with the zones of all namespaces in one list.
    pub fn space_of_flash(&self) -> HostSpace {
        let own = |one: &Placed| Namespace {
            name: one.name.clone(),
            extent: one.flash,
            handles: one.handles,
            zones: None,
        };
        let namespaces = if self.is_parted() { self.all.iter().map(own).collect() } else { Vec::new() };
        let zones = self.zoned.as_ref().map(|zones| zones.seen());
        HostSpace { namespaces, zones, ..self.space_of_drive() }
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

    /// Returns the index of the namespace that contains byte `offset` of the drive, in the addresses that a workload
    /// uses.
    #[inline]
    pub fn of(&self, offset: u64) -> usize {
        self.all.partition_point(|one| one.extent.offset <= offset) - 1
    }

    /// Returns the index of the namespace that contains byte `offset` of the drive's own addresses, in which there are
    /// no gaps between zones.
    pub fn at_flash(&self, offset: u64) -> usize {
        if self.zoned.is_none() {
            return self.of(offset);
        }
        let holds = |one: &Placed| (one.flash.offset..one.flash.offset + one.flash.bytes).contains(&offset);
        self.all.iter().position(holds).unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use host::{Declared, NamespaceRoom, Op};

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
        let placed = Namespaces::place_all(&declared(rooms), (100, 4096), None, &[])
            .map_err(|error| error.to_string())?;
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
        let namespaces = Namespaces::place_all(&declared(&rooms), (100, 4096), None, &[]).unwrap();
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
