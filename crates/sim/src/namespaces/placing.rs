//! Where each declared namespace lies: in the bytes that a workload sees, and in those of the flash.
//!
//! On a drive without zones both are the same. On one with zones the flash has the units that are mapped one by one
//! first, those of all `nvm` namespaces, and then the zones of all `zns` namespaces, without gaps between zones.

use super::{DriveZones, Namespaces, Placed};
use config::{ConfigError, Entry, Place};
use ftl::Zoning;
use host::command;
use host::{Declared, Extent, NamespaceRoom};

/// Record of the sizes on which namespaces are placed: of the drive, a mapping unit, and a zone.
#[derive(Clone, Copy)]
struct PlacingSizes {
    /// Number of mapping units of the drive that belong to namespaces.
    units: u64,
    /// Size in bytes of a mapping unit.
    unit: u64,
    /// Zones of the drive as they are where all of it is zones.
    zoning: Zoning,
}

impl PlacingSizes {
    /// Returns the bytes from the start of a zone to that of the next.
    fn zone_bytes(&self) -> u64 {
        self.zoning.size * self.unit
    }

    /// Returns the number of mapping units that a room takes on the flash: `room` zones of a namespace with zones, or
    /// `room` mapping units of another.
    fn units_of(&self, one: &Declared, room: u64) -> u64 {
        if has_zones(one) { room * u64::from(self.zoning.capacity) } else { room }
    }
}

/// Returns true if a declared namespace has zones.
fn has_zones(one: &Declared) -> bool {
    std::ptr::eq(one.set, command::ZONED)
}

impl Namespaces {
    /// Makes the namespaces of a drive from the `declared` ones, on a drive of `units` mapping units of `unit` bytes;
    /// `entries` give the places of the keys for error messages. The bytes of a zoned namespace count from the start of
    /// a zone to that of the next.
    ///
    /// # Errors
    /// When namespaces do not fit the drive or leave a part of it unused, or zones are declared on a drive without them.
    pub fn place_all(
        declared: &[Declared],
        (units, unit): (u64, u64),
        zoning: Option<Zoning>,
        entries: &[Entry],
    ) -> Result<Self, ConfigError> {
        match zoning {
            Some(zoning) => Self::place_zoned(declared, PlacingSizes { units, unit, zoning }, entries),
            None => {
                if let Some(one) = declared.iter().find(|one| has_zones(one)) {
                    let expected = "expected nvm: this drive has no zones; ftl.mapping.name = zoned-all makes it one that has";
                    return Err(refuse(entries, &one.name, "command_set", expected.to_owned()));
                }
                Self::place(declared, units, unit, entries)
            }
        }
    }

    /// Makes the namespaces that a drive file declares, on a drive of `units` mapping units of `unit` bytes; `entries`
    /// give the places of the keys for error messages.
    ///
    /// # Errors
    /// When the namespaces do not fit the drive, or leave a part of it unused.
    pub(super) fn place(
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

    /// Makes the namespaces of a drive with zones.
    fn place_zoned(
        declared: &[Declared],
        sizes: PlacingSizes,
        entries: &[Entry],
    ) -> Result<Self, ConfigError> {
        let PlacingSizes { unit, zoning, .. } = sizes;
        let zone_bytes = sizes.zone_bytes();
        let one_of_all = |name: &str| {
            let extent = Extent { offset: 0, bytes: u64::from(zoning.count) * zone_bytes };
            let one = Placed::new(name.to_owned(), command::ZONED, extent);
            Placed { zones: 0..zoning.count, ..one }
        };
        let (all, pages) = match declared {
            [] => (vec![one_of_all("")], 0),
            [one] if has_zones(one) && one.room == NamespaceRoom::Rest => (vec![one_of_all(&one.name)], 0),
            _ => side_by_side(declared, sizes, entries)?,
        };
        let bytes = all.iter().map(|one| one.extent.bytes.next_multiple_of(unit)).sum();
        let count = (sizes.units - pages) / u64::from(zoning.capacity);
        let zones = DriveZones::new(Zoning { count: count as u32, ..zoning }, unit, pages * unit);
        let all = all.into_iter().map(|one| Placed { flash: zones.on_flash_of(&one), ..one }).collect();
        Ok(Self { zoned: Some(Box::new(zones)), ..Self::of_all(all, bytes) })
    }
}

/// Returns the namespaces of a drive with zones, in the order in which they are declared, with the number of mapping
/// units of those without zones.
fn side_by_side(
    declared: &[Declared],
    sizes: PlacingSizes,
    entries: &[Entry],
) -> Result<(Vec<Placed>, u64), ConfigError> {
    if !declared.iter().any(has_zones) {
        let expected =
            "expected zns for one of the namespaces: a drive whose ftl.mapping knows zones has some";
        return Err(refuse(entries, &declared[0].name, "command_set", expected.to_owned()));
    }
    let rooms = zoned_rooms(declared, sizes, entries)?;
    let (mut all, mut offset, mut pages, mut zones) = (Vec::new(), 0, 0, 0);
    for (one, room) in declared.iter().zip(rooms) {
        let (bytes, place) = match one.room {
            _ if has_zones(one) => (room * sizes.zone_bytes(), zones..zones + room as u32),
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

/// Returns the room of each declared namespace of a drive with zones: a number of zones, or of mapping units where the
/// namespace has no zones.
fn zoned_rooms(
    declared: &[Declared],
    sizes: PlacingSizes,
    entries: &[Entry],
) -> Result<Vec<u64>, ConfigError> {
    let (zone_bytes, capacity) = (sizes.zone_bytes(), u64::from(sizes.zoning.capacity));
    let mut left = sizes.units;
    let (mut rooms, mut shares) = (Vec::new(), 0);
    for one in declared {
        let (key, room) = asked_room(one, sizes, entries)?;
        shares += u64::from(matches!(one.room, NamespaceRoom::Share(_)) && has_zones(one));
        let Some(rest) = left.checked_sub(sizes.units_of(one, room)) else {
            let most = if has_zones(one) { left / capacity * zone_bytes } else { left * sizes.unit };
            let expected =
                format!("expected at most {most} bytes, what those before it leave of the drive's zones");
            return Err(refuse(entries, &one.name, key, expected));
        };
        left = rest;
        rooms.push(room);
    }
    match declared.iter().position(|one| one.room == NamespaceRoom::Rest) {
        Some(at) => {
            rooms[at] = if has_zones(&declared[at]) { left / capacity } else { left };
            if rooms[at] == 0 {
                let name = &declared[at].name;
                let expected = format!("expected others that leave some of the drive's zones to {name}");
                return Err(refuse(entries, "", "names", expected));
            }
        }
        // Shares are rounded down to whole zones.
        None if left / capacity <= shares => {}
        None => {
            let expected = format!(
                "expected namespaces that are all of the drive: {} of its {} zones belong to none; one without size and \
                 share takes them, or ftl.user_capacity makes the drive smaller",
                left / capacity,
                sizes.units / capacity
            );
            return Err(refuse(entries, "", "names", expected));
        }
    }
    Ok(rooms)
}

/// Returns the key by which a declared namespace of a drive with zones asks for its room, and the room: a number of
/// zones, or of mapping units where the namespace has no zones; 0 for a namespace that takes what the others leave.
fn asked_room(
    one: &Declared,
    sizes: PlacingSizes,
    entries: &[Entry],
) -> Result<(&'static str, u64), ConfigError> {
    let (zone_bytes, capacity) = (sizes.zone_bytes(), u64::from(sizes.zoning.capacity));
    let whole = if has_zones(one) { sizes.units / capacity } else { sizes.units };
    let (key, room) = match one.room {
        NamespaceRoom::Bytes(bytes) if has_zones(one) => {
            if !bytes.is_multiple_of(zone_bytes) {
                return Err(refuse(entries, &one.name, "size", whole_zones(bytes, zone_bytes)));
            }
            ("size", bytes / zone_bytes)
        }
        NamespaceRoom::Bytes(bytes) => ("size", bytes.div_ceil(sizes.unit)),
        NamespaceRoom::Share(share) => ("share", (whole as f64 * share) as u64),
        NamespaceRoom::Rest => return Ok(("", 0)),
    };
    if room > 0 {
        return Ok((key, room));
    }
    let least = match has_zones(one) {
        true => format!("expected at least one zone of the drive, of {zone_bytes} bytes"),
        false => format!("expected at least one mapping unit of the drive, of {} bytes", sizes.unit),
    };
    Err(refuse(entries, &one.name, key, least))
}

/// Returns what is expected of the size of a namespace with zones of `zone` bytes that is no whole number of them.
fn whole_zones(bytes: u64, zone: u64) -> String {
    let below = bytes / zone;
    let nearest = match below {
        0 => format!("{zone}B"),
        _ => format!("{}B or {}B", below * zone, (below + 1) * zone),
    };
    format!("expected whole zones, of {zone} bytes each: {nearest}")
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
pub(super) fn refuse(entries: &[Entry], name: &str, key: &str, expected: String) -> ConfigError {
    let key = ["host.namespaces", name, key].map(str::to_owned).into_iter().filter(|part| !part.is_empty());
    let key = key.collect::<Vec<_>>().join(".");
    let entry = entries.iter().rev().find(|entry| entry.key == key);
    let place = entry.map_or(Place::Default, |entry| entry.place.clone());
    let value = entry.map(|entry| entry.value.to_string()).unwrap_or_default();
    ConfigError { place, key, value, expected, hint: None }
}
