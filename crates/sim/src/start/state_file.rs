//! Saved states: the state of a drive in a file, compressed, checksummed, versioned.
//!
//! Layout: magic, version, checksum of what follows (xxh3), then a zstd stream of the header (JSON with the
//! drive's name and resolved shape) and the arrays, each with its length.

use crate::drive::memory::HEAD_MOST;
use crate::namespaces::Namespaces;
use crate::{Drive, Error};
use ftl::{FlashZoneState, Ftl, SavedState, ZonedLayer};
use host::codec::{pack_zstd, read_zstd};
use host::temporary;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"FLGATESN";
/// Constant: version of the format of saved drive states. 2: a collection may be in progress. 3: superblocks with one
/// bit a cell, groups of parity, snapshots, units that are lost. 4: contents common to every map come first. 5: random
/// streams, the order of candidates, lives of blocks, ages of data. 6: the open superblock of each write stream. 7: the
/// superblocks that garbage collection has chosen and not taken yet.
const VERSION: u32 = 7;
/// Constant: compression level (zstd) of saved drive states: a higher one gains nothing, as the arrays look random.
const LEVEL: i32 = 3;

/// Returns the shape of a drive for its saved state, as JSON: sizes that must be equal on a drive that loads the state.
pub fn shape(ftl: &Ftl) -> Value {
    let layout = ftl.layout();
    let mut shape = json!({
        "parity_stripe": ftl.feature::<ftl::Stripes>().map(|stripes| stripes.stripe()),
        "slc_cache": ftl.cache_bytes().is_some(),
        "endurance": !ftl.array().lives().is_empty(),
        "unit_bytes": layout.unit.get(),
        "dies": layout.dies,
        "planes": layout.planes,
        "row_units": layout.row_units,
        "rows": layout.rows,
        "program_rows": layout.program_rows,
        "superblocks_per_die": layout.superblocks_per_die,
        "logical_units": layout.logical_units,
        "translation_units": layout.translation_units,
    });
    if let Some(zoning) = ftl.zoning() {
        shape["zone_units"] = json!(zoning.size);
        shape["zone_capacity_units"] = json!(zoning.capacity);
        shape["zone_dies"] = json!(zoning.width);
        if zoning.beside > 0 {
            shape["units_beside_zones"] = json!(zoning.beside);
        }
    }
    shape
}

/// Returns what a saved state says of the zones of a zoned drive, as JSON: how many are empty, closed (partly written)
/// and full, the units written in all of them, and the units among these that wait in the write buffer; `None` where
/// the drive has no zones.
fn zones_of(ftl: &Ftl) -> Option<Value> {
    let zoning = ftl.zoning()?;
    let zones = ftl.zones();
    let is_full = |zone: &&FlashZoneState| zone.is_finished || zone.written == zoning.capacity;
    let full = zones.iter().filter(is_full).count();
    let empty = zones.iter().filter(|zone| !is_full(zone) && zone.written == 0).count();
    Some(json!({
        "empty": empty,
        "closed": zones.len() - empty - full,
        "full": full,
        "units_written": zones.iter().map(|zone| u64::from(zone.written)).sum::<u64>(),
        "units_in_buffer": ftl.buffer().units_held()[1],
    }))
}

/// Description of the origin of a saved drive state: drive, seed, and ageing.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    pub drive: &'a Drive,
    /// Seed with which the saved drive was built.
    pub seed: u64,
    /// Number of drive writes (overwrites of the whole logical space) by which the saved drive was aged; none for a
    /// drive that was not aged.
    pub aged: Option<f64>,
    /// List of the ages of the data in nanoseconds, one age for each superblock of the drive; an empty list if the ages
    /// are not known.
    pub ages_ns: &'a [u64],
}

impl<'a> About<'a> {
    /// Makes the origin for the saved state of a drive that was not aged.
    pub fn new(drive: &'a Drive, seed: u64) -> Self {
        Self { drive, seed, aged: None, ages_ns: &[] }
    }
}

/// Saves the state of the drive `ftl` to the file `path`, whole or not at all.
///
/// # Errors
/// When an operation of the drive is in progress, or the file cannot be written.
pub(crate) fn save(ftl: &Ftl, about: &About<'_>, path: &Path) -> Result<(), Error> {
    let fail = |error: &dyn std::fmt::Display| Error(format!("{}: {error}", path.display()));
    let state = ftl.save().map_err(|error| fail(&error))?;
    let mut header = json!({
        "drive": about.drive.name,
        "floatgate": crate::version(),
        "seed": about.seed,
        "aged_drive_writes": about.aged,
        "shape": shape(ftl),
    });
    if let Some(parts) = about.drive.namespaces().described() {
        header["namespaces"] = json!(parts);
    }
    if let Some(zones) = zones_of(ftl) {
        header["zones"] = zones;
    }
    let header = header.to_string();
    let mut body = Vec::new();
    body.extend_from_slice(&(header.len() as u64).to_le_bytes());
    body.extend_from_slice(header.as_bytes());
    body.extend_from_slice(&(state.words.len() as u64).to_le_bytes());
    for words in &state.words {
        body.extend_from_slice(&(words.len() as u64).to_le_bytes());
        body.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    body.extend_from_slice(&(state.longs.len() as u64).to_le_bytes());
    for longs in &state.longs {
        write_longs(&mut body, longs);
    }
    write_longs(&mut body, state.streams.as_flattened());
    write_longs(&mut body, about.ages_ns);
    let packed = pack_zstd(&body, LEVEL).map_err(|error| fail(&error))?;
    let mut file = Vec::with_capacity(packed.len() + 20);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&xxh3_64(&packed).to_le_bytes());
    file.extend_from_slice(&packed);
    write_durably(path, &file).map_err(|error| fail(&error))
}

fn write_longs(body: &mut Vec<u8>, longs: &[u64]) {
    body.extend_from_slice(&(longs.len() as u64).to_le_bytes());
    body.extend(longs.iter().flat_map(|long| long.to_le_bytes()));
}

/// Writes `bytes` to a temporary file, syncs it and renames it to `path`; an earlier file at `path` stays until the new
/// file is complete.
fn write_durably(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if path.exists() && !path.is_file() {
        return Err(std::io::Error::other("is no regular file: expected a new file, or an earlier state"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary::beside(folder, ".tmp")?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    temporary::settle(folder)
}

/// Reads the header of a saved drive state, as JSON.
///
/// # Errors
/// When the file is not a whole saved state.
pub fn info(path: &Path) -> Result<Value, Error> {
    let most = HEAD_MOST.get() + 8;
    let body = unpack(path, most, SurplusBytes::Leave)?;
    let mut reader = StateReader { bytes: &body, path };
    reader.header()
}

/// Loads the saved drive state at `path` into `ftl`; the state may unpack to at most `most` bytes. If the state was
/// made with the same `seed`, the drive's random number sequences (streams) continue as if the drive had not been
/// saved.
///
/// # Errors
/// When the file is damaged, of another version, or of a drive of another shape or with other namespaces.
pub(crate) fn load(
    ftl: &mut Ftl,
    path: &Path,
    most: u64,
    seed: u64,
    namespaces: &Namespaces,
) -> Result<(), Error> {
    let body = unpack(path, most, SurplusBytes::Refuse)?;
    let mut reader = StateReader { bytes: &body, path };
    let header = reader.header()?;
    let own = shape(ftl);
    if header["shape"] != own {
        let shapes = [&own, &header["shape"]];
        let mut keys = shapes.iter().filter_map(|shape| shape.as_object()).flat_map(|shape| shape.keys());
        let key = keys.find(|key| header["shape"][*key] != own[*key]).cloned().unwrap_or_default();
        let said = |shape: &Value| shape.get(&key).map_or("none".to_owned(), Value::to_string);
        return Err(Error(format!(
            "{}: the saved state is of a drive of another shape: {key} is {} there and {} here",
            path.display(),
            said(&header["shape"]),
            said(&own)
        )));
    }
    let here = json!(namespaces.described());
    if header["namespaces"] != here {
        let said = |parts: &Value| parts.as_str().unwrap_or("one, which is all of it").to_owned();
        return Err(Error(format!(
            "{}: the saved state is of a drive of other namespaces: {} there, and {} here",
            path.display(),
            said(&header["namespaces"]),
            said(&here)
        )));
    }
    let count = reader.length()?;
    let words = (0..count).map(|_| reader.array(u32::from_le_bytes)).collect::<Result<_, _>>()?;
    let count = reader.length()?;
    let longs = (0..count).map(|_| reader.array(u64::from_le_bytes)).collect::<Result<_, _>>()?;
    let streams = reader.array(u64::from_le_bytes)?;
    let (streams, rest) = streams.as_chunks::<4>();
    let ages_ns = reader.array(u64::from_le_bytes)?;
    if !rest.is_empty() {
        return Err(Error(format!("{}: the saved state has a part of a random stream", path.display())));
    }
    let goes_on = header["seed"] == seed;
    let streams = if goes_on { streams.to_vec() } else { Vec::new() };
    ftl.load(&SavedState { words, longs, streams, ages_ns })
        .map_err(|reason| Error(format!("{}: {reason}", path.display())))
}

/// Kind of treatment of a saved state that unpacks to more bytes than asked for: ignore the surplus bytes, or refuse
/// the state.
#[derive(PartialEq)]
enum SurplusBytes {
    Leave,
    Refuse,
}

fn unpack(path: &Path, most: u64, beyond: SurplusBytes) -> Result<Vec<u8>, Error> {
    let fail = |reason: &str| Error(format!("{}: {reason}", path.display()));
    let about = std::fs::metadata(path).map_err(|error| fail(&error.to_string()))?;
    if !about.is_file() {
        return Err(fail("is no regular file: expected a state that --save-state wrote"));
    }
    // What is packed is hardly longer than what it unpacks to.
    let packed_most = most.saturating_add(most / 8 + 4096);
    if beyond == SurplusBytes::Refuse && about.len() > packed_most {
        return Err(fail(&format!(
            "{} bytes: expected a saved state of this drive, which has {packed_most} bytes at most",
            about.len()
        )));
    }
    let file = std::fs::read(path).map_err(|error| fail(&error.to_string()))?;
    if file.len() < 20 || &file[..8] != MAGIC {
        return Err(fail("not a saved state of Floatgate"));
    }
    let version = u32::from_le_bytes(file[8..12].try_into().expect("four bytes"));
    if version != VERSION {
        return Err(fail(&format!("a saved state of version {version}; expected version {VERSION}")));
    }
    let sum = u64::from_le_bytes(file[12..20].try_into().expect("eight bytes"));
    if sum != xxh3_64(&file[20..]) {
        return Err(fail("the saved state is damaged: its checksum does not fit; make it again"));
    }
    let mut body = Vec::new();
    read_zstd(&file[20..])
        .and_then(|decoder| decoder.take(most.saturating_add(1)).read_to_end(&mut body))
        .map_err(|error| fail(&format!("the saved state is damaged: {error}")))?;
    if beyond == SurplusBytes::Refuse && body.len() as u64 > most {
        return Err(fail(&format!(
            "unpacks to more than {most} bytes: expected a saved state of this drive, which has no more"
        )));
    }
    Ok(body)
}

struct StateReader<'a> {
    bytes: &'a [u8],
    path: &'a Path,
}

impl<'a> StateReader<'a> {
    fn take(&mut self, count: u64) -> Result<&'a [u8], Error> {
        let whole = usize::try_from(count).ok().and_then(|count| self.bytes.split_at_checked(count));
        let (taken, rest) =
            whole.ok_or_else(|| Error(format!("{}: the saved state ends too early", self.path.display())))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn length(&mut self) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    fn header(&mut self) -> Result<Value, Error> {
        let length = self.length()?;
        let text = self.take(length.min(HEAD_MOST.get()))?;
        serde_json::from_slice(text).map_err(|error| Error(format!("{}: {error}", self.path.display())))
    }

    fn array<T, const N: usize>(&mut self, from: fn([u8; N]) -> T) -> Result<Vec<T>, Error> {
        let length = self.length()?;
        let bytes = self.take(length.saturating_mul(N as u64))?;
        Ok(bytes.chunks_exact(N).map(|chunk| from(chunk.try_into().expect("chunks of N bytes"))).collect())
    }
}
