//! Where each declared namespace lies: in the bytes that a workload sees, and in those of the flash.
//!
//! On a drive without zones both are the same. On one with zones the flash has the units that are mapped one by one
//! first, those of all `nvm` namespaces, and then the zones of all `zns` namespaces, without gaps between zones.

use super::{DriveZones, Namespaces, Placed};
use config::{ConfigError, Entry, Place};
use ftl::Zoning;
use host::command;
use host::{Declared, Extent, NamespaceRoom};

/// Record of the sizes by which namespaces are placed on a drive: number and size of the mapping units, and the zones.
#[derive(Clone, Copy)]
struct PlacingSizes {
    /// Number of mapping units of the drive that belong to namespaces.
    units: u64,
    /// Size in bytes of a mapping unit.
    unit: u64,
    /// Number, sizes and limits of the zones that the drive has if all its space is in zones; `None` on a drive without
    /// zones.
    zoning: Option<Zoning>,
}

impl PlacingSizes {
    /// Returns the mapping units on flash and the bytes in the host's address space of the smallest namespace like
    /// `one`: of one zone, or of one mapping unit where `one` has no zones. The bytes of a zone reach to the start of
    /// the next zone, so they may be more than its mapping units have.
    fn least_of(&self, one: &Declared) -> (u64, u64) {
        match self.zoning {
            Some(zoning) if has_zones(one) => (zoning.capacity.into(), zoning.size * self.unit),
            _ => (1, self.unit),
        }
    }

    /// Returns, for `units` mapping units that no namespace takes, how many least parts of the drive they are (zones on
    /// a drive with zones, else mapping units), and a text for an error message, such as "2 of its 8 zones".
    fn left_over(&self, units: u64) -> (u64, String) {
        match self.zoning.map(|zoning| u64::from(zoning.capacity)) {
            Some(zone) => (units / zone, format!("{} of its {} zones", units / zone, self.units / zone)),
            None => (units, format!("{} of its {} bytes", units * self.unit, self.units * self.unit)),
        }
    }

    /// Returns the words for the whole space of the drive in an error message: `zones`, or a number of bytes without
    /// zones.
    fn whole(&self) -> String {
        match self.zoning {
            Some(_) => "zones".to_owned(),
            None => format!("{} bytes", self.units * self.unit),
        }
    }
}

/// Returns true if a declared namespace has zones.
fn has_zones(one: &Declared) -> bool {
    std::ptr::eq(one.set, command::ZONED)
}

impl Namespaces {
    /// Makes the namespaces of a drive from the `declared` ones (one for the whole drive if none is declared), on a
    /// drive of `units` mapping units of `unit` bytes; `entries` give the places of the keys for error messages. The
    /// bytes of a zoned namespace count from the start of a zone to that of the next.
    ///
    /// # Errors
    /// When namespaces do not fit the drive or leave a part of it unused, or zones are declared on a drive without
    /// them, or none on a drive with zones.
    pub fn place_all(
        declared: &[Declared],
        (units, unit): (u64, u64),
        zoning: Option<Zoning>,
        entries: &[Entry],
    ) -> Result<Self, ConfigError> {
        let sizes = PlacingSizes { units, unit, zoning };
        match (zoning, declared) {
            (Some(zoning), _) => Self::place_zoned(declared, sizes, zoning, entries),
            (None, []) => Ok(Self::whole(units * unit)),
            (None, _) => {
                if let Some(one) = declared.iter().find(|one| has_zones(one)) {
                    let expected = "expected nvm: this drive has no zones; ftl.mapping.name = zoned-all makes it one that has";
                    return Err(refuse(entries, &one.name, "command_set", expected.to_owned()));
                }
                Ok(Self::of_all(side_by_side(declared, sizes, entries)?.0, units * unit))
            }
        }
    }

    /// Makes the namespaces of a drive with zones.
    fn place_zoned(
        declared: &[Declared],
        sizes: PlacingSizes,
        zoning: Zoning,
        entries: &[Entry],
    ) -> Result<Self, ConfigError> {
        let unit = sizes.unit;
        let one_of_all = |name: &str| {
            let extent = Extent { offset: 0, bytes: u64::from(zoning.count) * zoning.size * unit };
            let one = Placed::new(name.to_owned(), command::ZONED, extent);
            Placed { zones: 0..zoning.count, ..one }
        };
        let (all, pages) = match declared {
            [] => (vec![one_of_all("")], 0),
            [one] if has_zones(one) && one.room == NamespaceRoom::Rest => (vec![one_of_all(&one.name)], 0),
            _ if declared.iter().any(has_zones) => side_by_side(declared, sizes, entries)?,
            [one, ..] => {
                let expected =
                    "expected zns for one of the namespaces: a drive whose ftl.mapping knows zones has some";
                return Err(refuse(entries, &one.name, "command_set", expected.to_owned()));
            }
        };
        let bytes = all.iter().map(|one| one.extent.bytes.next_multiple_of(unit)).sum();
        let count = (sizes.units - pages) / u64::from(zoning.capacity);
        let zones = DriveZones::new(Zoning { count: count as u32, ..zoning }, unit, pages * unit);
        let all = all.into_iter().map(|one| Placed { flash: zones.on_flash_of(&one), ..one }).collect();
        Ok(Self { zoned: Some(Box::new(zones)), ..Self::of_all(all, bytes) })
    }
}

/// Returns the namespaces of a drive in the order in which they are declared, with the number of mapping units of those
/// without zones.
fn side_by_side(
    declared: &[Declared],
    sizes: PlacingSizes,
    entries: &[Entry],
) -> Result<(Vec<Placed>, u64), ConfigError> {
    let rooms = rooms(declared, sizes, entries)?;
    let (mut all, mut offset, mut pages, mut zones) = (Vec::new(), 0, 0, 0);
    for (one, room) in declared.iter().zip(rooms) {
        let (bytes, place) = match one.room {
            _ if has_zones(one) => (room * sizes.least_of(one).1, zones..zones + room as u32),
            NamespaceRoom::Bytes(bytes) => (bytes, 0..0),
            _ => (room * sizes.unit, 0..0),
        };
        let placed = Placed::new(one.name.clone(), one.set, Extent { offset, bytes });
        // Only of a namespace without zones: where zones lie their numbers say.
        let flash = Extent { offset: pages * sizes.unit, bytes };
        (zones, pages) = match has_zones(one) {
            true => (place.end, pages),
            false => (zones, pages + room),
        };
        all.push(Placed { zones: place, flash, ..placed });
        offset += bytes.next_multiple_of(sizes.unit);
    }
    Ok((all, pages))
}

/// Returns the room of each declared namespace: a number of zones, or of mapping units where the namespace has no
/// zones.
fn rooms(declared: &[Declared], sizes: PlacingSizes, entries: &[Entry]) -> Result<Vec<u64>, ConfigError> {
    let mut left = sizes.units;
    let (mut rooms, mut shares) = (Vec::new(), 0);
    for one in declared {
        let (key, room) = asked_room(one, sizes, entries)?;
        // Shares are rounded down to the drive's least parts.
        let rounds = matches!(one.room, NamespaceRoom::Share(_)) && has_zones(one) == sizes.zoning.is_some();
        shares += u64::from(rounds);
        let (least, bytes) = sizes.least_of(one);
        let Some(rest) = left.checked_sub(room * least) else {
            let (most, whole) = (left / least * bytes, sizes.whole());
            let expected =
                format!("expected at most {most} bytes, what those before it leave of the drive's {whole}");
            return Err(refuse(entries, &one.name, key, expected));
        };
        left = rest;
        rooms.push(room);
    }
    let (parts, told) = sizes.left_over(left);
    match declared.iter().position(|one| one.room == NamespaceRoom::Rest) {
        Some(at) => {
            rooms[at] = left / sizes.least_of(&declared[at]).0;
            if rooms[at] == 0 {
                let (name, whole) = (&declared[at].name, sizes.whole());
                let expected = format!("expected others that leave some of the drive's {whole} to {name}");
                return Err(refuse(entries, "", "names", expected));
            }
        }
        None if parts <= shares => {}
        None => {
            let expected = format!(
                "expected namespaces that are all of the drive: {told} belong to none; one without size and share \
                 takes them, or ftl.user_capacity makes the drive smaller"
            );
            return Err(refuse(entries, "", "names", expected));
        }
    }
    Ok(rooms)
}

/// Returns the key by which a declared namespace asks for its room, and the room: a number of zones, or of mapping
/// units where the namespace has no zones; 0 for a namespace that takes what the others leave.
fn asked_room(
    one: &Declared,
    sizes: PlacingSizes,
    entries: &[Entry],
) -> Result<(&'static str, u64), ConfigError> {
    let (least, bytes_of_least) = sizes.least_of(one);
    let (key, room) = match one.room {
        NamespaceRoom::Bytes(bytes) if has_zones(one) && !bytes.is_multiple_of(bytes_of_least) => {
            return Err(refuse(entries, &one.name, "size", whole_zones(bytes, bytes_of_least)));
        }
        NamespaceRoom::Bytes(bytes) => ("size", bytes.div_ceil(bytes_of_least)),
        NamespaceRoom::Share(share) => ("share", ((sizes.units / least) as f64 * share) as u64),
        NamespaceRoom::Rest => return Ok(("", 0)),
    };
    if room > 0 {
        return Ok((key, room));
    }
    let part = if has_zones(one) { "zone" } else { "mapping unit" };
    let expected = format!("expected at least one {part} of the drive, of {bytes_of_least} bytes");
    Err(refuse(entries, &one.name, key, expected))
}

/// Returns the text of an error message with the sizes that are nearest to `bytes` bytes and whole multiples of a zone
/// of `zone` bytes, for a namespace with zones whose size is no such multiple.
fn whole_zones(bytes: u64, zone: u64) -> String {
    let below = bytes / zone;
    let nearest = match below {
        0 => format!("{zone}B"),
        _ => format!("{}B or {}B", below * zone, (below + 1) * zone),
    };
    format!("expected whole zones, of {zone} bytes each: {nearest}")
}

/// Makes the error for a wrong value of key `key` of namespace `name`, or of all namespaces if `name` is empty.
pub(super) fn refuse(entries: &[Entry], name: &str, key: &str, expected: String) -> ConfigError {
    let key = ["host.namespaces", name, key].map(str::to_owned).into_iter().filter(|part| !part.is_empty());
    let key = key.collect::<Vec<_>>().join(".");
    let entry = entries.iter().rev().find(|entry| entry.key == key);
    let place = entry.map_or(Place::Default, |entry| entry.place.clone());
    let value = entry.map(|entry| entry.value.to_string()).unwrap_or_default();
    ConfigError { place, key, value, expected, hint: None }
}
